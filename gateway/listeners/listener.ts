import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { isIPv6 } from 'node:net'
import type { Express } from 'express'
import type { Headers } from '../../rest-facade/http/respond.ts'
import { expressKinds } from '../../rest-facade/steps/dispatch/express-kinds.ts'
import type { Overload } from '../overload/overload.ts'
import { trackRequests } from '../overload/requests-in-hand.ts'
import { unjudgedSender } from '../overload/sender.ts'
import type { ConnectionLimit } from './connection-limit.ts'
import {
  type Address,
  type ConnectionSource,
  type IdleConnections,
  ownPort,
} from './connection-source.ts'
import { createEarlyAnswers } from './early-answers.ts'
import { createRefusals, type RefusalLimits } from './refusals.ts'

/** A listening port whose requests go to a handler that may come later. */
export interface Listener {
  readonly port: number
  /**
   * Has requests handled from now on; before, they get 503. With an application, requests and responses are
   * objects of it from their beginning.
   */
  serve(handler: RequestListener, app?: Express): void
  /** Has every answer close its connection from now on; new connections are still accepted. */
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
  /** Overload control; without it no request is refused because of overload. */
  readonly overload?: Pick<Overload, 'guard'>
  /** The limit of connections; without it one client may take all of them. */
  readonly connectionLimit?: ConnectionLimit
  /** Limits that replace the usual ones. */
  readonly limits?: Partial<ListenerLimits>
}

/** Limits of connections, in milliseconds and counts. */
interface ListenerLimits extends RefusalLimits {
  /** The time from the end of an answer until the client has read it. */
  readonly answerTimeout: number
  /** The most connections; a further one is closed at once. */
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
  // An idle connection is kept for longer than common front proxies keep theirs, so that they never use
  // one that is being closed.
  keepAliveTimeout: 75_000,
  // The listener itself refuses a request without `Host`, so that the refusal has the envelope.
  requireHostHeader: false,
}

/** Node would not show the headers after the first thousand; `maxHeaderSize` bounds them. */
const everyHeader = 0

/** Paths that are answered even while the gateway starts: the process lives. */
const alivePaths = new Set(['/v1/health', '/live'])
/** Paths that are never refused: supervisors need these most when the process is overloaded. */
const probePaths = new Set(['/v1/health', '/v1/ready'])

export async function listen(options: ListenOptions) {
  const { overload, connectionLimit, source = ownPort(options) } = options
  const limits = { ...usualLimits, ...options.limits }
  const answers = createEarlyAnswers({
    ...options,
    keepAliveMs: standing.keepAliveTimeout,
  })
  const requests = trackRequests(limits)
  const refusals = createRefusals({ answers, requests, limits })
  const admit = overload?.guard(requests)
  let handler: RequestListener | null = null
  let isClosing = false

  const { bind: bindKinds, ...kinds } = expressKinds()
  const server = createServer({ ...standing, ...limits, ...kinds }, (req, res) => {
    if (refusals.comesTooLate(req)) return
    if (!hasHost(req) || !isTarget(req.url)) return refusals.refuse(req, 400)
    if (isClosing) res.setHeader('Connection', 'close')
    const path = pathOf(req.url)
    const sender = admit && !probePaths.has(path) ? admit(req) : unjudgedSender
    if (!sender) {
      requests.answered(req)
      return answers.overloaded(res)
    }
    requests.add(res, sender)
    if (handler) return handler(req, res)
    if (alivePaths.has(path)) return answers.alive(res)
    answers.unavailable(res, 'The gateway is starting.')
  })
  server.maxConnections = limits.maxConnections
  server.maxHeadersCount = everyHeader
  connectionLimit?.guard(server)
  refusals.watch(server)
  server.on('checkContinue', (req, res) => {
    askWhenRead(req, res)
    server.emit('request', req, res)
  })
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

/**
 * Asks for the body of a request that expects it (`Expect: 100-continue`) only when a handler begins to read: a
 * client whose request is refused without its body does not send it. Node would ask at once.
 */
function askWhenRead(req: IncomingMessage, res: ServerResponse): void {
  req.once('resume', () => {
    if (!res.headersSent) res.writeContinue()
  })
}

const hostPattern = /^(?:\[([\da-f:.]+)\]|[\w.~!$&'()*+;=%-]+)(?::\d*)?$/i

/**
 * Exactly one line names the host (RFC 9112 §3.2). A list of names is none, although a comma may be in
 * one: a proxy that joins two lines makes such a list.
 */
function hasHost({ rawHeaders, headers: { host }, httpVersion }: IncomingMessage): boolean {
  if (host === undefined) return httpVersion !== '1.1'
  let lines = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') lines += 1
  }
  const found = lines === 1 && hostPattern.exec(host)
  return found ? found[1] === undefined || isIPv6(found[1]) : false
}

/**
 * Whether the address of a request is readable. Express would answer an unreadable one with its own
 * page, and read bytes outside of ASCII as Latin-1.
 */
function isTarget(url = ''): boolean {
  if (!/^[!-~]*$/.test(url)) return false
  return url.startsWith('/') || !/^[a-z][a-z0-9+.-]*:/i.test(url) || URL.canParse(url)
}

function pathOf(url = ''): string {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}
