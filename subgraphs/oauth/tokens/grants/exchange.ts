import type { ClientCaller, Environment } from '../../../../schema/credentials/caller.ts'
import type { Audience } from '../../../../schema/vocabulary/audiences.ts'
import type { Placed } from '../../../shared/database/batched.ts'
import type { OAuthContext } from '../../settings/oauth-settings.ts'
import { OAuthFailure } from './oauth-failure.ts'

/** The form of the token endpoint; secrets come hashed, except the code verifier. */
export interface TokenRequest {
  readonly grantType: string
  readonly codeHash: string | null
  readonly redirectUri: string | null
  readonly codeVerifier: string | null
  readonly refreshTokenHash: string | null
  readonly scope: string | null
  readonly resource: string | null
}

/** The data that a grant type needs, and the access token that it may issue. */
export interface Exchange {
  readonly context: OAuthContext
  readonly client: ClientCaller
  readonly request: TokenRequest
  /** The audience that the request names; null: that of the grant. */
  readonly audience: Audience | null
  readonly accessToken: string
  /**
   * Null when openid was not granted. It is made before the code or token is used up: a failure to
   * sign must not cost it.
   */
  readonly idTokenOf: (granted: Granted) => Promise<string | null>
}

/** The facts for an id token. */
export interface Granted {
  readonly accountId: string
  readonly scopes: readonly string[]
  readonly authTime: Date
  /** The address of the document by which the app knows itself; null: by its `app_…` id. */
  readonly documentUrl: string | null
  /** The nonce, which only the first id token has (OpenID Connect Core §12.2). */
  readonly nonce: string | null
}

/** The facts about issued tokens that the answer shows. */
export interface Issued {
  readonly scopes: readonly string[]
  /** The lifetime of the access token. */
  readonly expiresIn: number
  /** The refresh token; null where none was issued. */
  readonly refreshToken: string | null
  readonly idToken: string | null
}

/** A code or token that is presented, and the app that presents it. */
export interface Presented {
  readonly hash: string | null
  readonly clientId: string
  readonly environment: Environment
}

/** The app as it is now: the facade's cache may be older than its suspension. */
export interface ClientRow extends Placed {
  readonly grantTypes: readonly string[]
  /** By which the app knows itself; null: by its `app_…` id. */
  readonly documentUrl: string | null
}

/** The reason why the app is unknown or may not use the grant type, if any. */
export function refusalOf(client: ClientRow | null, { request }: Exchange): OAuthFailure | null {
  if (!client) return new OAuthFailure('invalid_client', 'Client authentication failed.')
  if (client.grantTypes.includes(request.grantType)) return null
  return new OAuthFailure('unauthorized_client', 'This app is not registered for the grant type.')
}

/**
 * The reason why the grant gives no tokens for what the request names, if any (RFC 8707 §2.2). The tools may have been
 * switched off since the approval.
 */
export function wrongTarget(
  granted: Audience,
  { context, audience }: Exchange,
): OAuthFailure | null {
  const isOffered = granted === 'api' || context.oauth.agents !== undefined
  if (isOffered && (audience === null || audience === granted)) return null
  return new OAuthFailure('invalid_target', 'The grant is for another resource.')
}

/** SQL for the lifetime of the inserted row: whole seconds, at least one. */
export const accessTokenExpiresIn =
  'greatest(1, round(extract(epoch FROM expires_at - now())))::integer AS "expiresIn"'

/** The refusal, with one description for every reason: callers must not learn which it was. */
export function invalidGrant(): OAuthFailure {
  return new OAuthFailure('invalid_grant', 'The grant is invalid, expired, revoked or not yours.')
}
