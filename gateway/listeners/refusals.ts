import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { RequestsInHand } from '../overload/requests-in-hand.ts'
import type { EarlyAnswers } from './early-answers.ts'
import { createLateRequests } from './late-requests.ts'

/** The connections that end because something that came on them is no request. */
export interface Refusals {
  /** Ends the connection of a request with a refusal, after the answers to all requests that came before. */
  refuse(req: IncomingMessage, status: number): void
  /**
   * Whether the connection of this request was refused before the request came, so that the request
   * is not served.
   */
  comesTooLate(req: IncomingMessage): boolean
  /** Has refusals by the HTTP parser get the envelope from now on. */
  watch(server: Server): void
}

/** How long a client has, in milliseconds. */
export interface RefusalLimits {
  /** The time from the first byte of a request to the end of its headers, and to its end. */
  readonly headersTimeout: number
  readonly requestTimeout: number
  /** The interval of both checks: a request may take that much longer. */
  readonly connectionsCheckingInterval: number
  /** The time from a refusal until the client has closed the connection. */
  readonly closingTimeout: number
}

interface RefusalOptions {
  readonly answers: Pick<EarlyAnswers, 'refusal'>
  readonly requests: RequestsInHand
  readonly limits: RefusalLimits
}

/**
 * Answers come in the order of their requests (RFC 9112 §9.3.2), so that a client never takes a refusal
 * for the answer to an earlier request, which may have been charged (docs/contract.md §2).
 */
export function createRefusals({ answers, requests, limits }: RefusalOptions): Refusals {
  const refused = new WeakSet<Socket>()

  function refuse(socket: Socket, status: number): void {
    if (refused.has(socket)) return
    refused.add(socket)
    throwAwayTheRest(socket)
    const unanswered = requests.of(socket)
    const cut = unanswered.find(({ req }) => !req.complete)
    const whole = unanswered.filter(({ req }) => req.complete)
    onceClosed(whole, () => (cut ? refuseCut(cut, socket, status) : refuseNext(socket, status)))
  }

  function refuseNext(socket: Socket, status: number): void {
    // The refused bytes may be the rest of a request that has its answer.
    end(socket, status, requests.hasAnswered(socket) ? '' : answers.refusal(status))
  }

  /** Refuses a request whose body is not complete, unless it is answered without the body. */
  function refuseCut(cut: ServerResponse, socket: Socket, status: number): void {
    const again = () => refuseCut(cut, socket, status)
    if (cut.closed) end(socket, status, '')
    // A slow client may not hold an answer that has no end.
    else if (cut.headersSent && !cut.writableEnded && status === 408) socket.destroy()
    else if (cut.headersSent) cut.once('close', again)
    // A handler does nothing before it has the whole body, so the request can still be refused.
    else if (isReading(cut)) end(socket, status, answers.refusal(status))
    else onceReadingOrClosed(cut, again)
  }

  function end(socket: Socket, status: number, answer: string): void {
    if (!socket.writable) return
    socket.end(answer)
    // The client is slow, and the system has taken the whole answer: nothing is lost.
    if (status === 408 && socket.writableLength === 0) socket.destroy()
    // A client may ignore that the connection has ended.
    else setTimeout(() => socket.destroy(), limits.closingTimeout).unref()
  }

  const { headersTimeout, requestTimeout, connectionsCheckingInterval } = limits
  const late = createLateRequests({
    bodyGraceMs: connectionsCheckingInterval,
    bodyMs: Math.max(requestTimeout - headersTimeout, connectionsCheckingInterval),
    refuse: (socket) => refuse(socket, 408),
  })

  return {
    refuse: ({ socket }, status) => refuse(socket, status),
    comesTooLate: ({ socket }) => refused.has(socket),
    watch(server) {
      server.on('request', (req: IncomingMessage) => late.arrived(req))
      server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
        if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
          const cut = requests.of(socket).find(({ req }) => !req.complete)
          return late.add(socket, cut?.req)
        }
        refuse(socket, error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400)
      })
      server.on('connect', (_req, socket: Socket) => {
        // Node forgets the requests that came before CONNECT, and does not end them with their connection.
        socket.on('close', () => {
          for (const unanswered of requests.of(socket)) unanswered.destroy()
        })
        refuse(socket, 400)
      })
      server.on('checkExpectation', ({ socket }) => refuse(socket, 417))
    },
  }
}

/**
 * Node's parser gets nothing more of this connection, and does not end it when the client has sent all.
 * The rest is still read: unread bytes would make the system reset the connection, and the client might
 * lose its answers.
 */
function throwAwayTheRest(socket: Socket): void {
  socket.removeAllListeners('data').removeAllListeners('end')
  socket.on('data', ignore)
  // Node no longer listens after CONNECT.
  socket.on('error', ignore)
  socket.resume()
}

function ignore(): void {}

function onceClosed(answers: readonly ServerResponse[], then: () => void): void {
  let open = answers.length
  if (open === 0) then()
  for (const answer of answers) {
    answer.once('close', () => {
      open -= 1
      if (open === 0) then()
    })
  }
}

function isReading({ req }: ServerResponse): boolean {
  return req.readableFlowing !== null
}

function onceReadingOrClosed(answer: ServerResponse, then: () => void): void {
  function changed(): void {
    answer.req.off('resume', changed)
    answer.off('close', changed)
    then()
  }
  answer.req.on('resume', changed)
  answer.on('close', changed)
}
