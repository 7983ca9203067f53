import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'

/** The treatment of connections without a request when a listener closes. */
export type IdleConnections = 'end' | 'keep'

/** Gives connections to the server of a listener. */
export interface ConnectionSource {
  /** The server gets connections from now on. Resolves to the port. */
  open(server: HttpServer): Promise<number>
  /** Closes the server as `Listener` says. */
  close(server: HttpServer, patienceMs: number, idle: IdleConnections): Promise<void>
}

/**
 * Connections that wait to be accepted. Without a place, a client tries again after one or three
 * seconds.
 */
const backlog = 4096

export interface Address {
  readonly host: string
  /** 0 is any free port. */
  readonly port: number
}

/** Resolves to the port. Rejects with EADDRINUSE when another process has it. */
export async function bind(server: Server, { host, port }: Address): Promise<number> {
  const listening = once(server, 'listening')
  // A worker of a cluster must also have a port of its own here.
  server.listen({ port, host, backlog, exclusive: true })
  await listening
  const address = server.address() as AddressInfo
  return address.port
}

/** The usual source: the process listens itself. */
export function ownPort(address: Address): ConnectionSource {
  return {
    open: (server) => bind(server, address),
    close,
  }
}

/** Closes a server that listens itself: Node then ends its idle connections. */
function close(server: HttpServer, patienceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), patienceMs)
    server.close(() => {
      clearTimeout(cut)
      resolve()
    })
  })
}
