import { isUtf8 } from 'node:buffer'
import { type Span, SpanKind } from '@opentelemetry/api'
import type { Dispatcher, Pool } from 'undici'
import {
  type Asker,
  asAsker,
  askingContext,
  beginSpan,
  below,
  failSpan,
  isTracing,
  traceHeaders,
} from '../../schema/process/tracing.ts'
import { ApiError, ClientGone } from '../http/errors.ts'
import { maxSmallBytes } from '../http/large-body.ts'
import type { BackendAnswer, BackendRequest, CallingClient, ModulePlace } from './backend.ts'
import type { BackendCounts } from './backend-counts.ts'
import type { Deadline, Deadlines } from './deadlines.ts'
import type { PlacedAccount } from './fair-places.ts'
import type { ProtectedCall, Protection, Turn } from './protection.ts'
import type { Retries } from './retries.ts'

/** What all calls of a module share. */
export interface ModuleParts {
  readonly module: string
  /** The path of the module's URL, without a slash at the end. */
  readonly prefix: string
  readonly hostname: string
  readonly pool: Pool
  readonly deadlines: Deadlines
  /** The protection of the module; null for a simulated module. */
  readonly protection: Protection | null
  readonly counts: BackendCounts
  readonly retries: Retries
}

/**
 * A call of a module, from its place until the module has answered: it waits for its turn, is what undici
 * calls back (its lowest interface: the body is held whole anyway, so it needs no stream), and tries once
 * more what failed on the way.
 */
export class ModuleCall implements ModulePlace, ProtectedCall, Dispatcher.DispatchHandler {
  readonly #parts: ModuleParts
  /** The account that has the place; null if the module has no protection. */
  readonly #account: PlacedAccount | null
  #isInside = true
  #request: BackendRequest | null = null
  #client: CallingClient | null = null
  #asker: Asker = null
  #startedMs = 0
  #deadline: Deadline | null = null
  #turn: Turn | null = null
  /** Whether the client has been told of the outcome. */
  #isOver = false
  #isRetried = false
  #controller: Dispatcher.DispatchController | null = null
  #span: Span | null = null
  #status = 0
  #headers: BackendAnswer['headers'] = {}
  #first: Buffer | null = null
  #chunks: Buffer[] | null = null

  /** Takes a place at the module. Throws SERVICE_UNAVAILABLE if there is none for this account. */
  constructor(parts: ModuleParts, accountId: string) {
    this.#parts = parts
    this.#account = parts.protection?.enter(accountId) ?? null
  }

  get account(): PlacedAccount {
    if (!this.#account) throw new Error('A call without protection has no place.')
    return this.#account
  }

  get deadline(): Deadline {
    if (!this.#deadline) throw new Error('A call that was not sent has no deadline.')
    return this.#deadline
  }

  leave(): void {
    if (!this.#isInside) return
    this.#isInside = false
    if (this.#account) this.#parts.protection?.leave(this.#account)
  }

  send(request: BackendRequest, client: CallingClient): void {
    this.#request = request
    this.#client = client
    this.#asker = askingContext()
    this.#startedMs = performance.now()
    // The deadline includes the wait for a turn, because the hold and the caller wait too.
    this.#deadline = this.#parts.deadlines.begin()
    // A client that has already left causes no further event.
    if (client.isGone()) this.refuse(new ClientGone())
    else if (this.#parts.protection) this.#parts.protection.begin(this)
    else this.begin(null)
  }

  onGone(leave: () => void): () => void {
    return this.#client?.onGone(leave) ?? (() => {})
  }

  begin(turn: Turn | null): void {
    this.#turn = turn
    if (this.#asker) asAsker(this.#asker, () => this.#try())
    else this.#try()
  }

  refuse(error: ApiError): void {
    this.#tell(null, error)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // The deadline may have passed while the request waited for a connection.
    if (this.#isOver) controller.abort(pastDeadline())
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: BackendAnswer['headers'],
  ): void {
    // A 1xx comes before the answer; the headers of the answer replace its headers.
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#first === null) this.#first = chunk
    else if (this.#chunks === null) this.#chunks = [this.#first, chunk]
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    if (this.#isOver) return
    const status = this.#status
    this.#endAttempt(status >= 500 ? new Error(`status ${status}`) : null)
    if (isPassing(status) && this.#mayRetry()) this.#retry()
    else this.#answered()
  }

  onResponseError(_: Dispatcher.DispatchController, reason: Error): void {
    if (this.#isOver) return
    const error = toApiError(this.#parts.module, reason, this.deadline.isOver)
    this.#endAttempt(error)
    if (this.#mayRetry()) this.#retry()
    else this.#unanswered(error)
  }

  /** Makes an attempt. The end of another call may let this one begin, and must not learn of its failure. */
  #try(): void {
    try {
      if (this.#isRetried) this.#attempt()
      else this.#dispatch()
    } catch (error) {
      this.#endAttempt(null)
      // The module was not asked, or has failed at the first attempt.
      this.#end(this.#isRetried ? true : null)
      this.#tell(null, error)
    }
  }

  #dispatch(): void {
    const client = this.#client
    // The client is looked at just before the request: nothing is awaited in between.
    if (client?.isGone()) throw new ClientGone()
    client?.dispatched()
    this.#parts.retries.noteCall()
    this.#attempt()
  }

  #attempt(): void {
    const request = this.#request
    if (!request) return
    const { module, pool, prefix } = this.#parts
    if (this.deadline.isOver) throw toApiError(module, pastDeadline(), true)
    const { method, body } = request
    const headers = [...request.headers, ...request.callerHeaders()]
    if (isTracing()) this.#trace(request, headers)
    this.#first = null
    this.#chunks = null
    this.deadline.onOver = () => this.#onDeadline()
    pool.dispatch({ method, path: prefix + request.path, headers, body }, this)
  }

  #trace({ method }: BackendRequest, headers: string[]): void {
    const { module, hostname } = this.#parts
    this.#span = beginSpan(`${method} ${module}`, {
      kind: SpanKind.CLIENT,
      attributes: { 'gateway.backend_module': module, 'server.address': hostname },
    })
    const traced = this.#span ? below(this.#span, traceHeaders) : traceHeaders()
    for (const [name, value] of Object.entries(traced)) {
      const place = headers.indexOf(name)
      // While nothing is traced, the request already has a parent of its own for the module.
      if (place >= 0) headers[place + 1] = value
      else headers.push(name, value)
    }
  }

  #endAttempt(failure: Error | null): void {
    this.deadline.onOver = null
    const span = this.#span
    if (!span) return
    this.#span = null
    if (this.#status > 0) span.setAttribute('http.response.status_code', this.#status)
    if (failure) failSpan(span, failure)
    span.end()
  }

  /** Whether a call that failed on the way is tried once more: only if it cannot have a second effect. */
  #mayRetry(): boolean {
    if (this.#isRetried || !this.#request?.isRepeatable || this.deadline.isOver) return false
    return this.#parts.retries.take()
  }

  #retry(): void {
    this.#isRetried = true
    this.#status = 0
    this.#controller = null
    // The second attempt begins later, because undici is still busy with the first one.
    queueMicrotask(() => asAsker(this.#asker, () => this.#try()))
  }

  #answered(): void {
    const bytes = this.#chunks ? Buffer.concat(this.#chunks) : this.#first
    const answer = {
      status: this.#status,
      headers: this.#headers,
      body: bytes ? textOrBytes(bytes) : '',
    }
    this.#end(answer.status >= 500)
    this.#tell(answer, null)
  }

  #unanswered(error: Error): void {
    this.#end(true)
    this.#tell(null, error)
  }

  #onDeadline(): void {
    const reason = pastDeadline()
    const error = toApiError(this.#parts.module, reason, true)
    this.#endAttempt(error)
    const controller = this.#controller
    this.#unanswered(error)
    // A call that has no connection yet has nothing to abort: only the caller needs to know.
    controller?.abort(reason)
  }

  /** Gives back the turn, once, so that other calls may begin. */
  #end(isFailed: boolean | null): void {
    const turn = this.#turn
    this.#turn = null
    if (turn) this.#parts.protection?.end(this, turn, isFailed)
  }

  #tell(answer: BackendAnswer | null, error: unknown): void {
    if (this.#isOver) return
    const client = this.#client
    this.#isOver = true
    this.#forget()
    this.#deadline?.end()
    const { counts } = this.#parts
    if (answer) counts.answered(answer.status, this.#startedMs)
    else counts.unanswered(error, this.#startedMs)
    if (this.#asker) asAsker(this.#asker, () => tellClient(client, answer, error))
    else tellClient(client, answer, error)
  }

  /**
   * Drops what the call no longer needs: its client may wait long for the settlement, and refers to
   * this object until then.
   */
  #forget(): void {
    this.#request = null
    this.#client = null
    this.#controller = null
    this.#headers = {}
    this.#first = null
    this.#chunks = null
  }
}

function tellClient(
  client: CallingClient | null,
  answer: BackendAnswer | null,
  error: unknown,
): void {
  if (answer) client?.answered(answer)
  else client?.unanswered(error)
}

/** The statuses of a proxy in front of the module when the module itself could not be reached. */
function isPassing(status: number): boolean {
  return status === 502 || status === 503 || status === 504
}

function toApiError(module: string, error: Error, isPastDeadline: boolean): ApiError {
  const code = 'code' in error ? String(error.code) : ''
  if (isPastDeadline || code === 'UND_ERR_CONNECT_TIMEOUT') {
    return new ApiError('BACKEND_TIMEOUT', `${module} did not answer in time.`, { cause: error })
  }
  return new ApiError('BACKEND_ERROR', `${module} did not answer properly.`, { cause: error })
}

function textOrBytes(bytes: Buffer): string | Buffer {
  const isLarge = bytes.length > maxSmallBytes
  if (isLarge && isUtf8(bytes)) return bytes
  const text = bytes.toString('utf8')
  return isLarge ? Buffer.from(text) : text
}

function pastDeadline(): Error {
  return new Error('The deadline is over.')
}
