import { newId } from '../../../../schema/vocabulary/ids.ts'
import { recordChange } from '../../../shared/changes/change.ts'
import type { Statement, Transaction } from '../../../shared/database/database.ts'
import type { GraphContext } from '../../../shared/graph/context.ts'
import { blockPayments, suspendIfBlocked } from '../../payment-blocks/payment-block.service.ts'
import { publish } from '../../webhooks/event.service.ts'
import type {
  ReportedDispute,
  ReportedDisputeStatus,
} from '../providers/returns/return-notification.ts'
import { type LockedPayment, settleReturns, sumsOf } from './returned-payment.service.ts'

type DisputeStatus = 'inquiry' | 'open' | 'lost' | 'won'

/**
 * The status of a dispute only moves up, and its two facts only become true. So the order of
 * notifications does not matter.
 */
const rank: Readonly<Record<DisputeStatus, number>> = { inquiry: 0, open: 1, lost: 2, won: 3 }

interface DisputeState {
  readonly status: DisputeStatus
  readonly isWithdrawn: boolean
  readonly isReinstated: boolean
}

const unknown: DisputeState = { status: 'inquiry', isWithdrawn: false, isReinstated: false }

/** The state after a notification. */
function disputeAfter(state: DisputeState, reported: ReportedDisputeStatus): DisputeState {
  const isFunds = reported === 'funds_withdrawn' || reported === 'funds_reinstated'
  const status = isFunds ? 'open' : reported
  return {
    status: rank[status] > rank[state.status] ? status : state.status,
    isWithdrawn: state.isWithdrawn || reported === 'funds_withdrawn' || reported === 'lost',
    isReinstated: state.isReinstated || reported === 'funds_reinstated' || reported === 'won',
  }
}

const findDispute: Statement = {
  name: 'dispute-find',
  text: `SELECT id, status, is_withdrawn AS "isWithdrawn", is_reinstated AS "isReinstated"
    FROM account.payment_dispute WHERE payment_id = $1 AND reference = $2`,
}

const storeDispute: Statement = {
  name: 'dispute-store',
  text: `INSERT INTO account.payment_dispute (id, account_id, environment, payment_id, reference,
      amount_cents, status, is_withdrawn, is_reinstated)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    ON CONFLICT (payment_id, reference) DO UPDATE SET status = excluded.status,
      is_withdrawn = excluded.is_withdrawn, is_reinstated = excluded.is_reinstated`,
}

/**
 * Enters a dispute as the provider describes it. The payment is locked. A repetition changes
 * nothing.
 */
export async function enterDispute(
  tx: Transaction,
  context: Pick<GraphContext, 'caller'>,
  payment: LockedPayment,
  { reference, amountCents, status: reported }: ReportedDispute,
): Promise<void> {
  const sums = await sumsOf(tx, payment.id)
  const values = [payment.id, reference]
  const [known] = await tx.query<DisputeState & { id: string }>(findDispute, values)
  const was = known ?? unknown
  const now = disputeAfter(was, reported)
  if (known && isSame(was, now)) return
  const owner = { accountId: payment.accountId, environment: payment.environment }
  const id = known?.id ?? newId('dsp')
  await tx.query(storeDispute, [
    ...[id, owner.accountId, owner.environment, payment.id, reference, amountCents],
    ...[now.status, now.isWithdrawn, now.isReinstated],
  ])
  const isFirst = was.status === 'inquiry' && now.status !== 'inquiry'
  // A renewal locks the subscription before the balance, so the block comes first.
  if (isFirst) {
    const { id: paymentId, paymentMethod } = payment
    await blockPayments(tx, owner, { disputeId: id, paymentId, paymentMethod })
  }
  const description = `Dispute of ${payment.packageName}`
  const credits = await settleReturns(tx, payment, sums, { id, description })
  if (isFirst) await suspendIfBlocked(tx, owner, payment.id)
  const details = { payment_id: payment.id, amount_cents: amountCents, status: reported, credits }
  const action = 'payment_dispute.change'
  await recordChange(tx, context, { owner, action }, { resourceId: id, details })
  const data = {
    ...{ payment_id: payment.id, dispute_id: id, amount_cents: amountCents },
    currency: payment.currency,
  }
  if (isFirst) await publish(tx, owner, 'payment.disputed', data)
  const isClosed = now.status === 'won' || now.status === 'lost'
  if (isClosed && now.status !== was.status) {
    const outcome = now.status === 'won' ? 'won' : 'lost'
    await publish(tx, owner, 'payment.dispute_closed', { ...data, outcome })
  }
}

function isSame(one: DisputeState, other: DisputeState): boolean {
  return (
    one.status === other.status &&
    one.isWithdrawn === other.isWithdrawn &&
    one.isReinstated === other.isReinstated
  )
}
