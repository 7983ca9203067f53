import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Environment } from '../../schema/caller.ts'
import type { Database, Statement } from '../shared/database.ts'
import { databaseFailure } from '../shared/database-failure.ts'
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
export async function cancelSubscription(
  { em, database }: { readonly em: SqlEntityManager; readonly database: Database },
  owner: Owner,
): Promise<Subscription> {
  // One that was active when its period ended has renewed, also before the job has said so.
  await turn(em, owner)
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
  wanted: NewSubscription,
): Promise<void> {
  await writeSubscription(tx, wanted)
  await setPlan(tx, wanted)
}

async function writeSubscription(
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

/**
 * Ends or renews up to `limit` subscriptions whose period is over, each once however many do this at
 * the same time; returns how many. Each is a transaction of its own: one that fails stops no other, and
 * no balance stays locked while another is waited for. Throws the first failure when all were tried.
 */
export async function turnSubscriptions(em: SqlEntityManager, limit: number): Promise<number> {
  const due = await em.execute<Pick<TurnedRow, 'account_id' | 'environment'>[]>(
    `SELECT account_id, environment FROM account.subscription
     WHERE status <> 'canceled' AND current_period_end <= now()
     ORDER BY current_period_end LIMIT ?`,
    [limit],
  )
  const failures: unknown[] = []
  let done = 0
  for (const { account_id: accountId, environment } of due) {
    try {
      if (await turn(em, { accountId, environment })) done += 1
    } catch (error) {
      // While the database is away the others would only wait for it, one after the other.
      if (databaseFailure(error)) throw error
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  return done
}

interface TurnedRow {
  readonly account_id: string
  readonly environment: Environment
  readonly tier: SubscriptionTier
  readonly status: EntitlementStatus
  readonly current_period_start: string
  readonly current_period_end: string
}

/** Whether its period was over. Periods that passed while nobody looked are skipped. */
function turn(em: SqlEntityManager, { accountId, environment }: Owner): Promise<boolean> {
  return em.transactional(async (tx) => {
    const [row] = await tx.execute<TurnedRow[]>(
      `UPDATE account.subscription SET
         status = CASE status WHEN 'active' THEN 'active' ELSE 'canceled' END,
         current_period_start = CASE status WHEN 'active'
           THEN anchor_at + (account.periods_begun(anchor_at, period, now()) - 1) * period
           ELSE current_period_start END,
         current_period_end = CASE status WHEN 'active'
           THEN anchor_at + account.periods_begun(anchor_at, period, now()) * period
           ELSE current_period_end END
       WHERE account_id = ? AND environment = ?
         AND status <> 'canceled' AND current_period_end <= now()
       RETURNING account_id, environment, tier, status, current_period_start, current_period_end`,
      [accountId, environment],
    )
    if (!row) return false
    if (row.status === EntitlementStatus.canceled) {
      await setPlan(tx, { accountId, environment, tier: null })
    } else {
      await grantAllowance(tx, row)
    }
    return true
  })
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
