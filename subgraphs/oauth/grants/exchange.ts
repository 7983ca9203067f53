import type { ClientCaller } from '../../../schema/caller.ts'
import { sha256 } from '../../../schema/secrets.ts'
import type { GraphContext } from '../../shared/context.ts'
import { OAuthFailure } from '../oauth-failure.ts'

/** The form of the token endpoint; what is secret comes hashed, but for the verifier. */
export interface TokenRequest {
  readonly grantType: string
  readonly codeHash: string | null
  readonly redirectUri: string | null
  readonly codeVerifier: string | null
  readonly refreshTokenHash: string | null
  readonly scope: string | null
  readonly resource: string | null
}

/** What a grant type needs to know, and the secrets that it may issue: nothing else knows them. */
export interface Exchange {
  readonly context: GraphContext
  readonly client: ClientCaller
  readonly request: TokenRequest
  readonly accessToken: string
  readonly refreshToken: string
}

/** What was issued, as far as the answer tells of it. */
export interface Issued {
  readonly accountId: string
  readonly scopes: readonly string[]
  readonly authTime: Date
  /** Only in the first id token (OpenID Connect Core §12.2). */
  readonly nonce: string | null
  readonly hasRefreshToken: boolean
}

/** One description for every reason: nobody learns which it was. */
export function invalidGrant(): OAuthFailure {
  return new OAuthFailure('invalid_grant', 'The grant is invalid, expired, revoked or not yours.')
}

/** Hashes of what an exchange issues. */
export function hashesOf({ accessToken, refreshToken }: Exchange) {
  return { accessTokenHash: sha256(accessToken), refreshTokenHash: sha256(refreshToken) }
}
