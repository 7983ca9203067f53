import { errors, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import { type InternalRole, internalRoles } from '../../schema/credentials/caller.ts'
import type { InternalTokenInput } from '../../schema/generated/operations.ts'
import { newId } from '../../schema/vocabulary/ids.ts'

const audience = 'credit-gateway/internal'
const claims = z.object({
  role: z.enum(internalRoles),
  jti: z.string().min(1).max(200),
  iat: z.number(),
  exp: z.number(),
})

/** The clock of the process that minted a token may be this much ahead of ours. */
const leewaySeconds = 60

export interface MintedToken {
  readonly token: string
  /** `tok_…`: the id in lists and for revocation. */
  readonly id: string
  /** When the token was minted, in ISO 8601. */
  readonly mintedAt: string
  readonly expiresAt: string
}

/** The statements of a valid token about its holder. */
export interface InternalToken {
  readonly role: InternalRole
  /** `tok_…`: the id of the token in the audit trail. */
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

/** The stored record of a token: see `RecordInternalToken`. */
export function recordOf(
  { id, mintedAt, expiresAt }: MintedToken,
  role: InternalRole,
): InternalTokenInput {
  return { id, role, mintedAt, expiresAt }
}

function isoOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

/**
 * Returns the statements of a valid token, or null. A token with too long a lifetime is invalid,
 * however new it is. This does not check whether it was revoked.
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
