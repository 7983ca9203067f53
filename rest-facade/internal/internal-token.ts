import { errors, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import { type InternalRole, internalRoles } from '../../schema/caller.ts'

const audience = 'credit-gateway/internal'
const claims = z.object({ role: z.enum(internalRoles) })

export interface MintedToken {
  readonly token: string
  /** ISO 8601. */
  readonly expiresAt: string
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
    .setIssuedAt()
    .setExpirationTime(expiresAt)
    .sign(key)
  return { token, expiresAt: expiresAt.toISOString() }
}

/** The role that a valid token grants, or null. */
export async function verifyInternalToken(
  key: Uint8Array,
  token: string,
): Promise<InternalRole | null> {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: ['HS256'],
      audience,
      requiredClaims: ['exp'],
    })
    return claims.parse(payload).role
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof z.ZodError) return null
    throw error
  }
}
