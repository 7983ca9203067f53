import { errors, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import { type InternalRole, internalRoles } from '../../schema/credentials/caller.ts'
import { newId } from '../../schema/vocabulary/ids.ts'

const audience = 'credit-gateway/internal'
const claims = z.object({
  role: z.enum(internalRoles),
  jti: z.string().min(1).max(200),
  iat: z.number(),
  exp: z.number(),
})

/** So far the clock of whoever minted a token may be ahead of ours. */
const leewaySeconds = 60

export interface MintedToken {
  readonly token: string
  /** `tok_…`: what it is listed and revoked by. */
  readonly id: string
  /** ISO 8601, as the next. */
  readonly mintedAt: string
  readonly expiresAt: string
}

/** What a valid token says of whoever presents it. */
export interface InternalToken {
  readonly role: InternalRole
  /** `tok_…`: what the audit trail calls the token. */
  readonly tokenId: string
}

/** A token for the internal listener (docs/contract.md §8). */
export async function mintInternalToken(
  key: Uint8Array,
  role: InternalRole,
  ttlSeconds: number,
): Promise<MintedToken> {
  const mintedAtSeconds = Math.floor(Date.now() / 1000)
  const expiresAtSeconds = mintedAtSeconds + ttlSeconds
  const id = newId('tok')
  const token = await new SignJWT({ role })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setAudience(audience)
    .setJti(id)
    .setIssuedAt(mintedAtSeconds)
    .setExpirationTime(expiresAtSeconds)
    .sign(key)
  return { token, id, mintedAt: isoOf(mintedAtSeconds), expiresAt: isoOf(expiresAtSeconds) }
}

/** What is remembered of it: see `RecordInternalToken`. */
export function recordOf({ id, mintedAt, expiresAt }: MintedToken, role: InternalRole): object {
  return { id, role, mintedAt, expiresAt }
}

function isoOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

/**
 * What a valid token says, or null. One that is meant to live longer than tokens may is none, however
 * young it is. Whether it was revoked, the database knows.
 */
export async function verifyInternalToken(
  key: Uint8Array,
  token: string,
  maxTtlSeconds: number,
): Promise<InternalToken | null> {
  try {
    const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'], audience })
    const { role, jti, iat, exp } = claims.parse(payload)
    if (exp - iat > maxTtlSeconds || iat > Date.now() / 1000 + leewaySeconds) return null
    return { role, tokenId: jti }
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof z.ZodError) return null
    throw error
  }
}
