import type { InternalRole } from '../../../schema/credentials/caller.ts'
import { roleNow } from './identity.ts'
import { IssuerFailure, issuerFailure } from './issuer-failure.ts'
import { keepTokens, keptTokensOf } from './kept-tokens.ts'
import type { OidcClient } from './sign-in.ts'

/** What a session of an issuer keeps. */
export interface Kept {
  readonly sub: string
  /** See `keepTokens`; null: the issuer gave none. */
  readonly refreshToken: string | null
}

interface RoleNow {
  /** Null: none any more. */
  readonly role: InternalRole | null
  /** In place of what the session has kept before. */
  readonly refreshToken: string | null
}

/**
 * Asks the issuer which role somebody has now. Throws an `IssuerFailure`: `refused` means that the session is over.
 */
export async function askAgain(
  { settings, findIssuer }: OidcClient,
  { sub, refreshToken }: Kept,
): Promise<RoleNow> {
  const { roles } = settings
  const kept = keptTokensOf(settings.issuer, refreshToken)
  if (!kept) throw new IssuerFailure('refused', 'the session has no refresh token')
  const issuer = await findIssuer()
  try {
    const { client, configuration } = issuer
    const tokens = await client.refreshTokenGrant(configuration, kept.refreshToken)
    const role = await roleNow(issuer, roles, tokens, sub)
    // RFC 6749 §6: without a new refresh token the old one stays.
    const { refresh_token = kept.refreshToken, id_token = kept.idToken ?? undefined } = tokens
    return { role, refreshToken: keepTokens(settings.issuer, { refresh_token, id_token }) }
  } catch (error) {
    throw issuerFailure(error)
  }
}
