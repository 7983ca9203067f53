import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { newId } from '../../../schema/vocabulary/ids.ts'
import type { Owner } from '../../shared/changes/change.ts'
import { enqueueJob } from '../../shared/jobs/jobs.ts'
import { postAnnounced, usualPriority } from '../ledger/ledger-entry.service.ts'
import { LedgerEntryKind } from '../ledger/ledger-entry.type.ts'
import { planOf } from '../prices/price-list.ts'
import { publish } from '../webhooks/event.service.ts'
import type { Subscription } from './subscription.type.ts'

const dayMs = 86_400_000

/** An allowance before its period is paid: what is left of it when the grace is over goes unless it is paid by then. */
export async function grantInAdvance(
  tx: SqlEntityManager,
  owner: Owner,
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

interface PaidRow {
  readonly id: string
  readonly credits: string
  readonly balance_after: string
  readonly ends_at: string
}

/** The allowance that a settled payment is for, or what its period is short of; once however often it is settled. */
export async function grantPaidAllowance(
  tx: SqlEntityManager,
  owner: Owner,
  paymentId: string,
): Promise<void> {
  const [row] = await tx.execute<PaidRow[]>(
    `SELECT (entry).id, (entry).credits, (entry).balance_after, ends_at
     FROM account.grant_paid_allowance(?, ?)`,
    [paymentId, newId('led')],
  )
  if (!row) return
  await publish(tx, owner, 'credits.granted', {
    ledger_entry_id: row.id,
    kind: LedgerEntryKind.allowance,
    credits: Number(row.credits),
    balance_after: Number(row.balance_after),
    expires_at: new Date(row.ends_at).toISOString(),
  })
}

/** What is kept for open holds comes up again so soon. */
const holdPatienceMs = 2000

interface EndedRow {
  readonly taken: string
  readonly kept: string
}

/** Takes back what is left of an allowance whose period is still not paid for; returns how much. */
export async function endGrace(tx: SqlEntityManager, owner: Owner, beganAt: Date): Promise<number> {
  const [row] = await tx.execute<EndedRow[]>('SELECT taken, kept FROM account.end_grace(?, ?, ?)', [
    owner.accountId,
    owner.environment,
    beganAt.toISOString(),
  ])
  if (Number(row?.kept) > 0) {
    const again = new Date(Date.now() + holdPatienceMs)
    await enqueueJob(tx, 'EndGrace', { ...owner, beganAt: beganAt.toISOString() }, again)
  }
  return Number(row?.taken)
}
