import type {
  BudgetDetail,
  ErrorEnvelope,
  FieldError,
  Remedy,
  StepUpDetail,
  SuspensionDetail,
} from './generated/types.gen.ts'

/** Every code that the gateway documents. A newer gateway may know more. */
export type ErrorCode = ErrorEnvelope['error']['code']

/** The circumstances of a failed call. */
export interface Attempt {
  /** The number of attempts. */
  readonly tries: number
  /**
   * The key of the call: a later call with the same key and input is not charged twice. Null
   * without one.
   */
  readonly idempotencyKey: string | null
}

interface Refusal extends Attempt {
  readonly code: string | null
  readonly message: string
  readonly status: number
  readonly documentationUrl: string | null
  readonly requestLogUrl: string | null
  readonly remedy: Remedy | null
  readonly details: readonly FieldError[]
  readonly headers: Headers
}

/** The gateway or an intermediary answered with another status than success. */
export class GatewayError extends Error implements Attempt {
  override readonly name: string = 'GatewayError'
  /** Null when the answer was not the gateway's, such as a page of a proxy. */
  readonly code: ErrorCode | 'RATE_LIMITED' | (string & Record<never, never>) | null
  readonly status: number
  /** The id for questions to support; equal to `request_id` in the usage log. */
  readonly requestId: string | null
  readonly documentationUrl: string | null
  /** The page of the console with the request; null without a console or the scope `usage:read`. */
  readonly requestLogUrl: string | null
  /** What would pay for the call; null unless the status is 402. */
  readonly remedy: Remedy | null
  /** Every offending field; empty unless the code is INVALID_REQUEST. */
  readonly details: readonly FieldError[]
  readonly retryAfterSeconds: number | null
  readonly headers: Headers
  readonly tries: number
  readonly idempotencyKey: string | null

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.code = refusal.code
    this.status = refusal.status
    this.requestId = refusal.headers.get('x-request-id')
    this.documentationUrl = refusal.documentationUrl
    this.requestLogUrl = refusal.requestLogUrl
    this.remedy = refusal.remedy
    this.details = refusal.details
    this.retryAfterSeconds = retryAfterSeconds(refusal.headers)
    this.headers = refusal.headers
    this.tries = refusal.tries
    this.idempotencyKey = refusal.idempotencyKey
  }
}

/**
 * A protocol error of the token, revoke or introspect endpoint (RFC 6749 §5.2); `code` is its
 * `error`.
 */
export class OAuthError extends GatewayError {
  override readonly name = 'OAuthError'
}

/** A budget of the caller does not cover the call. Nothing was sent to the product, nothing charged. */
export class BudgetExceededError extends GatewayError {
  override readonly name = 'BudgetExceededError'
  /** Every budget that refuses: what it needs, what is left, and when it starts again. */
  readonly budgets: readonly BudgetDetail[]

  constructor(refusal: Refusal, budgets: readonly BudgetDetail[]) {
    super(refusal)
    this.budgets = budgets
  }
}

/** The session of a browser must prove again who is there. Nothing was changed. */
export class StepUpRequiredError extends GatewayError {
  override readonly name = 'StepUpRequiredError'
  /** The methods that count as a proof. */
  readonly methods: readonly StepUpDetail['methods'][number][]
  /** Where a person gets a new portal link; null: not known. */
  readonly returnUrl: string | null

  constructor(refusal: Refusal, { methods, return_url }: StepUpDetail) {
    super(refusal)
    this.methods = methods
    this.returnUrl = return_url
  }
}

/** The account of the key, token or session is suspended. Nothing was changed. */
export class AccountSuspendedError extends GatewayError {
  override readonly name = 'AccountSuspendedError'
  /** A mail address or a web page of the provider; null: none is configured. */
  readonly contact: SuspensionDetail['contact']

  constructor(refusal: Refusal, { contact }: SuspensionDetail) {
    super(refusal)
    this.contact = contact
  }
}

/** No answer came, but the call may have taken effect. `cause` says why. */
export class ConnectionError extends Error implements Attempt {
  override readonly name: string = 'ConnectionError'
  readonly tries: number
  readonly idempotencyKey: string | null

  constructor(message: string, { tries, idempotencyKey }: Attempt, options?: ErrorOptions) {
    super(message, options)
    this.tries = tries
    this.idempotencyKey = idempotencyKey
  }
}

/** No answer came in time. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError'
}

const rateLimitCodes: readonly unknown[] = ['RATE_LIMITED', 'RATE_LIMIT_EXCEEDED']

/** Whether a rate limit refused the call. Clients accept both codes (docs/contract.md §2). */
export function isRateLimited(error: unknown): error is GatewayError {
  return error instanceof GatewayError && rateLimitCodes.includes(error.code)
}

/** The error of an answer that is not a success; `text` is its body. */
export function refusalOf(response: Response, text: string, attempt: Attempt): GatewayError {
  const { status, headers } = response
  const nothing = { documentationUrl: null, requestLogUrl: null, remedy: null, details: [] }
  const answer = { status, headers, ...nothing, ...attempt }
  const { error, error_description } = Object(parseOrNull(text))
  if (typeof error === 'string') {
    return new OAuthError({ ...answer, code: error, message: String(error_description ?? error) })
  }
  const { code, message, documentation_url, request_log_url, remedy, details } = Object(error)
  if (typeof code !== 'string') {
    return new GatewayError({ ...answer, code: null, message: `The answer has status ${status}.` })
  }
  const refusal = {
    ...{ ...answer, code, message: String(message) },
    documentationUrl: documentation_url ?? null,
    requestLogUrl: request_log_url ?? null,
    remedy: remedy ?? null,
  }
  if (code === 'BUDGET_EXCEEDED') return new BudgetExceededError(refusal, details ?? [])
  if (code === 'STEP_UP_REQUIRED') return new StepUpRequiredError(refusal, stepUpOf(details))
  if (code === 'ACCOUNT_SUSPENDED') return new AccountSuspendedError(refusal, contactOf(details))
  return new GatewayError({ ...refusal, details: details ?? [] })
}

function stepUpOf(details: unknown): StepUpDetail {
  const { methods = [], return_url = null } = Object(details)
  return { methods, return_url }
}

function contactOf(details: unknown): SuspensionDetail {
  const { contact = null } = Object(details)
  return { contact }
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** `Retry-After` in seconds, whether it is a number or an instant (RFC 9110 §10.2.3). */
function retryAfterSeconds(headers: Headers): number | null {
  const value = headers.get('retry-after')
  if (value === null) return null
  if (/^\d+$/.test(value)) return Number(value)
  const ms = Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? null : Math.max(0, Math.ceil(ms / 1000))
}
