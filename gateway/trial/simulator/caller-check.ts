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
import { callerTokenType } from '../../../rest-facade/backends/caller-tokens.ts'
import { atMost } from '../../../schema/process/at-most.ts'

/** The caller, as the gateway has signed it. */
export interface VerifiedCaller {
  readonly accountId: string
  readonly environment: 'live' | 'sandbox'
  readonly scopes: readonly string[]
}

/** Verifies that the gateway calls this module, and for which account. */
export interface CallerCheck {
  /**
   * Returns the caller; null without a valid token for this module. Throws if the gateway's keys
   * are unavailable.
   */
  verify(token: string | undefined, backendModule: string): Promise<VerifiedCaller | null>
}

export interface CallerCheckOptions {
  /** The gateway's public keys: their address, or those of this process. */
  readonly keys: URL | (() => Promise<object | null> | object | null)
  /** The required issuer. By default any issuer with these keys is accepted. */
  readonly issuer?: string
}

/** The permitted difference between two machines' clocks. */
const leewaySeconds = 5
/** The time to keep a copy of the keys, as the gateway's `max-age` says. */
const copyMs = 300_000
/** The time between two look-ups of an unknown key. */
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

/** A token is reused for half a minute, so it is verified once and remembered. */
export function createCallerCheck({ keys, issuer }: CallerCheckOptions): CallerCheck {
  const findKey = keys instanceof URL ? remoteKeys(keys) : ownKeys(keys)
  const seen = new LRUCache<string, SeenToken>(atMost(maxTokens))

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

/** Whether the token is wrong, rather than the keys unavailable. */
function isRefusal(error: unknown): boolean {
  const isUnreachable = error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid
  return error instanceof errors.JOSEError && error.code !== 'ERR_JOSE_GENERIC' && !isUnreachable
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
