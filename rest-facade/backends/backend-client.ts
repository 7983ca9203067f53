import { SpanKind } from '@opentelemetry/api'
import { Pool } from 'undici'
import { failSpan, inSpan, isTracing, traceHeaders } from '../../schema/process/tracing.ts'
import { ApiError } from '../http/errors.ts'
import { type CallingClient, requirePresence } from './calling-client.ts'
import { type Deadline, Deadlines } from './deadlines.ts'
import { type BackendAnswer, exchange } from './exchange.ts'
import { limitsOf, type ProtectionOptions, protect, unprotected } from './protection.ts'

export interface BackendRequest {
  /** The account of the call: places are divided among accounts. */
  readonly accountId: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query below the module's URL. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /**
   * Returns the headers that name the caller. They are written when the request leaves, because it
   * may have waited.
   */
  readonly callerHeaders: () => Readonly<Record<string, string>>
  readonly body: string | Buffer | null
  /** Whether a second attempt could not have a second effect. */
  readonly isRepeatable: boolean
}

/** One backend module. A failing module harms only its own callers. */
export interface Backend {
  readonly module: string
  /**
   * Throws BACKEND_TIMEOUT after the deadline, BACKEND_ERROR when no whole answer came, and
   * SERVICE_UNAVAILABLE while the module has been failing or too many calls wait for it. Throws
   * ClientGone when the client has left before the module was asked.
   */
  send(request: BackendRequest, client: CallingClient): Promise<BackendAnswer>
  /**
   * Takes a place for a call that is being prepared, and returns a function that releases it.
   * Throws SERVICE_UNAVAILABLE if there is none for this account: a call that would be refused
   * later must not cost more work.
   */
  readonly enter: (accountId: string) => () => void
  /**
   * Throws SERVICE_UNAVAILABLE when this account could not take a place; without an account, when
   * no account could.
   */
  readonly requirePlace: (accountId?: string) => void
  /** Whether calls of the module are being refused because it has been failing. */
  readonly isRefusing: () => boolean
  close(): Promise<void>
}

interface BackendOptions extends ProtectionOptions {
  readonly module: string
  readonly url: string
  /** The time of a whole call, further attempts included. */
  readonly timeoutMs: number
  /** Whether callers can make it fail and wait as they like, so that one must not spoil it for others. */
  readonly isSimulated: boolean
}

const maxAnswerBytes = 10 * 1024 * 1024
/** A tenth of the calls may be tried again, so that retries never double a sick module's load. */
const retryShare = 0.1

export function createBackend(options: BackendOptions): Backend {
  const { module, url, timeoutMs, isSimulated } = options
  const { places, maxRetryCredit } = limitsOf(options.processes)
  const { origin, pathname } = new URL(url)
  const prefix = pathname.replace(/\/$/, '')
  const pool = new Pool(origin, {
    connections: isSimulated ? null : places.maxRunning,
    connect: { timeout: Math.min(timeoutMs, 5000) },
    // The deadline of the whole call is enough.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: maxAnswerBytes,
  })
  const deadlines = new Deadlines(timeoutMs)
  const { enter, requirePlace, run, isRefusing } = isSimulated
    ? unprotected
    : protect(module, options)
  let retryCredit = maxRetryCredit
  const span = {
    kind: SpanKind.CLIENT,
    attributes: { 'gateway.backend_module': module, 'server.address': new URL(origin).hostname },
  }

  function attempt(request: BackendRequest, deadline: Deadline): Promise<BackendAnswer> {
    if (!isTracing()) return ask(request, deadline)
    return inSpan(`${request.method} ${module}`, span, async (span) => {
      const answer = await ask(request, deadline)
      span?.setAttribute('http.response.status_code', answer.status)
      if (span && answer.status >= 500) failSpan(span, new Error(`status ${answer.status}`))
      return answer
    })
  }

  async function ask(request: BackendRequest, deadline: Deadline): Promise<BackendAnswer> {
    const { method, body } = request
    const path = prefix + request.path
    const headers = { ...request.headers, ...request.callerHeaders(), ...traceHeaders() }
    try {
      return await exchange(pool, { method, path, headers, body }, deadline)
    } catch (error) {
      throw toApiError(module, error, deadline.isOver)
    }
  }

  /** Tries once more what failed on the way, if that cannot have a second effect. */
  async function attemptTwice(request: BackendRequest, deadline: Deadline): Promise<BackendAnswer> {
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

  function mayRetry({ isRepeatable }: BackendRequest, deadline: Deadline): boolean {
    return isRepeatable && retryCredit >= 1 && !deadline.isOver
  }

  return {
    module,
    isRefusing,
    async send(request, client) {
      // Waiting for its turn counts: the hold and the caller wait too.
      const deadline = deadlines.begin()
      function dispatch(): Promise<BackendAnswer> {
        // Nothing is awaited between this look and the request.
        requirePresence(client)
        client.dispatched()
        return attemptTwice(request, deadline)
      }
      try {
        return await run(request.accountId, dispatch, { deadline, client })
      } finally {
        deadline.end()
      }
    },
    enter,
    requirePlace,
    close: () => pool.destroy(),
  }
}

/** The statuses of a proxy in front of the module when the module itself could not be reached. */
function isPassing(status: number): boolean {
  return status === 502 || status === 503 || status === 504
}

function toApiError(module: string, error: unknown, isPastDeadline: boolean): ApiError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (isPastDeadline || code === 'UND_ERR_CONNECT_TIMEOUT') {
    return new ApiError('BACKEND_TIMEOUT', `${module} did not answer in time.`, { cause: error })
  }
  return new ApiError('BACKEND_ERROR', `${module} did not answer properly.`, { cause: error })
}
