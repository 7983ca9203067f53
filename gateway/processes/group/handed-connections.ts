import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionSource } from '../../listeners/connection-source.ts'
import type { Channel } from './channel.ts'
import type { ListenerName, Ports, primaryCalls } from './messages.ts'

/** Takes the connections that the primary hands to this worker. */
export interface HandedConnections {
  sourceOf(listener: ListenerName): ConnectionSource
  /** There is no socket if the client left during the handover. */
  take(listener: ListenerName, connection: number, socket: Socket | undefined): void
}

export function createHandedConnections(
  primary: Channel<typeof primaryCalls>,
  ports: () => Ports,
): HandedConnections {
  const sources = new Map<
    ListenerName,
    { readonly server: Server; readonly sockets: Set<Socket> }
  >()
  let closed: number[] = []

  /** The ended connections of one turn of the event loop are reported together. */
  function noteClosed(connection: number): void {
    closed.push(connection)
    if (closed.length > 1) return
    setImmediate(() => {
      primary.tell('connectionsClosed', closed)
      closed = []
    })
  }

  return {
    sourceOf: (listener) => ({
      async open(server) {
        sources.set(listener, { server, sockets: new Set() })
        // After this the server looks for slow requests, as if it listened itself.
        server.emit('listening')
        primary.tell('openDoor', listener)
        return ports()[listener]
      },
      async close(server, patienceMs, idle) {
        await primary.ask('leaveDoor', listener)
        await lastOf(server, sources.get(listener)?.sockets ?? new Set(), patienceMs, idle)
        // Closing the server ends its search for slow requests.
        server.close()
      },
    }),
    take(listener, connection, socket) {
      const source = sources.get(listener)
      if (!socket || !source) {
        socket?.destroy()
        return noteClosed(connection)
      }
      const { server, sockets } = source
      sockets.add(socket)
      socket.once('close', () => {
        sockets.delete(socket)
        noteClosed(connection)
      })
      // The socket gets the options of one that a server has accepted itself.
      socket.allowHalfOpen = true
      server.emit('connection', socket)
    },
  }
}

/** Resolves when all connections have ended; ends them after the time of patience. */
function lastOf(
  server: Server,
  sockets: ReadonlySet<Socket>,
  patienceMs: number,
  idle: 'end' | 'keep',
): Promise<void> {
  if (idle === 'end') server.closeIdleConnections()
  return new Promise((resolve) => {
    function resolveIfLast(): void {
      if (sockets.size > 0) return
      clearTimeout(cut)
      resolve()
    }
    const cut = setTimeout(() => {
      for (const socket of sockets) socket.destroy()
    }, patienceMs)
    // This listener runs after the one above, which removes the socket from the set.
    for (const socket of sockets) socket.once('close', () => setImmediate(resolveIfLast))
    resolveIfLast()
  })
}
