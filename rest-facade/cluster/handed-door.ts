import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Door } from '../listeners/door.ts'
import type { Channel } from './channel.ts'
import type { ListenerName, Ports, primaryCalls } from './messages.ts'

/** Takes the connections that the primary hands to this worker. */
export interface HandedConnections {
  doorOf(listener: ListenerName): Door
  /** Without a socket the client left while it was handed over. */
  take(listener: ListenerName, connection: number, socket: Socket | undefined): void
}

export function createHandedConnections(
  primary: Channel<typeof primaryCalls>,
  ports: () => Ports,
): HandedConnections {
  const doors = new Map<ListenerName, { readonly server: Server; readonly sockets: Set<Socket> }>()
  let closed: number[] = []

  /** Those of one turn of the event loop go together. */
  function noteClosed(connection: number): void {
    closed.push(connection)
    if (closed.length > 1) return
    setImmediate(() => {
      primary.tell('connectionsClosed', closed)
      closed = []
    })
  }

  return {
    doorOf: (listener) => ({
      async open(server) {
        doors.set(listener, { server, sockets: new Set() })
        // The server looks for slow requests from then on, as if it listened itself.
        server.emit('listening')
        primary.tell('openDoor', listener)
        return ports()[listener]
      },
      async close(server, patienceMs, idle) {
        await primary.ask('leaveDoor', listener)
        await lastOf(server, doors.get(listener)?.sockets ?? new Set(), patienceMs, idle)
        // Ends its search for slow requests.
        server.close()
      },
    }),
    take(listener, connection, socket) {
      const door = doors.get(listener)
      if (!socket || !door) {
        socket?.destroy()
        return noteClosed(connection)
      }
      const { server, sockets } = door
      sockets.add(socket)
      socket.once('close', () => {
        sockets.delete(socket)
        noteClosed(connection)
      })
      // As the sockets that a server accepts itself.
      socket.allowHalfOpen = true
      server.emit('connection', socket)
    },
  }
}

/** Resolves when all connections have ended, which they must after this time. */
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
    // After the listener above, which takes it out of the set.
    for (const socket of sockets) socket.once('close', () => setImmediate(resolveIfLast))
    resolveIfLast()
  })
}
