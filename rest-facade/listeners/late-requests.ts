import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** Requests that were not complete when their time was over. */
interface LateRequests {
  add(socket: Socket): void
  /** The headers of a request have come. */
  arrived(req: IncomingMessage): void
}

interface LateRequestsOptions {
  /** How long the rest of a body may take to be read, which came while the process was busy. */
  readonly bodyGraceMs: number
  /** How long a body may take whose headers were read late. */
  readonly bodyMs: number
  /** Called with the request whose headers have come, if it is its body that is late. */
  readonly refuse: (socket: Socket, receiving: IncomingMessage | undefined) => void
}

interface Late {
  readonly socket: Socket
  /** The last request of the connection whose headers had come when the time was over. */
  readonly last: IncomingMessage | undefined
  /** The same, if its body was not complete. */
  readonly receiving: IncomingMessage | undefined
}

const lastKey = Symbol('last request')
type Connection = Socket & { [lastKey]?: IncomingMessage }

/**
 * Refuses those of which something is still missing when all that has arrived is read. Node looks at
 * the clock before it reads, so after a long task it would refuse requests that came in time. Headers
 * are read in one turn of the event loop, and a large body in several.
 */
export function createLateRequests({
  bodyGraceMs,
  bodyMs,
  refuse,
}: LateRequestsOptions): LateRequests {
  let waiting: Late[] = []

  function refuseWithoutHeaders(): void {
    const looked = waiting
    waiting = []
    for (const { socket, last, receiving: before } of looked) {
      const receiving = receivingOn(socket)
      if (receiving) {
        const graceMs = receiving === before ? bodyGraceMs : bodyMs
        setTimeout(refuseIncomplete, graceMs, socket, receiving).unref()
      } else if (!before && lastOn(socket) === last) refuse(socket, undefined)
    }
  }

  function refuseIncomplete(socket: Socket, req: IncomingMessage): void {
    if (!req.complete) refuse(socket, req)
  }

  return {
    add(socket) {
      // Immediates run after the event loop has read.
      if (waiting.length === 0) setImmediate(refuseWithoutHeaders)
      waiting.push({ socket, last: lastOn(socket), receiving: receivingOn(socket) })
    },
    arrived(req) {
      // Node's parser keeps it for as long.
      ;(req.socket as Connection)[lastKey] = req
    },
  }
}

function lastOn(socket: Connection): IncomingMessage | undefined {
  return socket[lastKey]
}

/** The request whose headers have come on this connection, and whose body is not complete. */
function receivingOn(socket: Socket): IncomingMessage | undefined {
  const last = lastOn(socket)
  return last?.complete ? undefined : last
}
