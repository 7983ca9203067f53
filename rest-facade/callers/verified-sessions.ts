import {
  type CallerSession,
  type Environment,
  serviceCaller,
} from '../../schema/credentials/caller.ts'
import { sha256 } from '../../schema/credentials/secrets.ts'
import type { BodyOf } from '../../schema/generated/operations.ts'
import { addressMatcher } from '../../schema/vocabulary/ip-allowlist.ts'
import { isPersonRole, type PersonRole, scopesOfRole } from '../../schema/vocabulary/roles.ts'
import type { Execute } from '../graph/graph-client.ts'
import { type BudgetOwners, findBudgetOwners, spendingOfKey } from './budget-owners.ts'
import { isOpen, type LookedUp } from './verified-keys.ts'

/** A browser that is signed in, while its session and what the session is of are valid. */
export interface VerifiedSession extends BudgetOwners {
  readonly session: CallerSession
  /** The key that has signed it in; null: a portal link has. */
  readonly keyId: string | null
  readonly accountId: string
  readonly scopes: readonly string[]
  readonly externalId: string | null
  readonly rateLimitRps: number
  /** Whether its account is suspended: the caller is told so, and may do nothing. */
  readonly isSuspended: boolean
}

/**
 * Finds the session. Null for an unknown or ended session, or if its key is no longer valid, or not
 * from this address.
 */
export type FindSession = (secret: string, address: string) => Promise<VerifiedSession | null>

type KnownKey = NonNullable<NonNullable<BodyOf<'VerifySession'>>['key']>

/** The key of the session, or the person with a role. */
type Holder = Pick<VerifiedSession, 'keyId' | 'scopes' | 'externalId' | 'budgetOwners' | 'isCapped'>

/**
 * Looks sessions up, and remembers none: an ended session must not be accepted again, and every process sees
 * that at once.
 */
export function findSessions(
  execute: Execute,
  environment: Environment,
  stepUpMinutes: number,
  known?: LookedUp,
): FindSession {
  const caller = serviceCaller({ environment })
  const budgetOwnersHere = findBudgetOwners(execute, environment)
  const budgetOwnersInLive = findBudgetOwners(execute, 'live')

  /**
   * A live key that was handed over to the sandbox stays capped, and spends there from the budgets
   * of the sandbox.
   */
  async function budgetOwnersOf(key: KnownKey, accountId: string): Promise<BudgetOwners | null> {
    const spending = spendingOfKey(key, accountId)
    if (key.environment === environment) return budgetOwnersHere(spending)
    const [ofKey, here] = await Promise.all([
      budgetOwnersInLive(spending),
      budgetOwnersHere({ ...spending, own: null, isCapped: false }),
    ])
    return ofKey && here && { budgetOwners: here.budgetOwners, isCapped: ofKey.isCapped }
  }

  async function keyHolder(
    key: KnownKey | null,
    accountId: string,
    address: string,
  ): Promise<Holder | null> {
    if (!key) return null
    const { id: keyId, scopes, ipAllowlist, externalId } = key
    if (ipAllowlist.length > 0 && !addressMatcher(ipAllowlist)(address)) return null
    const budgeted = await budgetOwnersOf(key, accountId)
    return budgeted && { ...budgeted, keyId, scopes, externalId }
  }

  async function personHolder(role: PersonRole, accountId: string): Promise<Holder | null> {
    const noKey = { own: null, externalId: null, isCapped: false }
    const budgeted = await budgetOwnersHere({ accountId, ...noKey })
    const scopes = scopesOfRole(role)
    return budgeted && { ...budgeted, keyId: null, scopes, externalId: null }
  }

  function isFresh(provenAt: string | null): boolean {
    return provenAt !== null && Date.now() - Date.parse(provenAt) <= stepUpMinutes * 60_000
  }

  async function lookUp(secretHash: string, address: string): Promise<VerifiedSession | null> {
    const found = await execute('VerifySession', { secretHash }, caller)
    if (!found || !isOpen(found.account)) return null
    const { account, key, role, ...known } = found
    const session = {
      ...known,
      role: isPersonRole(role) ? role : null,
      isProofFresh: isFresh(known.provenAt),
    }
    const holder = session.role
      ? await personHolder(session.role, account.id)
      : await keyHolder(key, account.id, address)
    const { id: accountId, rateLimitRps } = account
    const isSuspended = account.status === 'SUSPENDED'
    return holder && { ...holder, session, accountId, rateLimitRps, isSuspended }
  }

  return async function findSession(secret, address) {
    const secretHash = sha256(secret)
    const found = await lookUp(secretHash, address)
    if (found && !found.isSuspended) known?.accept(secretHash)
    else known?.refuse(secretHash)
    return found
  }
}
