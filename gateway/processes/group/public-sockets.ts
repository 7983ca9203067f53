import { createServer, type Socket } from 'node:net'
import type { ConnectionLimit } from '../../listeners/connection-limit.ts'
import { type Address, bind } from '../../listeners/connection-source.ts'
import { maxConnections } from '../../listeners/listener.ts'
import type { HandedConnection, ListenerName } from './messages.ts'

/** A worker, as a receiver of connections. */
export interface Taker {
  readonly id: number
  /** Whether it serves requests. Until then it answers that it is starting. */
  isReady(): boolean
  /** Calls back with an error when the worker has ended. */
  hand(message: HandedConnection, socket: Socket, done: (error: Error | null) => void): void
}

interface PublicSocketOptions extends Address {
  readonly listener: ListenerName
  /** The limit of connections; null: one client may have all of them. */
  readonly connectionLimit: ConnectionLimit | null
  /** Returns a number that no other connection of the gateway has. */
  readonly nextConnection: () => number
}

/**
 * A listening socket of the gateway. It belongs to the primary, which counts its connections and hands
 * them to the workers in turn.
 */
export interface PublicSocket {
  readonly port: number
  /** The worker gets connections from now on. */
  add(taker: Taker): void
  /** The worker gets no connections from now on. */
  leave(taker: number): void
  /** Connections of a worker have ended. */
  ended(connections: readonly number[]): void
  /** The worker has ended, and all its connections with it. */
  drop(taker: number): void
  /** Accepts no more connections. Only a gateway that stops does this. */
  close(): void
}

interface Open {
  readonly taker: number
  readonly leave: () => void
  /** The socket until Node has sent it to the worker; Node sends one after the other. */
  unsent: Socket | null
}

export async function openPublicSocket(options: PublicSocketOptions): Promise<PublicSocket> {
  const { listener, connectionLimit, nextConnection } = options
  const open = new Map<number, Open>()
  /** Connections that no worker can take yet. */
  const waiting: { readonly socket: Socket; readonly leave: () => void }[] = []
  const takers = takersInTurn()

  const server = createServer({ pauseOnConnect: true, noDelay: true, allowHalfOpen: true })
  server.on('connection', (socket) => {
    // The client may leave at any moment; the worker that serves it notices.
    socket.on('error', () => {})
    const leave = open.size + waiting.length < maxConnections && enter(socket)
    if (leave) {
      waiting.push({ socket, leave })
      handOn()
    } else socket.destroy()
  })

  function enter(socket: Socket): (() => void) | null {
    return connectionLimit ? connectionLimit.enter(socket) : () => {}
  }

  function handOn(): void {
    while (waiting.length > 0) {
      const taker = takers.next()
      const next = taker && waiting.shift()
      if (!next) return
      hand(taker, next.socket, next.leave)
    }
  }

  function hand(taker: Taker, socket: Socket, leave: () => void): void {
    const connection = nextConnection()
    const handed: Open = { taker: taker.id, leave, unsent: socket }
    open.set(connection, handed)
    taker.hand({ connection, listener }, socket, (error) => {
      handed.unsent = null
      if (!error) return
      end(connection)
      socket.destroy()
    })
  }

  function end(connection: number): void {
    const ended = open.get(connection)
    if (!ended) return
    open.delete(connection)
    ended.leave()
  }

  const port = await bind(server, options)
  return {
    port,
    add(taker) {
      takers.add(taker)
      handOn()
    },
    leave: (id) => takers.leave(id),
    ended(connections) {
      for (const connection of connections) end(connection)
    },
    drop(id) {
      takers.leave(id)
      for (const [connection, { taker, unsent }] of open) {
        if (taker !== id) continue
        // Node neither sends nor closes what waits for a process that has ended.
        unsent?.destroy()
        end(connection)
      }
    },
    close() {
      server.close()
      for (const { socket, leave: leaveLimit } of waiting.splice(0)) {
        leaveLimit()
        socket.destroy()
      }
    },
  }
}

/** The workers that take connections, in turn. */
function takersInTurn() {
  /** The workers that take connections; the next in turn is the first. */
  let takers: Taker[] = []
  return {
    add(taker: Taker): void {
      takers.unshift(taker)
    },
    leave(id: number): void {
      takers = takers.filter((taker) => taker.id !== id)
    },
    /** Ready workers come first, because a starting worker could only answer that it is starting. */
    next(): Taker | undefined {
      const next = takers.find((taker) => taker.isReady()) ?? takers[0]
      if (next) takers = [...takers.filter((taker) => taker !== next), next]
      return next
    },
  }
}
