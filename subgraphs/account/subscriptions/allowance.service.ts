import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import type { Statement, Transaction } from '../../shared/database/database.ts'
import { enqueueJob } from '../../shared/jobs/jobs.ts'
import { postAnnounced, usualPriority } from '../ledger/ledger-entry.service.ts'
import { LedgerEntryKind } from '../ledger/ledger-entry.type.ts'
import { planOf } from '../prices/price-list.ts'
import { publish } from '../webhooks/event.service.ts'
import type { Subscription } from './subscription.type.ts'

const dayMs = 86_400_000

/**
 * Grants an allowance before its period is paid. If the payment is missing when the grace is over,
 * the remaining credits are taken back.
 */
export async function grantInAdvance(
  tx: Transaction,
  owner: AccountScope,
  { tier, currentPeriodStart, currentPeriodEnd }: Subscription,
  graceDays: number,
): Promise<void> {
  const { name, monthly_credits } = planOf(tier)
  const beganAt = currentPeriodStart.toISOString()
  await postAnnounced(tx, {
    ...owner,
    kind: LedgerEntryKind.allowance,
    credits: monthly_credits,
    description: `${name} subscription`,
    ref: `allowance:${beganAt}`,
    expiresAt: currentPeriodEnd,
    priority: usualPriority,
  })
  const graceEnd = new Date(currentPeriodStart.getTime() + graceDays * dayMs)
  await enqueueJob(tx, 'EndGrace', { ...owner, beganAt }, graceEnd)
}

const grantPaid: Statement = {
  name: 'allowance-grant-paid',
  text: `SELECT (entry).id, (entry).credits, (entry).balance_after AS "balanceAfter",
      ends_at AS "endsAt"
    FROM account.grant_paid_allowance($1, $2)`,
}

interface GrantedAllowance {
  readonly id: string
  readonly credits: number
  readonly balanceAfter: number
  readonly endsAt: Date
}

/**
 * Grants the allowance of a settled payment, or the credits that its period lacks. A repeated
 * settlement grants nothing again.
 */
export async function grantPaidAllowance(
  tx: Transaction,
  owner: AccountScope,
  paymentId: string,
): Promise<void> {
  const [granted] = await tx.query<GrantedAllowance>(grantPaid, [paymentId, newId('led')])
  if (!granted) return
  const { id, credits, balanceAfter, endsAt } = granted
  await publish(tx, owner, 'credits.granted', {
    ledger_entry_id: id,
    ...{ kind: LedgerEntryKind.allowance, credits, balance_after: balanceAfter },
    expires_at: endsAt.toISOString(),
  })
}

/** Credits that open holds may still use are checked again after this time. */
const recheckMs = 2000

const takeBack: Statement = {
  name: 'allowance-take-back',
  text: 'SELECT taken, kept FROM account.end_grace($1, $2, $3)',
}

/** Takes the remaining credits of an unpaid period's allowance back. Returns their number. */
export async function endGrace(
  tx: Transaction,
  owner: AccountScope,
  beganAt: Date,
): Promise<number> {
  const values = [owner.accountId, owner.environment, beganAt.toISOString()]
  const [ended] = await tx.query<{ taken: number; kept: number }>(takeBack, values)
  if (!ended) throw new Error('A function that returns one row returned none.')
  if (ended.kept > 0) {
    const again = new Date(Date.now() + recheckMs)
    await enqueueJob(tx, 'EndGrace', { ...owner, beganAt: beganAt.toISOString() }, again)
  }
  return ended.taken
}
