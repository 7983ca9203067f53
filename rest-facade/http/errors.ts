import {
  type BudgetDetail,
  type ErrorCode,
  type FieldError,
  type OAuthErrorCode,
  oauthErrorStatus,
  type Remedy,
  type StepUpDetail,
  type SuspensionDetail,
  statusByErrorCode,
} from '../../schema/vocabulary/error-codes.ts'
import { describeProblems } from '../../schema/vocabulary/field-problems.ts'
import {
  type LoggedDetails,
  loggedFields,
  type Problem,
} from '../../schema/vocabulary/logged-details.ts'

interface ApiErrorOptions extends ErrorOptions {
  readonly details?: readonly (FieldError | BudgetDetail)[] | undefined
  /** The details of STEP_UP_REQUIRED. */
  readonly stepUp?: StepUpDetail
  /** The details of a refusal of the operators' page: how an operator can sign in, or confirm a sign-in. */
  readonly proofs?: { readonly methods: readonly string[] }
  /** The details of ACCOUNT_SUSPENDED. */
  readonly suspension?: SuspensionDetail
  /** What would pay for the request, of a 402. */
  readonly remedy?: Remedy | undefined
  /** What the usage log keeps beside the code: nothing that a client or a module has said. */
  readonly logged?: Partial<LoggedDetails> | undefined
  /** Further members of the envelope. */
  readonly members?: Readonly<Record<string, string>>
  /** Headers that belong to this failure, such as `Allow` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>
  /** For the log alone, beside the message: what the caller must not learn. It never has a secret. */
  readonly internal?: string | undefined
  /** A backend's own status. The default is the status of the code. */
  readonly status?: number
}

/** RFC 6750 §3: every 401 says how to authenticate. */
const challenge = { 'WWW-Authenticate': 'Bearer' }

/** A failure that the caller sees. Any part of the facade may throw it. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly details: readonly (FieldError | BudgetDetail)[] | undefined
  readonly stepUp: StepUpDetail | undefined
  readonly proofs: ApiErrorOptions['proofs']
  readonly suspension: SuspensionDetail | undefined
  readonly remedy: Remedy | undefined
  readonly logged: Partial<LoggedDetails> | undefined
  readonly members: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly status: number
  readonly internal: string | undefined

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    // An expected failure needs no stack, and refusals must be cheap. An inner failure is the
    // cause.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message, { cause: options.cause })
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.internal = options.internal
    this.details = options.details
    this.stepUp = options.stepUp
    this.proofs = options.proofs
    this.suspension = options.suspension
    this.remedy = options.remedy
    this.logged = options.logged
    this.members = options.members ?? {}
    this.status = options.status ?? statusByErrorCode[code]
    this.headers =
      this.status === 401 ? { ...challenge, ...options.headers } : (options.headers ?? {})
  }
}

/** The client hung up before any work began. Nobody sees this error; the usage log has 499. */
export class ClientGone extends ApiError {
  constructor() {
    super('BAD_REQUEST', 'The client has hung up.')
  }
}

/**
 * A protocol error of token, revoke or introspect. It is the only failure whose body is that of
 * RFC 6749 instead of the envelope (docs/contract.md §2).
 */
export class OAuthError extends Error {
  override readonly name = 'OAuthError'
  readonly code: OAuthErrorCode
  /** As that of `ApiError`. */
  readonly internal: string | undefined

  constructor(code: OAuthErrorCode, description: string, internal?: string) {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(description)
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.internal = internal
  }

  get status(): 400 | 401 {
    return oauthErrorStatus(this.code)
  }
}

/** A 422 whose message names every offending field (docs/spec.md §2). */
export function invalidRequest(problems: readonly Problem[]): ApiError {
  const { message, details } = describeProblems(problems)
  const logged = { fields: loggedFields(problems) }
  return new ApiError('INVALID_REQUEST', message, { details, logged })
}

/** A request failed before it can have begun, so it changed nothing. */
export class NotBegun extends Error {
  override readonly name = 'NotBegun'
}

/** A 503 that the client may retry after a second. */
export function unavailable(
  message: string,
  options: Pick<ApiErrorOptions, 'cause' | 'internal'> = {},
): ApiError {
  const headers = { 'Retry-After': '1' }
  return new ApiError('SERVICE_UNAVAILABLE', message, { ...options, headers })
}

/** Whether a service is unavailable, so that the same request may succeed later. */
export function isOutage(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE'
}
