import assert from 'node:assert'
import { type IncomingMessage, request as newRequest } from 'node:http'
import type { LookupFunction, Socket } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { type EndpointUrlRules, endpointUrlProblem } from '../../../shared/outgoing/endpoint-url.ts'
import { ConnectionFailure, connectionFailure } from '../../../shared/outgoing/failure.ts'
import { openSocket } from '../../../shared/outgoing/open-socket.ts'
import { resolveBy, resolveByDns } from '../../../shared/outgoing/resolve-host.ts'
import { isLoopbackAddress } from '../../../shared/outgoing/special-addresses.ts'
import { answerText, maxAnswerBytes } from './answer-text.ts'
import { retryAfterSeconds } from './retry-after.ts'

export interface OutgoingWebhook {
  /** The id of the event, which is the same for every attempt. */
  readonly id: string
  readonly url: string
  /** Messages with the same key share a limit of concurrent attempts. The default is the URL. */
  readonly key?: string
  /** The secrets that sign the message, `whsec_…`: one, or two during a rotation. */
  readonly secrets: readonly string[]
  /** JSON. Exactly these bytes are signed and sent. */
  readonly body: string
}

/** The result of one attempt. Of the receiver's answer its status, Retry-After and the beginning of its text are kept. */
export interface SendOutcome {
  /** The status of the answer; null if no answer came. */
  readonly status: number | null
  readonly latencyMs: number
  /**
   * Null if the status is 2xx. Otherwise `http <status>` or, without one: `timeout`, `forbidden
   * address`, `host not found`, `host not resolved`, `host unreachable`, `connection refused`,
   * `connection reset`, `connection failed`, `tls failure: <code>`, `invalid response`, `too many
   * at once`, and `stopped` if the caller's signal or `close` ended the attempt.
   */
  readonly failure: string | null
  /** Retry-After of an answer that is not 2xx; at most a day. */
  readonly retryAfterSeconds: number | null
  /** The headers of the request without its signature; null: no connection was there to send them on. */
  readonly requestHeaders: Readonly<Record<string, string>> | null
  /** The beginning of the answer's text (`answerText`); null without an answer, and of loopback. */
  readonly responseText: string | null
}

export interface WebhookSenderOptions extends EndpointUrlRules {
  /** Limits a whole attempt: DNS, connection, TLS, request and answer. */
  readonly timeoutMs: number
  /** Limits the part of the answer's body that is read. */
  readonly maxResponseBytes: number
  /** Keeps the text of answers that come from loopback too: for tests. */
  readonly keepsLoopbackAnswers?: boolean
  readonly now?: () => Date
  /** Replaces the system's name servers. Its answers are checked like theirs. */
  readonly lookup?: LookupFunction
}

export interface WebhookSender {
  /**
   * Failures of a receiver or a network do not reject the promise. At most 8 attempts run for one
   * key and 1,024 in all. A further attempt ends at once, so that no receiver makes others wait.
   */
  send(message: OutgoingWebhook, signal?: AbortSignal): Promise<SendOutcome>
  /** Ends the running attempts, and resolves when their outcomes are known. */
  close(): Promise<void>
}

const maxPerKey = 8
const maxInAll = 1024

interface Running {
  readonly key: string
  readonly outcome: Promise<SendOutcome>
  readonly stop: () => void
}

interface Posted {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
}

type Answer = Pick<SendOutcome, 'status' | 'failure' | 'retryAfterSeconds'>

/** What is known of an attempt even if it fails. */
type Trace = { -readonly [Name in 'requestHeaders' | 'responseText']: SendOutcome[Name] }

/**
 * Sends signed messages (Standard Webhooks) to URLs that customers choose. It connects to public
 * addresses only, with a new connection for each message, and without redirects, proxies and
 * cookies.
 */
export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { timeoutMs, now = () => new Date(), lookup } = options
  const rules = { ...options, resolve: lookup ? resolveBy(lookup) : resolveByDns }
  const running = new Set<Running>()
  let isClosed = false

  const isKept = ({ remoteAddress }: Socket) =>
    options.keepsLoopbackAnswers === true ||
    (remoteAddress !== undefined && !isLoopbackAddress(remoteAddress))

  async function attempt(posted: Posted, trace: Trace): Promise<Answer> {
    if (endpointUrlProblem(posted.url, options)) throw new ConnectionFailure('forbidden address')
    const url = new URL(posted.url)
    const socket = await openSocket(url, rules, posted.signal)
    const isShown = isKept(socket)
    try {
      const { 'webhook-signature': _, ...shown } = posted.headers
      trace.requestHeaders = shown
      const response = await post(socket, url, posted)
      const beginning = await readBeginning(response, options.maxResponseBytes)
      if (isShown) trace.responseText = answerText(beginning)
      return answerOf(response, now())
    } finally {
      socket.destroy()
    }
  }

  async function timed(message: OutgoingWebhook, signal: AbortSignal): Promise<SendOutcome> {
    const { url, body } = message
    const headers = headersOf(message, now())
    const trace: Trace = { ...untraced }
    const startedMs = performance.now()
    const answer = await attempt({ url, headers, body, signal }, trace).catch((error: unknown) =>
      unanswered(connectionFailure(signal.aborted ? signal.reason : error).message),
    )
    return { ...answer, ...trace, latencyMs: Math.round(performance.now() - startedMs) }
  }

  async function bounded(message: OutgoingWebhook, signal?: AbortSignal): Promise<SendOutcome> {
    // AbortSignal.timeout and AbortSignal.any would keep their memory until the timeout.
    const ending = new AbortController()
    const stop = () => ending.abort(new ConnectionFailure('stopped'))
    const timer = setTimeout(() => ending.abort(new ConnectionFailure('timeout')), timeoutMs)
    signal?.addEventListener('abort', stop)
    const outcome = timed(message, ending.signal)
    const one = { key: keyOf(message), outcome, stop }
    running.add(one)
    try {
      return await outcome
    } finally {
      running.delete(one)
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    }
  }

  return {
    async send(message, signal) {
      if (isClosed || signal?.aborted)
        return { ...unanswered('stopped'), ...untraced, latencyMs: 0 }
      const ofSameKey = [...running].filter(({ key }) => key === keyOf(message))
      if (running.size >= maxInAll || ofSameKey.length >= maxPerKey) {
        return { ...unanswered('too many at once'), ...untraced, latencyMs: 0 }
      }
      return await bounded(message, signal)
    },
    async close() {
      isClosed = true
      const ending = [...running]
      for (const { stop } of ending) stop()
      await Promise.allSettled(ending.map(({ outcome }) => outcome))
    },
  }
}

function keyOf({ key, url }: OutgoingWebhook): string {
  return key ?? url
}

const untraced: Trace = { requestHeaders: null, responseText: null }

function unanswered(failure: string): Answer {
  return { status: null, failure, retryAfterSeconds: null }
}

function answerOf({ statusCode = 0, headers }: IncomingMessage, now: Date): Answer {
  if (statusCode >= 200 && statusCode < 300) {
    return { status: statusCode, failure: null, retryAfterSeconds: null }
  }
  const retryAfter = retryAfterSeconds(headers['retry-after'], now)
  return { status: statusCode, failure: `http ${statusCode}`, retryAfterSeconds: retryAfter }
}

/** All headers of the request: Node adds none to them. */
function headersOf({ id, url, secrets, body }: OutgoingWebhook, at: Date): Record<string, string> {
  assert(secrets.length > 0)
  return {
    host: URL.parse(url)?.host ?? '',
    connection: 'close',
    'content-length': String(Buffer.byteLength(body)),
    'content-type': 'application/json',
    'user-agent': 'credit-gateway-webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  }
}

/**
 * Resolves with status and headers. There is no agent, so the connection serves this request alone.
 */
function post(
  socket: Socket,
  url: URL,
  { headers, body, signal }: Posted,
): Promise<IncomingMessage> {
  const request = newRequest({
    method: 'POST',
    path: url.pathname + url.search,
    headers,
    createConnection: () => socket,
    signal,
  })
  return new Promise((resolve, reject) => {
    // This listener is never removed, because the socket may fail again at the end.
    request.on('error', reject)
    request.once('close', () => reject(new ConnectionFailure('connection reset')))
    request.once('response', resolve)
    request.end(body)
  })
}

/**
 * Limits the time for the body, so that a receiver that has answered does not occupy a place for
 * long.
 */
const bodyPatienceMs = 2000

/**
 * Reads the body so that the receiver can finish normally, and returns its beginning. The status has already decided
 * the outcome, so a body that is too long, too late or incomplete does not matter.
 */
function readBeginning(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const beginning: Buffer[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const patience = setTimeout(resolve, bodyPatienceMs)
  let bytes = 0
  response.on('data', (chunk: Buffer) => {
    if (bytes < maxAnswerBytes)
      beginning.push(Buffer.from(chunk.subarray(0, maxAnswerBytes - bytes)))
    bytes += chunk.length
    if (bytes >= maxBytes) resolve()
  })
  response.on('error', () => resolve())
  response.once('close', () => {
    clearTimeout(patience)
    resolve()
  })
  return promise.then(() => Buffer.concat(beginning))
}
