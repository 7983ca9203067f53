import type { AccountScope } from '../../../../schema/credentials/account-scope.ts'
import { newId } from '../../../../schema/vocabulary/ids.ts'
import type { Database, Statement, Transaction } from '../../../shared/database/database.ts'
import { isText, requireAll } from '../../../shared/graph/checks.ts'
import { DomainError } from '../../../shared/graph/errors.ts'
import type { PaymentContext } from '../payment-collection.service.ts'
import type { RefundAnswer, RefundRequest } from '../providers/returns/return-notification.ts'
import type { PaymentRefund, RefundPaymentInput } from './refund.type.ts'
import { enterRefund } from './refund-state.service.ts'
import { lockPayment } from './returned-payment.service.ts'

const missing = () => new DomainError('NOT_FOUND', 'No payment has this id.')

const ownerOfPayment: Statement = {
  name: 'refund-owner',
  text: `SELECT account_id AS "accountId", environment FROM account.payment WHERE id = $1`,
}

/** The account and environment of a payment. Throws NOT_FOUND for an unknown payment. */
export async function paymentOwner(database: Database, paymentId: string): Promise<AccountScope> {
  const [owner] = await database.query<AccountScope>(ownerOfPayment, [paymentId])
  if (!owner) throw missing()
  return owner
}

const sumOpen: Statement = {
  name: 'refund-open-sum',
  text: `SELECT
      (SELECT coalesce(sum(amount_cents), 0) FROM account.payment_refund
        WHERE payment_id = $1 AND status <> 'failed')::bigint AS "refundedCents",
      EXISTS (SELECT FROM account.payment_dispute
        WHERE payment_id = $1 AND status IN ('open', 'lost')) AS "isDisputed"`,
}

// 45 s is longer than asking can take: no job asks before that.
const addRequest: Statement = {
  name: 'refund-request',
  text: `INSERT INTO account.payment_refund
      (id, account_id, environment, payment_id, amount_cents, status, reason, ask_at)
    VALUES ($1, $2, $3, $4, $5, 'pending', $6, now() + interval '45 s')`,
}

/**
 * Stores a refund that an operator asks for; the provider is asked afterwards. Throws NOT_FOUND for
 * an unknown payment, INVALID_REQUEST for more cents than can still be refunded, and CONFLICT for a
 * payment that is not paid or is disputed.
 */
export async function requestRefund(
  tx: Transaction,
  { paymentId, amountCents, reason }: Omit<RefundPaymentInput, 'idempotencyKey'>,
): Promise<PaymentRefund> {
  const isAmount = amountCents === null || amountCents === undefined || amountCents >= 1
  requireAll([
    ['amountCents', isAmount, 'must be an integer from 1'],
    ['reason', isText(reason, 200), 'must have 1 to 200 characters'],
  ])
  const payment = await lockPayment(tx, paymentId)
  if (!payment) throw missing()
  if (payment.status !== 'paid') {
    throw new DomainError('CONFLICT', 'The payment is not paid, so nothing can be refunded.')
  }
  const [open] = await tx.query<{ refundedCents: number; isDisputed: boolean }>(sumOpen, [
    paymentId,
  ])
  if (!open) throw new Error('A query of sums has no row.')
  if (open.isDisputed) {
    throw new DomainError('CONFLICT', 'The payment is disputed: the dispute returns the money.')
  }
  const leftCents = payment.totalCents - open.refundedCents
  const cents = amountCents ?? leftCents
  const isLeft = cents <= leftCents && leftCents > 0
  requireAll([['amountCents', isLeft, `must be at most ${leftCents}: so much is left`]])
  const id = newId('rfd')
  const { accountId, environment } = payment
  await tx.query(addRequest, [id, accountId, environment, paymentId, cents, reason])
  const left = { leftBeforeCents: leftCents, leftAfterCents: leftCents - cents }
  return { id, paymentId, amountCents: cents, status: 'pending', ...left }
}

const refundById: Statement = {
  name: 'refund-by-id',
  text: `SELECT id, payment_id AS "paymentId", amount_cents AS "amountCents", status
    FROM account.payment_refund WHERE id = $1`,
}

/** A refund as it is now. */
export async function readRefund(database: Database, id: string): Promise<PaymentRefund> {
  const [refund] = await database.query<PaymentRefund>(refundById, [id])
  if (!refund) throw new DomainError('NOT_FOUND', 'No refund has this id.')
  return refund
}

interface PendingRefund extends RefundRequest {
  /** The name of the provider of the payment. */
  readonly provider: string
}

const pendingById: Statement = {
  name: 'refund-pending',
  text: `SELECT r.id AS "refundId", r.payment_id AS "paymentId", r.environment,
      p.provider_reference AS "paymentReference", r.amount_cents AS "amountCents", r.reference,
      r.created_at AS "createdAt", p.provider
    FROM account.payment_refund r JOIN account.payment p ON p.id = r.payment_id
    WHERE r.id = $1 AND r.status = 'pending'`,
}

/**
 * Asks the provider to make one refund, or for its state, and enters the answer. A refund that is
 * settled or unknown is left unchanged. While the outcome is unknown it stays pending, and `warn`
 * receives the reason.
 */
export async function collectRefund(context: PaymentContext, id: string): Promise<void> {
  const [refund] = await context.database.query<PendingRefund>(pendingById, [id])
  if (!refund) return
  const answer = await ask(context, refund)
  if (!answer) return
  await context.database.transaction(async (tx) => {
    const payment = await lockPayment(tx, refund.paymentId)
    if (!payment) throw new Error(`The payment ${refund.paymentId} is missing.`)
    const { amountCents } = refund
    // A refund that the provider never began has no id there.
    const reference = refund.reference ?? answer.reference ?? refund.refundId
    await enterRefund(tx, context, payment, { ...answer, reference, amountCents, refundId: id })
  })
}

async function ask(context: PaymentContext, refund: PendingRefund): Promise<RefundAnswer | null> {
  try {
    const provider = context.providers.all.find(({ name }) => name === refund.provider)
    if (!provider?.refund) throw new Error(`${refund.provider} is not configured.`)
    return await provider.refund(refund)
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    context.warn(`The refund ${refund.refundId} stays pending: ${cause}`)
    return null
  }
}

const askSoon: Statement = {
  name: 'refund-ask-soon',
  text: `UPDATE account.payment_refund SET ask_at = now() WHERE id = $1 AND status = 'pending'`,
}

/** Makes a process that has the providers ask at once. */
export async function leaveToJob(database: Database, id: string): Promise<void> {
  await database.query(askSoon, [id])
}

const claimQuestion: Statement = {
  name: 'refund-claim-asking',
  // Older refunds are asked about less often. A trigger on `ask_at` enqueues the next question.
  text: `UPDATE account.payment_refund SET ask_at = now()
      + least(interval '1 h', greatest(interval '10 s', (now() - created_at) / 10))
    WHERE id = $1 AND status = 'pending' AND ask_at <= now() RETURNING id`,
}

/** Asks about a pending refund if the question is due, as `collectDuePayment` does. */
export async function collectDueRefund(context: PaymentContext, id: string): Promise<void> {
  const claimed = await context.database.query<{ id: string }>(claimQuestion, [id])
  if (claimed.length > 0) await collectRefund(context, id)
}
