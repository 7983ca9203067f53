import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { Statement, Transaction } from '../../shared/database/database.ts'
import { postAnnounced, usualPriority } from '../ledger/ledger-entry.service.ts'
import { LedgerEntryKind } from '../ledger/ledger-entry.type.ts'
import { addInvoice } from '../payments/invoices/invoice-writing.service.ts'
import type { PriceWithTax } from '../payments/invoices/tax.service.ts'
import { planOf, tierRank } from '../prices/price-list.ts'
import type { SubscriptionTier } from '../prices/tiers.ts'
import { publish } from '../webhooks/event.service.ts'
import { lowestTier, tiersByRank } from './next-tier.ts'
import { eventData, setPlan, startSubscriptions } from './subscription.service.ts'
import { EntitlementStatus, type Subscription } from './subscription.type.ts'

/** The payment of a change of the plan, which is locked. */
interface PlanPayment extends PriceWithTax {
  readonly id: string
  readonly tier: SubscriptionTier
  readonly name: string
  /** Null: it starts a subscription. */
  readonly fromPlan: SubscriptionTier | null
  readonly credits: number
  readonly currency: string
  readonly periodStart: Date | null
  /** When the credits of an upgrade expire: with its period, or 30 days from now if that is over. */
  readonly creditsEndAt: Date | null
  /** The day in UTC. */
  readonly today: string
  /** How long the periods of a subscription are that it starts. */
  readonly billingPeriod: string | null
}

const planPayment: Statement = {
  name: 'plan-payment',
  text: `SELECT id, package_id AS tier, package_name AS name, from_plan AS "fromPlan", credits,
      price_cents AS "priceCents", tax_cents AS "taxCents", total_cents AS "totalCents", tax,
      currency, period_start AS "periodStart", (now() AT TIME ZONE 'UTC')::date::text AS today,
      CASE WHEN period_end <= now() THEN now() + interval '30 days' ELSE period_end END
        AS "creditsEndAt",
      billing_period::text AS "billingPeriod"
    FROM account.payment WHERE id = $1`,
}

async function readPayment(tx: Transaction, id: string): Promise<PlanPayment> {
  const [payment] = await tx.query<PlanPayment>(planPayment, [id])
  if (!payment) throw new Error(`The payment ${id} is missing.`)
  return payment
}

/** A subscription whose row is locked; `status` is what it is now. */
interface LockedSubscription
  extends Pick<Subscription, 'tier' | 'status' | 'currentPeriodStart' | 'currentPeriodEnd'> {
  readonly nextTier: SubscriptionTier | null
  /** The upgrades whose money came back since the account holder has chosen a plan. */
  readonly loweredBy: readonly string[]
  /** Whether the period has ended, also before a job has seen it. */
  readonly isOver: boolean
}

const columns = `tier, next_tier AS "nextTier", lowered_by AS "loweredBy",
  current_period_start AS "currentPeriodStart", current_period_end AS "currentPeriodEnd",
  current_period_end <= now() AS "isOver",
  CASE WHEN status = 'scheduled_to_cancel' AND current_period_end <= now() THEN 'canceled'
    ELSE status END AS status`

const lockSubscription: Statement = {
  name: 'plan-lock-subscription',
  text: `SELECT ${columns} FROM account.subscription
    WHERE account_id = $1 AND environment = $2 FOR UPDATE`,
}

async function lock(
  tx: Transaction,
  { accountId, environment }: AccountScope,
): Promise<LockedSubscription | undefined> {
  const [locked] = await tx.query<LockedSubscription>(lockSubscription, [accountId, environment])
  return locked
}

const setTier: Statement = {
  name: 'plan-raise',
  text: `UPDATE account.subscription SET tier = $3, upgrades = upgrades + 1
    WHERE account_id = $1 AND environment = $2 RETURNING ${columns}`,
}

/** Raises the plan at once. The caller has locked the row of the subscription. */
export async function raisePlan(
  tx: Transaction,
  owner: AccountScope,
  { from, tier }: { readonly from: SubscriptionTier; readonly tier: SubscriptionTier },
): Promise<void> {
  const { accountId, environment } = owner
  const [raised] = await tx.query<LockedSubscription>(setTier, [accountId, environment, tier])
  if (!raised) throw new Error('A locked subscription is missing.')
  await setPlan(tx, { accountId, environment, tier })
  await publish(tx, owner, 'subscription.changed', { ...eventData(raised), previous_tier: from })
}

const setNextTier: Statement = {
  name: 'plan-set-next',
  text: `UPDATE account.subscription SET next_tier = $3, chosen_tier = $3, lowered_by = '{}'
    WHERE account_id = $1 AND environment = $2 RETURNING ${columns}`,
}

/**
 * Sets the plan from the next period on, as the account holder has chosen: earlier returns of money do not count
 * any more. Null: the plan stays. The caller has locked the row of the subscription.
 */
export async function setNextPlan(
  tx: Transaction,
  owner: AccountScope,
  { nextTier }: Pick<LockedSubscription, 'nextTier'>,
): Promise<void> {
  const values = [owner.accountId, owner.environment, nextTier]
  const [changed] = await tx.query<LockedSubscription>(setNextTier, values)
  if (!changed) throw new Error('A locked subscription is missing.')
  await tellNextPlan(tx, owner, changed)
}

async function tellNextPlan(
  tx: Transaction,
  owner: AccountScope,
  changed: LockedSubscription,
): Promise<void> {
  const data = { ...eventData(changed), next_tier: changed.nextTier }
  await publish(tx, owner, 'subscription.change_scheduled', data)
}

const setLoweredBy: Statement = {
  name: 'plan-set-lowered-by',
  text: `UPDATE account.subscription SET lowered_by = $4,
      next_tier = ${lowestTier({ chosen: 'chosen_tier', loweredBy: '$4::text[]' })}
    WHERE account_id = $1 AND environment = $2 RETURNING ${columns}`,
}

/** Sets the upgrades whose money came back, and so the plan from the next period on. */
async function lowerPlan(
  tx: Transaction,
  owner: AccountScope,
  { nextTier: was }: LockedSubscription,
  loweredBy: readonly string[],
): Promise<void> {
  const values = [owner.accountId, owner.environment, tiersByRank, loweredBy]
  const [changed] = await tx.query<LockedSubscription>(setLoweredBy, values)
  if (!changed) throw new Error('A locked subscription is missing.')
  if (changed.nextTier !== was) await tellNextPlan(tx, owner, changed)
}

/** Starts a subscription now. The caller has locked its row, if there is one. */
export async function startPlan(
  tx: Transaction,
  owner: AccountScope,
  { tier, billingPeriod }: { readonly tier: SubscriptionTier; readonly billingPeriod: string },
): Promise<Pick<Subscription, 'currentPeriodStart' | 'currentPeriodEnd'>> {
  const { accountId, environment } = owner
  const wanted = { accountId, environments: [environment], tier }
  await startSubscriptions(tx, wanted, billingPeriod)
  await setPlan(tx, { accountId, environment, tier })
  const started = await lock(tx, owner)
  if (!started) throw new Error('A subscription that was just started is missing.')
  await publish(tx, owner, 'subscription.started', eventData(started))
  return started
}

const setPaidPeriod: Statement = {
  name: 'plan-set-paid-period',
  text: 'UPDATE account.payment SET period_start = $2, period_end = $3 WHERE id = $1',
}

/** What a collected payment of a change has done. */
export type CollectedPlan =
  | 'applied'
  /** Its credits came, but the plan has risen otherwise, or is gone. */
  | 'without-effect'
  /** Nothing: a subscription has begun meanwhile that it was to start. */
  | 'refused'

/**
 * Records that the payment of a change of the plan was collected: the plan rises or begins, and its share of
 * the allowance and its invoice come. The subscription is locked before the plan, and the plan before the balance,
 * as in a renewal.
 */
export async function noteCollectedPlan(
  tx: Transaction,
  owner: AccountScope,
  paymentId: string,
): Promise<CollectedPlan> {
  const payment = await readPayment(tx, paymentId)
  const current = await lock(tx, owner)
  const { tier, fromPlan, billingPeriod } = payment
  if (fromPlan !== null) {
    const { creditsEndAt } = payment
    if (!creditsEndAt) throw new Error('An upgrade has no period.')
    const isApplied = await applyUpgrade(tx, owner, payment, current)
    await deliver(tx, owner, payment, creditsEndAt)
    return isApplied ? 'applied' : 'without-effect'
  }
  if (current && current.status !== EntitlementStatus.canceled) return 'refused'
  if (billingPeriod === null) throw new Error(`The payment ${paymentId} starts no subscription.`)
  const started = await startPlan(tx, owner, { tier, billingPeriod })
  const { currentPeriodStart, currentPeriodEnd } = started
  await tx.query(setPaidPeriod, [paymentId, currentPeriodStart, currentPeriodEnd])
  await deliver(tx, owner, payment, currentPeriodEnd)
  return 'applied'
}

/**
 * Raises the plan; false if nothing rises. A payment that is collected after its period raises the plan with the
 * next one, because the period that runs was billed at the old price.
 */
async function applyUpgrade(
  tx: Transaction,
  owner: AccountScope,
  { tier, fromPlan, periodStart }: PlanPayment,
  current: LockedSubscription | undefined,
): Promise<boolean> {
  if (!periodStart) throw new Error('An upgrade has no period.')
  const isLive = current !== undefined && current.status !== EntitlementStatus.canceled
  if (!isLive || current.tier !== fromPlan) return false
  const isSame = current.currentPeriodStart.getTime() === periodStart.getTime()
  if (isSame && !current.isOver) await raisePlan(tx, owner, { from: current.tier, tier })
  else if (current.nextTier === null) await setNextPlan(tx, owner, { nextTier: tier })
  else return false
  return true
}

async function deliver(
  tx: Transaction,
  owner: AccountScope,
  { id: paymentId, name, fromPlan, credits, currency, today, ...amounts }: PlanPayment,
  expiresAt: Date,
): Promise<void> {
  const { priceCents, taxCents, totalCents, tax } = amounts
  const description =
    fromPlan === null
      ? `${name} subscription from ${today}`
      : `Upgrade from ${planOf(fromPlan).name} to ${name} from ${today}`
  if (credits > 0) {
    await postAnnounced(tx, {
      ...owner,
      ...{ kind: LedgerEntryKind.allowance, credits, ref: `plan:${paymentId}`, expiresAt },
      description: fromPlan === null ? `${name} subscription` : description,
      priority: usualPriority,
    })
  }
  await addInvoice(tx, owner, {
    ...{ paymentId, status: 'paid', credits, currency, description },
    ...{ priceCents, taxCents, totalCents, tax },
  })
}

/** Tells that the payment of a change of the plan was not collected. Nothing changes. */
export async function noteDeclinedPlan(
  tx: Transaction,
  owner: AccountScope,
  paymentId: string,
  failureReason: string,
): Promise<void> {
  const { tier } = await readPayment(tx, paymentId)
  await publish(tx, owner, 'subscription.change_failed', {
    ...{ payment_id: paymentId, tier, failure_reason: failureReason },
  })
}

const scheduleEnd: Statement = {
  name: 'plan-schedule-end',
  text: `UPDATE account.subscription SET status = 'scheduled_to_cancel', canceled_at = now()
    WHERE account_id = $1 AND environment = $2 RETURNING ${columns}`,
}

/** The reason of a subscription that ends because the money for it went back. */
const returnedReason = 'returned'

/**
 * All money of a change of the plan came back: the old plan returns with the next period, or the subscription
 * that was started ends with this one. `isReturned` is false if the money is there again after all: the new
 * plan stays, unless the account holder has decided since. Later periods were paid at their own price, so
 * nothing changes then. Call it before the balance is locked, because a renewal locks the subscription first.
 */
export async function fitPlan(
  tx: Transaction,
  owner: AccountScope,
  paymentId: string,
  isReturned: boolean,
): Promise<void> {
  const { tier, fromPlan, periodStart } = await readPayment(tx, paymentId)
  const current = await lock(tx, owner)
  if (!current || current.status === EntitlementStatus.canceled) return
  // It was collected after its period: the plan has not risen yet, and only such a payment schedules a higher one.
  if (isReturned && current.tier === fromPlan && current.nextTier === tier) {
    return setNextPlan(tx, owner, { nextTier: null })
  }
  if (current.isOver) return
  if (current.currentPeriodStart.getTime() !== periodStart?.getTime()) return
  if (fromPlan === null) {
    if (!isReturned || current.status !== EntitlementStatus.active) return
    const [ending] = await tx.query<LockedSubscription>(scheduleEnd, [
      ...[owner.accountId, owner.environment],
    ])
    if (!ending) throw new Error('A locked subscription is missing.')
    const data = { ...eventData(ending), failure_reason: returnedReason }
    return publish(tx, owner, 'subscription.cancel_scheduled', data)
  }
  const { loweredBy } = current
  const others = loweredBy.filter((id) => id !== paymentId)
  if (isReturned) {
    const isRisen = tierRank(current.tier) >= tierRank(tier)
    if (isRisen) await lowerPlan(tx, owner, current, [...others, paymentId])
  } else if (others.length < loweredBy.length) {
    await lowerPlan(tx, owner, current, others)
  }
}
