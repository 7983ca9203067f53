import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Owner } from '../../shared/changes/change.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { planOf } from '../prices/price-list.ts'
import type { SubscriptionTier } from '../prices/tiers.ts'
import { publish } from '../webhooks/event.service.ts'
import { grantInAdvance } from './allowance.service.ts'
import { EntitlementStatus, type Subscription } from './subscription.type.ts'
import { billAgain, billPeriod } from './subscription-billing.service.ts'

interface SubscriptionRow {
  readonly tier: SubscriptionTier
  readonly status: EntitlementStatus
  /** Text within a transaction. */
  readonly current_period_start: Date | string
  readonly current_period_end: Date | string
  readonly canceled_at: Date | string | null
}

// A period that is over is over, also in the moment before the job has said so.
const columns = `
  tier, current_period_start, current_period_end, canceled_at,
  CASE WHEN status = 'scheduled_to_cancel' AND current_period_end <= now() THEN 'canceled'
    ELSE status END AS status`

const subscriptionOf: Statement = {
  name: 'subscription-of',
  text: `SELECT ${columns} FROM account.subscription WHERE account_id = $1 AND environment = $2`,
}

function toSubscription(row: SubscriptionRow): Subscription {
  return {
    tier: row.tier,
    status: row.status,
    currentPeriodStart: new Date(row.current_period_start),
    currentPeriodEnd: new Date(row.current_period_end),
    cancelAtPeriodEnd: row.status === EntitlementStatus.scheduled_to_cancel,
    canceledAt: row.canceled_at === null ? null : new Date(row.canceled_at),
    monthlyCredits: planOf(row.tier).monthly_credits,
  }
}

/** The subscription as it stands, or null when there never was one. */
export async function findSubscription(
  database: Database,
  { accountId, environment }: Owner,
): Promise<Subscription | null> {
  const [row] = await database.query<SubscriptionRow>(subscriptionOf, [accountId, environment])
  return row ? toSubscription(row) : null
}

/** From its period's end on there is none. Throws CONFLICT unless it is active. */
export async function cancelSubscription(
  tx: SqlEntityManager,
  owner: Owner,
): Promise<Subscription> {
  const canceled = await change(tx, owner, {
    from: EntitlementStatus.active,
    set: `status = 'scheduled_to_cancel', canceled_at = now()`,
  })
  await publish(tx, owner, 'subscription.cancel_scheduled', {
    ...eventData(canceled),
    failure_reason: null,
  })
  return canceled
}

/**
 * It renews after all, and a payment that was declined is tried again. Throws CONFLICT unless a
 * cancellation is scheduled.
 */
export async function resumeSubscription(
  tx: SqlEntityManager,
  owner: Owner,
): Promise<Subscription> {
  const resumed = await change(tx, owner, {
    from: EntitlementStatus.scheduled_to_cancel,
    set: `status = 'active', canceled_at = NULL`,
  })
  await billAgain(tx, owner, resumed)
  await publish(tx, owner, 'subscription.resumed', eventData(resumed))
  return resumed
}

interface Transition {
  readonly from: EntitlementStatus
  /** SQL. */
  readonly set: string
}

async function change(
  tx: SqlEntityManager,
  { accountId, environment }: Owner,
  { from, set }: Transition,
): Promise<Subscription> {
  const [current] = await tx.execute<SubscriptionRow[]>(
    `SELECT ${columns} FROM account.subscription
     WHERE account_id = ? AND environment = ? FOR UPDATE`,
    [accountId, environment],
  )
  if (current?.status !== from) {
    const found = current ? toSubscription(current) : null
    throw new DomainError('CONFLICT', `The subscription is ${describe(found)}.`)
  }
  const [row] = await tx.execute<SubscriptionRow[]>(
    `UPDATE account.subscription SET ${set} WHERE account_id = ? AND environment = ?
     RETURNING ${columns}`,
    [accountId, environment],
  )
  if (!row) throw new Error('A locked subscription is gone.')
  return toSubscription(row)
}

/** As the events of a subscription show it. */
function eventData({ tier, status, currentPeriodStart, currentPeriodEnd }: Subscription) {
  return {
    tier,
    status,
    current_period_start: currentPeriodStart.toISOString(),
    current_period_end: currentPeriodEnd.toISOString(),
  }
}

function describe(subscription: Subscription | null): string {
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

interface NewSubscription extends Owner {
  /** Null ends whatever there is, at once. */
  readonly tier: SubscriptionTier | null
}

/**
 * Starts a subscription, or makes the present one another, from now on; its first allowance comes with
 * its next period (docs/contract.md §8). `period` is an ISO 8601 duration.
 */
export async function setSubscription(
  tx: SqlEntityManager,
  wanted: NewSubscription,
  period: string,
): Promise<void> {
  await writeSubscription(tx, wanted, period)
  await setPlan(tx, wanted)
}

async function writeSubscription(
  tx: SqlEntityManager,
  { accountId, environment, tier }: NewSubscription,
  period: string,
): Promise<void> {
  if (tier === null) {
    const [ended] = await tx.execute<SubscriptionRow[]>(
      `UPDATE account.subscription SET status = 'canceled', canceled_at = coalesce(canceled_at, now())
       WHERE account_id = ? AND environment = ? AND status <> 'canceled' RETURNING ${columns}`,
      [accountId, environment],
    )
    if (!ended) return
    const data = eventData(toSubscription(ended))
    return publish(tx, { accountId, environment }, 'subscription.canceled', data)
  }
  await tx.execute(
    `INSERT INTO account.subscription AS s
       (account_id, environment, tier, period, current_period_end)
     VALUES (?, ?, ?, ?::interval, now() + ?::interval)
     ON CONFLICT (account_id, environment) DO UPDATE SET
       tier = excluded.tier, period = excluded.period, status = 'active', canceled_at = NULL,
       anchor_at = now(), current_period_start = now(),
       current_period_end = excluded.current_period_end
     WHERE s.status = 'canceled' OR s.tier <> excluded.tier`,
    [accountId, environment, tier, period, period],
  )
}

const nextPeriod = `
  current_period_start = anchor_at + (account.periods_begun(anchor_at, period, now()) - 1) * period,
  current_period_end = anchor_at + account.periods_begun(anchor_at, period, now()) * period`
const ending = `status = 'canceled', canceled_at = coalesce(canceled_at, now())`

/** What the end of a period made of a subscription. */
export type Turn = 'renewed' | 'canceled'

/** As the audit trail's verbs. */
export const turnActions = { renewed: 'renew', canceled: 'end' }

/**
 * Ends or renews a subscription whose period is over, once however many do this at the same time;
 * null: it is not over. Periods that passed while nobody looked are skipped. It ends when the period
 * has not been paid for, and with the account: for one that is suspended or closed nothing is bought.
 * The allowance comes with the payment, or, with days of grace, at once.
 */
export async function turnSubscription(
  tx: SqlEntityManager,
  { accountId, environment }: Owner,
  graceDays: number,
): Promise<Turn | null> {
  const [due] = await tx.execute<{ renews: boolean }[]>(
    `SELECT s.status = 'active' AND a.status = 'ACTIVE' AND NOT EXISTS (
         SELECT FROM account.invoice i JOIN account.payment p ON p.id = i.payment_id
         WHERE i.account_id = s.account_id AND i.environment = s.environment
           AND i.status = 'open' AND p.period_start = s.current_period_start
       ) AS renews
     FROM account.subscription s JOIN account.account a ON a.id = s.account_id
     WHERE s.account_id = ? AND s.environment = ?
       AND s.status <> 'canceled' AND s.current_period_end <= now()
     FOR UPDATE OF s`,
    [accountId, environment],
  )
  if (!due) return null
  const [row] = await tx.execute<SubscriptionRow[]>(
    `UPDATE account.subscription SET ${due.renews ? nextPeriod : ending}
     WHERE account_id = ? AND environment = ? RETURNING ${columns}`,
    [accountId, environment],
  )
  if (!row) throw new Error('A locked subscription is gone.')
  const owner = { accountId, environment }
  const turned = toSubscription(row)
  if (due.renews) {
    // The balance before the counter of invoices: a settlement locks them in this order.
    if (graceDays > 0) await grantInAdvance(tx, owner, turned, graceDays)
    await billPeriod(tx, owner, turned)
  } else {
    await setPlan(tx, { ...owner, tier: null })
  }
  const turn: Turn = due.renews ? 'renewed' : 'canceled'
  await publish(tx, owner, `subscription.${turn}`, eventData(turned))
  return turn
}

/** What the rate limit comes from; the subscription's row is locked by then. */
async function setPlan(
  tx: SqlEntityManager,
  { accountId, environment, tier }: NewSubscription,
): Promise<void> {
  await tx.execute(
    'UPDATE account.plan SET subscription_tier = ? WHERE account_id = ? AND environment = ?',
    [tier, accountId, environment],
  )
}
