import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { Statement, Transaction } from '../../shared/database/database.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { publish } from '../webhooks/event.service.ts'
import { LedgerEntryKind } from './ledger-entry.type.ts'

/** Credits of a payment whose money went back, or a part of it. */
export interface Clawback {
  readonly paymentId: string
  /** How many credits to take, at least 1. */
  readonly credits: number
  /** The reference that makes the clawback happen once: a repetition takes nothing. */
  readonly ref: string
  /** The description that the ledger shows. */
  readonly description: string
}

/** Credits of a clawback that are reinstated, because the money came after all. */
export interface Reinstatement extends Clawback {
  /** The `ref` of the clawback. */
  readonly clawbackRef: string
}

const clawBackCredits: Statement = {
  name: 'credits-claw-back',
  text: 'SELECT taken FROM account.claw_back($1, $2, $3, $4, $5, $6)',
}

/**
 * Takes credits back: first from the lots of the payment, then from others in the order in which they
 * burn, then below 0. Never takes expired credits of the payment's lots, nor more than the lots
 * brought. Locks the balance. Returns how many were taken; a repetition returns what the first took.
 * Throws NOT_FOUND if no credits came with the payment.
 */
export async function clawBack(
  tx: Transaction,
  { accountId, environment }: AccountScope,
  { paymentId, credits, ref, description }: Clawback,
): Promise<number> {
  const values = [accountId, environment, paymentId, credits, ref, description]
  const [row] = await tx.query<{ taken: number }>(clawBackCredits, values).catch(refuseUnknown)
  if (!row) throw new Error('A function that returns one row returned none.')
  return row.taken
}

function refuseUnknown(error: unknown): never {
  const isNoData = error instanceof Error && 'code' in error && error.code === 'P0002'
  if (!isNoData) throw error
  throw new DomainError('NOT_FOUND', 'No credits came with this payment.')
}

const lockBalance: Statement = {
  name: 'reinstatement-lock',
  text: 'SELECT account.lock_balances(ARRAY[$1], ARRAY[$2])',
}

const entryOfReinstatement: Statement = {
  name: 'reinstatement-entry',
  text: `SELECT e.id, e.credits, e.balance_after AS "balanceAfter",
      (SELECT nullif(max(l.expires_at), 'infinity') FROM account.lot l
        WHERE l.account_id = $1 AND l.environment = $2 AND l.payment_id = $4) AS "expiresAt"
    FROM account.ledger_entry e
    WHERE e.account_id = $1 AND e.environment = $2 AND e.kind = 'reinstatement'
      AND e.kind <> 'charge' AND e.ref = $3`,
}

interface ReinstatementEntry {
  readonly id: string
  readonly credits: number
  readonly balanceAfter: number
  readonly expiresAt: Date | null
}

const reinstateCredits: Statement = {
  name: 'credits-reinstate',
  text: 'SELECT given FROM account.reinstate($1, $2, $3, $4, $5, $6, $7)',
}

/**
 * Reinstates what a clawback took, at most, into the lots of the payment with their expiry; for 30 days
 * if they are over. Locks the balance, and publishes `credits.granted`. Returns how many were given; a
 * repetition returns what the first gave. Of an unknown clawback nothing is given.
 */
export async function reinstate(
  tx: Transaction,
  owner: AccountScope,
  { paymentId, clawbackRef, credits, ref, description }: Reinstatement,
): Promise<number> {
  const key = [owner.accountId, owner.environment]
  await tx.query(lockBalance, key)
  const entryKey = [...key, ref, paymentId]
  const [known] = await tx.query<ReinstatementEntry>(entryOfReinstatement, entryKey)
  if (known) return known.credits
  await tx.query(reinstateCredits, [...key, paymentId, clawbackRef, credits, ref, description])
  const [entry] = await tx.query<ReinstatementEntry>(entryOfReinstatement, entryKey)
  if (!entry) return 0
  await publish(tx, owner, 'credits.granted', {
    ledger_entry_id: entry.id,
    ...{ kind: LedgerEntryKind.reinstatement, credits: entry.credits },
    balance_after: entry.balanceAfter,
    expires_at: entry.expiresAt?.toISOString() ?? null,
  })
  return entry.credits
}

const rechargeBar: Statement = {
  name: 'clawback-bars-recharge',
  text: `SELECT b.balance < 0 OR EXISTS (
      SELECT FROM account.ledger_entry e WHERE e.account_id = b.account_id
        AND e.environment = b.environment AND e.seq = b.last_seq AND e.kind = 'clawback'
    ) AS "isBarred"
    FROM account.balance b WHERE b.account_id = $1 AND b.environment = $2`,
}

/**
 * Whether no recharge may start now: credits that were taken back are not bought again by themselves. The
 * next charge may start one, unless the balance is negative. The caller has locked the balance.
 */
export async function isRechargeBarred(
  tx: Transaction,
  { accountId, environment }: AccountScope,
): Promise<boolean> {
  const [row] = await tx.query<{ isBarred: boolean }>(rechargeBar, [accountId, environment])
  return row?.isBarred ?? false
}
