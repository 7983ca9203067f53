import { z } from 'zod'
import { open, seal } from '../../../schema/credentials/secrets.ts'

const keptTokens = z.object({
  /** Asks the issuer again. */
  refreshToken: z.string(),
  /** Names the session to the issuer at the sign-out; null: it was too long for a URL. */
  idToken: z.string().nullable(),
})
export type KeptTokens = z.infer<typeof keptTokens>

const longestRefreshToken = 16_384
/** Longer ones do not fit into the URL of a sign-out. */
const longestIdToken = 4096

/** What a session keeps of the tokens, sealed for this subject; null: there is no refresh token that could be kept. */
export function sealTokens(
  key: Uint8Array,
  subject: string,
  { refresh_token: refreshToken, id_token: idToken = '' }: Tokens,
): string | null {
  if (!refreshToken || refreshToken.length > longestRefreshToken) return null
  const isShort = idToken !== '' && idToken.length <= longestIdToken
  const kept: KeptTokens = { refreshToken, idToken: isShort ? idToken : null }
  return seal(key, JSON.stringify(kept), contextOf(subject))
}

interface Tokens {
  readonly refresh_token?: string | undefined
  readonly id_token?: string | undefined
}

/** Null if they were sealed by another key or for another subject. */
export function openTokens(key: Uint8Array, subject: string, sealed: string): KeptTokens | null {
  const text = open(key, sealed, contextOf(subject))
  return text === null ? null : keptTokens.parse(JSON.parse(text))
}

function contextOf(subject: string): string {
  return `tokens of an operator ${subject}`
}
