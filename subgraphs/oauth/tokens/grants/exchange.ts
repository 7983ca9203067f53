import type { ClientCaller, Environment } from '../../../../schema/credentials/caller.ts'
import { sha256 } from '../../../../schema/credentials/secrets.ts'
import type { Placed } from '../../../shared/database/gathered.ts'
import type { OAuthContext } from '../../settings/oauth-settings.ts'
import { OAuthFailure } from './oauth-failure.ts'

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
  readonly context: OAuthContext
  readonly client: ClientCaller
  readonly request: TokenRequest
  readonly accessToken: string
  readonly refreshToken: string
  /** Null where openid was not granted. Asked for before anything is spent: what cannot be signed must not be lost. */
  readonly idTokenOf: (granted: Granted) => Promise<string | null>
}

/** What an id token tells of. */
export interface Granted {
  readonly accountId: string
  readonly scopes: readonly string[]
  readonly authTime: Date
  /** Only in the first id token (OpenID Connect Core §12.2). */
  readonly nonce: string | null
}

/** What was issued, as far as the answer tells of it. */
export interface Issued {
  readonly scopes: readonly string[]
  /** Of the access token. */
  readonly expiresIn: number
  readonly hasRefreshToken: boolean
  readonly idToken: string | null
}

/** What is presented, and by whom. */
export interface Presented {
  readonly hash: string | null
  readonly clientId: string
  readonly environment: Environment
}

/** The app as it is now: what the facade remembers of it may be older than its suspension. */
export interface ClientRow extends Placed {
  readonly grantTypes: readonly string[]
}

/** Why an app, if it is there, may not use the grant type that it asks for. */
export function refusalOf(client: ClientRow | null, { request }: Exchange): OAuthFailure | null {
  if (!client) return new OAuthFailure('invalid_client', 'Client authentication failed.')
  if (client.grantTypes.includes(request.grantType)) return null
  return new OAuthFailure('unauthorized_client', 'This app is not registered for the grant type.')
}

/** Of the row that was inserted: whole seconds, and never none. */
export const accessTokenExpiresIn =
  'greatest(1, round(extract(epoch FROM expires_at - now())))::integer AS "expiresIn"'

/** One description for every reason: nobody learns which it was. */
export function invalidGrant(): OAuthFailure {
  return new OAuthFailure('invalid_grant', 'The grant is invalid, expired, revoked or not yours.')
}

/** Hashes of what an exchange issues. */
export function hashesOf({ accessToken, refreshToken }: Exchange) {
  return { accessTokenHash: sha256(accessToken), refreshTokenHash: sha256(refreshToken) }
}
