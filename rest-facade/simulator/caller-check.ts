import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { callerTokenType } from '../backends/caller-tokens.ts'

/** Who calls, as the gateway has signed it. */
export interface VerifiedCaller {
  readonly accountId: string
  readonly environment: 'live' | 'sandbox'
  readonly scopes: readonly string[]
}

/** Whether the gateway asks this module, and for whom. */
export interface CallerCheck {
  /** Null without a token of the gateway for this module. Throws when its keys cannot be had. */
  verify(token: string | undefined, backendModule: string): Promise<VerifiedCaller | null>
}

export interface CallerCheckOptions {
  /** The gateway's public keys: where they are, or those of this process. */
  readonly keys: URL | (() => Promise<object | null> | object | null)
  /** Who must have signed; anybody with these keys unless told. */
  readonly issuer?: string
}

/** Of two machines' clocks. */
const leewaySeconds = 5
/** A copy of the keys: as long as the gateway says that one may be used. */
const copyMs = 300_000
/** Between two looks for a key that nobody has heard of. */
const cooldownMs = 1000
const maxTokens = 10_000

const claimsOf = z.object({
  sub: z.string().regex(/^acct_\w+$/),
  env: z.enum(['live', 'sandbox']),
  scope: z.string(),
  exp: z.number(),
})

interface SeenToken {
  readonly caller: VerifiedCaller
  readonly endsAtMs: number
}

/** Tokens come again for half a minute, so each is verified once. */
export function createCallerCheck({ keys, issuer }: CallerCheckOptions): CallerCheck {
  const findKey = keys instanceof URL ? remoteKeys(keys) : ownKeys(keys)
  const seen = new LRUCache<string, SeenToken>({ max: maxTokens })

  async function read(token: string, audience: string): Promise<SeenToken | null> {
    try {
      const { payload } = await jwtVerify(token, findKey, {
        ...{ audience, issuer, algorithms: ['EdDSA'], typ: callerTokenType },
        ...{ clockTolerance: leewaySeconds, requiredClaims: ['iat', 'jti'] },
      })
      const { sub, env, scope, exp } = claimsOf.parse(payload)
      return {
        caller: { accountId: sub, environment: env, scopes: scope.split(' ') },
        endsAtMs: (exp + leewaySeconds) * 1000,
      }
    } catch (error) {
      if (error instanceof z.ZodError || isRefusal(error)) return null
      throw error
    }
  }

  return {
    async verify(token, backendModule) {
      if (token === undefined) return null
      const name = `${backendModule} ${token}`
      const known = seen.get(name)
      if (known && Date.now() < known.endsAtMs) return known.caller
      const found = await read(token, backendModule)
      if (found) seen.set(name, found)
      return found?.caller ?? null
    },
  }
}

/** What is wrong with the token, and not with the way to the keys. */
function isRefusal(error: unknown): boolean {
  const isAway = error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid
  return error instanceof errors.JOSEError && error.code !== 'ERR_JOSE_GENERIC' && !isAway
}

function remoteKeys(url: URL): JWTVerifyGetKey {
  return createRemoteJWKSet(url, { cacheMaxAge: copyMs, cooldownDuration: cooldownMs })
}

const keySet = z.custom<JSONWebKeySet>(
  (value) => typeof value === 'object' && value !== null && 'keys' in value,
)

function ownKeys(keys: () => Promise<object | null> | object | null): JWTVerifyGetKey {
  return async (header, token) => {
    const known = await keys()
    if (!known) throw new Error('The keys of the gateway are not known yet.')
    return createLocalJWKSet(keySet.parse(known))(header, token)
  }
}
