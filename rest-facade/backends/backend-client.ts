import { SpanKind } from '@opentelemetry/api'
import {
  CircuitState,
  circuitBreaker,
  handleWhen,
  isBrokenCircuitError,
  SamplingBreaker,
} from 'cockatiel'
import { Pool } from 'undici'
import { failSpan, inSpan, traceHeaders } from '../../schema/process/tracing.ts'
import { ApiError, ClientGone, unavailable } from '../http/errors.ts'
import { FairPlaces } from './fair-places.ts'

export interface BackendRequest {
  /** Whose call it is: places are divided among accounts. */
  readonly accountId: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query below the module's URL. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Who calls: written when it leaves, because it may have waited. */
  readonly callerHeaders: () => Readonly<Record<string, string>>
  readonly body: string | null
  /** Whether a second attempt could not have a second effect. */
  readonly isRepeatable: boolean
}

export interface BackendAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Whole; never more than `maxAnswerBytes`. */
  readonly body: Buffer
}

/** Whoever a call is made for. It may leave before the module is asked: then the module is not asked. */
export interface Asker {
  readonly isGone: () => boolean
  /** Has a function called when it leaves; returns what ends that. */
  readonly onGone: (leave: () => void) => () => void
  /** Called just before the module is asked: from then on the call is finished, whoever listens. */
  readonly dispatched: () => void
}

/** One backend module. A sick one hurts nobody but its own callers. */
export interface Backend {
  readonly module: string
  /**
   * Throws BACKEND_TIMEOUT after the deadline, BACKEND_ERROR when no whole answer came, and
   * SERVICE_UNAVAILABLE while the module has been failing or too many calls wait for it. Throws
   * ClientGone when the asker has left before the module was asked.
   */
  send(request: BackendRequest, asker: Asker): Promise<BackendAnswer>
  /**
   * Takes a place for a call that is being prepared, and returns what gives it back. Throws
   * SERVICE_UNAVAILABLE when there is none for this account: what would be refused later must not cost more.
   */
  readonly enter: (accountId: string) => () => void
  /** Throws SERVICE_UNAVAILABLE when this account, or nobody at all, could take a place. */
  readonly requirePlace: (accountId?: string) => void
  /** Whether calls are being refused because it has been failing. */
  readonly isRefusing: () => boolean
  close(): Promise<void>
}

interface BackendOptions {
  readonly module: string
  readonly url: string
  /** For a whole call, further attempts included. */
  readonly timeoutMs: number
  /** Whether callers can make it fail and wait as they like, so that one must not spoil it for others. */
  readonly isSimulated: boolean
}

const maxAnswerBytes = 10 * 1024 * 1024
/** One account leaves three quarters of the running calls to the others. */
const places = { maxRunning: 128, maxWaiting: 500, share: 1 / 4, reserve: 64 }
/** The breaker opens when half of at least a hundred calls in ten seconds fail. */
const breaker = { threshold: 0.5, duration: 10_000, minimumRps: 10 }
const openForMs = 1000
/** A tenth of the calls may be tried again, so that retries never double a sick module's load. */
const retryShare = 0.1
const maxRetryCredit = 10

export function createBackend(options: BackendOptions): Backend {
  const { module, url, timeoutMs, isSimulated } = options
  const { origin, pathname } = new URL(url)
  const prefix = pathname.replace(/\/$/, '')
  const pool = new Pool(origin, {
    connections: isSimulated ? null : places.maxRunning,
    connect: { timeout: Math.min(timeoutMs, 5000) },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: maxAnswerBytes,
  })
  const { enter, requirePlace, run, isRefusing } = isSimulated ? unprotected : protect(module)
  let retryCredit = maxRetryCredit
  const span = {
    kind: SpanKind.CLIENT,
    attributes: { 'gateway.backend_module': module, 'server.address': new URL(origin).hostname },
  }

  function attempt(request: BackendRequest, deadline: AbortSignal): Promise<BackendAnswer> {
    return inSpan(`${request.method} ${module}`, span, async (span) => {
      const headers = { ...request.headers, ...request.callerHeaders(), ...traceHeaders() }
      const answer = await exchange({ ...request, headers }, deadline)
      span?.setAttribute('http.response.status_code', answer.status)
      if (span && answer.status >= 500) failSpan(span, new Error(`status ${answer.status}`))
      return answer
    })
  }

  async function exchange(request: BackendRequest, deadline: AbortSignal): Promise<BackendAnswer> {
    const { method, path, headers, body } = request
    try {
      const options = { method, path: prefix + path, headers, body, signal: deadline }
      const response = await pool.request(options)
      const bytes = Buffer.from(await response.body.arrayBuffer())
      return { status: response.statusCode, headers: response.headers, body: bytes }
    } catch (error) {
      throw toApiError(module, error, deadline.aborted)
    }
  }

  /** Tries once more what failed on the way, if that cannot have a second effect. */
  async function attemptTwice(
    request: BackendRequest,
    deadline: AbortSignal,
  ): Promise<BackendAnswer> {
    retryCredit = Math.min(maxRetryCredit, retryCredit + retryShare)
    try {
      const answer = await attempt(request, deadline)
      if (!isPassing(answer.status) || !mayRetry(request, deadline)) return answer
    } catch (error) {
      if (!mayRetry(request, deadline)) throw error
    }
    retryCredit -= 1
    return attempt(request, deadline)
  }

  function mayRetry({ isRepeatable }: BackendRequest, deadline: AbortSignal): boolean {
    return isRepeatable && retryCredit >= 1 && !deadline.aborted
  }

  return {
    module,
    isRefusing,
    send(request, asker) {
      // Waiting for its turn counts: the hold and the caller wait too.
      const deadline = AbortSignal.timeout(timeoutMs)
      function dispatch(): Promise<BackendAnswer> {
        // Nothing is awaited between this look and the request.
        requirePresence(asker)
        asker.dispatched()
        return attemptTwice(request, deadline)
      }
      return run(request.accountId, dispatch, { deadline, asker })
    },
    enter,
    requirePlace,
    close: () => pool.destroy(),
  }
}

/** What a proxy in front of the module says when the module itself could not be reached. */
function isPassing(status: number): boolean {
  return status === 502 || status === 503 || status === 504
}

function requirePresence({ isGone }: Asker): void {
  if (isGone()) throw new ClientGone()
}

interface Waiting {
  readonly deadline: AbortSignal
  readonly asker: Asker
}

interface Policy {
  readonly run: (
    accountId: string,
    call: () => Promise<BackendAnswer>,
    waiting: Waiting,
  ) => Promise<BackendAnswer>
  readonly enter: Backend['enter']
  readonly requirePlace: Backend['requirePlace']
  readonly isRefusing: Backend['isRefusing']
}

const unprotected: Policy = {
  run: (_accountId, call) => call(),
  enter: () => () => {},
  requirePlace: () => {},
  isRefusing: () => false,
}

/** Refuses calls to a module that keeps failing, and those that too many wait before. */
function protect(module: string): Policy {
  const isFailure = (error: unknown) => error instanceof ApiError && !(error instanceof ClientGone)
  const failing = handleWhen(isFailure).orWhenResult((answer) => Object(answer).status >= 500)
  const circuit = circuitBreaker(failing, {
    halfOpenAfter: openForMs,
    breaker: new SamplingBreaker(breaker),
  })
  const fair = new FairPlaces(places)
  const run: Policy['run'] = async (accountId, call, { deadline, asker }) => {
    // Who has left already is never heard leaving.
    requirePresence(asker)
    function begin(): Promise<BackendAnswer> {
      requirePresence(asker)
      return circuit.execute(call)
    }
    function onTired(leave: (reason: Error) => void): () => void {
      const late = () => leave(unavailable(`${module} has too many calls waiting.`))
      deadline.addEventListener('abort', late)
      const ignore = asker.onGone(() => leave(new ClientGone()))
      return () => {
        deadline.removeEventListener('abort', late)
        ignore()
      }
    }
    try {
      return await fair.run(accountId, begin, onTired)
    } catch (error) {
      if (error instanceof ApiError) throw error
      const reason = isBrokenCircuitError(error) ? 'has been failing' : 'has too many calls waiting'
      throw unavailable(`${module} ${reason}; try again in a second.`, { cause: error })
    }
  }

  function refusal(): ApiError {
    if (!fair.hasRoom) return unavailable(`${module} has too many calls waiting.`)
    return unavailable(`Too many calls of this account wait for ${module}; try again in a second.`)
  }

  function requirePlace(accountId?: string): void {
    if (accountId === undefined ? !fair.hasRoom : !fair.hasRoomFor(accountId)) throw refusal()
  }

  function enter(accountId: string): () => void {
    const leave = fair.enter(accountId)
    if (!leave) throw refusal()
    return leave
  }
  return { run, enter, requirePlace, isRefusing: () => circuit.state !== CircuitState.Closed }
}

const timeoutCodes = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
])

function toApiError(module: string, error: unknown, isPastDeadline: boolean): ApiError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (isPastDeadline || timeoutCodes.has(code)) {
    return new ApiError('BACKEND_TIMEOUT', `${module} did not answer in time.`, { cause: error })
  }
  return new ApiError('BACKEND_ERROR', `${module} did not answer properly.`, { cause: error })
}
