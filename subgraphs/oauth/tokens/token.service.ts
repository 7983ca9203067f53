import { hash } from 'node:crypto'
import type { ClientCaller } from '../../../schema/credentials/caller.ts'
import { newOAuthSecret } from '../../../schema/credentials/oauth-secret-format.ts'
import { idTokenSeconds } from '../../../schema/vocabulary/oauth-lifetimes.ts'
import { requireClient } from '../../shared/graph/context.ts'
import { audienceNamed } from '../authorization/checks/check-resource.ts'
import { issuerOf } from '../provider/issuer.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import { signIdToken } from '../signing-keys/signing-key.service.ts'
import { redeemCode } from './grants/authorization-code.ts'
import type { Exchange, Granted, Issued, TokenRequest } from './grants/exchange.ts'
import { OAuthFailure } from './grants/oauth-failure.ts'
import { useRefreshToken } from './grants/refresh-token.ts'

/** RFC 6749 §5.1 and OpenID Connect Core §3.1.3.3. */
export interface TokenResponse {
  readonly accessToken: string
  readonly tokenType: 'Bearer'
  readonly expiresIn: number
  readonly scope: string
  readonly refreshToken: string | null
  readonly idToken: string | null
}

const grantTypes: Readonly<Record<string, (exchange: Exchange) => Promise<Issued | OAuthFailure>>> =
  { authorization_code: redeemCode, refresh_token: useRefreshToken }

/** Issues tokens for a code or a refresh token (RFC 6749 §4.1.3, §6). */
export async function exchange(
  context: OAuthContext,
  request: TokenRequest,
): Promise<TokenResponse | OAuthFailure> {
  const client = requireClient(context)
  const { baseUrls, keyPrefix } = context
  const redeem = Object.hasOwn(grantTypes, request.grantType) && grantTypes[request.grantType]
  if (!redeem) return new OAuthFailure('unsupported_grant_type', 'This grant type is not offered.')
  const issuer = issuerOf(baseUrls[client.environment])
  const audience = request.resource === null ? null : audienceNamed(request.resource, context)
  if (request.resource !== null && !audience) {
    return new OAuthFailure('invalid_target', `The resource can only be ${issuer}.`)
  }
  const accessToken = newOAuthSecret(keyPrefix, 'oat')
  const idTokenOf = async (granted: Granted) =>
    granted.scopes.includes('openid')
      ? signIdToken(context, idClaims(issuer, client, granted, accessToken))
      : null
  const issued = await redeem({ context, client, request, audience, accessToken, idTokenOf })
  if (issued instanceof OAuthFailure) return issued
  return {
    accessToken,
    tokenType: 'Bearer',
    expiresIn: issued.expiresIn,
    scope: issued.scopes.join(' '),
    refreshToken: issued.refreshToken,
    idToken: issued.idToken,
  }
}

/** OpenID Connect Core §2, §3.1.3.6; an API key is no level of ISO 29115, so `acr` is 0. */
function idClaims(
  issuer: string,
  { clientId }: ClientCaller,
  { accountId, authTime, nonce, documentUrl }: Granted,
  accessToken: string,
): Record<string, unknown> {
  const issuedAt = Math.floor(Date.now() / 1000)
  const digest = hash('sha256', accessToken, 'buffer')
  return {
    iss: issuer,
    sub: accountId,
    aud: documentUrl ?? clientId,
    iat: issuedAt,
    exp: issuedAt + idTokenSeconds,
    // Clocks differ: the sign-in must not appear to be later than its token.
    auth_time: Math.min(issuedAt, Math.floor(authTime.getTime() / 1000)),
    acr: '0',
    at_hash: digest.subarray(0, digest.length / 2).toString('base64url'),
    ...(nonce === null ? {} : { nonce }),
  }
}
