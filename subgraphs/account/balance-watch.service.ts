import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Owner } from '../shared/change.ts'
import { rechargeIfLow } from './auto-recharge.service.ts'
import { levelsOf, nothing } from './balance-levels.ts'
import { publish } from './event.service.ts'

interface WatchedRow {
  readonly balance: string
  readonly announced_credits: string | null
  readonly is_watched: boolean
}

/**
 * Looks at a balance that left the range in which nothing can happen: announces that it has run low,
 * recharges it, and says when somebody must look again. Returns the payment that was started.
 *
 * A threshold is announced when the balance falls below it, and again only after the balance was a
 * fifth above; of several at once only the lowest is. What an account begins with is no news.
 */
export async function watchBalance(
  tx: SqlEntityManager,
  owner: Owner,
  lowCreditsThresholds: readonly number[],
): Promise<string | null> {
  const key = [owner.accountId, owner.environment]
  const [row] = await tx.execute<WatchedRow[]>(
    `SELECT balance, announced_credits, is_watched FROM account.balance
     WHERE account_id = ? AND environment = ? FOR UPDATE`,
    key,
  )
  if (!row) throw new Error(`The account ${owner.accountId} has no balance.`)
  const balance = Number(row.balance)
  const announced = row.announced_credits === null ? null : Number(row.announced_credits)
  const levels = levelsOf(balance, announced, lowCreditsThresholds)
  if (row.is_watched && levels.fresh !== null) await announce(tx, owner, balance, levels.fresh)
  const { thresholdCredits, paymentId } = await rechargeIfLow(tx, owner, balance)
  await tx.execute(
    `UPDATE account.balance SET is_watched = true, announced_credits = ?,
       watch_below = greatest(?::bigint, ?::bigint), watch_above = ?
     WHERE account_id = ? AND environment = ?`,
    [levels.announced, levels.below, thresholdCredits, levels.above, ...key],
  )
  return paymentId
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
