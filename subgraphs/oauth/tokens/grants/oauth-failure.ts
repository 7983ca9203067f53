import type { OAuthErrorCode } from '../../../../schema/vocabulary/error-codes.ts'

/**
 * An expected failure of the protocol. It is returned, not thrown, because earlier changes must
 * stay: a replayed code has revoked its grant (docs/oauth-rules.md §1.8).
 */
export class OAuthFailure {
  readonly error: OAuthErrorCode
  readonly errorDescription: string

  constructor(error: OAuthErrorCode, errorDescription: string) {
    this.error = error
    this.errorDescription = errorDescription
  }
}
