import type { Kept } from './ask-again.ts'
import type { KnownIssuer } from './issuer.ts'
import { issuerFailure } from './issuer-failure.ts'
import { type KeptTokens, keptTokensOf } from './kept-tokens.ts'
import type { OidcClient } from './sign-in.ts'

/** Called with what the issuer could not do. The session is over all the same. */
type OnFailure = (reason: string) => void

/**
 * Revokes the refresh token of an ended session, and returns the URL at which the issuer ends its own session (OpenID
 * Connect RP-Initiated Logout), or null if it has none or cannot be asked. Throws nothing.
 */
export async function signOutAtIssuer(
  { settings, findIssuer }: OidcClient,
  { refreshToken }: Kept,
  onFailure: OnFailure,
): Promise<string | null> {
  const kept = keptTokensOf(settings.issuer, refreshToken)
  try {
    const issuer = await findIssuer()
    if (kept) await revoke(issuer, kept, onFailure)
    const { client, configuration, metadata } = issuer
    if (metadata.end_session_endpoint === undefined) return null
    const url = client.buildEndSessionUrl(configuration, {
      post_logout_redirect_uri: `${settings.baseUrl}/operator`,
      ...(kept?.idToken && { id_token_hint: kept.idToken }),
    })
    return url.href
  } catch (error) {
    onFailure(issuerFailure(error).reason)
    return null
  }
}

async function revoke(
  { client, configuration, metadata }: KnownIssuer,
  { refreshToken }: KeptTokens,
  onFailure: OnFailure,
): Promise<void> {
  if (metadata.revocation_endpoint === undefined) return
  try {
    await client.tokenRevocation(configuration, refreshToken, { token_type_hint: 'refresh_token' })
  } catch (error) {
    onFailure(`revocation: ${issuerFailure(error).reason}`)
  }
}
