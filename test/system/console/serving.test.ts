import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { consolePolicy } from '../../../rest-facade/pages/console/console-policy.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { buildConsole } from '../../support/processes/program.ts'

const asBrowser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

let gateway: TestGateway
let without: TestGateway
beforeAll(async () => {
  await buildConsole()
  gateway = await startTestGateway({ ANONYMOUS_RPS: '40' })
  without = await startTestGateway({ CONSOLE: 'off' })
})
afterAll(async () => {
  await gateway?.close()
  await without?.close()
})

const assets = () =>
  readdirSync(join(projectRoot, 'console/dist/assets')).filter((name) => /\.(js|css)$/.test(name))

/** The raw bytes, whatever the encoding. */
async function fetchAsset(name: string, encoding: string) {
  const { request } = await import('node:http')
  return new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>(
    (resolve, reject) => {
      const sent = request(
        `${gateway.baseUrl}/console/assets/${name}`,
        { headers: { 'accept-encoding': encoding } },
        (response) => {
          const parts: Buffer[] = []
          response.on('data', (part: Buffer) => parts.push(part))
          response.on('end', () => {
            const { statusCode = 0, headers } = response
            resolve({ status: statusCode, headers, body: Buffer.concat(parts) })
          })
        },
      )
      sent.on('error', reject)
      sent.end()
    },
  )
}

describe('GET /console', () => {
  test.each(['/console', '/console/', '/console/keys/key_1?q=x', '/console/portal'])(
    '%s is the document, on both listeners, never kept, with a policy that permits nothing from elsewhere',
    async (path) => {
      for (const client of [gateway.live, gateway.sandbox]) {
        const response = await fetch(client.url + path, { headers: asBrowser })

        const policy = response.headers.get('content-security-policy') ?? ''
        const nonce = /'nonce-([\w-]{22})'/.exec(policy)?.[1] ?? ''
        expect([response.status, policy]).toEqual([200, consolePolicy(nonce)])
        expect(Object.fromEntries(response.headers)).toMatchObject({
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          'x-frame-options': 'DENY',
          'cross-origin-opener-policy': 'same-origin',
          'referrer-policy': 'no-referrer',
        })
        const html = await response.text()
        expect(html).toContain(`nonce="${nonce}"`)
        expect(html).not.toMatch(
          /<script(?! type="module" crossorigin src="\/console\/)|\son\w+=|https?:/,
        )
      }
    },
  )

  test('has another nonce each time', async () => {
    const policies = await Promise.all(
      [1, 2].map(async () =>
        (await fetch(`${gateway.baseUrl}/console`)).headers.get('content-security-policy'),
      ),
    )
    expect(new Set(policies).size).toBe(2)
  })

  test('counts for the limit of its address; refuses other methods; answers HEAD', async () => {
    const got = await fetch(`${gateway.baseUrl}/console`)
    const head = await fetch(`${gateway.baseUrl}/console`, { method: 'HEAD' })
    const post = await gateway.live.request('/console', { method: 'POST' })

    expect(got.headers.get('x-ratelimit-limit')).toBe('40')
    expect([head.status, await head.text()]).toEqual([200, ''])
    expectError(gateway, post, { status: 405, code: 'METHOD_NOT_ALLOWED' })
    expect(post.headers.get('allow')).toBe('GET, HEAD')
  })
})

describe('GET /console/assets/{name}', () => {
  test('answers the compressed files of the build, which browsers keep for ever', async () => {
    const [name = ''] = assets()
    const plain = await fetchAsset(name, 'identity')
    const br = await fetchAsset(name, 'gzip, br')
    const gzip = await fetchAsset(name, 'gzip')

    expect([plain.status, br.status, gzip.status]).toEqual([200, 200, 200])
    expect(brotliDecompressSync(br.body).equals(plain.body)).toBe(true)
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true)
    expect(br.body.length).toBeLessThan(gzip.body.length)
    expect(br.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'br',
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
    })
  })

  test('is missing under any other name, and beside its folder', async () => {
    for (const name of ['nothing.js', '..%2findex.html', '../../package.json', '.built']) {
      const response = await gateway.live.get(`/console/assets/${name}`)

      const shown = [name, response.status, Object(response.body).error?.code]
      const isOutside = name.startsWith('../../')
      expect(shown).toEqual([name, 404, isOutside ? expect.anything() : 'NOT_FOUND'])
    }
  })
})

describe('CONSOLE=off', () => {
  test('GET /console is not found: a page for a browser, the envelope for others', async () => {
    for (const path of ['/console', '/console/usage', '/console/assets/index.js']) {
      const page = await fetch(without.baseUrl + path, { headers: asBrowser })
      const other = await without.live.get(path)

      expect([page.status, page.headers.get('content-type')]).toEqual([
        404,
        'text/html; charset=utf-8',
      ])
      expect(await page.text()).toContain('There is no page here')
      expectError(without, other, { status: 404, code: 'NOT_FOUND' })
    }
  })

  test('GET / shows links to a browser, and says to others that there is no console', async () => {
    const page = await fetch(`${without.baseUrl}/`, { headers: asBrowser, redirect: 'manual' })
    const { status, body } = await without.live.get('/')

    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ])
    expect(await page.text()).toContain(`href="${without.baseUrl}/v1/openapi.json"`)
    expect([status, Object(body).console_url]).toEqual([200, null])
  })
})

test.each(['console/dist', 'console/dist/graphiql'])(
  'the packages in the files of %s have licences that permit it',
  (folder) => {
    const license = readFileSync(join(projectRoot, folder, '.vite/license.md'), 'utf8')
    const packages = [...license.matchAll(/^## (\S+) - \S+ \((.*)\)$/gm)]

    expect(packages.length).toBeGreaterThan(10)
    const permitted = /^(MIT|ISC|0BSD|Apache-2\.0|BSD-[23]-Clause)$/
    const others = packages.filter(
      ([, , names = '']) => !names.split(' AND ').every((name) => permitted.test(name)),
    )
    expect(others.map(([heading]) => heading)).toEqual([])
  },
)
