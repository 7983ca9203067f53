import type { Statement, Transaction } from '../../../shared/database/database.ts'
import { addCreditNote } from '../invoices/invoice-writing.service.ts'
import type { LockedPayment } from './returned-payment.service.ts'

const leftToNote: Statement = {
  name: 'refund-left-to-note',
  text: `SELECT greatest(0, $2::bigint - coalesce(sum(noted_cents), 0))::bigint AS cents
    FROM account.payment_refund WHERE payment_id = $1`,
}

const setNoted: Statement = {
  name: 'refund-set-noted',
  text: 'UPDATE account.payment_refund SET noted_cents = noted_cents + $2 WHERE id = $1',
}

interface NotedRefund {
  readonly id: string
  readonly amountCents: number
  readonly description: string
}

/**
 * Each refund gets one credit note, and the sum of all notes is at most the paid amount. When a
 * refund fails later, its note stays, and the next refund needs no note for the same cents.
 */
export async function writeCreditNote(
  tx: Transaction,
  { id: paymentId, accountId, environment, totalCents }: LockedPayment,
  { id: refundId, amountCents, description }: NotedRefund,
): Promise<void> {
  const [left = { cents: 0 }] = await tx.query<{ cents: number }>(leftToNote, [
    paymentId,
    totalCents,
  ])
  const cents = Math.min(amountCents, left.cents)
  if (cents === 0) return
  await tx.query(setNoted, [refundId, cents])
  const note = { paymentId, refundId, amountCents: cents, description }
  await addCreditNote(tx, { accountId, environment }, note)
}
