import type { Environment } from '../../../../schema/credentials/caller.ts'
import type { Statement, Transaction } from '../../../shared/database/database.ts'
import { clawBack, reinstate } from '../../ledger/clawback.service.ts'
import type { Tier } from '../../prices/tiers.ts'
import { fitPlan } from '../../subscriptions/plan-settlement.service.ts'
import type { PaymentKind, PaymentStatus } from '../payment.type.ts'
import { pageMethod } from '../return-links/return-address.ts'
import { owedCredits } from './owed-credits.ts'
import { isLower, type TierPurchase, tierAfterReturn } from './returned-tier.ts'

/** A payment whose row is locked, so that its refunds and disputes are entered one after another. */
export interface LockedPayment {
  readonly id: string
  readonly accountId: string
  readonly environment: Environment
  readonly kind: PaymentKind
  readonly status: PaymentStatus
  /** Whether the payment has a page, which may be paid although the payment failed here. */
  readonly hasPage: boolean
  readonly packageName: string
  readonly tier: Tier | null
  /** The tier of the account before the payment; null unless the payment has paid a package. */
  readonly tierBefore: Tier | null
  readonly credits: number
  readonly totalCents: number
  readonly currency: string
  /** The card that has paid; null if it is not known. */
  readonly paymentMethod: string | null
  readonly provider: string | null
  readonly providerReference: string | null
  /** When the payment was asked for. */
  readonly createdAt: Date
}

/** A payment whose payer has not chosen a card has the word `page` in place of a method. */
const lockById: Statement = {
  name: 'returned-payment-lock',
  text: `SELECT id, account_id AS "accountId", environment, kind, status,
      package_name AS "packageName", action IS NOT NULL AS "hasPage", tier, tier_before AS "tierBefore", credits,
      total_cents AS "totalCents", currency, nullif(payment_method, '${pageMethod}') AS "paymentMethod",
      provider, provider_reference AS "providerReference", created_at AS "createdAt"
    FROM account.payment WHERE id = $1 FOR UPDATE`,
}

export async function lockPayment(tx: Transaction, id: string): Promise<LockedPayment | null> {
  const [payment] = await tx.query<LockedPayment>(lockById, [id])
  return payment ?? null
}

/** The cents of a payment that came back, and the credits taken for them. */
export interface ReturnedSums {
  /** Cents that came back by refunds that succeeded. */
  readonly refundedCents: number
  /** Cents that came back by disputes whose funds are withdrawn. */
  readonly disputedCents: number
  /** Credits that were taken for both sums. */
  readonly takenCredits: number
}

const sumReturns: Statement = {
  name: 'returned-payment-sums',
  text: `SELECT
      (SELECT coalesce(sum(r.amount_cents), 0) FROM account.payment_refund r
        WHERE r.payment_id = $1 AND r.status = 'succeeded')::bigint AS "refundedCents",
      (SELECT coalesce(sum(d.amount_cents), 0) FROM account.payment_dispute d
        WHERE d.payment_id = $1 AND d.is_withdrawn AND NOT d.is_reinstated)::bigint
        AS "disputedCents",
      (SELECT coalesce(sum(c.credits - c.returned_credits), 0) FROM account.payment_clawback c
        WHERE c.payment_id = $1)::bigint AS "takenCredits"`,
}

export async function sumsOf(tx: Transaction, paymentId: string): Promise<ReturnedSums> {
  const [sums] = await tx.query<ReturnedSums>(sumReturns, [paymentId])
  if (!sums) throw new Error('A query of sums has no row.')
  return sums
}

/** The refund or dispute that changes the sums. */
interface Cause {
  /** The id of the refund or dispute: `rfd_…` or `dsp_…`. */
  readonly id: string
  /** The description in the ledger. */
  readonly description: string
}

/**
 * Makes the credits and the tier or plan fit the money that came back: takes credits, or returns credits
 * that were taken. The result depends on the refunds and disputes alone, and not on their order.
 * The result is the number of credits taken; it is negative if credits were returned.
 */
export async function settleReturns(
  tx: Transaction,
  payment: LockedPayment,
  before: ReturnedSums,
  cause: Cause,
): Promise<number> {
  const after = await sumsOf(tx, payment.id)
  const owed = owedCredits(payment, after.refundedCents + after.disputedCents)
  const difference = owed - after.takenCredits
  const isReturned = isWhole(payment, after)
  if (payment.kind === 'plan' && isReturned !== isWhole(payment, before)) {
    await fitPlan(tx, payment, payment.id, isReturned)
  }
  // The subscription is locked before the plan, and the plan before the balance.
  await fitTier(tx, payment, isWhole(payment, before), isReturned)
  if (difference > 0) await take(tx, payment, cause, difference)
  if (difference < 0) await reinstateTaken(tx, payment, cause, -difference)
  return difference
}

function isWhole(payment: LockedPayment, { refundedCents, disputedCents }: ReturnedSums): boolean {
  return refundedCents + disputedCents >= payment.totalCents
}

const addClawback: Statement = {
  name: 'returned-payment-add-clawback',
  text: `INSERT INTO account.payment_clawback
      (ref, account_id, environment, payment_id, return_id, credits)
    SELECT $4::text || CASE WHEN count(*) = 0 THEN '' ELSE ':' || count(*) END,
      $1, $2, $3, $4::text, $5
    FROM account.payment_clawback c WHERE c.payment_id = $3 AND c.return_id = $4::text
    RETURNING ref`,
}

async function take(
  tx: Transaction,
  { id: paymentId, accountId, environment }: LockedPayment,
  { id, description }: Cause,
  credits: number,
): Promise<void> {
  const values = [accountId, environment, paymentId, id, credits]
  const [added] = await tx.query<{ ref: string }>(addClawback, values)
  if (!added) throw new Error('A clawback that was just inserted is missing.')
  const owner = { accountId, environment }
  await clawBack(tx, owner, { paymentId, credits, ref: added.ref, description })
}

const openClawbacks: Statement = {
  name: 'returned-payment-open-clawbacks',
  text: `SELECT ref, credits, returned_credits AS "returnedCredits" FROM account.payment_clawback
    WHERE payment_id = $1 AND returned_credits < credits
    ORDER BY return_id = $2 DESC, created_at DESC, ref DESC`,
}

const noteReturned: Statement = {
  name: 'returned-payment-note-returned',
  text: `UPDATE account.payment_clawback SET returned_credits = returned_credits + $4
    WHERE account_id = $1 AND environment = $2 AND ref = $3`,
}

interface OpenClawback {
  readonly ref: string
  readonly credits: number
  readonly returnedCredits: number
}

/**
 * First the credits that this refund or dispute had taken, then those that others had taken in its
 * place.
 */
async function reinstateTaken(
  tx: Transaction,
  { id: paymentId, accountId, environment }: LockedPayment,
  { id, description }: Cause,
  credits: number,
): Promise<void> {
  const owner = { accountId, environment }
  let left = credits
  for (const clawback of await tx.query<OpenClawback>(openClawbacks, [paymentId, id])) {
    const given = Math.min(left, clawback.credits - clawback.returnedCredits)
    if (given === 0) break
    left -= given
    await tx.query(noteReturned, [accountId, environment, clawback.ref, given])
    await reinstate(tx, owner, {
      paymentId,
      clawbackRef: clawback.ref,
      credits: given,
      ref: `${clawback.ref}:back:${clawback.returnedCredits}`,
      description,
    })
  }
}

const lockTier: Statement = {
  name: 'returned-payment-lock-tier',
  text: 'SELECT tier FROM account.plan WHERE account_id = $1 AND environment = $2 FOR UPDATE',
}

const tierPurchases: Statement = {
  name: 'returned-payment-tier-purchases',
  text: `SELECT DISTINCT p.tier, p.tier_before AS "tierBefore",
      (SELECT coalesce(sum(r.amount_cents), 0) FROM account.payment_refund r
        WHERE r.payment_id = p.id AND r.status = 'succeeded')
      + (SELECT coalesce(sum(d.amount_cents), 0) FROM account.payment_dispute d
        WHERE d.payment_id = p.id AND d.is_withdrawn AND NOT d.is_reinstated)
      >= p.total_cents AS "isReturned"
    FROM account.payment p
    WHERE p.account_id = $1 AND p.environment = $2 AND p.status = 'paid'
      AND p.tier IS NOT NULL`,
}

const setTier: Statement = {
  name: 'returned-payment-set-tier',
  text: 'UPDATE account.plan SET tier = $3 WHERE account_id = $1 AND environment = $2',
}

/** Takes the tier back once all money came back, and restores it if the return is undone. */
async function fitTier(
  tx: Transaction,
  { accountId, environment, tier, tierBefore }: LockedPayment,
  was: boolean,
  is: boolean,
): Promise<void> {
  if (tier === null || tierBefore === null || was === is) return
  const key = [accountId, environment]
  const [plan] = await tx.query<{ tier: Tier }>(lockTier, key)
  if (!plan) return
  const purchases = is ? await tx.query<TierPurchase>(tierPurchases, key) : []
  const given = isLower(plan.tier, tier) ? tier : plan.tier
  const fitting = is ? tierAfterReturn(plan.tier, { tier, tierBefore }, purchases) : given
  if (fitting !== plan.tier) await tx.query(setTier, [...key, fitting])
}
