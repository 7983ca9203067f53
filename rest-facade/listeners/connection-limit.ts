import type { Server, Socket } from 'node:net'
import type { Logger } from 'pino'
import { addressMatcher, plainAddress } from '../../schema/vocabulary/ip-allowlist.ts'
import type { Metrics } from '../observability/metrics.ts'
import { clientBlock } from '../rate-limit/client-block.ts'

/** How many connections one client may have open, so that nobody takes those of all others. */
export interface ConnectionLimit {
  /** From now on the server closes at once what is too much of one client. */
  guard(server: Pick<Server, 'on'>): void
  readonly close: () => void
}

interface ConnectionLimitOptions {
  readonly listener: 'live' | 'sandbox'
  /** Of one client; 0 is no limit. */
  readonly maxPerClient: number
  /** Who may have any number, because it speaks for many: Express's `trust proxy`. */
  readonly trustProxy: false | number | readonly string[]
  readonly log: Logger
  readonly metrics: Pick<Metrics, 'refusedConnections'>
}

const reportMs = 1000

export function createConnectionLimit(options: ConnectionLimitOptions): ConnectionLimit {
  const { listener, maxPerClient, trustProxy, log, metrics } = options
  const mayHaveAny = exemption(trustProxy)
  /** Only who has a connection: as many as the listener has at most. */
  const openOf = new Map<string, number>()
  const count = metrics.refusedConnections.labels({ listener })
  let refused = 0
  let lastClient = ''
  const reporter = setInterval(() => {
    if (refused === 0) return
    log.warn(
      { listener, refused, lastClient },
      'Connections were closed: one client has as many as it may',
    )
    refused = 0
  }, reportMs).unref()

  function admit(socket: Socket): void {
    // The zone is ours: `%eth0`.
    const address = plainAddress((socket.remoteAddress ?? '').replace(/%.*/, ''))
    // Without one it is closed already.
    if (address === '' || mayHaveAny(address)) return
    const client = clientBlock(address)
    const open = openOf.get(client) ?? 0
    if (open >= maxPerClient) {
      refused += 1
      lastClient = client
      count.inc()
      socket.destroy()
      return
    }
    openOf.set(client, open + 1)
    socket.once('close', () => {
      const left = (openOf.get(client) ?? 1) - 1
      if (left > 0) openOf.set(client, left)
      else openOf.delete(client)
    })
  }

  return {
    guard(server) {
      if (maxPerClient > 0) server.on('connection', admit)
    },
    close: () => clearInterval(reporter),
  }
}

function exemption(trustProxy: ConnectionLimitOptions['trustProxy']): (address: string) => boolean {
  // With a number of hops every connection is one of a proxy.
  if (typeof trustProxy === 'number') return () => true
  return trustProxy === false ? () => false : addressMatcher(trustProxy)
}
