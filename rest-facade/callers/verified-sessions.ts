import { z } from 'zod'
import {
  type CallerSession,
  type Environment,
  serviceCaller,
} from '../../schema/credentials/caller.ts'
import { sha256 } from '../../schema/credentials/secrets.ts'
import { addressMatcher } from '../../schema/vocabulary/ip-allowlist.ts'
import type { Execute } from '../graph/graph-client.ts'
import { findSpenders, keySpending, spendingOfKey } from './spenders.ts'

/** A browser that a key has signed in, while both the session and the key are valid. */
export interface VerifiedSession {
  readonly session: CallerSession
  readonly keyId: string
  readonly accountId: string
  readonly scopes: readonly string[]
  readonly externalId: string | null
  /** See `VerifiedKey`. */
  readonly spenders: readonly string[]
  readonly isCapped: boolean
  readonly rateLimitRps: number
}

/**
 * Null for an unknown or ended session, or if its key is no longer valid, or not from this address.
 */
export type FindSession = (secret: string, address: string) => Promise<VerifiedSession | null>

const answer = z.nullable(
  z.object({
    id: z.string(),
    authTime: z.string(),
    isFresh: z.boolean(),
    signedInFor: z.nullable(z.string()),
    key: z.nullable(
      z.object({
        id: z.string(),
        scopes: z.array(z.string()),
        ipAllowlist: z.array(z.string()),
        ...keySpending,
        account: z.object({ id: z.string(), status: z.string(), rateLimitRps: z.number() }),
      }),
    ),
  }),
)

/** Never cached: consent is rare, and an ended session must not be accepted again. */
export function findSessions(execute: Execute, environment: Environment): FindSession {
  const caller = serviceCaller({ environment })
  const spendersOf = findSpenders(execute, environment)
  return async function findSession(secret, address) {
    const found = answer.parse(
      await execute('VerifySession', { secretHash: sha256(secret) }, caller),
    )
    if (found?.key?.account.status !== 'ACTIVE') return null
    const { id: keyId, scopes, ipAllowlist, account, externalId } = found.key
    if (ipAllowlist.length > 0 && !addressMatcher(ipAllowlist)(address)) return null
    const budgeted = await spendersOf(spendingOfKey(found.key))
    if (!budgeted) return null
    const { id, authTime, isFresh, signedInFor } = found
    const session = { id, authTime, isFresh, signedInFor }
    const { id: accountId, rateLimitRps } = account
    return { ...budgeted, session, keyId, accountId, scopes, externalId, rateLimitRps }
  }
}
