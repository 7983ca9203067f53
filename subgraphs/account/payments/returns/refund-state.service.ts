import { newId } from '../../../../schema/vocabulary/ids.ts'
import { recordChange } from '../../../shared/changes/change.ts'
import type { Statement, Transaction } from '../../../shared/database/database.ts'
import type { GraphContext } from '../../../shared/graph/context.ts'
import { publish } from '../../webhooks/event.service.ts'
import type { RefundStatus, ReportedRefund } from '../providers/returns/return-notification.ts'
import { writeCreditNote } from './refund-note.service.ts'
import {
  type LockedPayment,
  type ReturnedSums,
  settleReturns,
  sumsOf,
} from './returned-payment.service.ts'

type Change = Pick<GraphContext, 'caller'>

/**
 * The status of a refund only moves up: whatever the order of its notifications, the highest status
 * stays.
 */
const rank: Readonly<Record<RefundStatus, number>> = { pending: 0, succeeded: 1, failed: 2 }

interface StoredRefund {
  readonly id: string
  readonly amountCents: number
  readonly status: RefundStatus
}

const columns = 'id, amount_cents AS "amountCents", status'

const findRefund: Statement = {
  name: 'refund-find',
  text: `SELECT ${columns} FROM account.payment_refund
    WHERE payment_id = $1 AND (reference = $2 OR (id = $3 AND reference IS NULL)
      OR (is_unnamed AND amount_cents = $4))
    ORDER BY reference IS NULL, is_unnamed, id LIMIT 1`,
}

const addRefund: Statement = {
  name: 'refund-add',
  text: `INSERT INTO account.payment_refund (id, account_id, environment, payment_id, reference,
      amount_cents, status, is_unnamed, settled_at, failure_reason, noted_cents, ask_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, CASE WHEN $7 = 'pending' THEN NULL ELSE now() END, $9,
      $10, now() + interval '45 s')`,
}

const setStatus: Statement = {
  name: 'refund-set-status',
  text: `UPDATE account.payment_refund SET status = $2, reference = coalesce(reference, $3),
      failure_reason = coalesce($4, failure_reason), is_unnamed = false,
      settled_at = CASE WHEN $2 = 'pending' THEN NULL ELSE now() END
    WHERE id = $1`,
}

/**
 * Enters a refund as the provider describes it. The payment is locked. A repetition changes
 * nothing.
 */
export async function enterRefund(
  tx: Transaction,
  context: Change,
  payment: LockedPayment,
  reported: ReportedRefund,
): Promise<void> {
  const before = await sumsOf(tx, payment.id)
  const { reference, refundId = null, failureReason = null } = reported
  const { amountCents } = reported
  const asked = [payment.id, reference, refundId, amountCents]
  const [known] = await tx.query<StoredRefund>(findRefund, asked)
  if (known) {
    const status = higher(known.status, reported.status)
    await tx.query(setStatus, [known.id, status, reference, failureReason])
    const now = { ...known, status }
    return settleRefund(tx, context, payment, { before, was: known.status, now })
  }
  const { absorbed, notedCents } = await absorbUnnamed(tx, payment, amountCents)
  // A sum that the provider has reported before may include this refund.
  const was: RefundStatus = absorbed === amountCents ? 'succeeded' : 'pending'
  const status = higher(absorbed > 0 ? 'succeeded' : 'pending', reported.status)
  const now = { id: newId('rfd'), amountCents, status }
  const named = { reference, isUnnamed: false, failureReason, notedCents }
  await insertRefund(tx, payment, { ...now, ...named })
  const news = { ...now, amountCents: amountCents - absorbed }
  await settleRefund(tx, context, payment, { before, was, now: news })
}

interface NewRefund extends StoredRefund {
  readonly reference: string | null
  readonly isUnnamed: boolean
  readonly failureReason: string | null
  readonly notedCents: number
}

async function insertRefund(
  tx: Transaction,
  { id: paymentId, accountId, environment }: LockedPayment,
  { id, reference, amountCents, status, isUnnamed, failureReason, notedCents }: NewRefund,
): Promise<void> {
  const owner = [accountId, environment]
  const values = [paymentId, reference, amountCents, status, isUnnamed, failureReason]
  await tx.query(addRefund, [id, ...owner, ...values, notedCents])
}

function higher(one: RefundStatus, other: RefundStatus): RefundStatus {
  return rank[other] > rank[one] ? other : one
}

const knownCents: Statement = {
  name: 'refund-known-cents',
  text: `SELECT coalesce(sum(amount_cents), 0)::bigint AS cents FROM account.payment_refund
    WHERE payment_id = $1`,
}

/**
 * Enters the sum of all refunds that were started. Cents that no known refund explains become an
 * unnamed refund, until a notification names it.
 */
export async function enterReturnedCents(
  tx: Transaction,
  context: Change,
  payment: LockedPayment,
  returnedCents: number,
): Promise<void> {
  const before = await sumsOf(tx, payment.id)
  const [known = { cents: 0 }] = await tx.query<{ cents: number }>(knownCents, [payment.id])
  const amountCents = returnedCents - known.cents
  if (amountCents <= 0) return
  const now = { id: newId('rfd'), amountCents, status: 'succeeded' } as const
  const unnamed = { reference: null, isUnnamed: true, failureReason: null, notedCents: 0 }
  await insertRefund(tx, payment, { ...now, ...unnamed })
  await settleRefund(tx, context, payment, { before, was: 'pending', now })
}

const unnamedRefunds: Statement = {
  name: 'refund-unnamed',
  text: `SELECT ${columns}, noted_cents AS "notedCents" FROM account.payment_refund
    WHERE payment_id = $1 AND is_unnamed
    ORDER BY amount_cents = $2 DESC, id`,
}

const lowerUnnamed: Statement = {
  name: 'refund-lower-unnamed',
  text: `UPDATE account.payment_refund
    SET amount_cents = amount_cents - $2, noted_cents = noted_cents - $3 WHERE id = $1`,
}

const deleteUnnamed: Statement = {
  name: 'refund-delete-unnamed',
  text: 'DELETE FROM account.payment_refund WHERE id = $1',
}

interface UnnamedRefund extends StoredRefund {
  readonly notedCents: number
}

interface Absorbed {
  /** The cents of this refund that were part of a reported sum. */
  readonly absorbed: number
  /** The cents among them that already have a credit note. */
  readonly notedCents: number
}

/** Takes the cents of a refund out of the unnamed refund that stood for them. */
async function absorbUnnamed(
  tx: Transaction,
  { id }: LockedPayment,
  amountCents: number,
): Promise<Absorbed> {
  let left = amountCents
  let notedCents = 0
  for (const unnamed of await tx.query<UnnamedRefund>(unnamedRefunds, [id, amountCents])) {
    if (left === 0) break
    const part = Math.min(left, unnamed.amountCents)
    const noted = Math.min(part, unnamed.notedCents)
    left -= part
    notedCents += noted
    if (part === unnamed.amountCents) await tx.query(deleteUnnamed, [unnamed.id])
    else await tx.query(lowerUnnamed, [unnamed.id, part, noted])
  }
  return { absorbed: amountCents - left, notedCents }
}

interface RefundStep {
  readonly before: ReturnedSums
  readonly was: RefundStatus
  readonly now: StoredRefund
}

const setRefundedCents: Statement = {
  name: 'refund-set-refunded-cents',
  text: `UPDATE account.payment SET refunded_cents = least(total_cents, $2) WHERE id = $1
    RETURNING refunded_cents AS cents`,
}

async function settleRefund(
  tx: Transaction,
  context: Change,
  payment: LockedPayment,
  { before, was, now }: RefundStep,
): Promise<void> {
  if (was === now.status) return
  const owner = { accountId: payment.accountId, environment: payment.environment }
  const { id, amountCents, status } = now
  const description = `${status === 'failed' ? 'Failed refund' : 'Refund'} of ${payment.packageName}`
  const credits = await settleReturns(tx, payment, before, { id, description })
  const { refundedCents } = await sumsOf(tx, payment.id)
  const values = [payment.id, refundedCents]
  const [refunded = { cents: 0 }] = await tx.query<{ cents: number }>(setRefundedCents, values)
  const action = status === 'failed' ? 'payment_refund.fail' : 'payment_refund.confirm'
  const details = { payment_id: payment.id, amount_cents: amountCents, credits }
  await recordChange(tx, context, { owner, action }, { resourceId: id, details })
  if (status !== 'succeeded') return
  await writeCreditNote(tx, payment, { id, amountCents, description })
  await publish(tx, owner, 'payment.refunded', {
    payment_id: payment.id,
    refund_id: id,
    amount_cents: amountCents,
    refunded_cents: refunded.cents,
    currency: payment.currency,
    credits,
  })
}
