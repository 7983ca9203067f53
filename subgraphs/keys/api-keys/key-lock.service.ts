import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { coversScope } from '../../../schema/vocabulary/scopes.ts'
import { type Change, makeChange } from '../../shared/changes/change.ts'
import type { Transaction } from '../../shared/database/database.ts'
import type { Queryable, Statement } from '../../shared/database/statement.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { liesWithin } from '../address-ranges/address-range.ts'

/** From where and until when a key is accepted. */
export interface KeyLimits {
  /** Addresses and CIDR blocks from which the key is accepted; an empty list means anywhere. */
  readonly ipAllowlist: readonly string[]
  /** When the key ends; null: never. */
  readonly expiresAt: Date | null
}

/** The key that asks for a change of keys, as it is at this moment. */
export interface CallingKey extends AccountCaller, KeyLimits {
  /** The member who calls, `mem_…`, or who has issued the calling key; null: neither is a member's. */
  readonly memberId: string | null
}

/**
 * One change of keys by a key of the same account, in a transaction of its own, with its line in the
 * audit trail; no other change of the account's keys runs beside it. `change` is given the calling
 * key's scopes and limits of this moment. Throws INVALID_API_KEY when that key is not accepted any
 * more: no request that was under way when its key was revoked leaves anything behind.
 */
export function changeKeys<Result>(
  context: GraphContext,
  named: Omit<Change<Result>, 'owner'>,
  change: (tx: Transaction, caller: CallingKey) => Promise<Result>,
): Promise<Result> {
  const caller = requireAccount(context)
  return makeChange(context, { ...named, owner: caller }, async (tx) => {
    await lockKeys(tx, caller.accountId)
    return change(tx, await callingKey(tx, caller))
  })
}

const lock: Statement = {
  name: 'lock-keys',
  text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
}

/** Locks the keys of an account: until the end of the transaction, no other transaction changes them. */
export async function lockKeys(tx: Queryable, accountId: string): Promise<void> {
  await tx.query(lock, [`keys/${accountId}`])
}

interface AcceptedKey extends KeyLimits {
  readonly scopes: string[]
  readonly isCapped: boolean
  readonly memberId: string | null
}

const accepted: Statement = {
  name: 'accepted-key',
  text: `
    SELECT scopes, ip_allowlist AS "ipAllowlist", expires_at AS "expiresAt",
      is_capped AS "isCapped", member_id AS "memberId"
    FROM keys.api_key
    WHERE id = $1 AND account_id = $2 AND enabled
      AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
}

/** The calling key as it is now. Throws INVALID_API_KEY when it is not accepted any more. */
export async function callingKey(tx: Queryable, caller: AccountCaller): Promise<CallingKey> {
  // The session of a person has no key. The role of the person has the scopes, and no limits.
  if (caller.keyId === null && caller.session) {
    const { memberId = null } = caller.session
    return { ...caller, ipAllowlist: [], expiresAt: null, memberId }
  }
  const [key] = await tx.query<AcceptedKey>(accepted, [caller.keyId, caller.accountId])
  if (!key) throw new DomainError('INVALID_API_KEY', 'This API key is not valid here.')
  // Only the account subgraph knows the budgets of an external id: the caller says that it has some.
  return { ...caller, ...key, isCapped: key.isCapped || caller.isCapped === true }
}

/** A key hands on only what it has (docs/contract.md §4). Throws FORBIDDEN that names what is missing. */
export function requireScopes(
  { scopes: held, session }: AccountCaller,
  needed: readonly string[],
): void {
  const missing = [...new Set(needed)].filter((scope) => !coversScope(held, scope))
  if (missing.length === 0) return
  const who = session ? 'This session' : 'The calling key'
  throw new DomainError('FORBIDDEN', `${who} lacks the scope ${missing.join(', ')}.`, {
    scope: missing[0],
  })
}

/** A key must not escape its own limits by way of another key. Throws FORBIDDEN with the name of the limit. */
export function requireLimits(caller: CallingKey, { ipAllowlist, expiresAt }: KeyLimits): void {
  const isBound = caller.ipAllowlist.length > 0
  const holdsAll =
    ipAllowlist.length > 0 &&
    ipAllowlist.every((range) => caller.ipAllowlist.some((own) => liesWithin(range, own)))
  const endsInTime =
    expiresAt !== null && caller.expiresAt !== null && expiresAt <= caller.expiresAt
  const shed = [
    ...(isBound && !holdsAll ? ['ip_allowlist'] : []),
    ...(caller.expiresAt && !endsInTime ? ['expires_at'] : []),
  ]
  if (shed.length === 0) return
  throw new DomainError(
    'FORBIDDEN',
    `The calling key is limited in ${shed.join(' and ')}: a key that it issues, changes or rotates must be limited at least as much.`,
  )
}
