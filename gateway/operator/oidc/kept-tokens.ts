import { z } from 'zod'

const keptTokens = z.object({
  /** The issuer that gave them: another one must not see them. */
  issuer: z.string(),
  /** Asks the issuer again. */
  refreshToken: z.string(),
  /** Names the session to the issuer at the sign-out; null: it was too long for a URL. */
  idToken: z.string().nullable(),
})
export type KeptTokens = z.infer<typeof keptTokens>

const longestRefreshToken = 16_384
/** Longer ones do not fit into the URL of a sign-out. */
const longestIdToken = 4096

/** What a session keeps of the tokens, to be sealed; null: there is no refresh token that could be kept. */
export function keepTokens(
  issuer: string,
  { refresh_token: refreshToken, id_token: idToken = '' }: Tokens,
): string | null {
  if (!refreshToken || refreshToken.length > longestRefreshToken) return null
  const isShort = idToken !== '' && idToken.length <= longestIdToken
  return JSON.stringify({ issuer, refreshToken, idToken: isShort ? idToken : null })
}

interface Tokens {
  readonly refresh_token?: string | undefined
  readonly id_token?: string | undefined
}

/** What a session has kept; null: nothing, or tokens of an issuer that was configured before. */
export function keptTokensOf(issuer: string, kept: string | null): KeptTokens | null {
  if (kept === null) return null
  const tokens = keptTokens.parse(JSON.parse(kept))
  return tokens.issuer === issuer ? tokens : null
}
