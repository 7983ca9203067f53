import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  type ClientDocument,
  type ClientDocumentOptions,
  createClientDocuments,
  DocumentProblem,
} from '../../../subgraphs/oauth/documents/client-documents.ts'
import { listen } from '../../support/stubs/receivers.ts'
import { patience } from '../../support/time/patience.ts'

const baseUrls = { live: 'https://gateway.example', sandbox: 'https://sandbox.gateway.example' }

interface Host {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  readonly asked: string[]
}

type Answer = (res: ServerResponse, url: string, req: IncomingMessage) => void

/** A host on loopback that serves documents as the test says. */
async function startHost(answer: Answer): Promise<Host> {
  const asked: string[] = []
  const server = createServer((req, res) => {
    asked.push(`${req.method} ${req.url}`)
    answer(res, `http://${req.headers.host}${req.url}`, req)
  })
  const port = await listen(server, '127.0.0.1')
  return { url: `http://127.0.0.1:${port}`, asked }
}

const describeItself = (client_id: string, members: object = {}) => ({
  client_id,
  client_name: 'Agent',
  redirect_uris: ['https://agent.example/callback'],
  ...members,
})

function sendJson(res: ServerResponse, body: unknown, headers: object = {}): void {
  res.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

const honest: Answer = (res, url) => sendJson(res, describeItself(url))

const local = (options: Partial<ClientDocumentOptions> = {}) =>
  createClientDocuments({ allowsLoopback: true, ...options })

/** The message of a problem, or the document. */
async function found(
  documents: ReturnType<typeof local>,
  address: string,
  client = '192.0.2.1',
): Promise<string | ClientDocument> {
  const result = await documents.find(address, client, baseUrls)
  return result instanceof DocumentProblem ? result.message : result
}

/** What anybody reads of a problem, and the reason that operators read besides. */
async function problemOf(documents: ReturnType<typeof local>, address: string) {
  const result = await documents.find(address, '192.0.2.1', baseUrls)
  if (!(result instanceof DocumentProblem)) throw new Error('A document was found.')
  const [, reason] = /^No document from \S+: (.*)\.$/.exec(result.internal ?? '') ?? []
  return [result.message, reason]
}

const unusable = (reason: string) => `has no document that can be fetched: ${reason}`
const unreachable = unusable('its host cannot be reached')
const invalid = (reason: string) => `has a document that is not valid: ${reason}`

/** The memory of documents reads its clock anew when a millisecond has passed. */
const nextMillisecond = () => new Promise((resolve) => setTimeout(resolve, 2))

describe('a client metadata document (docs/oauth-rules.md 132)', () => {
  test('is fetched once and kept; many who ask at once share one fetch', async () => {
    const host = await startHost(honest)
    const documents = local()
    const address = `${host.url}/agent.json`

    const all = await Promise.all(Array.from({ length: 20 }, () => found(documents, address)))
    await found(documents, address)

    expect(host.asked).toEqual(['GET /agent.json'])
    expect(all[0]).toMatchObject({
      ...{ address, host: '127.0.0.1', clientName: 'Agent', grantTypes: ['authorization_code'] },
      redirectUris: ['https://agent.example/callback'],
    })
    expect(all.every((one) => one === all[0])).toBe(true)
  })

  test.each([
    { says: 'nothing', headers: {}, keptSeconds: 300 },
    { says: 'a minute', headers: { 'cache-control': 'max-age=60' }, keptSeconds: 300 },
    { says: 'an hour', headers: { 'cache-control': 'public, max-age=3600' }, keptSeconds: 3600 },
    { says: 'a year', headers: { 'cache-control': 'max-age=31536000' }, keptSeconds: 86_400 },
  ])(
    'that says $says is fetched again after $keptSeconds seconds, not before',
    async ({ headers, keptSeconds }) => {
      let aheadMs = 0
      const now = performance.now.bind(performance)
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs)
      onTestFinished(() => clock.mockRestore())
      const host = await startHost((res, url) => sendJson(res, describeItself(url), headers))
      const documents = local()

      for (const path of ['/kept.json', '/old.json']) await found(documents, host.url + path)
      aheadMs = (keptSeconds - 100) * 1000
      await found(documents, `${host.url}/kept.json`)
      expect(host.asked).toEqual(['GET /kept.json', 'GET /old.json'])
      await nextMillisecond()
      aheadMs = (keptSeconds + 1) * 1000
      await found(documents, `${host.url}/old.json`)

      expect(host.asked).toEqual(['GET /kept.json', 'GET /old.json', 'GET /old.json'])
    },
  )

  test.each<[string, string]>([
    ['https://agent.example', 'must have a path'],
    ['https://agent.example/', 'must have a path'],
    ['https://agent.example/a?b=1', 'must have no query and no fragment'],
    ['https://agent.example/a#b', 'must have no query and no fragment'],
    ['https://agent.example/a/../b', 'must have no dot segment'],
    ['https://agent.example/a/%2e%2e/b', 'must have no dot segment'],
    ['https://user@agent.example/a', 'must not hold a user or a password'],
    ['https://аgent.example/a', 'must be written in ASCII'],
    [`https://agent.example/${'a'.repeat(500)}`, 'must have at most 512 characters'],
    ['https://10.0.0.1/a', 'must not lead to a private address'],
    ['https://metadata.internal/a', 'must have the name of a host on the internet'],
    ['http://agent.example/a', 'must begin with https://'],
    ['http://127.0.0.1/a', 'must begin with https://'],
    ['https://127.0.0.1/a', 'must not lead to a private address'],
    ['https://gateway.example/v1/me', 'must not lead to this gateway'],
    ...[
      ['https://@agent.example/a', 'https://agent.example/a'],
      ['https://:@agent.example/a', 'https://agent.example/a'],
      ['https://agent.example:/a', 'https://agent.example/a'],
      ['https://agent.example:443/a', 'https://agent.example/a'],
      ['https://%61gent.example/a', 'https://agent.example/a'],
      ['https://AGENT.example/a', 'https://agent.example/a'],
      ['HTTPS://agent.example/a', 'https://agent.example/a'],
      ['https://93.184.3598/a', 'https://93.184.14.14/a'],
      ['https://agent.example/{a}', 'https://agent.example/%7Ba%7D'],
    ].map(([address = '', href]): [string, string] => [address, `must be written as ${href}`]),
  ])('is not asked for at %s', async (address, problem) => {
    const documents = createClientDocuments({ allowsLoopback: false })

    expect(await found(documents, address)).toContain(problem)
  })

  test('is not fetched from a private address that a public name leads to, also when the name changes', async () => {
    const host = await startHost(honest)
    const { port } = new URL(host.url)
    const answers = ['93.184.215.14', '127.0.0.1']
    let asked = 0
    const rebinding = local({
      lookup: (_name, _options, done) =>
        done(null, [{ address: answers[asked++] ?? '127.0.0.1', family: 4 }]),
      timeoutMs: 300,
      failedHostMs: 1,
    })

    const first = await found(rebinding, `https://rebind.example:${port}/a`)
    await vi.waitUntil(async () => {
      const second = await found(rebinding, `https://rebind.example:${port}/a`)
      return second === unreachable && asked > 1
    }, patience)

    expect(first).toBe(unreachable)
    expect(host.asked).toEqual([])
  })

  test('says nothing of a host that cannot be reached; the log has the reason', async () => {
    const resolvingTo = (address: string) =>
      local({ lookup: (_name, _options, done) => done(null, [{ address, family: 4 }]) })
    const unknown = local({
      lookup: (_name, _options, done) =>
        done(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), []),
    })
    const host = await startHost(honest)
    const closed = createServer()
    const closedPort = await listen(closed, '127.0.0.1')
    await new Promise((resolve) => closed.close(resolve))

    expect(await problemOf(unknown, 'https://agent.example/a')).toEqual([
      ...[unreachable, 'host not found'],
    ])
    expect(await problemOf(resolvingTo('10.0.0.1'), 'https://agent.example/a')).toEqual([
      ...[unreachable, 'forbidden address'],
    ])
    expect(await problemOf(local(), `http://127.0.0.1:${closedPort}/a`)).toEqual([
      ...[unreachable, 'connection refused'],
    ])
    expect(await problemOf(local(), `${host.url.replace('http:', 'https:')}/a`)).toEqual([
      unreachable,
      expect.stringMatching(/^tls failure: /),
    ])
  })

  test('that redirects is refused, and its target is not asked', async () => {
    const target = await startHost(honest)
    const host = await startHost((res) => res.writeHead(302, { location: `${target.url}/a` }).end())

    expect(await found(local(), `${host.url}/a`)).toBe(unusable('http 302'))
    expect(target.asked).toEqual([])
  })

  test('of 10 MB is refused after 16 KiB', async () => {
    let sent = 0
    const host = await startHost((res) => {
      res.writeHead(200, { 'content-type': 'application/json' })
      const chunk = Buffer.alloc(64 * 1024, ' ')
      const more = () => {
        while (sent < 10 * 1024 * 1024 && !res.destroyed) {
          sent += chunk.length
          if (!res.write(chunk)) return void res.once('drain', more)
        }
        res.end()
      }
      more()
    })

    expect(await found(local(), `${host.url}/a`)).toBe(unusable('too large'))
    expect(sent).toBeLessThan(10 * 1024 * 1024)
  })

  test.each([
    ['never answers', () => {}],
    [
      'sends a byte at a time',
      (res: ServerResponse) => {
        res.writeHead(200, { 'content-type': 'application/json' }).write('{')
        const dripping = setInterval(() => res.write(' '), 20)
        res.on('close', () => clearInterval(dripping))
      },
    ],
  ])('of a host that %s ends with the time', async (_case, answer) => {
    const host = await startHost(answer)

    const documents = local({ timeoutMs: 200 })

    expect(await problemOf(documents, `${host.url}/a`)).toEqual([unreachable, 'timeout'])
  })

  test.each<[string, Answer, string]>([
    [
      'another status',
      (res, url) =>
        void res
          .writeHead(201, { 'content-type': 'application/json' })
          .end(JSON.stringify(describeItself(url))),
      unusable('http 201'),
    ],
    [
      'HTML',
      (res) => void res.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      unusable('not application/json'),
    ],
    [
      'compression',
      (res) => sendJson(res, {}, { 'content-encoding': 'gzip' }),
      unusable('a compressed answer'),
    ],
    [
      'no JSON',
      (res) => void res.writeHead(200, { 'content-type': 'application/json' }).end('{'),
      invalid('it must be an object in JSON'),
    ],
    ['a list', (res) => sendJson(res, []), invalid('it must be an object in JSON')],
    [
      'the id of another document',
      (res, url) => sendJson(res, describeItself(`${url}x`)),
      invalid('client_id must be the address of the document'),
    ],
    [
      'a secret',
      (res, url) => sendJson(res, describeItself(url, { client_secret: 'x' })),
      invalid('token_endpoint_auth_method must be none, without a client_secret'),
    ],
    [
      'a method with a secret',
      (res, url) =>
        sendJson(res, describeItself(url, { token_endpoint_auth_method: 'client_secret_post' })),
      invalid('token_endpoint_auth_method must be none, without a client_secret'),
    ],
    [
      'no name',
      (res, url) => sendJson(res, describeItself(url, { client_name: undefined })),
      invalid('client_name must be a text of 1 to 100 characters'),
    ],
    [
      'an invisible name',
      (res, url) => sendJson(res, describeItself(url, { client_name: '\u200b' })),
      invalid('client_name must not be blank'),
    ],
    [
      'a name that turns the direction of writing',
      (res, url) => sendJson(res, describeItself(url, { client_name: 'Claude\u202e' })),
      invalid('client_name must not contain control characters'),
    ],
    [
      'a redirect to http',
      (res, url) =>
        sendJson(res, describeItself(url, { redirect_uris: ['http://agent.example/cb'] })),
      invalid(
        'redirect_uris: http://agent.example/cb must be https unless its host is localhost, 127.0.0.1 or [::1]',
      ),
    ],
    [
      'a redirect that runs code',
      (res, url) => sendJson(res, describeItself(url, { redirect_uris: ['javascript:alert(1)'] })),
      invalid(
        'redirect_uris: javascript:alert(1) must be https, http on a loopback host, or have a scheme like com.example.app',
      ),
    ],
    [
      'a redirect to the gateway',
      (res, url) =>
        sendJson(res, describeItself(url, { redirect_uris: ['https://gateway.example/docs'] })),
      invalid('redirect_uris: https://gateway.example/docs must not lead to this gateway'),
    ],
    [
      'no scope that agents may have',
      (res, url) => sendJson(res, describeItself(url, { scope: 'billing:read' })),
      invalid('scope must have a scope that agents may have'),
    ],
  ])('with %s is refused', async (_case, answer, problem) => {
    const host = await startHost(answer)

    expect(await found(local(), `${host.url}/a`)).toBe(problem)
  })

  test('takes null for a member that is absent, as RFC 7591 has it', async () => {
    const absent = {
      ...{ grant_types: null, response_types: null, scope: null, client_uri: null },
      token_endpoint_auth_method: null,
    }
    const host = await startHost((res, url) => sendJson(res, describeItself(url, absent)))

    expect(await found(local(), `${host.url}/a`)).toMatchObject({
      ...{ clientName: 'Agent', grantTypes: ['authorization_code'], clientUri: null },
    })
  })

  test('keeps the redirects of known agents, scopes that agents may have, and links to its own host', async () => {
    const host = await startHost((res, url) =>
      sendJson(
        res,
        describeItself(url, {
          redirect_uris: [
            'cursor://anysphere.cursor-mcp/oauth/callback',
            'com.example.app:/cb',
            'http://127.0.0.1/',
          ],
          scope: 'contacts:read billing:read keys:write',
          grant_types: ['authorization_code', 'refresh_token', 'implicit'],
          client_uri: `${new URL(url).origin}/about`,
          tos_uri: 'https://claude.ai/terms',
        }),
        { 'content-type': 'application/cimd+json; charset=utf-8' },
      ),
    )

    expect(await found(local(), `${host.url}/a`)).toMatchObject({
      scopes: ['contacts:read'],
      grantTypes: ['authorization_code', 'refresh_token'],
      clientUri: `${host.url}/about`,
      tosUri: null,
    })
  })
})

describe('fetches of client metadata documents (docs/oauth-rules.md 133)', () => {
  test('leave 1,000 documents in memory: the one that nobody has asked for longest goes', async () => {
    const host = await startHost(honest)
    const documents = local({ timeoutMs: 60_000 })
    const find = (name: number) => found(documents, `${host.url}/${name}`, `client ${name}`)
    for (let name = 0; name < 1000; name += 1) await find(name)
    await find(0)

    await find(1000)
    const asked = host.asked.length
    await find(0)
    const after = host.asked.length
    await find(1)

    expect([asked, after, host.asked.length]).toEqual([1001, 1001, 1002])
  })

  test('are ten in a minute for a client block; documents that are kept do not count', async () => {
    const host = await startHost(honest)
    const documents = local()
    for (let count = 0; count < 10; count += 1) await found(documents, `${host.url}/${count}`)

    await expect(found(documents, `${host.url}/10`)).rejects.toMatchObject({
      extensions: { code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: expect.any(Number) },
    })
    expect(await found(documents, `${host.url}/9`)).toMatchObject({ clientName: 'Agent' })
    expect(await found(documents, `${host.url}/10`, '192.0.2.2')).toMatchObject({
      clientName: 'Agent',
    })
  })

  test('are four at once; a fifth that waits too long is SERVICE_UNAVAILABLE', async () => {
    const waiting: (() => void)[] = []
    const host = await startHost((res, url) => {
      waiting.push(() => honest(res, url, res.req))
    })
    const documents = local({ timeoutMs: 60_000, patienceMs: 100 })
    const first = Array.from({ length: 4 }, (_, n) => found(documents, `${host.url}/${n}`))
    await vi.waitUntil(() => host.asked.length === 4, patience)

    const fifth = found(documents, `${host.url}/4`)

    await expect(fifth).rejects.toMatchObject({ extensions: { code: 'SERVICE_UNAVAILABLE' } })
    expect(host.asked).toHaveLength(4)
    for (const answer of waiting) answer()
    expect(await Promise.all(first)).toMatchObject(first.map(() => ({ clientName: 'Agent' })))
  })

  test('of a host that has failed are not tried again for a while, by name and port', async () => {
    const failing = await startHost((res) => res.writeHead(500).end())
    const other = await startHost(honest)
    const documents = local()

    const first = await found(documents, `${failing.url}/a`)
    const second = await found(documents, `${failing.url}/b`)

    expect([first, second]).toEqual([unusable('http 500'), unusable('tried a moment ago')])
    expect(failing.asked).toEqual(['GET /a'])
    expect(await found(documents, `${other.url}/a`)).toMatchObject({ clientName: 'Agent' })
  })
})
