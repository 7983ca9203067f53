import { once } from 'node:events'
import { connect, createServer, type Server, Socket } from 'node:net'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type ConnectionLimit,
  createConnectionLimit,
} from '../../../gateway/listeners/connection-limit.ts'
import { listen } from '../../../gateway/listeners/listener.ts'
import { createMetrics } from '../../../gateway/observability/metrics.ts'
import { isOfRoles, startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { patience } from '../../support/time/patience.ts'

const most = 20
const request = 'GET /v1/health HTTP/1.1\r\nHost: gateway\r\n\r\n'

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

/** An open connection from one of this machine's addresses. */
async function dial(url: string, localAddress = '127.0.0.1'): Promise<Socket> {
  const { hostname: host, port } = new URL(url)
  const socket = connect({ host, port: Number(port), localAddress })
  socket.on('error', () => {})
  sockets.push(socket)
  await once(socket, 'connect')
  return socket
}

/** Asks on this connection; null when it is closed without an answer. */
async function statusOn(socket: Socket): Promise<number | null> {
  const { promise, resolve } = Promise.withResolvers<number | null>()
  const onData = (chunk: Buffer) => resolve(Number(chunk.toString('latin1').split(' ')[1]))
  const onClose = () => resolve(null)
  socket.once('data', onData).once('close', onClose)
  if (socket.closed) return null
  socket.write(request)
  return promise
}

async function statusFrom(url: string, localAddress?: string): Promise<number | null> {
  return statusOn(await dial(url, localAddress))
}

async function openAsManyAsAllowed(url: string): Promise<Socket[]> {
  const open: Socket[] = []
  for (let count = 0; count < most; count += 1) {
    const socket = await dial(url)
    expect(await statusOn(socket)).toBe(200)
    open.push(socket)
  }
  return open
}

describe('MAX_CONNECTIONS_PER_ADDRESS', () => {
  let gateway: TestGateway
  afterEach(() => gateway.close())

  async function start(variables: Readonly<Record<string, string>> = {}): Promise<void> {
    const limit = { MAX_CONNECTIONS_PER_ADDRESS: String(most) }
    gateway = await startTestGateway({ ...limit, ...variables })
  }

  test.each(['live', 'sandbox'] as const)(
    'closes excess connections of one address on the %s listener, serves others, and accepts again when one ends',
    async (name) => {
      await start()
      const { url } = gateway[name]
      const [first] = await openAsManyAsAllowed(url)

      expect(await statusFrom(url)).toBeNull()
      expect(await statusFrom(url, '127.0.0.2')).toBe(200)
      if (!first) throw new Error('There is no connection.')
      // An open connection stays.
      expect(await statusOn(first)).toBe(200)
      first.destroy()
      await vi.waitFor(async () => expect(await statusFrom(url)).toBe(200), patience)
      expect(await statusFrom(url)).toBeNull()

      // Each listener counts separately, and the internal one has no such limit.
      const other = name === 'live' ? gateway.sandbox : gateway.live
      expect(await statusFrom(other.url)).toBe(200)
      const internal = Array.from({ length: most + 1 }, () => gateway.internal.get('/live'))
      expect((await Promise.all(internal)).every(({ status }) => status === 200)).toBe(true)
      if (isOfRoles) return
      const metrics = await (await fetch(`${gateway.internal.url}/metrics`)).text()
      const series = `gateway_connections_refused_total{listener="${name}"} `
      const refused = metrics.split('\n').find((line) => line.startsWith(series))
      expect(Number(refused?.slice(series.length))).toBeGreaterThanOrEqual(2)
    },
  )

  test.each([
    ['a number of hops: every connection is one of a proxy', '1', '127.0.0.1', 200],
    ['addresses, of these', '127.0.0.0/30', '127.0.0.1', 200],
    ['addresses, but not of another one', '127.0.0.4', '127.0.0.1', null],
  ])('does nothing behind a trusted proxy: %s', async (_which, trusted, address, status) => {
    await start({ TRUST_PROXY: trusted })
    await openAsManyAsAllowed(gateway.live.url)

    expect(await statusFrom(gateway.live.url, address)).toBe(status)
  })

  test('sets no limit when it is 0', async () => {
    await start({ MAX_CONNECTIONS_PER_ADDRESS: '0' })
    await openAsManyAsAllowed(gateway.live.url)

    expect(await statusFrom(gateway.live.url)).toBe(200)
  })
})

describe('one client, for the limit of connections,', () => {
  const lines: string[] = []
  let limit: ConnectionLimit
  let server: Server
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval'] })
    lines.splice(0)
    server = createServer()
    limit = createConnectionLimit({
      listener: 'live',
      maxPerClient: 2,
      trustProxy: false,
      log: pino({ level: 'warn' }, { write: (line) => lines.push(line) }),
      metrics: createMetrics(),
    })
    limit.guard(server)
  })
  afterEach(() => {
    limit.close()
    vi.useRealTimers()
  })

  /** Whether each connection, in this order, was left open. */
  function acceptedFrom(addresses: readonly (string | undefined)[]): boolean[] {
    return addresses.map((address) => {
      const socket = new Socket()
      Object.defineProperty(socket, 'remoteAddress', { value: address })
      server.emit('connection', socket)
      return !socket.destroyed
    })
  }

  test.each([
    [
      'a v4 address, also as a v6 listener sees it',
      ['192.0.2.1', '::ffff:192.0.2.1', '::ffff:c000:201'],
    ],
    ['a /64 of v6', ['2001:db8::1', '2001:db8::2', '2001:db8:0:0:ffff::']],
    ['a link-local one, whatever its zone', ['fe80::1%eth0', 'fe80::2%eth1', 'fe80::3%eth0']],
  ])('can have the form %s', (_what, addresses) => {
    expect(acceptedFrom(addresses)).toEqual([true, true, false])
  })

  test('does not include its neighbour', () => {
    const neighbours = ['192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8:0:1::1']

    expect(acceptedFrom([...neighbours, ...neighbours])).toEqual(Array(8).fill(true))
  })

  test('is not counted for a connection that ends before it is examined', () => {
    expect(acceptedFrom([undefined, undefined, undefined])).toEqual([true, true, true])
  })

  test('causes one log line a second, with the number of connections and the last address', () => {
    acceptedFrom(['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.1'])

    vi.advanceTimersByTime(3000)

    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        ...{ level: 40, listener: 'live', refused: 2, lastClient: '192.0.2.1' },
        msg: 'Connections were closed: one client has reached its limit',
      }),
    ])
  })
})

test('a listener of both families counts an IPv4 client under its own address', async () => {
  const log = pino({ level: 'silent' })
  const limit = createConnectionLimit({
    ...{ listener: 'live', maxPerClient: 1, trustProxy: false, log, metrics: createMetrics() },
  })
  const listener = await listen({
    ...{ host: '::', port: 0, connectionLimit: limit, anonymousRps: 50, docsUrl: () => '' },
  })
  const url = `http://127.0.0.1:${listener.port}`

  const first = await dial(url)
  expect(await statusOn(first)).toBe(200)
  expect(await statusFrom(url)).toBeNull()
  expect(await statusFrom(url, '127.0.0.2')).toBe(200)
  first.destroy()
  await vi.waitFor(async () => expect(await statusFrom(url)).toBe(200), patience)

  limit.close()
  await listener.close(0)
})
