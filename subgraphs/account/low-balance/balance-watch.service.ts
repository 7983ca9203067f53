import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { Statement, Transaction } from '../../shared/database/database.ts'
import { isRechargeBarred } from '../ledger/clawback.service.ts'
import type { Pricing } from '../payments/invoices/tax.service.ts'
import { publish } from '../webhooks/event.service.ts'
import { exhaustedBelow, type Levels, levelsOf } from './balance-levels.ts'
import { type RechargeStep, rechargeIfLow } from './recharge.service.ts'

const lockBalance: Statement = {
  name: 'balance-watch-lock',
  text: `SELECT balance, announced_credits AS "announcedCredits" FROM account.balance
    WHERE account_id = $1 AND environment = $2 FOR UPDATE`,
}

interface WatchedBalance {
  readonly balance: number
  readonly announcedCredits: number | null
}

/**
 * Handles a balance that left the range in which nothing can happen: announces that it is low,
 * recharges it, and stores the next range. Returns the step that recharging took.
 *
 * A threshold is announced when the balance falls below it, and again only after the balance was a
 * fifth above it. If several are crossed at once, only the lowest is announced.
 */
export async function watchBalance(
  tx: Transaction,
  owner: AccountScope,
  lowCreditsThresholds: readonly number[],
  pricing: Pricing,
): Promise<RechargeStep | null> {
  const key = [owner.accountId, owner.environment]
  const [watched] = await tx.query<WatchedBalance>(lockBalance, key)
  if (!watched) throw new Error(`The account ${owner.accountId} has no balance.`)
  const { balance, announcedCredits } = watched
  const levels = levelsOf(balance, announcedCredits, lowCreditsThresholds)
  if (levels.fresh !== null) await announce(tx, owner, balance, levels.fresh)
  // The next charge starts a new check, and so does a balance that is no longer negative.
  if (await isRechargeBarred(tx, owner)) {
    const above = balance < 0 ? 0 : levels.above
    await storeRange(tx, owner, { ...levels, above }, balance)
    return null
  }
  const { thresholdCredits, step } = await rechargeIfLow(tx, owner, balance, pricing)
  await storeRange(tx, owner, levels, thresholdCredits)
  return step
}

/** The first balance announces nothing: its levels count as announced. */
export async function watchFrom(
  tx: Transaction,
  owner: AccountScope,
  balance: number,
  lowCreditsThresholds: readonly number[],
): Promise<void> {
  await storeRange(tx, owner, levelsOf(balance, null, lowCreditsThresholds), null)
}

const setRange: Statement = {
  name: 'balance-watch-set-range',
  text: `UPDATE account.balance SET announced_credits = $3,
      watch_below = greatest($4::bigint, $5::bigint), watch_above = $6
    WHERE account_id = $1 AND environment = $2`,
}

async function storeRange(
  tx: Transaction,
  { accountId, environment }: AccountScope,
  { announced, below, above }: Levels,
  thresholdCredits: number | null,
): Promise<void> {
  const range = [announced, below, thresholdCredits, above]
  await tx.query(setRange, [accountId, environment, ...range])
}

function announce(
  tx: Transaction,
  owner: AccountScope,
  balance: number,
  level: number,
): Promise<void> {
  if (level === exhaustedBelow) return publish(tx, owner, 'credits.exhausted', { balance })
  return publish(tx, owner, 'credits.low', { balance, threshold_credits: level })
}
