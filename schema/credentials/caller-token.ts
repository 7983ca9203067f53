import { createSecretKey, type KeyObject } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import { personRoles } from '../vocabulary/roles.ts'
import { type Caller, internalRoles } from './caller.ts'
import { sha256 } from './secrets.ts'

/** A key that seals callers between processes. */
export interface CallerKey {
  /** Identifies the key without revealing it. */
  readonly id: string
  readonly key: KeyObject
}

/** The first key seals, and each key opens, so keys can be replaced while everything runs. */
export type CallerKeys = () => readonly CallerKey[]

const base = {
  environment: z.enum(['live', 'sandbox']),
  requestId: z.string(),
  traceId: z.string(),
}
const address = z.nullable(z.string())
const session = z.object({
  id: z.string(),
  authTime: z.string(),
  isFresh: z.boolean(),
  signedInFor: z.nullable(z.string()),
  provenAt: z.nullable(z.string()),
  isProofFresh: z.boolean(),
  role: z.nullable(z.enum(personRoles)),
  actor: z.nullable(z.string()),
  memberId: z.nullable(z.string()).optional(),
  returnUrl: z.nullable(z.string()),
})
const claims = z.object({
  caller: z.discriminatedUnion('kind', [
    z.object({
      ...base,
      address,
      kind: z.literal('account'),
      accountId: z.string().min(1),
      keyId: z.nullable(z.string()),
      clientId: z.string().optional(),
      scopes: z.array(z.string()),
      externalId: z.nullable(z.string()).optional(),
      isCapped: z.boolean().optional(),
      session: session.optional(),
      replayKey: z.string().optional(),
    }),
    z.object({
      ...base,
      address,
      kind: z.literal('client'),
      clientId: z.string().min(1),
      isConfidential: z.boolean(),
    }),
    z.object({
      ...base,
      address,
      kind: z.literal('internal'),
      role: z.enum(internalRoles),
      tokenId: z.string(),
      operator: z.nullable(z.string()).optional(),
    }),
    z.object({ ...base, address: address.optional(), kind: z.literal('service') }),
    z.object({ ...base, address: address.optional(), kind: z.literal('anonymous') }),
  ]),
})

const ttlSeconds = 30
/** The allowed difference of two machines' clocks: a token is accepted that much longer. */
const toleranceSeconds = 30

/** A caller key made of a secret of at least 32 bytes. */
export function callerKey(secret: Uint8Array): CallerKey {
  const id = sha256(`caller-key ${Buffer.from(secret).toString('hex')}`).slice(0, 16)
  return { id, key: createSecretKey(secret) }
}

/** A JWT (HS256) that tells one subgraph its caller. It is accepted for half a minute. */
export function sealCaller(keys: CallerKeys, subgraph: string, caller: Caller): Promise<string> {
  const [sealing] = keys()
  if (!sealing) throw new Error('There is no key to seal callers with.')
  return new SignJWT({ caller })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: sealing.id })
    .setAudience(audienceOf(subgraph))
    .setIssuedAt()
    .setExpirationTime(`${ttlSeconds} s`)
    .sign(sealing.key)
}

/**
 * The caller of this subgraph; null for a token of another audience, an expired one or an unknown
 * key.
 */
export async function openCaller(
  keys: CallerKeys,
  subgraph: string,
  token: string,
): Promise<Caller | null> {
  try {
    const { payload } = await jwtVerify(token, ({ kid }) => keyOf(keys, kid), {
      algorithms: ['HS256'],
      audience: audienceOf(subgraph),
      clockTolerance: toleranceSeconds,
      maxTokenAge: ttlSeconds,
      requiredClaims: ['exp'],
    })
    return claims.parse(payload).caller
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof z.ZodError) return null
    throw error
  }
}

function keyOf(keys: CallerKeys, id: string | undefined): KeyObject {
  const known = keys().find((key) => key.id === id)
  if (!known) throw new errors.JWKSNoMatchingKey()
  return known.key
}

function audienceOf(subgraph: string): string {
  return `credit-gateway/subgraph/${subgraph}`
}
