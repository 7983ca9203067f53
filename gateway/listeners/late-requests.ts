import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** Requests that were not complete when their time was over. */
interface LateRequests {
  /**
   * Adds a connection whose request is late. `receiving`: the request whose headers have come on
   * it, if there is one.
   */
  add(socket: Socket, receiving: IncomingMessage | undefined): void
  /** Notes that the headers of a request have come. */
  arrived(req: IncomingMessage): void
}

interface LateRequestsOptions {
  readonly refuse: (socket: Socket) => void
  /** How long the rest of a body may take to be read that came while the process was busy. */
  readonly bodyGraceMs: number
  /** How long a body may take whose headers were read late. */
  readonly bodyMs: number
}

interface Late {
  req: IncomingMessage | undefined
  graceMs: number
}

/**
 * Refuses a late request if it is incomplete after everything that has arrived was read. Node looks at
 * the clock before it reads, so after a long task it would refuse requests that came in time. Headers
 * are read in one turn of the event loop, and a large body in several.
 */
export function createLateRequests(options: LateRequestsOptions): LateRequests {
  const { refuse, bodyGraceMs, bodyMs } = options
  const late = new Map<Socket, Late>()

  function refuseWithoutHeaders(): void {
    for (const [socket, { req, graceMs }] of late) {
      if (!req) refuse(socket)
      else if (!req.complete) setTimeout(refuseIncomplete, graceMs, socket, req).unref()
    }
    late.clear()
  }

  function refuseIncomplete(socket: Socket, req: IncomingMessage): void {
    if (!req.complete) refuse(socket)
  }

  return {
    add(socket, receiving) {
      // An immediate runs after the event loop has read what has arrived.
      if (late.size === 0) setImmediate(refuseWithoutHeaders)
      late.set(socket, { req: receiving, graceMs: bodyGraceMs })
    },
    arrived(req) {
      if (late.size === 0) return
      const waiting = late.get(req.socket)
      // A request that follows on the same connection is not the late one.
      if (waiting && !waiting.req) Object.assign(waiting, { req, graceMs: bodyMs })
    },
  }
}
