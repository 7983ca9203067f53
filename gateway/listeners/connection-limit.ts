import type { Server, Socket } from 'node:net'
import type { Logger } from 'pino'
import { clientBlock } from '../../schema/vocabulary/client-block.ts'
import { addressMatcher, plainAddress } from '../../schema/vocabulary/ip-allowlist.ts'
import type { Metrics } from '../observability/metrics.ts'

/** Limits the open connections of one client, so that others find free ones. */
export interface ConnectionLimit {
  /** Has the server close excess connections of one client at once, from now on. */
  guard(server: Pick<Server, 'on'>): void
  /**
   * Counts one more connection of the client of this socket, and returns what ends it; null when the
   * client has as many as it may.
   */
  enter(socket: Pick<Socket, 'remoteAddress'>): (() => void) | null
  readonly close: () => void
}

interface ConnectionLimitOptions {
  readonly listener: 'live' | 'sandbox'
  /** 0 is no limit. */
  readonly maxPerClient: number
  /** Proxies that may have any number, because they serve many clients: Express's `trust proxy`. */
  readonly trustProxy: false | number | readonly string[]
  readonly log: Logger
  readonly metrics: Pick<Metrics, 'refusedConnections'>
}

const reportMs = 1000

export function createConnectionLimit(options: ConnectionLimitOptions): ConnectionLimit {
  const { listener, maxPerClient, trustProxy, log, metrics } = options
  const mayHaveAny = exemption(trustProxy)
  /**
   * The open connections of each client that has one: at most as many entries as the listener has
   * connections.
   */
  const openOf = new Map<string, number>()
  const count = metrics.refusedConnections.labels({ listener })
  let refused = 0
  let lastClient = ''
  const reporter = setInterval(() => {
    if (refused === 0) return
    log.warn(
      { listener, refused, lastClient },
      'Connections were closed: one client has reached its limit',
    )
    refused = 0
  }, reportMs).unref()

  function enter({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>): (() => void) | null {
    // The zone of an address, such as `%eth0`, is local to this host.
    const address = plainAddress(remoteAddress.replace(/%.*/, ''))
    // A socket without an address is already closed.
    if (maxPerClient === 0 || address === '' || mayHaveAny(address)) return leaveNothing
    const client = clientBlock(address)
    const open = openOf.get(client) ?? 0
    if (open >= maxPerClient) {
      refused += 1
      lastClient = client
      count.inc()
      return null
    }
    openOf.set(client, open + 1)
    return () => {
      const left = (openOf.get(client) ?? 1) - 1
      if (left > 0) openOf.set(client, left)
      else openOf.delete(client)
    }
  }

  function admit(socket: Socket): void {
    const leave = enter(socket)
    if (leave) socket.once('close', leave)
    else socket.destroy()
  }

  return {
    guard(server) {
      if (maxPerClient > 0) server.on('connection', admit)
    },
    enter,
    close: () => clearInterval(reporter),
  }
}

function leaveNothing(): void {}

function exemption(trustProxy: ConnectionLimitOptions['trustProxy']): (address: string) => boolean {
  // With a number of hops, every connection comes from a proxy.
  if (typeof trustProxy === 'number') return () => true
  return trustProxy === false ? () => false : addressMatcher(trustProxy)
}
