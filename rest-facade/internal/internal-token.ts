import { errors, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import { type InternalRole, internalRoles } from '../../schema/caller.ts'
import { newId } from '../../schema/ids.ts'

const audience = 'credit-gateway/internal'
const claims = z.object({ role: z.enum(internalRoles), jti: z.string().min(1).max(200) })

export interface MintedToken {
  readonly token: string
  /** ISO 8601. */
  readonly expiresAt: string
}

/** What a valid token says of whoever presents it. */
export interface InternalToken {
  readonly role: InternalRole
  /** `tok_…`: what the audit trail calls the token. */
  readonly tokenId: string
}

/** A token for the internal listener (contract §8). */
export async function mintInternalToken(
  key: Uint8Array,
  role: InternalRole,
  ttlSeconds: number,
): Promise<MintedToken> {
  const expiresAt = new Date(Math.floor(Date.now() / 1000 + ttlSeconds) * 1000)
  const token = await new SignJWT({ role })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setAudience(audience)
    .setJti(newId('tok'))
    .setIssuedAt()
    .setExpirationTime(expiresAt)
    .sign(key)
  return { token, expiresAt: expiresAt.toISOString() }
}

/** What a valid token says, or null. */
export async function verifyInternalToken(
  key: Uint8Array,
  token: string,
): Promise<InternalToken | null> {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: ['HS256'],
      audience,
      requiredClaims: ['exp'],
    })
    const { role, jti } = claims.parse(payload)
    return { role, tokenId: jti }
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof z.ZodError) return null
    throw error
  }
}
