import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Owner } from '../../shared/changes/change.ts'
import { publish } from '../webhooks/event.service.ts'
import { type RechargeStep, rechargeIfLow } from './auto-recharge.service.ts'
import { type Levels, levelsOf, nothing } from './balance-levels.ts'

interface WatchedRow {
  readonly balance: string
  readonly announced_credits: string | null
}

/**
 * Looks at a balance that left the range in which nothing can happen: announces that it has run low,
 * recharges it, and says when somebody must look again. Returns what recharging did.
 *
 * A threshold is announced when the balance falls below it, and again only after the balance was a
 * fifth above; of several at once only the lowest is. What an account begins with is no news.
 */
export async function watchBalance(
  tx: SqlEntityManager,
  owner: Owner,
  lowCreditsThresholds: readonly number[],
): Promise<RechargeStep | null> {
  const key = [owner.accountId, owner.environment]
  const [row] = await tx.execute<WatchedRow[]>(
    `SELECT balance, announced_credits FROM account.balance
     WHERE account_id = ? AND environment = ? FOR UPDATE`,
    key,
  )
  if (!row) throw new Error(`The account ${owner.accountId} has no balance.`)
  const balance = Number(row.balance)
  const announced = row.announced_credits === null ? null : Number(row.announced_credits)
  const levels = levelsOf(balance, announced, lowCreditsThresholds)
  if (levels.fresh !== null) await announce(tx, owner, balance, levels.fresh)
  const { thresholdCredits, step } = await rechargeIfLow(tx, owner, balance)
  await watch(tx, owner, levels, thresholdCredits)
  return step
}

/** What an account begins with is no news: its levels are as if they had been announced. */
export async function watchFrom(
  tx: SqlEntityManager,
  owner: Owner,
  balance: number,
  lowCreditsThresholds: readonly number[],
): Promise<void> {
  await watch(tx, owner, levelsOf(balance, null, lowCreditsThresholds), null)
}

async function watch(
  tx: SqlEntityManager,
  { accountId, environment }: Owner,
  { announced, below, above }: Levels,
  thresholdCredits: number | null,
): Promise<void> {
  await tx.execute(
    `UPDATE account.balance SET announced_credits = ?,
       watch_below = greatest(?::bigint, ?::bigint), watch_above = ?
     WHERE account_id = ? AND environment = ?`,
    [announced, below, thresholdCredits, above, accountId, environment],
  )
}

function announce(
  tx: SqlEntityManager,
  owner: Owner,
  balance: number,
  level: number,
): Promise<void> {
  if (level === nothing) return publish(tx, owner, 'credits.exhausted', { balance })
  return publish(tx, owner, 'credits.low', { balance, threshold_credits: level })
}
