import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Express } from 'express'
import { expressKinds } from '../dispatch/express-kinds.ts'
import type { Headers } from '../http/respond.ts'
import type { Overload } from '../overload/overload.ts'
import { type RequestsInHand, trackRequests } from '../overload/requests-in-hand.ts'
import type { ConnectionLimit } from './connection-limit.ts'
import {
  type Address,
  type ConnectionSource,
  type IdleConnections,
  ownPort,
} from './connection-source.ts'
import { createEarlyAnswers, type EarlyAnswers } from './early-answers.ts'
import { createLateRequests } from './late-requests.ts'

/** A listening port whose requests go to a handler that may come later. */
export interface Listener {
  readonly port: number
  /**
   * From now on requests are handled; before, they get 503. With an application, requests and
   * responses are objects of it from their beginning.
   */
  serve(handler: RequestListener, app?: Express): void
  /** From now on every answer closes its connection; new connections are still accepted. */
  letGo(): void
  /**
   * Stops accepting, waits this long for running requests, then cuts the remaining connections. Idle
   * ones end at once, or when their time is over: a client that uses one meanwhile gets its answer.
   */
  close(patienceMs: number, idle?: IdleConnections): Promise<void>
}

interface ListenOptions extends Address {
  /** A port of this process by default. */
  readonly source?: ConnectionSource
  /** For the links of errors that are raised before any handler. */
  readonly docsUrl: () => string
  /** The limit in the headers of such answers, which no limiter has counted. */
  readonly anonymousRps: number
  /** CORS headers of answers that are given before any handler. */
  readonly headers?: Headers
  /** Without it no request is refused because of overload. */
  readonly overload?: Pick<Overload, 'guard'>
  /** Without it one client may take all connections. */
  readonly connectionLimit?: ConnectionLimit
  /** Replace the usual limits. */
  readonly limits?: Partial<ListenerLimits>
}

/** Limits of connections, in milliseconds and counts. */
interface ListenerLimits {
  /** The time from the first byte of a request to the end of its headers, and to its end. */
  readonly headersTimeout: number
  readonly requestTimeout: number
  /** The interval of both checks: a request may take that much longer. */
  readonly connectionsCheckingInterval: number
  /** The time from the end of an answer until the client has read it. */
  readonly answerTimeout: number
  /** The time from a refusal by the parser until the client has closed the connection. */
  readonly closingTimeout: number
  /** Further connections are closed at once. */
  readonly maxConnections: number
}

/** The limit of one listener. */
export const maxConnections = 10_000

const usualLimits: ListenerLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2500,
  answerTimeout: 60_000,
  closingTimeout: 5000,
  maxConnections,
}

const standing = {
  maxHeaderSize: 16 * 1024,
  // Longer than the idle timeout of common front proxies, so that they never reuse a closing
  // socket.
  keepAliveTimeout: 75_000,
  // Checked below, so that the refusal has the envelope.
  requireHostHeader: false,
}

/** These are answered even while the gateway starts: the process lives. */
const alivePaths = new Set(['/v1/health', '/live'])
/** Never refused: supervisors need these most when the process is overloaded. */
const probePaths = new Set(['/v1/health', '/v1/ready'])

export async function listen(options: ListenOptions) {
  const { overload, connectionLimit, source = ownPort(options) } = options
  const limits = { ...usualLimits, ...options.limits }
  const answers = createEarlyAnswers({
    ...options,
    keepAliveMs: standing.keepAliveTimeout,
    closingTimeout: limits.closingTimeout,
  })
  const requests = trackRequests(limits.answerTimeout)
  const isRefused = overload?.guard(requests)
  let handler: RequestListener | null = null
  let isClosing = false

  const { bind: bindKinds, ...kinds } = expressKinds()
  const server = createServer({ ...standing, ...limits, ...kinds }, (req, res) => {
    if (req.headers.host === undefined && req.httpVersion === '1.1') {
      return answers.refuse(req.socket, 400)
    }
    if (!isTarget(req.url)) return answers.refuse(req.socket, 400)
    if (isClosing) res.setHeader('Connection', 'close')
    const path = pathOf(req.url)
    if (isRefused && !probePaths.has(path) && isRefused(req.headers.authorization ?? '')) {
      requests.answered(req)
      return answers.overloaded(res)
    }
    requests.add(res)
    if (handler) return handler(req, res)
    if (alivePaths.has(path)) return answers.alive(res)
    answers.unavailable(res, 'The gateway is starting.')
  })
  server.maxConnections = limits.maxConnections
  connectionLimit?.guard(server)
  refuseBadRequests(server, { answers, requests, limits })
  const port = await source.open(server)

  function letGo(): void {
    isClosing = true
    requests.letGo()
  }

  const listener: Listener = {
    port,
    serve(requestHandler, app) {
      if (app) bindKinds(app)
      handler = requestHandler
    },
    letGo,
    async close(patienceMs, idle = 'end') {
      letGo()
      await source.close(server, patienceMs, idle)
      requests.stop()
    },
  }
  return listener
}

/** Express would answer an unreadable address with its own page. */
function isTarget(url = ''): boolean {
  return url.startsWith('/') || !/^[a-z][a-z0-9+.-]*:/i.test(url) || URL.canParse(url)
}

function pathOf(url = ''): string {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}

interface RefuseOptions {
  readonly answers: EarlyAnswers
  readonly requests: RequestsInHand
  readonly limits: ListenerLimits
}

/**
 * A refusal by the HTTP parser gets the envelope too, and the connection closes (docs/contract.md
 * §2).
 */
function refuseBadRequests(server: Server, { answers, requests, limits }: RefuseOptions): void {
  function refuse(socket: Socket, status: number): void {
    // After the head of another answer, the client would read this one as its body.
    if (!socket.writable || requests.isAnswering(socket)) return void socket.destroy()
    answers.refuse(socket, status)
  }
  const { headersTimeout, requestTimeout, connectionsCheckingInterval } = limits
  const late = createLateRequests({
    bodyGraceMs: connectionsCheckingInterval,
    bodyMs: Math.max(requestTimeout - headersTimeout, connectionsCheckingInterval),
    refuse(socket) {
      // It was refused for another reason meanwhile.
      if (socket.writableEnded) return
      // It was answered before its body came, and may have no second answer.
      if (requests.hasAnswered(socket)) return void socket.destroy()
      refuse(socket, 408)
    },
  })
  server.on('request', (req: IncomingMessage) => late.arrived(req))
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
      return late.add(socket, requests.receivingFrom(socket))
    }
    refuse(socket, error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400)
  })
  server.on('connect', (_req, socket: Socket) => refuse(socket, 400))
  server.on('checkExpectation', (req) => refuse(req.socket, 417))
}
