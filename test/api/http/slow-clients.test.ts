import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ownPort } from '../../../gateway/listeners/connection-source.ts'
import { type Listener, listen } from '../../../gateway/listeners/listener.ts'
import type { Load, Overload } from '../../../gateway/overload/overload.ts'
import { unjudgedSender } from '../../../gateway/overload/sender.ts'
import { whileElsewhere } from '../../../rest-facade/http/request-in-hand.ts'
import { expectError, expectStandardHeaders } from '../../support/gateway/error-envelope.ts'
import { createClient } from '../../support/requests/client.ts'
import { patience } from '../../support/time/patience.ts'

const baseUrl = 'http://gateway.test'
const megabytes = Buffer.alloc(64 * 1024 * 1024, ' ')

interface Watchers {
  readonly guard?: Overload['guard']
  /** Called for each connection. */
  readonly accepted?: (socket: Socket) => void
}

describe('a listener with slow clients', () => {
  const listeners: Listener[] = []
  const sockets: Socket[] = []
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await Promise.all(listeners.splice(0).map((listener) => listener.close(0)))
  })

  async function startListener(
    limits: Parameters<typeof listen>[0]['limits'],
    { guard, accepted = () => {} }: Watchers = {},
  ): Promise<Listener> {
    const address = { host: '127.0.0.1', port: 0 }
    const source = ownPort(address)
    const listener = await listen({
      ...(guard && { overload: { guard } }),
      source: { ...source, open: (server) => source.open(server.on('connection', accepted)) },
      ...{ ...address, anonymousRps: 50, docsUrl: () => `${baseUrl}/docs` },
      limits: { connectionsCheckingInterval: 20, ...limits },
    })
    listeners.push(listener)
    return listener
  }

  function dial({ port }: Listener, text = ''): Socket {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(text)
    sockets.push(socket)
    return socket
  }

  /** All that comes until the connection is closed. */
  async function readAll(socket: Socket): Promise<string> {
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    // Also after a reset: what was sent may cross the end of the connection.
    await new Promise((resolve) => socket.once('close', resolve))
    return text
  }

  /** The only answer in the received text. */
  function answerIn(text: string) {
    const [head = '', body = ''] = text.split('\r\n\r\n')
    const [status = '', ...lines] = head.split('\r\n')
    const fields = lines.map((line) => line.split(': '))
    return {
      status: Number(status.split(' ')[1]),
      headers: new Headers(Object.fromEntries(fields)),
      body: JSON.parse(body),
    }
  }

  test.each([
    ['headers', 'GET /v1/health HTTP/1.1\r\nHost: x\r\n'],
    ['body', 'POST /v1/contacts/reveal HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{'],
  ])('answers 408 to incomplete %s at the time limit, and disconnects', async (_part, text) => {
    const listener = await startListener({ headersTimeout: 100, requestTimeout: 100 })
    listener.serve((req) => void req.resume())

    const answer = answerIn(await readAll(dial(listener, text)))

    expectError({ baseUrl }, answer, {
      status: 408,
      code: 'BAD_REQUEST',
      message: 'The request was not complete in time.',
    })
    expect(answer.headers.get('connection')).toBe('close')
  })

  test.each([
    ['headers', 'POST / HTTP/1.1\r\nHost: x\r\n', 'Content-Length: 2\r\n\r\n{}'],
    ['body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{', '}'],
  ])(
    'serves a request whose %s came in time, though it was too busy to read in time',
    async (_part, first, rest) => {
      const accepted = vi.fn()
      const listener = await startListener(
        { headersTimeout: 3000, requestTimeout: 3000 },
        { accepted },
      )
      listener.serve((req, res) => void req.resume().on('end', () => res.end('{}')))
      const socket = dial(listener, first)
      await vi.waitUntil(() => accepted.mock.calls.length > 0, patience)

      // Timers run after events, and before what comes during these is read.
      accepted.mockImplementationOnce(() => {
        socket.write(rest)
        const busyUntilMs = performance.now() + 3500
        while (performance.now() < busyUntilMs);
      })
      dial(listener)
      const [answer] = await once(socket.setEncoding('utf8'), 'data')

      expect(answer).toMatch(/^HTTP\/1\.1 200 OK/)
      // The limits hold for what follows on the connection.
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n')
      expect(answerIn(await readAll(socket)).status).toBe(408)
    },
  )

  test('reads a large body in several turns after its time, if it came while nothing was read', async () => {
    const accepted = vi.fn()
    const limits = { headersTimeout: 3000, requestTimeout: 3000, connectionsCheckingInterval: 1000 }
    const listener = await startListener(limits, { accepted })
    listener.serve((req, res) => {
      // The handler begins to read later, as a route does that looks up its caller first.
      setTimeout(() => req.resume().on('end', () => res.end('{}')), 50)
    })
    const body = ' '.repeat(512 * 1024)
    const socket = dial(
      listener,
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n`,
    )
    await vi.waitUntil(() => accepted.mock.calls.length > 0, patience)

    accepted.mockImplementationOnce(() => {
      socket.write(`\r\n${body}`)
      const busyUntilMs = performance.now() + 4500
      while (performance.now() < busyUntilMs);
    })
    dial(listener)
    const [answer] = await once(socket.setEncoding('utf8'), 'data')

    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/)
  })

  test('a request that got 408 has no effect, though the rest of it comes', async () => {
    const listener = await startListener({ headersTimeout: 100, requestTimeout: 100 })
    const complete = vi.fn()
    const closed = vi.fn()
    listener.serve((req, res) => {
      req.resume().on('end', complete)
      res.on('close', closed)
    })
    const socket = dial(listener, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{')

    const answered = once(socket, 'data')
    await answered
    socket.write('       }')
    await vi.waitUntil(() => closed.mock.calls.length > 0, patience)

    expect(String((await answered)[0])).toMatch(/^HTTP\/1\.1 408 /)
    expect(complete).not.toHaveBeenCalled()
  })

  test('a request that was answered before its body came gets no second answer', async () => {
    const listener = await startListener({ headersTimeout: 300, requestTimeout: 300 })

    const text = await readAll(
      dial(listener, 'POST /v1/seo HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{'),
    )

    expect(text).toMatch(/^HTTP\/1\.1 503 /)
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1)
  })

  test('cuts off a client that goes on sending after its answer', async () => {
    const accepted = vi.fn<(socket: Socket) => void>()
    const listener = await startListener({ closingTimeout: 300 }, { accepted })
    const socket = dial(
      listener,
      'POST /v1/seo HTTP/1.1\r\nHost: x\r\nContent-Length: 99999\r\n\r\n{',
    )

    const [answer] = await once(socket, 'data')
    const sending = setInterval(() => socket.write(' '), 50)
    await vi
      .waitUntil(() => accepted.mock.calls[0]?.[0].destroyed, patience)
      .finally(() => clearInterval(sending))

    expect(String(answer)).toMatch(/^HTTP\/1\.1 503 /)
  })

  test('keeps the connection of a client whose body comes soon after its answer', async () => {
    const listener = await startListener({})
    const head = 'POST /v1/seo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n'
    const socket = dial(listener, `${head}{`)
    await once(socket.setEncoding('utf8'), 'data')

    socket.write(`}${head}{}`)
    const [answer] = await once(socket, 'data')

    expect(answer).toMatch(/^HTTP\/1\.1 503 /)
  })

  test.each([
    ['keeps its connection', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', ''],
    ['goes on sending, byte by byte', 'GET / HTTP/1.1\r\n\r\n', 'A'],
  ])('cuts off a refused client that %s', async (_what, text, further) => {
    const accepted = vi.fn<(socket: Socket) => void>()
    const listener = await startListener({ closingTimeout: 300 }, { accepted })
    const socket = connect({ port: listener.port, host: '127.0.0.1', allowHalfOpen: true })
    sockets.push(socket)
    socket.on('error', () => {})
    socket.write(text)

    const [answer] = await once(socket, 'data')
    const sending = setInterval(() => socket.write(further), 50)
    await vi
      .waitUntil(() => accepted.mock.calls[0]?.[0].destroyed, patience)
      .finally(() => clearInterval(sending))

    expect(String(answer)).toMatch(/^HTTP\/1\.1 400 /)
  })

  test('never sends a second answer after one that has begun', async () => {
    const listener = await startListener({ headersTimeout: 1500, requestTimeout: 1500 })
    listener.serve((req, res) => {
      req.resume()
      res.write('begun')
    })

    const text = await readAll(
      dial(listener, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{'),
    )

    expect(text).toMatch(/^HTTP\/1\.1 200 OK/)
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1)
    expect(text).toContain('begun')
  })

  test('drops an answer that its client does not read, and no other', async () => {
    const listener = await startListener({ answerTimeout: 300 })
    const cut = vi.fn()
    listener.serve((req, res) => {
      if (req.url === '/unread') res.on('close', () => cut(res.writableFinished))
      res.end(req.url === '/unread' ? megabytes : '{}')
    })
    const reader = createClient(`http://127.0.0.1:${listener.port}`)

    dial(listener, 'GET /unread HTTP/1.1\r\nHost: x\r\n\r\n').pause()
    await vi.waitUntil(async () => {
      expect(await reader.get('/read')).toMatchObject({ status: 200, body: {} })
      return cut.mock.calls.length > 0
    }, patience)

    expect(cut).toHaveBeenCalledExactlyOnceWith(false)
  })

  test.each([
    ['whose bodies do not come', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{', 0],
    ['that others work on', 'GET /elsewhere HTTP/1.1\r\nHost: x\r\n\r\n', 0],
    ['that it works on', 'GET /working HTTP/1.1\r\nHost: x\r\n\r\n', 30],
  ])('with 30 requests in hand %s has so many at work', async (_what, text, working) => {
    const watched: Load[] = []
    const guard: Overload['guard'] = (requests) => {
      watched.push(requests)
      return () => unjudgedSender
    }
    const listener = await startListener({}, { guard })
    const never = new Promise(() => {})
    listener.serve((req, res) => {
      if (req.url === '/elsewhere') void whileElsewhere(res, never)
    })

    for (let count = 0; count < 30; count += 1) dial(listener, text)

    await vi.waitUntil(() => watched[0]?.count() === 30, patience)
    await vi.waitUntil(() => watched[0]?.working() === working, patience)
  })

  test('counts no request at work whose client left while others worked on it', async () => {
    const watched: Load[] = []
    const guard: Overload['guard'] = (requests) => {
      watched.push(requests)
      return () => unjudgedSender
    }
    const listener = await startListener({}, { guard })
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const done = vi.fn()
    listener.serve((_, res) => void whileElsewhere(res, released).then(done))
    const socket = dial(listener, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await vi.waitUntil(() => watched[0]?.count() === 1, patience)

    socket.destroy()
    await vi.waitUntil(() => watched[0]?.count() === 0, patience)
    release()
    await vi.waitUntil(() => done.mock.calls.length === 1, patience)

    expect(watched[0]?.working()).toBe(0)
  })

  test('waits for its own slow answer without a time limit', async () => {
    const limits = { headersTimeout: 1500, requestTimeout: 1500, answerTimeout: 1500 }
    const listener = await startListener(limits)
    listener.serve((_, res) => void setTimeout(() => res.end('{}'), 2000))

    const response = await createClient(`http://127.0.0.1:${listener.port}`).get('/')

    expect(response).toMatchObject({ status: 200, body: {} })
  })

  test('closes excess connections at once, and accepts again below the limit', async () => {
    const listener = await startListener({ maxConnections: 1 })
    const first = dial(listener)
    await once(first, 'connect')

    expect(await readAll(dial(listener, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'))).toBe('')
    first.destroy()

    await vi.waitFor(async () => {
      const client = createClient(`http://127.0.0.1:${listener.port}`)
      expect((await client.get('/v1/health', undefined, { connection: 'close' })).status).toBe(200)
    }, patience)
  })

  test('reports itself alive while the gateway starts, and answers everything else with 503', async () => {
    const listener = await startListener({})
    const client = createClient(`http://127.0.0.1:${listener.port}`)

    const health = await client.get('/v1/health?backends=0')
    const ready = await client.get('/v1/ready')

    expect(health).toMatchObject({ status: 200, body: { status: 'ok' } })
    expectStandardHeaders(health)
    expectError({ baseUrl }, ready, {
      status: 503,
      code: 'SERVICE_UNAVAILABLE',
      message: 'The gateway is starting.',
    })
    expect(ready.headers.get('retry-after')).toBe('1')
  })

  test('ends each connection with its next answer during shutdown', async () => {
    const listener = await startListener({})
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>()
    const begun = vi.fn()
    listener.serve(async (req, res) => {
      begun()
      if (req.url === '/slow') await finished
      res.end('{}')
    })
    const slow = request({
      port: listener.port,
      path: '/slow',
      headers: { connection: 'keep-alive' },
    })
    const answered = once(slow, 'response')
    slow.end()
    await vi.waitUntil(() => begun.mock.calls.length === 1, patience)

    listener.letGo()
    finish()
    const [response] = await answered
    response.resume()
    const next = await createClient(`http://127.0.0.1:${listener.port}`).get('/', undefined, {
      connection: 'keep-alive',
    })

    expect(response.headers.connection).toBe('close')
    expect(next.status).toBe(200)
    expect(next.headers.get('connection')).toBe('close')
  })
})
