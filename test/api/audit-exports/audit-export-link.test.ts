import { open } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { macKey } from '../../../schema/credentials/secrets.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { signLink } from '../../../subgraphs/usage/exports/audit-export-link.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { parseCsv } from '../../support/requests/csv.ts'
import { patience } from '../../support/time/patience.ts'

const path = '/v1/account/audit/export'

let gateway: TestGateway
let owner: TestAccount
let other: TestAccount
/** Finished exports: two of the owner, one of them of the sandbox, and one of somebody else. */
let job: LinkedJob
let sandboxJob: LinkedJob
let otherJob: LinkedJob
beforeAll(async () => {
  gateway = await startTestGateway()
  ;[owner, other] = [await gateway.createAccount(), await gateway.createAccount()]
  job = await exported(owner.liveKey)
  sandboxJob = await exported(owner.sandboxKey, gateway.sandbox)
  otherJob = await exported(other.liveKey)
})
afterAll(() => gateway.close())

interface LinkedJob {
  readonly id: string
  readonly url: string
  readonly expires: string
  readonly signature: string
}

async function exported(key: string, client = gateway.live): Promise<LinkedJob> {
  const { id } = Object((await client.post(path, undefined, key)).body)
  return vi.waitUntil(() => linked(key, id, client), patience)
}

async function linked(key: string, id: string, client = gateway.live): Promise<LinkedJob | null> {
  const { result_url } = Object((await client.get(`${path}/${id}`, key)).body)
  if (result_url === null) return null
  const { searchParams } = new URL(result_url)
  const expires = searchParams.get('expires') ?? ''
  const signature = searchParams.get('signature') ?? ''
  return { id, url: result_url, expires, signature }
}

function resultPath(id: string, query: string): string {
  return `${path}/${id}/result?${query}`
}

const inSeconds = (seconds: number) => String(Math.floor(Date.now() / 1000) + seconds)

describe('the link to a result', () => {
  test('needs no key, and serves the CSV as a download that no cache keeps', async () => {
    const answer = await fetch(job.url)
    const text = await answer.text()

    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-length': String(Buffer.byteLength(text)),
      'content-disposition': `attachment; filename="audit-export-${job.id}.csv"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-request-id': expect.stringMatching(/^req_/),
      'x-ratelimit-limit': '100000',
    })
    expect(parseCsv(text)[0]).toEqual(expect.arrayContaining(['id', 'details']))
  })

  test('answers HEAD with the same headers and nothing else', async () => {
    const answer = await fetch(job.url, { method: 'HEAD' })

    expect(answer.status).toBe(200)
    expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(0)
    expect(await answer.text()).toBe('')
  })

  test('is new at every request and lasts fifteen minutes; all links of a result work', async () => {
    const answer = await gateway.live.get(`${path}/${job.id}`, owner.liveKey)

    const { result_url, result_expires_at } = Object(answer.body)
    const seconds = (Date.parse(result_expires_at) - Date.now()) / 1000
    expect(seconds).toBeGreaterThan(850)
    expect(seconds).toBeLessThanOrEqual(901)
    expect(new URL(result_url).searchParams.get('expires')).toBe(
      String(Date.parse(result_expires_at) / 1000),
    )
    expect((await fetch(result_url)).status).toBe(200)
    expect((await fetch(job.url)).status).toBe(200)
  })
})

/** Links that an attacker could make of a valid one, each with its path and query. */
function tamperedLinks(): [string, string][] {
  const { id, expires, signature } = job
  const key = macKey('a secret for tests, long enough to pass', 'export-url')
  const own = { id, accountId: owner.id, environment: 'live' as const, expires }
  const flipped = (text: string, at: number) =>
    `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`
  const bytes = Buffer.from(signature, 'base64url')
  const past = inSeconds(-1)
  const far = inSeconds(3600)
  const ahead = inSeconds(7200)
  const link = (given: { id?: string; expires?: string; signature?: string }) => {
    const one = { id, expires, signature, ...given }
    return resultPath(one.id, `expires=${one.expires}&signature=${one.signature}`)
  }
  return [
    ['a signature with its first character changed', link({ signature: flipped(signature, 0) })],
    ['with one in the middle changed', link({ signature: flipped(signature, 21) })],
    ['with its last character changed', link({ signature: flipped(signature, 42) })],
    ['that is cut', link({ signature: signature.slice(0, -1) })],
    ['that is cut to one character', link({ signature: signature.slice(0, 1) })],
    ['that is longer', link({ signature: `${signature}A` })],
    ['that is padded', link({ signature: `${signature}=` })],
    ['that is padded, encoded', link({ signature: `${signature}%3D` })],
    ['in upper case', link({ signature: signature.toUpperCase() })],
    ['in lower case', link({ signature: signature.toLowerCase() })],
    ['in hexadecimal', link({ signature: bytes.toString('hex') })],
    [
      'in base64 that is not for URLs',
      link({ signature: `${encodeURIComponent(bytes.toString('base64'))}` }),
    ],
    ['with a space before it', link({ signature: `%20${signature}` })],
    ['with a line end behind it', link({ signature: `${signature}%0A` })],
    ['with NUL behind it', link({ signature: `${signature}%00` })],
    ['that is empty', link({ signature: '' })],
    ['that is null', link({ signature: 'null' })],
    ['that is missing', resultPath(id, `expires=${expires}`)],
    [
      'that is there twice',
      resultPath(id, `expires=${expires}&signature=${signature}&signature=${signature}`),
    ],
    ['of another export of the same account', link({ signature: sandboxJob.signature })],
    ['of another account', link({ signature: otherJob.signature })],
    [
      'and expiry of another account',
      link({ signature: otherJob.signature, expires: otherJob.expires }),
    ],
    ['for another account', link({ signature: signLink(key, { ...own, accountId: other.id }) })],
    ['for the sandbox', link({ signature: signLink(key, { ...own, environment: 'sandbox' }) })],
    ['for another export', link({ signature: signLink(key, { ...own, id: otherJob.id }) })],
    [
      'of another key of ours',
      link({
        signature: signLink(macKey('a secret for tests, long enough to pass', 'cursor'), own),
      }),
    ],
    [
      'of the key of another gateway',
      link({ signature: signLink(macKey('another secret', 'export-url'), own) }),
    ],
    ['an expiry that is later', link({ expires: String(Number(expires) + 1) })],
    ['that is a day later', link({ expires: String(Number(expires) + 86_400) })],
    ['that is earlier', link({ expires: String(Number(expires) - 1) })],
    [
      'that has passed, signed by us',
      link({ expires: past, signature: signLink(key, { ...own, expires: past }) }),
    ],
    [
      'of 1970, signed by us',
      link({ expires: '0', signature: signLink(key, { ...own, expires: '0' }) }),
    ],
    [
      'in milliseconds, signed by us',
      link({
        expires: `${expires}000`,
        signature: signLink(key, { ...own, expires: `${expires}000` }),
      }),
    ],
    [
      'that is two hours ahead, signed by us',
      link({ expires: ahead, signature: signLink(key, { ...own, expires: ahead }) }),
    ],
    ['with a sign', link({ expires: `%2B${expires}` })],
    [
      'with a zero before it',
      link({
        expires: `0${expires}`,
        signature: signLink(key, { ...own, expires: `0${expires}` }),
      }),
    ],
    ['as a fraction', link({ expires: `${expires}.5` })],
    [
      'with an exponent',
      link({ expires: '9e9', signature: signLink(key, { ...own, expires: '9e9' }) }),
    ],
    [
      'that is infinite',
      link({ expires: 'Infinity', signature: signLink(key, { ...own, expires: 'Infinity' }) }),
    ],
    [
      'that is no number',
      link({ expires: 'NaN', signature: signLink(key, { ...own, expires: 'NaN' }) }),
    ],
    ['that is empty', link({ expires: '', signature: signLink(key, { ...own, expires: '' }) })],
    ['that is missing', resultPath(id, `signature=${signature}`)],
    [
      'that is there twice',
      resultPath(id, `expires=${expires}&expires=${far}&signature=${signature}`),
    ],
    ['neither of them', resultPath(id, '')],
    ['an id of another account', link({ id: otherJob.id })],
    ['an id of the other environment', link({ id: sandboxJob.id })],
    ['an id that nobody has', link({ id: newId('exp') })],
    ['an id of another kind', link({ id: id.replace('exp_', 'key_') })],
    ['an id in upper case', link({ id: id.toUpperCase() })],
    ['an id with more behind it', link({ id: `${id}.csv` })],
    ['an id with NUL', link({ id: `${id}%00` })],
    ['a path out of the folder', link({ id: '..%2F..%2Fgateway-secret' })],
    ['SQL', link({ id: `'%20OR%20'1'='1` })],
  ]
}

test('a link that is tampered with, of another account or expired is FORBIDDEN, without saying why', async () => {
  const forms = tamperedLinks()

  for (const [title, url] of forms) {
    const answer = await gateway.live.get(url)

    expectError(gateway, answer, {
      status: 403,
      code: 'FORBIDDEN',
      message: 'This link is invalid or no longer works; ask for the job.',
    })
    expect(title).toBeTypeOf('string')
  }
  expect(forms.length).toBeGreaterThanOrEqual(50)
  console.info(`forged links to results: ${forms.length} forms`)
})

describe('a valid link', () => {
  test('is FORBIDDEN on the listener of the other environment', async () => {
    const { pathname, search } = new URL(job.url)

    expect((await gateway.sandbox.get(pathname + search)).status).toBe(403)
    const sandboxUrl = new URL(sandboxJob.url)
    expect((await gateway.live.get(sandboxUrl.pathname + sandboxUrl.search)).status).toBe(403)
    expect((await fetch(sandboxJob.url)).status).toBe(200)
  })

  test('works with the parameters that mail programs add to it, which are not signed', async () => {
    const answer = await fetch(`${job.url}&utm_source=mail`)

    expect(answer.status).toBe(200)
  })

  test.for(['expirez', 'signaturf'])(
    'is FORBIDDEN with %s in place of the file name (docs/promises.md J7)',
    async (changed) => {
      const original = changed.slice(0, -1)
      const { pathname, search } = new URL(job.url)

      const answer = await gateway.live.get(
        `${pathname}${search.replace(new RegExp(`${original}.=`), `${changed}=`)}`,
      )

      expect(answer.status).toBe(403)
    },
  )

  test('is NOT_FOUND when its file is gone', async () => {
    const gone = await exported(owner.liveKey)
    await gateway.database.query('UPDATE usage.audit_export SET file = $2 WHERE id = $1', [
      gone.id,
      'exp_gone-1.csv',
    ])
    const { pathname, search } = new URL(gone.url)

    const answer = await gateway.live.get(pathname + search)

    expectError(gateway, answer, {
      status: 404,
      code: 'NOT_FOUND',
      message: 'The result has been deleted.',
    })
  })

  test('leaves no signature in any log or table, and a refused link is counted by address', async () => {
    const { pathname } = new URL(job.url)
    const answer = await gateway.live.get(`${pathname}?expires=1&signature=secretword`)

    expect(answer.status).toBe(403)
    await vi.waitFor(async () => {
      const rows = await gateway.database.query(
        `SELECT last_route FROM usage.anonymous_failure WHERE client = $1 AND result = $2`,
        ['127.0.0.1', 'FORBIDDEN'],
      )
      expect(rows[0]).toEqual({ last_route: '/v1/account/audit/export/{job_id}/result' })
    }, patience)
    const [found] = await gateway.database.query(
      `SELECT (SELECT count(*)::int FROM usage.audit_event e WHERE e::text ~ $1) AS events,
         (SELECT count(*)::int FROM usage.anonymous_failure a WHERE a::text ~ $1) AS failures,
         (SELECT count(*)::int FROM usage.usage_log l WHERE l::text ~ $1) AS requests,
         (SELECT count(*)::int FROM jobs.job j WHERE j::text ~ $1) AS jobs`,
      [`secretword|${job.signature}`],
    )
    expect(found).toEqual({ events: 0, failures: 0, requests: 0, jobs: 0 })
  })
})

describe('a download', () => {
  test('releases the file and every other resource when it is broken off', async () => {
    const account = await gateway.createAccount()
    const big = await exported(account.liveKey)
    const { serviceUrl } = gateway.database
    const folder = `/tmp/gateway-exports-${new URL(serviceUrl).pathname.slice(1)}`
    // Larger than what sockets buffer: the rest has to wait for the reader.
    const file = await open(`${folder}/${big.id}-1.csv`, 'r+')
    await file.truncate(200 * 1024 * 1024)
    await file.close()
    const openFiles = async () => {
      const { readdir, readlink } = await import('node:fs/promises')
      const links = (await readdir('/proc/self/fd')).map((fd) =>
        readlink(`/proc/self/fd/${fd}`).catch(() => ''),
      )
      return (await Promise.all(links)).filter((name) => name.includes(big.id)).length
    }

    const before = process.memoryUsage()
    const answers = await Promise.all(Array.from({ length: 10 }, () => startReading(big.url)))
    expect(await openFiles()).toBe(10)
    // The client did not read, so almost nothing was read from the 2 GiB of the files.
    expectLittleRead(before)
    for (const answer of answers) answer.destroy()

    await vi.waitUntil(async () => (await openFiles()) === 0, patience)
    expectLittleRead(before)
  })

  /** What is read from a file is no part of the heap, whose young generation alone may grow by 200 MiB meanwhile. */
  function expectLittleRead(before: NodeJS.MemoryUsage): void {
    const { external, rss } = process.memoryUsage()
    expect(external - before.external).toBeLessThan(100 * 1024 * 1024)
    expect(rss - before.rss).toBeLessThan(500 * 1024 * 1024)
  }

  /** The first bytes, and then nothing more is taken. */
  function startReading(url: string): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const asked = request(url, (answer) => {
      answer.once('readable', () => resolve(answer))
      answer.on('error', () => {})
    })
    asked.on('error', reject)
    asked.end()
    return promise
  }
})
