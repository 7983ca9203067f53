import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** Requests that were not complete when their time was over. */
interface LateRequests {
  /** `receiving`: the request whose headers have come on this connection, if there is one. */
  add(socket: Socket, receiving: IncomingMessage | undefined): void
  /** The headers of a request have come. */
  arrived(req: IncomingMessage): void
}

/**
 * Refuses those of which something is still missing when all that has arrived is read. Node looks at
 * the clock before it reads, so after a long task it would refuse requests that came in time.
 */
export function createLateRequests(refuse: (socket: Socket) => void): LateRequests {
  const late = new Map<Socket, IncomingMessage | undefined>()

  function refuseIncomplete(): void {
    for (const [socket, req] of late) if (!req?.complete) refuse(socket)
    late.clear()
  }

  return {
    add(socket, receiving) {
      // Immediates run after the event loop has read.
      if (late.size === 0) setImmediate(refuseIncomplete)
      late.set(socket, receiving)
    },
    arrived(req) {
      // A request that follows on the same connection is not the late one.
      if (late.size > 0 && late.has(req.socket) && !late.get(req.socket)) late.set(req.socket, req)
    },
  }
}
