/** Codes of RFC 6749 §5.2 and RFC 8707 §2. */
export type OAuthFailureCode =
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'unauthorized_client'
  | 'unsupported_grant_type'

/**
 * An expected failure of the protocol. It is returned, not thrown, because what was changed on the way
 * to it must stand: a replayed code has revoked its grant (design, oauth §1.8).
 */
export class OAuthFailure {
  readonly error: OAuthFailureCode
  readonly errorDescription: string

  constructor(error: OAuthFailureCode, errorDescription: string) {
    this.error = error
    this.errorDescription = errorDescription
  }
}
