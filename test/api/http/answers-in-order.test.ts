import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Listener, listen } from '../../../gateway/listeners/listener.ts'
import type { Load, Overload } from '../../../gateway/overload/overload.ts'
import { unjudgedSender } from '../../../gateway/overload/sender.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { openSocket, statusesOf } from '../../support/requests/socket.ts'
import { patience } from '../../support/time/patience.ts'

const long = 'x'.repeat(17_000)
const get = 'GET /second HTTP/1.1\r\nHost: x\r\n'
const post = 'POST /second HTTP/1.1\r\nHost: x\r\n'
const chunked = `${post}Transfer-Encoding: chunked\r\n`

/** What may come behind a request, and the status of its refusal. */
const badBytes: readonly (readonly [what: string, bytes: string, status: number])[] = [
  ['a brace too many', '}', 400],
  ['a megabyte too many', '}'.repeat(1024 * 1024), 400],
  ['a request line that is none', 'NONSENSE\r\n\r\n', 400],
  ['the beginning of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['the beginning of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  ['a NUL in a header', `${get}X: a\0b\r\n\r\n`, 400],
  ['headers that are too long', `${get}X: ${long}\r\n\r\n`, 431],
  ['an unknown expectation', `${post}Expect: x\r\nContent-Length: 2\r\n\r\n{}`, 417],
  ['CONNECT', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', 400],
  ['no host', 'GET /second HTTP/1.1\r\n\r\n', 400],
  ['two hosts', `${get}host: y\r\n\r\n`, 400],
  ['an address that is none', 'GET http://[ HTTP/1.1\r\nHost: x\r\n\r\n', 400],
  ['an address in UTF-8', 'GET /\xc3\xa9 HTTP/1.1\r\nHost: x\r\n\r\n', 400],
  ['a chunk whose length is none', `${chunked}\r\nzz\r\n{}\r\n0\r\n\r\n`, 400],
  ['a chunk that is longer than its length', `${chunked}\r\n2\r\n{}}\r\n0\r\n\r\n`, 400],
  ['a long extension of a chunk', `${chunked}\r\n2;x=${long}\r\n{}\r\n0\r\n\r\n`, 400],
  ['two framings', `${chunked}Content-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n`, 400],
  ['two lengths', `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 400],
  ['a length that is none', `${post}Content-Length: -1\r\n\r\n{}`, 400],
  ['headers that do not end', get, 408],
  ['a body that does not end', `${post}Content-Length: 9\r\n\r\n{`, 408],
]

const listeners: Listener[] = []
const opened: ReturnType<typeof openSocket>[] = []
afterEach(async () => {
  for (const { socket } of opened.splice(0)) socket.destroy()
  await Promise.all(listeners.splice(0).map((listener) => listener.close(0)))
})

/** Answers that the test gives when it likes. */
function heldAnswers() {
  const begun = vi.fn<(url: string) => void>()
  const { promise: allowed, resolve: allow } = Promise.withResolvers<void>()
  return { begun, allowed, allow }
}

async function startListener(guard?: Overload['guard']) {
  const held = heldAnswers()
  const listener = await listen({
    ...{ host: '127.0.0.1', port: 0, anonymousRps: 50, docsUrl: () => 'http://x/docs' },
    limits: { connectionsCheckingInterval: 20, headersTimeout: 300, requestTimeout: 300 },
    ...(guard && { overload: { guard } }),
  })
  listeners.push(listener)
  listener.serve(async (req, res) => {
    held.begun(req.url ?? '')
    if (req.url === '/second') return void req.on('data', () => {}).on('end', () => res.end('2nd'))
    if (req.url === '/stream') res.write('begun,')
    await held.allowed
    res.end(req.url === '/large' ? 'x'.repeat(5_000_000) : req.url)
  })
  return { port: listener.port, ...held }
}

function send(port: number, bytes: string) {
  const connection = openSocket(port, bytes)
  opened.push(connection)
  return connection
}

describe('bytes that are no request, behind requests in flight', () => {
  test.each(badBytes)('%s: earlier requests are answered first', async (_what, bytes, status) => {
    const { port, begun, allow } = await startListener()

    const { socket, all } = send(
      port,
      `POST /first HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}GET /other HTTP/1.1\r\nHost: x\r\n\r\n${bytes}`,
    )
    await vi.waitUntil(() => begun.mock.calls.length >= 2, patience)
    // The same bytes are sent alone afterwards, so that their refusal comes later than that of the first
    // ones could.
    const alone = send(port, status === 408 ? get : bytes)
    expect(statusesOf(await alone.all)).toEqual([status])
    expect(socket.bytesRead).toBe(0)
    allow()
    const text = await all

    expect(statusesOf(text)).toEqual([200, 200, status])
    expect(text).toMatch(/\r\n\r\n6?(\r\n)?\/first.*\/other.*Connection: close.*BAD_REQUEST/s)
  })

  test.each([
    ['that closes its connection', 'GET /first HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['of HTTP/1.0', 'GET /first HTTP/1.0\r\n\r\n'],
  ])('behind a request %s: it has its answer, and nothing follows', async (_what, request) => {
    const { port, begun, allow } = await startListener()

    const { all } = send(port, `${request}}`)
    await vi.waitUntil(() => begun.mock.calls.length > 0, patience)
    allow()
    const text = await all

    expect(statusesOf(text)).toEqual([200])
    expect(text).toContain('/first')
  })

  test.each([
    ['a brace too many', '}'],
    ['no host', 'GET /second HTTP/1.1\r\n\r\n'],
  ])('%s from a client that then sends no more: it has all answers', async (_what, bytes) => {
    const { port, begun, allow } = await startListener()

    const { socket, all } = send(port, `GET /first HTTP/1.1\r\nHost: x\r\n\r\n${bytes}`)
    socket.end()
    await vi.waitUntil(() => begun.mock.calls.length > 0, patience)
    allow()

    expect(statusesOf(await all)).toEqual([200, 400])
  })

  test('an answer that has begun goes on to its end', async () => {
    const { port, begun, allow } = await startListener()

    const { socket, all } = send(port, 'GET /stream HTTP/1.1\r\nHost: x\r\n\r\n')
    await vi.waitUntil(() => begun.mock.calls.length > 0, patience)
    socket.write('}')
    allow()
    const text = await all

    expect(statusesOf(text)).toEqual([200, 400])
    expect(text).toMatch(/begun,\r\n7\r\n\/stream\r\n0\r\n\r\nHTTP/)
  })

  test('an answer of megabytes comes whole to a client that goes on sending', async () => {
    const { port, begun, allow } = await startListener()

    const { socket, all } = send(port, 'GET /large HTTP/1.1\r\nHost: x\r\n\r\n}')
    await vi.waitUntil(() => begun.mock.calls.length > 0, patience)
    socket.write('}'.repeat(5_000_000))
    allow()
    const text = await all

    expect(statusesOf(text)).toEqual([200, 400])
    expect(text.length).toBeGreaterThan(5_000_000)
  })

  test('a request that is answered without its body has its own answer, and no other', async () => {
    const { port, begun, allow } = await startListener()

    const { all } = send(
      port,
      'GET /first HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    )
    await vi.waitUntil(() => begun.mock.calls.length > 0, patience)
    allow()

    expect(statusesOf(await all)).toEqual([200])
  })

  test('no request is served that comes behind a refused one', async () => {
    const { port, begun } = await startListener()

    const { all } = send(
      port,
      `GET / HTTP/1.1\r\n\r\n${'GET /second HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20)}`,
    )

    expect(statusesOf(await all)).toEqual([400])
    expect(begun).not.toHaveBeenCalled()
  })

  test.each([
    ['two requests', ''],
    ['two requests and a brace', '}'],
    ['two requests and CONNECT', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('a client that sends %s and resets its connection leaves nothing behind', async (_, bytes) => {
    const watched: Load[] = []
    const { port, begun, allow } = await startListener((requests) => {
      watched.push(requests)
      return () => unjudgedSender
    })
    const { socket } = send(port, `${'GET /first HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2)}${bytes}`)
    await vi.waitUntil(() => begun.mock.calls.length === 2, patience)

    socket.resetAndDestroy()

    await vi.waitUntil(() => watched[0]?.count() === 0, patience)
    allow()
  })
})

describe('a charged call with bytes behind it that are no request', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await sharedGateway()
  })
  afterAll(() => gateway.close())

  const body = '{"contact_id":"con_5f1e0c7a9b3d2e48"}'

  /** The call on the wire, with one idempotency key. */
  function callOf(liveKey: string): string {
    const head = [
      'POST /v1/contacts/reveal HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${liveKey}`,
    ]
    const more = ['Content-Type: application/json', `Content-Length: ${body.length}`]
    return `${[...head, ...more, 'Idempotency-Key: once'].join('\r\n')}\r\n\r\n${body}`
  }

  const refusedByAll = badBytes.filter(
    ([what, , status]) => status !== 408 && !what.includes('chunk'),
  )

  test.each(refusedByAll)(
    '%s: the client has its answer, and pays once',
    async (_what, bytes, status) => {
      const { liveKey } = await gateway.createAccount()
      const port = Number(new URL(gateway.baseUrl).port)

      const first = await send(port, callOf(liveKey) + bytes).all
      const again = await send(port, callOf(liveKey) + bytes).all

      for (const text of [first, again]) {
        expect(statusesOf(text)).toEqual([200, status])
        expect(text).toMatch(/X-Credits-Charged: 5\r\n.*"full_name".*Connection: close/s)
      }
      expect(again).toContain('Idempotent-Replayed: true')
      const credits = await gateway.live.get('/v1/account/credits', liveKey)
      expect(credits.body).toMatchObject({ balance: 995, held: 0 })
      const log = await gateway.live.get('/v1/account/usage/log?service=contacts', liveKey)
      expect(log.body).toMatchObject({ items: [{ status: 200 }, { status: 200 }] })
    },
  )

  test('a call whose broken body nobody reads has its own answer, and pays once', async () => {
    const { liveKey } = await gateway.createAccount()
    const head = ['GET /v1/seo/keywords?topic=shoes HTTP/1.1', 'Host: x']
    const more = [`Authorization: Bearer ${liveKey}`, 'Transfer-Encoding: chunked']

    const { all } = send(
      Number(new URL(gateway.baseUrl).port),
      `${[...head, ...more].join('\r\n')}\r\n\r\nzz\r\n`,
    )

    const text = await all
    expect(statusesOf(text)).toEqual([200])
    expect(text).toContain('X-Credits-Charged: 2\r\n')
  })

  test('a call whose body is broken is refused, and pays nothing', async () => {
    const { liveKey } = await gateway.createAccount()
    const cut = callOf(liveKey).replace(/Content-Length.*/s, 'Transfer-Encoding: chunked')

    const { all } = send(
      Number(new URL(gateway.baseUrl).port),
      `${cut}\r\n\r\n25\r\n${body}\r\nzz\r\n`,
    )

    expect(statusesOf(await all)).toEqual([400])
    const credits = await gateway.live.get('/v1/account/credits', liveKey)
    expect(credits.body).toMatchObject({ balance: 1000, held: 0 })
  })
})

describe('the internal listener', () => {
  test('answers a document first, and then bytes that are no request', async () => {
    const gateway = await sharedGateway()
    const token = await gateway.internalToken('readonly')
    const body = JSON.stringify({ query: '{ __typename }' })
    const head = ['POST /graphql HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${token}`]
    const more = ['Content-Type: application/json', `Content-Length: ${body.length}`]

    const { all } = send(
      Number(new URL(gateway.internal.url).port),
      `${[...head, ...more].join('\r\n')}\r\n\r\n${body}}`,
    )

    const text = await all
    expect(statusesOf(text)).toEqual([200, 400])
    expect(text).toContain('{"data":{"__typename":"Query"}}')
  })
})

describe('Host', () => {
  const okay = ['x', 'x:80', 'x:', '127.0.0.1:8080', '[::1]', '[::1]:8080', 'a_b.c-d.example.', 'X']
  const wrong = ['', ' ', 'a b', 'a, b', 'a,b', 'a/b', 'a?', 'a#', 'u@a', 'a:b', 'a:1:2', '::1']
  const odd = ['[::1', '[a]', '[:::]', '"a"', '<a>', 'a\\b', 'a\tb', '\xe9', '{a}', 'a|b', '[::1]a']

  test.each(okay)('%s is taken', async (host) => {
    const { port, allow } = await startListener()
    allow()

    const { all } = send(port, `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)

    expect(statusesOf(await all)).toEqual([200])
  })

  test.each([...wrong, ...odd])('%j is refused with 400, in HTTP/1.0 too', async (host) => {
    const { port, begun } = await startListener()

    for (const version of ['1.0', '1.1']) {
      const { all } = send(port, `GET / HTTP/${version}\r\nHost: ${host}\r\n\r\n`)
      expect(statusesOf(await all)).toEqual([400])
    }
    expect(begun).not.toHaveBeenCalled()
  })

  test.each([
    ['twice', 'Host: x\r\nHost: x\r\n'],
    ['twice, in other letters', 'host: x\r\nA: b\r\nHOST: y\r\n'],
    ['twice, once empty', 'Host: x\r\nHost:\r\n'],
    ['again behind a thousand others', `Host: x\r\n${'a:b\r\n'.repeat(1500)}Host: y\r\n`],
    ['never', ''],
    ['never, with a whole address', ''],
  ])('%s is refused with 400', async (what, lines) => {
    const { port, begun } = await startListener()
    const target = what.includes('address') ? 'http://x/' : '/'

    const { all } = send(port, `GET ${target} HTTP/1.1\r\n${lines}\r\n`)

    expect(statusesOf(await all)).toEqual([400])
    expect(begun).not.toHaveBeenCalled()
  })
})
