/**
 * Why an issuer has not said who somebody is. `unavailable`: it was not asked, or could not answer, so nothing is
 * known. `refused`: it said no, or its answer proves nothing.
 */
export class IssuerFailure extends Error {
  override readonly name: string = 'IssuerFailure'
  readonly kind: 'unavailable' | 'refused'
  /** For the log: what went wrong, without tokens or claims. */
  readonly reason: string

  constructor(kind: 'unavailable' | 'refused', reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.kind = kind
    this.reason = reason
  }
}

/** A step-up whose answer shows no new sign-in. */
export class NoNewLogin extends IssuerFailure {
  override readonly name = 'NoNewLogin'

  constructor(reason: string) {
    super('refused', `step-up: ${reason}`)
  }
}

/** Answers with these codes of openid-client are whole, and prove nothing. */
const provesNothing: ReadonlySet<string> = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
  'OAUTH_UNSUPPORTED_OPERATION',
])

/** RFC 6749 §5.2: the grant is over. Other codes are about the client, so about the configuration. */
const grantIsOver: ReadonlySet<string> = new Set(['invalid_grant', 'access_denied'])

/** An authorization endpoint that cannot answer says so by these codes (RFC 6749 §4.1.2.1). */
const cannotAnswer: ReadonlySet<string> = new Set(['server_error', 'temporarily_unavailable'])

/** What an error of openid-client means. An unknown one says nothing about the person. */
export function issuerFailure(error: unknown): IssuerFailure {
  if (error instanceof IssuerFailure) return error
  const { code, error: oauthCode, message, cause } = shapeOf(error)
  const inner = shapeOf(cause)
  const why = [oauthCode, message, inner.code ?? inner.message].filter(Boolean).join(': ')
  const reason = why.slice(0, 500)
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') {
    const kind = cannotAnswer.has(oauthCode ?? '') ? 'unavailable' : 'refused'
    return new IssuerFailure(kind, reason, { cause: error })
  }
  const isRefused =
    code === 'OAUTH_RESPONSE_BODY_ERROR'
      ? grantIsOver.has(oauthCode ?? '')
      : provesNothing.has(code ?? '')
  return new IssuerFailure(isRefused ? 'refused' : 'unavailable', reason, { cause: error })
}

interface Shape {
  readonly code?: string | undefined
  readonly error?: string | undefined
  readonly message?: string | undefined
  readonly cause?: unknown
}

function shapeOf(value: unknown): Shape {
  const { code, error, message, cause } = Object(value)
  return { code: textOf(code), error: textOf(error), message: textOf(message), cause }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
