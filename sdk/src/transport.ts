import { type Attempt, ConnectionError, refusalOf, TimeoutError } from './errors.ts'
import type { Answer, CallOptions, Credits, Operation, RateLimit } from './operations/operation.ts'
import { type OutgoingRequest, outgoingRequest } from './request.ts'
import { delayMs, isPassing, isRepeatable } from './retry.ts'

/** The clock of the client; tests replace it. */
export interface Clock {
  /** Milliseconds; only differences count. */
  readonly now: () => number
  /** Rejects with the signal's reason if the signal comes first. */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  /** Random numbers from 0 up to 1. */
  readonly random: () => number
}

export interface Settings {
  /** The address of the gateway, without a slash at its end. */
  readonly baseUrl: string
  /**
   * Called for each attempt, so that a token can be renewed. Null: the browser sends the cookie of a
   * session.
   */
  readonly credential: (() => string | Promise<string>) | null
  readonly timeoutMs: number
  /** The limit for all attempts together, with the waits between them. */
  readonly totalTimeoutMs: number
  readonly maxRetries: number
  readonly fetch: typeof fetch
  /** Null in browsers, which send their own. */
  readonly userAgent: string | null
  /** The header of idempotency keys; null uses that of the operation. */
  readonly idempotencyHeader: string | null
  readonly clock: Clock
}

type Input = Readonly<Record<string, unknown>>

/** Sends a call, repeatedly if necessary. The caller knows its types. */
export type Send = <Body>(
  operation: Operation,
  input?: Input,
  options?: CallOptions,
) => Promise<Answer<Body>>

export function createSend(settings: Settings): Send {
  const { clock, baseUrl, totalTimeoutMs } = settings
  return async function send<Body>(
    operation: Operation,
    input: Input = {},
    options: CallOptions = {},
  ) {
    const { signal, timeoutMs = settings.timeoutMs, maxRetries = settings.maxRetries } = options
    const idempotencyKey = keyOf(operation, options)
    const request = outgoingRequest(baseUrl, operation, input)
    const mayRepeat = isRepeatable(operation.method, idempotencyKey)
    const deadline = clock.now() + totalTimeoutMs
    for (let tries = 1; ; tries += 1) {
      signal?.throwIfAborted()
      const init = await initOf(settings, operation, request, { ...options, idempotencyKey })
      const patienceMs = Math.max(1, Math.ceil(Math.min(timeoutMs, deadline - clock.now())))
      try {
        const attempt = { tries, idempotencyKey }
        return await tryOnce<Body>(settings.fetch, request.url, init, {
          signal,
          patienceMs,
          attempt,
        })
      } catch (error) {
        const waitMs = delayMs(error, tries, clock.random)
        const isLast = tries > maxRetries || clock.now() + waitMs >= deadline
        if (!mayRepeat || isLast || !isPassing(error)) throw error
        await clock.sleep(waitMs, signal)
      }
    }
  }
}

/** A key of the caller may belong to an earlier call. */
function keyOf(operation: Operation, { idempotencyKey }: CallOptions): string | null {
  if (operation.idempotencyHeader !== undefined) return idempotencyKey ?? newIdempotencyKey()
  if (idempotencyKey === undefined) return null
  throw new TypeError(`${operation.method} ${operation.path} takes no idempotency key.`)
}

/** Not `randomUUID`: browsers have that on secure pages only. */
function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

type Sent = Omit<CallOptions, 'idempotencyKey'> & { readonly idempotencyKey: string | null }

async function initOf(
  { credential, userAgent, idempotencyHeader }: Settings,
  operation: Operation,
  { body, contentType }: OutgoingRequest,
  { idempotencyKey, endUser, headers: added = {} }: Sent,
): Promise<RequestInit> {
  const headers = new Headers({
    accept: 'application/json, text/csv;q=0.9, application/pdf;q=0.9, */*;q=0.5',
  })
  if (credential && !operation.isPublic)
    headers.set('authorization', `Bearer ${await credential()}`)
  if (userAgent !== null) headers.set('user-agent', userAgent)
  if (contentType !== null) headers.set('content-type', contentType)
  const keyHeader = idempotencyHeader ?? operation.idempotencyHeader
  if (idempotencyKey !== null && keyHeader) headers.set(keyHeader, idempotencyKey)
  if (endUser !== undefined) headers.set('x-end-user', endUser)
  for (const [name, value] of Object.entries(added)) headers.set(name, value)
  const init = { method: operation.method, headers, body }
  return credential ? init : { ...init, credentials: 'same-origin' }
}

interface TryOptions {
  readonly signal: AbortSignal | undefined
  readonly patienceMs: number
  readonly attempt: Attempt
}

async function tryOnce<Body>(
  fetch: Settings['fetch'],
  url: string,
  init: RequestInit,
  { signal, patienceMs, attempt }: TryOptions,
): Promise<Answer<Body>> {
  const timeout = AbortSignal.timeout(patienceMs)
  const either = signal ? AbortSignal.any([signal, timeout]) : timeout
  const { response, text, file } = await exchange(fetch, url, { ...init, signal: either }).catch(
    (cause) => {
      signal?.throwIfAborted()
      throw timeout.aborted
        ? new TimeoutError(`There is no answer after ${patienceMs} ms.`, attempt, { cause })
        : new ConnectionError(`No answer came: ${messageOf(cause)}`, attempt, { cause })
    },
  )
  if (!response.ok) throw refusalOf(response, text, attempt)
  return answerOf(response, file ?? bodyOf(response, text, attempt), attempt)
}

/** Reads the whole body: an interrupted body does not count as an answer. */
async function exchange(
  fetch: Settings['fetch'],
  url: string,
  init: RequestInit,
): Promise<{ response: Response; text: string; file: Blob | null }> {
  const response = await fetch(url, init)
  const isFile = response.ok && typeOf(response) === 'application/pdf'
  return isFile
    ? { response, text: '', file: await response.blob() }
    : { response, text: await response.text(), file: null }
}

/** The media type, without its parameters. */
function typeOf({ headers }: Response): string {
  return (headers.get('content-type') ?? '').replace(/;.*$/s, '').trim().toLowerCase()
}

/** Node gives the reason in the cause only. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error && error.cause.message !== ''
    ? error.cause.message
    : error.message
}

function answerOf<Body>(response: Response, data: Body, attempt: Attempt): Answer<Body> {
  const { status, headers } = response
  return {
    data,
    status,
    requestId: headers.get('x-request-id'),
    credits: creditsOf(headers),
    rateLimit: rateLimitOf(headers),
    isReplay: headers.get('idempotent-replayed') === 'true',
    headers,
    ...attempt,
  }
}

/** The tests of the gateway check that answers conform to the document. */
function bodyOf(response: Response, text: string, attempt: Attempt) {
  const isJson = /^application\/([\w.+-]+\+)?json$/.test(typeOf(response))
  if (!isJson) return text
  try {
    return JSON.parse(text)
  } catch {
    throw refusalOf(response, text, attempt)
  }
}

function creditsOf(headers: Headers): Credits | null {
  const charged = headers.get('x-credits-charged')
  const remaining = headers.get('x-credits-remaining')
  if (charged === null || remaining === null) return null
  return { charged: Number(charged), remaining: Number(remaining) }
}

function rateLimitOf(headers: Headers): RateLimit | null {
  const limit = headers.get('x-ratelimit-limit')
  if (limit === null) return null
  return {
    limitRps: Number(limit),
    remaining: Number(headers.get('x-ratelimit-remaining')),
    resetAt: new Date(Number(headers.get('x-ratelimit-reset')) * 1000),
  }
}
