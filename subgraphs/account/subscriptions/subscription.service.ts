import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { Environment } from '../../../schema/credentials/caller.ts'
import type { Database, Statement, Transaction } from '../../shared/database/database.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { isBlocked } from '../payment-blocks/payment-block.service.ts'
import type { Pricing } from '../payments/invoices/tax.service.ts'
import { planOf } from '../prices/price-list.ts'
import type { SubscriptionTier } from '../prices/tiers.ts'
import { publish } from '../webhooks/event.service.ts'
import { grantInAdvance } from './allowance.service.ts'
import { lowestTier, tiersByRank } from './next-tier.ts'
import { ending, type PeriodOutcome, renewal } from './period.ts'
import { EntitlementStatus, type Subscription } from './subscription.type.ts'
import { billAgain, billPeriod } from './subscription-billing.service.ts'

type SubscriptionRow = Omit<Subscription, 'cancelAtPeriodEnd' | 'monthlyCredits'>

// A cancelled subscription is over at the end of its period, even if the job has not run yet.
const columns = `
  tier, current_period_start AS "currentPeriodStart", current_period_end AS "currentPeriodEnd",
  canceled_at AS "canceledAt",
  CASE WHEN status = 'scheduled_to_cancel' AND current_period_end <= now() THEN 'canceled'
    ELSE status END AS status`

const subscriptionOf: Statement = {
  name: 'subscription-of',
  text: `SELECT ${columns} FROM account.subscription WHERE account_id = $1 AND environment = $2`,
}

function toSubscription(row: SubscriptionRow): Subscription {
  const cancelAtPeriodEnd = row.status === EntitlementStatus.scheduled_to_cancel
  return { ...row, cancelAtPeriodEnd, monthlyCredits: planOf(row.tier).monthly_credits }
}

/** The subscription with its present state, or null if there never was one. */
export async function findSubscription(
  database: Database,
  { accountId, environment }: AccountScope,
): Promise<Subscription | null> {
  const [row] = await database.query<SubscriptionRow>(subscriptionOf, [accountId, environment])
  return row ? toSubscription(row) : null
}

const scheduleCancellation: Statement = {
  name: 'subscription-schedule-cancellation',
  // The end takes the place of a plan that was chosen for the next period. Upgrades whose money came back stay so.
  text: `UPDATE account.subscription SET status = 'scheduled_to_cancel', canceled_at = now(),
      chosen_tier = NULL, next_tier = ${lowestTier({ chosen: 'NULL', loweredBy: 'lowered_by' })}
    WHERE account_id = $1 AND environment = $2 RETURNING ${columns}`,
}

/** Cancels at the end of the period. Throws CONFLICT unless the subscription is active. */
export async function cancelSubscription(
  tx: Transaction,
  owner: AccountScope,
): Promise<Subscription> {
  const canceled = await change(tx, owner, EntitlementStatus.active, {
    ...{ statement: scheduleCancellation, values: [tiersByRank] },
  })
  await publish(tx, owner, 'subscription.cancel_scheduled', {
    ...eventData(canceled),
    failure_reason: null,
  })
  return canceled
}

const takeCancellationBack: Statement = {
  name: 'subscription-take-cancellation-back',
  text: `UPDATE account.subscription SET status = 'active', canceled_at = NULL
    WHERE account_id = $1 AND environment = $2 RETURNING ${columns}`,
}

/**
 * Takes a cancellation back: the subscription renews again, and a declined payment is tried again.
 * Throws CONFLICT unless a cancellation is scheduled, and while a dispute blocks payments.
 */
export async function resumeSubscription(
  tx: Transaction,
  owner: AccountScope,
): Promise<Subscription> {
  const from = EntitlementStatus.scheduled_to_cancel
  const resumed = await change(tx, owner, from, { statement: takeCancellationBack })
  if (await isBlocked(tx, owner)) {
    throw new DomainError(
      'CONFLICT',
      'A payment was disputed: the subscription cannot renew until we lift the block.',
    )
  }
  await billAgain(tx, owner, resumed)
  await publish(tx, owner, 'subscription.resumed', eventData(resumed))
  return resumed
}

const lockSubscription: Statement = {
  name: 'subscription-lock',
  text: `SELECT ${columns} FROM account.subscription
    WHERE account_id = $1 AND environment = $2 FOR UPDATE`,
}

interface Transition {
  readonly statement: Statement
  /** What follows the account and the environment. */
  readonly values?: readonly unknown[]
}

async function change(
  tx: Transaction,
  { accountId, environment }: AccountScope,
  from: EntitlementStatus,
  { statement, values = [] }: Transition,
): Promise<Subscription> {
  const key = [accountId, environment]
  const [current] = await tx.query<SubscriptionRow>(lockSubscription, key)
  if (current?.status !== from) {
    throw new DomainError('CONFLICT', `The subscription is ${describe(current)}.`)
  }
  const [changed] = await tx.query<SubscriptionRow>(statement, [...key, ...values])
  if (!changed) throw new Error('A locked subscription is missing.')
  return toSubscription(changed)
}

/** The data of a subscription's events. */
export function eventData({
  tier,
  status,
  currentPeriodStart,
  currentPeriodEnd,
}: Pick<Subscription, 'tier' | 'status' | 'currentPeriodStart' | 'currentPeriodEnd'>) {
  return {
    tier,
    status,
    current_period_start: currentPeriodStart.toISOString(),
    current_period_end: currentPeriodEnd.toISOString(),
  }
}

function describe(subscription: SubscriptionRow | undefined): string {
  switch (subscription?.status) {
    case EntitlementStatus.active:
      return 'active: there is no cancellation to take back'
    case EntitlementStatus.scheduled_to_cancel:
      return `scheduled to be cancelled at ${subscription.currentPeriodEnd.toISOString()} already`
    case EntitlementStatus.canceled:
      return 'cancelled'
    default:
      return 'missing: this account has none'
  }
}

/** SQL of an UPDATE: no change of the plan is scheduled, and none was made in this period. */
const settled = `next_tier = NULL, chosen_tier = NULL, lowered_by = '{}', upgrades = 0`

interface NewSubscription extends AccountScope {
  /** The tier of the subscription; null ends an existing subscription at once. */
  readonly tier: SubscriptionTier | null
}

/**
 * Starts a subscription now, or replaces the present one; its first allowance comes with its next
 * period (docs/contract.md §8). `period` is an ISO 8601 duration. Throws CONFLICT for a live
 * subscription of the same tier whose cancellation is scheduled, because to resume it may charge a card;
 * in the sandbox nobody pays, and it begins anew.
 */
export async function setSubscription(
  tx: Transaction,
  wanted: NewSubscription,
  period: string,
): Promise<void> {
  await writeSubscription(tx, wanted, period)
  await setPlan(tx, wanted)
}

const cancelNow: Statement = {
  name: 'subscription-cancel-now',
  text: `UPDATE account.subscription SET ${ending}, ${settled}
    WHERE account_id = $1 AND environment = $2 AND status <> 'canceled' RETURNING ${columns}`,
}

const startOrReplace: Statement = {
  name: 'subscription-start',
  text: `
    INSERT INTO account.subscription AS s
      (account_id, environment, tier, period, current_period_end)
    SELECT $1, environment, $3, $4::interval, now() + $4::interval
    FROM unnest($2::text[]) AS environment
    ON CONFLICT (account_id, environment) DO UPDATE SET
      tier = excluded.tier, period = excluded.period, status = 'active', canceled_at = NULL,
      anchor_at = now(), current_period_start = now(),
      current_period_end = excluded.current_period_end, ${settled}
    WHERE s.status = 'canceled' OR s.tier <> excluded.tier OR (s.status = 'scheduled_to_cancel'
      AND (s.current_period_end <= now() OR s.environment = 'sandbox'))`,
}

interface NewSubscriptions {
  readonly accountId: string
  readonly environments: readonly Environment[]
  readonly tier: SubscriptionTier
}

/**
 * Starts a subscription now in each environment, or replaces the present one. The caller sets the
 * plans. `period` is an ISO 8601 duration.
 */
export async function startSubscriptions(
  tx: Transaction,
  { accountId, environments, tier }: NewSubscriptions,
  period: string,
): Promise<void> {
  await tx.query(startOrReplace, [accountId, environments, tier, period])
}

async function refuseToResume(
  tx: Transaction,
  { accountId, environment, tier }: NewSubscription,
): Promise<void> {
  const [current] = await tx.query<SubscriptionRow>(lockSubscription, [accountId, environment])
  const isScheduled = current?.status === EntitlementStatus.scheduled_to_cancel
  if (!isScheduled || current.tier !== tier) return
  throw new DomainError(
    'CONFLICT',
    `The subscription is ${describe(current)}: resumeSubscription takes that back.`,
  )
}

async function writeSubscription(
  tx: Transaction,
  { accountId, environment, tier }: NewSubscription,
  period: string,
): Promise<void> {
  if (tier !== null) {
    if (environment === 'live') await refuseToResume(tx, { accountId, environment, tier })
    await startSubscriptions(tx, { accountId, environments: [environment], tier }, period)
    return
  }
  const [ended] = await tx.query<SubscriptionRow>(cancelNow, [accountId, environment])
  if (!ended) return
  await publish(tx, { accountId, environment }, 'subscription.canceled', eventData(ended))
}

const lockDue: Statement = {
  name: 'subscription-lock-due',
  text: `
    SELECT s.tier, s.status = 'active' AND a.status = 'ACTIVE' AND NOT EXISTS (
        SELECT FROM account.invoice i JOIN account.payment p ON p.id = i.payment_id
        WHERE i.account_id = s.account_id AND i.environment = s.environment
          AND i.status = 'open' AND p.period_start = s.current_period_start
      ) AS renews
    FROM account.subscription s JOIN account.account a ON a.id = s.account_id
    WHERE s.account_id = $1 AND s.environment = $2
      AND s.status <> 'canceled' AND s.current_period_end <= now()
    FOR UPDATE OF s`,
}

const endPeriod = (name: string, setClause: string): Statement => ({
  name,
  text: `UPDATE account.subscription SET ${setClause}
    WHERE account_id = $1 AND environment = $2 RETURNING ${columns}`,
})

const renew = endPeriod(
  'subscription-renew',
  `${renewal}, tier = coalesce(next_tier, tier), ${settled}`,
)
const end = endPeriod('subscription-end', `${ending}, ${settled}`)

const dueTier: Statement = {
  name: 'subscription-due-tier',
  text: `SELECT coalesce(next_tier, tier) AS tier FROM account.subscription
    WHERE account_id = $1 AND environment = $2 AND status = 'active'
      AND current_period_end <= now()`,
}

/** The net price of the period that seems to be due; null if none does. */
export async function duePriceOf(database: Database, owner: AccountScope): Promise<number | null> {
  const key = [owner.accountId, owner.environment]
  const [due] = await database.query<{ tier: SubscriptionTier }>(dueTier, key)
  return due ? planOf(due.tier).price_cents : null
}

interface DueSubscription {
  /** The tier of the period that is over. */
  readonly tier: SubscriptionTier
  readonly renews: boolean
}

interface Renewing {
  /** The days for which an allowance comes before its payment; 0: it comes with the payment. */
  readonly graceDays: number
  readonly pricing: Pricing
}

/**
 * Ends or renews a subscription whose period is over. Concurrent calls do this once; null if the
 * period is not over. Periods that ended unnoticed are skipped. An unpaid subscription ends, and so
 * does one of a suspended or closed account, for which nothing is bought. The allowance comes with
 * the payment, or at once if there are days of grace. A plan that was chosen for the next period begins.
 */
export async function endSubscriptionPeriod(
  tx: Transaction,
  { accountId, environment }: AccountScope,
  { graceDays, pricing }: Renewing,
): Promise<PeriodOutcome | null> {
  const owner = { accountId, environment }
  const key = [accountId, environment]
  const [due] = await tx.query<DueSubscription>(lockDue, key)
  if (!due) return null
  const [changed] = await tx.query<SubscriptionRow>(due.renews ? renew : end, key)
  if (!changed) throw new Error('A locked subscription is missing.')
  if (due.renews) {
    const renewed = toSubscription(changed)
    if (renewed.tier !== due.tier) await setPlan(tx, { ...owner, tier: renewed.tier })
    // The allowance comes before the invoice, because a settlement locks the balance before the counter
    // of invoices.
    if (graceDays > 0) await grantInAdvance(tx, owner, renewed, graceDays)
    await billPeriod(tx, owner, renewed, pricing)
  } else {
    await setPlan(tx, { ...owner, tier: null })
  }
  const outcome: PeriodOutcome = due.renews ? 'renewed' : 'canceled'
  await publish(tx, owner, `subscription.${outcome}`, eventData(changed))
  if (due.renews && changed.tier !== due.tier) {
    const data = { ...eventData(changed), previous_tier: due.tier }
    await publish(tx, owner, 'subscription.changed', data)
  }
  return outcome
}

const setSubscriptionTier: Statement = {
  name: 'plan-set-subscription-tier',
  text: `UPDATE account.plan SET subscription_tier = $3
    WHERE account_id = $1 AND environment = $2`,
}

/** Changes the basis of the rate limit. The caller has locked the row of the subscription. */
export async function setPlan(
  tx: Transaction,
  { accountId, environment, tier }: NewSubscription,
): Promise<void> {
  await tx.query(setSubscriptionTier, [accountId, environment, tier])
}
