import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Environment } from '../../schema/caller.ts'
import type { Database, Statement } from '../shared/database.ts'
import { DomainError } from '../shared/errors.ts'
import { postEntry, usualPriority } from './ledger-entry.service.ts'
import { LedgerEntryKind } from './ledger-entry.type.ts'
import { planOf, priceList } from './price-list.ts'
import { EntitlementStatus, type Subscription } from './subscription.type.ts'
import type { SubscriptionTier } from './tiers.ts'

/** Whose state: an account in one environment. */
export interface Owner {
  readonly accountId: string
  readonly environment: Environment
}

interface SubscriptionRow {
  readonly tier: SubscriptionTier
  readonly status: EntitlementStatus
  readonly current_period_start: Date
  readonly current_period_end: Date
  readonly canceled_at: Date | null
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

const scheduleCancel: Statement = {
  name: 'subscription-cancel',
  text: `UPDATE account.subscription SET status = 'scheduled_to_cancel', canceled_at = now()
    WHERE account_id = $1 AND environment = $2 AND status = 'active' RETURNING ${columns}`,
}

const resume: Statement = {
  name: 'subscription-resume',
  text: `UPDATE account.subscription SET status = 'active', canceled_at = NULL
    WHERE account_id = $1 AND environment = $2 AND status = 'scheduled_to_cancel'
      AND current_period_end > now() RETURNING ${columns}`,
}

function toSubscription(row: SubscriptionRow): Subscription {
  return {
    tier: row.tier,
    status: row.status,
    currentPeriodStart: row.current_period_start,
    currentPeriodEnd: row.current_period_end,
    cancelAtPeriodEnd: row.status === EntitlementStatus.scheduled_to_cancel,
    canceledAt: row.canceled_at,
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
export function cancelSubscription(database: Database, owner: Owner): Promise<Subscription> {
  return change(database, owner, scheduleCancel)
}

/** It renews after all. Throws CONFLICT unless a cancellation is scheduled. */
export function resumeSubscription(database: Database, owner: Owner): Promise<Subscription> {
  return change(database, owner, resume)
}

async function change(
  database: Database,
  owner: Owner,
  statement: Statement,
): Promise<Subscription> {
  const { accountId, environment } = owner
  const [row] = await database.query<SubscriptionRow>(statement, [accountId, environment])
  if (row) return toSubscription(row)
  const found = await findSubscription(database, owner)
  throw new DomainError('CONFLICT', `The subscription is ${describe(found)}.`)
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

/** Starts a subscription, or makes the present one another, from now on; its first allowance comes with its next period (contract §8). */
export async function setSubscription(
  tx: SqlEntityManager,
  { accountId, environment, tier }: NewSubscription,
): Promise<void> {
  if (tier === null) {
    await tx.execute(
      `UPDATE account.subscription SET status = 'canceled', canceled_at = coalesce(canceled_at, now())
       WHERE account_id = ? AND environment = ? AND status <> 'canceled'`,
      [accountId, environment],
    )
    return
  }
  const { period } = priceList
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

interface TurnedRow {
  readonly account_id: string
  readonly environment: Environment
  readonly tier: SubscriptionTier
  readonly status: EntitlementStatus
  readonly current_period_start: string
  readonly current_period_end: string
}

/**
 * Ends or renews up to `limit` subscriptions whose period is over, each once however many do this at
 * the same time; returns how many. Periods that passed while nobody looked are skipped.
 */
export function turnSubscriptions(em: SqlEntityManager, limit: number): Promise<number> {
  return em.transactional(async (tx) => {
    const turned = await tx.execute<TurnedRow[]>(
      `WITH due AS (
         SELECT account_id, environment,
           account.periods_begun(anchor_at, period, now()) AS periods
         FROM account.subscription
         WHERE status <> 'canceled' AND current_period_end <= now()
         ORDER BY account_id, environment LIMIT ? FOR UPDATE SKIP LOCKED
       ), renewed AS (
         UPDATE account.subscription s SET
           current_period_start = s.anchor_at + (d.periods - 1) * s.period,
           current_period_end = s.anchor_at + d.periods * s.period
         FROM due d
         WHERE s.account_id = d.account_id AND s.environment = d.environment
           AND s.status = 'active'
         RETURNING s.*
       ), ended AS (
         UPDATE account.subscription s SET status = 'canceled' FROM due d
         WHERE s.account_id = d.account_id AND s.environment = d.environment
           AND s.status = 'scheduled_to_cancel'
         RETURNING s.*
       )
       SELECT account_id, environment, tier, status, current_period_start, current_period_end
       FROM renewed
       UNION ALL
       SELECT account_id, environment, tier, status, current_period_start, current_period_end
       FROM ended`,
      [limit],
    )
    for (const row of turned) {
      if (row.status === EntitlementStatus.canceled) await endPlan(tx, row)
      else await grantAllowance(tx, row)
    }
    return turned.length
  })
}

async function endPlan(tx: SqlEntityManager, row: TurnedRow): Promise<void> {
  await tx.execute(
    'UPDATE account.plan SET subscription_tier = NULL WHERE account_id = ? AND environment = ?',
    [row.account_id, row.environment],
  )
}

async function grantAllowance(tx: SqlEntityManager, row: TurnedRow): Promise<void> {
  const { name, monthly_credits } = planOf(row.tier)
  await postEntry(tx, {
    accountId: row.account_id,
    environment: row.environment,
    kind: LedgerEntryKind.allowance,
    credits: monthly_credits,
    description: `${name} subscription`,
    ref: `allowance:${new Date(row.current_period_start).toISOString()}`,
    expiresAt: new Date(row.current_period_end),
    priority: usualPriority,
  })
}
