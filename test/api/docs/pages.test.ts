import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { statusByErrorCode } from '../../../schema/vocabulary/error-codes.ts'
import { isId } from '../../../schema/vocabulary/ids.ts'
import { oauthExplanations } from '../../../site/content/error-explanations.ts'
import { readFigures, readPromises } from '../../../site/content/reliability.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'

/** The variables that operators set. */
const variableNames = [
  ...readFileSync(join(projectRoot, '.env.example'), 'utf8').matchAll(/^#?([A-Z]+_[A-Z0-9_]+)=/gm),
].map(([, name = '']) => name)

const searchFile = z.strictObject({
  entries: z.array(
    z.strictObject({
      title: z.string(),
      page: z.string(),
      href: z.string(),
      reader: z.string(),
      text: z.string(),
    }),
  ),
  synonyms: z.record(z.string(), z.array(z.string())),
})

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

/** The header by which a browser asks for a page. */
const asReader = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

async function open(path: string, headers: Record<string, string> = asReader) {
  const response = await fetch(new URL(path, gateway.baseUrl), { headers })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Every address that a page leads to or loads. */
function linksOf(text: string): string[] {
  return [...text.matchAll(/\s(?:href|src|action|data-index)="([^"]+)"/g)].map(([, link = '']) =>
    link.replaceAll('&amp;', '&'),
  )
}

/** All pages that can be reached from `/docs`, each once, with what they lead to. */
async function crawl(): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  const waiting = ['/docs']
  for (const path of waiting) {
    if (found.has(path)) continue
    const { status, text, headers } = await open(path)
    expect([path, status]).toEqual([path, 200])
    found.set(path, text)
    if (!headers.get('content-type')?.startsWith('text/html')) continue
    for (const link of linksOf(text)) {
      const url = new URL(link, new URL(path, gateway.baseUrl))
      if (url.origin === gateway.baseUrl) waiting.push(url.pathname + url.search)
    }
  }
  return found
}

const codes = [...Object.keys(statusByErrorCode), ...Object.keys(oauthExplanations)].map(
  (code) => `errors/${code}`,
)

describe('GET /docs/errors/{code}', () => {
  test.each(codes)('shows the page of %s', async (name) => {
    const { status, text } = await open(`/docs/${name}`)
    expect(status).toBe(200)
    expect(text).toContain(`<h1><code>${name.slice('errors/'.length)}</code></h1>`)
    for (const part of ['Why it happens', 'What to do', 'Trying again', 'Example']) {
      expect(text).toContain(part)
    }
  })

  test('links from an error to its page, and from the rate limit to its own page', async () => {
    const { body } = await gateway.live.get('/v1/nowhere')
    const { documentation_url: url } = Object(body).error
    expect((await open(url)).text).toContain('<h1><code>NOT_FOUND</code></h1>')
    const limits = await open('/docs/rate-limits')
    expect(limits.status).toBe(200)
    expect(limits.text).toContain('RATE_LIMIT_EXCEEDED')
    expect(limits.text).toContain('enterprise_sub')
  })

  test('shows the same page for the protocol errors of OAuth', async () => {
    const { body } = await gateway.live.request('/v1/oauth/token', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=refresh_token&refresh_token=x&client_id=app_nobody',
    })
    const { error, error_uri } = Object(body)
    expect(error).toBe('invalid_client')
    expect((await open(error_uri)).text).toContain('<h1><code>invalid_client</code></h1>')
  })
})

describe('GET /docs', () => {
  test('links to every page, and no link of any page is broken', async () => {
    const found = await crawl()
    const guides = readdirSync(join(projectRoot, 'site/guides')).map((file) => file.slice(0, -3))
    const pages = [...guides.filter((name) => name !== 'index'), ...codes]
    expect([...found.keys()]).toEqual(expect.arrayContaining(pages.map((name) => `/docs/${name}`)))
    // No value was left out, and no value was put in as Markdown.
    for (const [path, text] of found) {
      if (!text.startsWith('<!doctype html>')) continue
      expect([path, /\{\{|\| --- \||valueq/.exec(text)]).toEqual([path, null])
    }
    const broken: string[] = []
    for (const [path, text] of found) {
      for (const link of linksOf(text)) {
        const url = new URL(link, new URL(path, gateway.baseUrl))
        if (url.origin !== gateway.baseUrl || url.hash === '') continue
        const target = found.get(url.pathname) ?? ''
        if (!target.includes(`id="${url.hash.slice(1)}"`)) broken.push(`${path}: ${link}`)
      }
    }
    expect(broken).toEqual([])
    expect(found.size).toBeGreaterThan(40)
  })

  test('finds pages by their words', async () => {
    const { text: page } = await open('/docs')
    const index = linksOf(page).find((link) => link.includes('search.json')) ?? ''
    const { text } = await open(index)
    expect(text).not.toContain('{{')
    const { entries, synonyms } = searchFile.parse(JSON.parse(text))
    expect(Object.keys(synonyms)).toEqual(
      expect.arrayContaining(['invit', 'plan', 'refund', 'customer']),
    )
    // Other words for a thing are words of the pages.
    for (const others of Object.values(synonyms)) {
      const isSaid = (word: string) =>
        entries.some(({ title, text }) => `${title} ${text}`.toLowerCase().includes(word))
      expect([others, others.filter(isSaid)]).toEqual([others, others])
    }
    const titles = entries.map(({ title }) => title)
    expect(titles).toEqual(
      expect.arrayContaining(['INVALID_API_KEY', 'Rotate and revoke', 'POST /v1/contacts/reveal']),
    )
    // Values of this gateway are found too.
    const found = entries.filter(({ text }) => text.includes(gateway.sandbox.url))
    expect(found.map(({ title }) => title)).toContain('Live and sandbox')
    // Whoever searches sees whose page a result is.
    const [links] = entries.filter(({ title }) => title === 'Portal links')
    expect(links?.reader).toBe('Run the gateway')
    const missing: string[] = []
    for (const href of new Set(entries.map(({ href }) => href))) {
      const [path = '', id] = href.split('#')
      const { status, text } = await open(path)
      if (status !== 200 || (id && !text.includes(`id="${id}"`))) missing.push(href)
    }
    expect(missing).toEqual([])
  })

  test('has a tab for each reader, with pages of its own', async () => {
    const pages = [
      ['/docs', 'Use the API'],
      ['/docs/credits', 'Use the API'],
      ['/docs/reference', 'Use the API'],
      ['/docs/errors/NOT_FOUND', 'Use the API'],
      ['/docs/run', 'Run the gateway'],
      ['/docs/configuration', 'Run the gateway'],
      ['/docs/portal-links', 'Run the gateway'],
      ['/docs/reliability', 'Run the gateway'],
      ['/docs/modules', 'Build a module'],
    ] as const
    const tabs = ['Use the API', 'Run the gateway', 'Build a module']
    for (const [path, tab] of pages) {
      const { status, text } = await open(path)
      const bar = /<nav class="readers".*?<\/nav>/s.exec(text)?.[0] ?? ''
      const shown = [...bar.matchAll(/<a href="[^"]+"( aria-current="true")?>([^<]+)/g)]
      expect([path, status, shown.map(([, , name]) => name)]).toEqual([path, 200, tabs])
      const chosen = shown.filter(([, current]) => current).map(([, , name]) => name)
      expect([path, chosen]).toEqual([path, [tab]])
      const navigation = /<nav class="pages".*?<\/nav>/s.exec(text)?.[0] ?? ''
      const others = pages.filter(([, other]) => other !== tab).map(([other]) => `href="${other}"`)
      expect([path, others.filter((link) => navigation.includes(link))]).toEqual([path, []])
    }
  })

  test('shows those who use the API no module, no test and no variable of the gateway', async () => {
    const { text } = await open('/llms.txt')
    const [ours = ''] = text.split('\n## Run the gateway')
    const pages = [
      ...ours.matchAll(/\]\((\S+\.md)\)/g),
      ['', `${gateway.baseUrl}/docs/contents.md`],
    ]
    const errors = codes.map((name) => ['', `${gateway.baseUrl}/docs/${name}.md`])
    expect(pages.length).toBeGreaterThan(18)
    for (const [, address = ''] of [...pages, ...errors]) {
      const page = await open(address)
      const said = variableNames.filter((name) => new RegExp(`\\b${name}\\b`).test(page.text))
      const strange = /\bmodules?\b|\btest\/(api|unit|system|nightly)/i.exec(page.text)?.[0]
      expect([address, page.status, said, strange]).toEqual([address, 200, [], undefined])
    }
  })

  test('leads to the console and to the status, and shows what is new', async () => {
    const links = linksOf((await open('/docs/credits')).text)
    expect(links).toEqual(expect.arrayContaining(['/console', '/status', '/docs/changelog']))
    const changelog = await open('/docs/changelog')
    expect(changelog.status).toBe(200)
    expect(changelog.text).toContain('<h1>Changelog</h1>')
    expect(changelog.text).toContain('Exact credits.')
    expect(changelog.text).not.toContain('baseline')
  })

  test('shows every operation of the catalog with its price', async () => {
    const { text } = await open('/docs/credits.md')
    for (const { slug, operations } of loadCatalog().services) {
      for (const { method, path } of operations)
        expect(text).toContain(`\`${method} /v1/${slug}${path}\``)
    }
    expect(text).toContain('| 5 credits |')
    expect(text).toContain('| 1 credit per result (max. 25) |')
  })

  test('shows every promise with what it does not include, its tests and its figures', async () => {
    const promises = readPromises()

    const { status, text } = await open('/docs/reliability.md')

    expect(status).toBe(200)
    const rows = text
      .split('\n')
      .filter((line) => promises.some(({ id }) => line.startsWith(`| ${id} | `)))
    expect(rows).toHaveLength(promises.length)
    for (const { id, promise, limit } of promises) {
      expect(text).toContain(`| ${id} | ${promise} | ${limit} | `)
    }
    expect(text).toContain('`test/api/ledger/ledger-protection.test.ts`')
    // Links of the repository lead nowhere here.
    expect(text).not.toContain('](../')
    for (const { what, value, measured_on } of readFigures()) {
      expect(text).toContain(what)
      expect(text).toContain(value)
      expect(text).toContain(measured_on)
    }
  })

  test('sends the headers of every answer, and a policy that loads nothing from elsewhere', async () => {
    const { status, headers } = await open('/docs')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('x-request-id')).toSatisfy((id: string) => isId('req', id))
    expect(headers.get('x-ratelimit-limit')).toBe('100000')
    expect(headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/)
    expect(headers.get('x-ratelimit-reset')).toMatch(/^\d{10}$/)
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('sends a page again only if it changed; browsers keep its assets for good', async () => {
    const first = await open('/docs')
    expect(first.headers.get('cache-control')).toBe('no-cache')
    const again = await open('/docs', {
      ...asReader,
      'if-none-match': first.headers.get('etag') ?? '',
    })
    expect([again.status, again.text]).toEqual([304, ''])
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
    expect(again.headers.get('x-ratelimit-limit')).toBe('100000')
    const named = linksOf(first.text).find((link) => link.includes('docs.css')) ?? ''
    const asset = await open(named)
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const unnamed = await open('/docs/assets/docs.css?v=of-another-release')
    expect(unnamed.text).toBe(asset.text)
    expect(unnamed.headers.get('cache-control')).toBe('no-cache')
  })

  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('compresses with %s for a client that accepts it', async (encoding, decompress) => {
    const url = `${gateway.baseUrl}/docs/errors`
    const whole = await request(url, { headers: { 'accept-encoding': 'identity' } })
    const body = Buffer.from(await whole.body.arrayBuffer())
    const small = await request(url, { headers: { 'accept-encoding': encoding } })
    expect(small.headers['content-encoding']).toBe(encoding)
    expect(small.headers.vary).toContain('Accept-Encoding')
    const compressed = Buffer.from(await small.body.arrayBuffer())
    expect(compressed.length).toBeLessThan(body.length / 2)
    expect(decompress(compressed)).toEqual(body)
    // Otherwise a cache could give one for the other.
    expect(small.headers.etag).not.toBe(whole.headers.etag)
  })

  test('answers HEAD without a body, and refuses other methods', async () => {
    const response = await fetch(`${gateway.baseUrl}/docs/errors`, { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
    const refused = await gateway.live.request('/docs/errors', { method: 'POST' })
    expect(refused.headers.get('allow')).toBe('GET, HEAD')
    expectError(gateway, refused, { status: 405, code: 'METHOD_NOT_ALLOWED' })
  })

  test('tells a browser that a page is missing with a page, and other clients with the envelope', async () => {
    const shown = await open('/docs/errors/NO_SUCH_CODE')
    expect(shown.status).toBe(404)
    expect(shown.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(shown.headers.get('cache-control')).toBe('no-store')
    expect(shown.headers.get('x-ratelimit-limit')).toBe('100000')
    expect(shown.text).toContain('There is no page here')
    const told = await gateway.live.get('/docs/errors/NO_SUCH_CODE')
    expectError(gateway, told, { status: 404, code: 'NOT_FOUND' })
    // A path beside it is not a page of the documentation.
    const beside = await gateway.live.get('/docsx', undefined, asReader)
    expectError(gateway, beside, { status: 404, code: 'NOT_FOUND' })
  })

  test('redirects an address with a slash too many', async () => {
    const url = `${gateway.baseUrl}/docs/`
    const response = await fetch(url, { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([308, '/docs'])
  })

  test('redirects the other code of rate limits to their page', async () => {
    const url = `${gateway.baseUrl}/docs/errors/RATE_LIMITED`
    const response = await fetch(url, { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([308, '/docs/rate-limits'])
  })

  test('serves the Postman collection of this gateway', async () => {
    const landing = await open('/docs')
    const link = linksOf(landing.text).find((link) => link.endsWith('postman.json')) ?? ''
    expect(link).toBe(`${gateway.baseUrl}/docs/postman.json`)
    const { status, headers, text } = await open(link)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    const { info, variable, item } = JSON.parse(text)
    expect(info.schema).toMatch(/\/v2\.1\.0\/collection\.json$/)
    expect(variable).toContainEqual({ key: 'base_url', value: gateway.baseUrl })
    expect(item.map(({ name }: { name: string }) => name)).toContain('Contact Finder')
  })

  test('serves the sandbox listener too', async () => {
    const response = await fetch(`${gateway.sandbox.url}/docs/sandbox`)
    expect(response.status).toBe(200)
    expect(await response.text()).toContain(gateway.sandbox.url)
  })
})

describe('GET /llms.txt', () => {
  test('lists the pages, each as Markdown whose links are whole addresses', async () => {
    const { status, headers, text } = await open('/llms.txt')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(text).toMatch(/^# .+\n\n> .+\n/)
    const links = [...text.matchAll(/^- \[[^\]]+\]\((\S+)\): \S/gm)].map(([, link = '']) => link)
    expect(links).toContain(`${gateway.baseUrl}/docs/idempotency.md`)
    expect(links).toContain(`${gateway.baseUrl}/docs/endpoints.md#contact-finder`)
    expect(links).toContain(`${gateway.baseUrl}/v1/openapi.json`)
    expect(links).toContain(`${gateway.baseUrl}/docs/postman.json`)
    for (const link of links.filter((link) => link.endsWith('.md'))) {
      const page = await open(link)
      expect([link, page.status]).toEqual([link, 200])
      expect(page.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
      expect(page.text).toMatch(/^# \S/)
      expect(page.text).not.toMatch(/\]\(\/docs|\{\{/)
    }
  })
})

describe('ANONYMOUS_RPS, BASE_URL and DOCS_URL', () => {
  test('limit the requests of one address in a second, and set the addresses of links', async () => {
    const docsUrl = 'https://docs.example.com/gateway'
    const other = await startTestGateway(
      { ANONYMOUS_RPS: '3', BASE_URL: 'https://api.example.com/gateway', DOCS_URL: docsUrl },
      { database: gateway.database },
    )
    try {
      const { url } = other.sandbox
      const slashed = await fetch(`${url}/docs/errors/`, { redirect: 'manual' })
      expect([slashed.status, slashed.headers.get('location')]).toEqual([
        308,
        '/gateway/docs/errors',
      ])
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => fetch(`${url}/docs/errors`)),
      )
      const refused = answers.filter(({ status }) => status === 429)
      // Twelve at once fall into two clock seconds at most, unless the machine stands still.
      expect(refused.length).toBeGreaterThan(0)
      expect(refused[0]?.headers.get('retry-after')).toBe('1')
      const page = answers.find(({ status }) => status === 200)
      const links = linksOf((await page?.text()) ?? '')
      expect(links).toContain(`${docsUrl}/rate-limits`)
      expect(links.find((link) => link.includes('docs.css'))).toMatch(/^\/gateway\/docs\/assets\//)
    } finally {
      await other.close()
    }
  })
})
