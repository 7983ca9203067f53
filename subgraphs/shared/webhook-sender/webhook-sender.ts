import assert from 'node:assert'
import { type IncomingMessage, request as newRequest } from 'node:http'
import type { LookupFunction, Socket } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { type EndpointUrlRules, endpointUrlProblem } from './endpoint-url.ts'
import { connectionFailure, DeliveryFailure } from './failure.ts'
import { openSocket } from './open-socket.ts'
import { resolveBy, resolveByDns } from './resolve-host.ts'
import { retryAfterSeconds } from './retry-after.ts'

export interface OutgoingWebhook {
  /** The event's; the same on every attempt. */
  readonly id: string
  readonly url: string
  /** Each `whsec_…`; one, or two while it is being rotated. */
  readonly secrets: readonly string[]
  /** JSON, signed and sent as it is. */
  readonly body: string
}

/** One attempt. What the receiver wrote beyond its status and Retry-After is forgotten. */
export interface SendOutcome {
  /** Null when none came. */
  readonly status: number | null
  readonly latencyMs: number
  /**
   * Null when the status is 2xx. Otherwise `http <status>` or, without one: `timeout`, `forbidden
   * address`, `host not found`, `host not resolved`, `host unreachable`, `connection refused`,
   * `connection reset`, `connection failed`, `tls failure: <code>`, `invalid response`, `too many at
   * once`, and `stopped` when the caller's signal or `close` ended it.
   */
  readonly failure: string | null
  /** What a status other than 2xx came with; at most a day. */
  readonly retryAfterSeconds: number | null
}

export interface WebhookSenderOptions extends EndpointUrlRules {
  /** Of a whole attempt: DNS, connection, TLS, request, answer. */
  readonly timeoutMs: number
  /** Of the answer's body that are read, and dropped. */
  readonly maxResponseBytes: number
  readonly now?: () => Date
  /** Instead of the system's name servers. What it answers is judged like theirs. */
  readonly lookup?: LookupFunction
}

export interface WebhookSender {
  /**
   * Never rejects for what a receiver or a network does. At most 8 at a time for one URL and 1,024 in
   * all: what comes beyond is an outcome at once, so that no receiver keeps others waiting.
   */
  send(message: OutgoingWebhook, signal?: AbortSignal): Promise<SendOutcome>
  /** Ends what is under way, and resolves when that is told. */
  close(): Promise<void>
}

const maxPerUrl = 8
const maxInAll = 1024

type Answer = Pick<SendOutcome, 'status' | 'failure' | 'retryAfterSeconds'>

/**
 * Sends signed messages (Standard Webhooks) to URLs that customers chose: to public addresses only,
 * each over a connection of its own, without redirects, proxies and cookies.
 */
export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { timeoutMs, now = () => new Date(), lookup } = options
  const rules = { ...options, resolve: lookup ? resolveBy(lookup) : resolveByDns }
  const closing = new AbortController()
  const running = new Map<Promise<SendOutcome>, string>()

  async function attempt(message: OutgoingWebhook, signal: AbortSignal): Promise<Answer> {
    if (endpointUrlProblem(message.url, options)) throw new DeliveryFailure('forbidden address')
    const url = new URL(message.url)
    const socket = await openSocket(url, rules, signal)
    try {
      const headers = signedHeaders(message, now())
      const response = await post(socket, url, { headers, body: message.body, signal })
      await discard(response, options.maxResponseBytes)
      return answerOf(response, now())
    } finally {
      socket.destroy()
    }
  }

  async function timed(message: OutgoingWebhook, stop: AbortSignal): Promise<SendOutcome> {
    const startedMs = performance.now()
    const timeout = AbortSignal.timeout(timeoutMs)
    const signal = AbortSignal.any([timeout, stop])
    const answer = await attempt(message, signal).catch((error: unknown) => {
      if (stop.aborted) return unanswered('stopped')
      return unanswered(timeout.aborted ? 'timeout' : connectionFailure(error).message)
    })
    return { ...answer, latencyMs: Math.round(performance.now() - startedMs) }
  }

  return {
    async send(message, signal) {
      const toSameUrl = [...running.values()].filter((url) => url === message.url)
      if (running.size >= maxInAll || toSameUrl.length >= maxPerUrl) {
        return { ...unanswered('too many at once'), latencyMs: 0 }
      }
      const outcome = timed(message, AbortSignal.any([closing.signal, ...(signal ? [signal] : [])]))
      running.set(outcome, message.url)
      return await outcome.finally(() => running.delete(outcome))
    },
    async close() {
      closing.abort()
      await Promise.allSettled(running.keys())
    },
  }
}

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

function signedHeaders({ id, secrets, body }: OutgoingWebhook, at: Date): Record<string, string> {
  assert(secrets.length > 0)
  return {
    'content-type': 'application/json',
    'user-agent': 'credit-gateway-webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  }
}

interface Posted {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
}

/** Resolves with the first line and the headers; there is no agent, so the connection serves this alone. */
function post(
  socket: Socket,
  url: URL,
  { headers, body, signal }: Posted,
): Promise<IncomingMessage> {
  const request = newRequest({
    method: 'POST',
    path: url.pathname + url.search,
    headers: { ...headers, host: url.host },
    createConnection: () => socket,
    signal,
  })
  return new Promise((resolve, reject) => {
    // It stays: the socket may fail once more when all is over.
    request.on('error', reject)
    request.once('response', resolve)
    request.end(body)
  })
}

/**
 * Reads so that the receiver can end in peace. The status has already said all that counts, so it
 * does not matter how this ends: too much, too late or torn.
 */
function discard(response: IncomingMessage, maxBytes: number): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes >= maxBytes) resolve()
    })
    response.once('close', resolve)
    response.on('error', () => resolve())
  })
}
