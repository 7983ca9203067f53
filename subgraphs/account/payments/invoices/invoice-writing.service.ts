import type { AccountScope } from '../../../../schema/credentials/account-scope.ts'
import { newId } from '../../../../schema/vocabulary/ids.ts'
import type { Statement, Transaction } from '../../../shared/database/database.ts'
import { publish } from '../../webhooks/event.service.ts'
import { currentBuyer, currentSeller } from './invoice-parties.service.ts'
import type { InvoiceParty } from './pdf/invoice-document.ts'
import type { TaxSnapshot } from './tax.service.ts'
import { shareOf } from './tax-rules.ts'

/** The tax is what the payer was charged. `totalCents` is `priceCents + taxCents`. */
export interface NewInvoice {
  readonly paymentId: string
  readonly status: 'paid' | 'open'
  readonly priceCents: number
  readonly taxCents: number
  readonly totalCents: number
  readonly currency: string
  readonly credits: number
  readonly description: string
  /** The rule of its tax; null: it was not taxed. */
  readonly tax: TaxSnapshot | null
}

interface WrittenInvoice {
  readonly id: string
  /** The number that is printed. */
  readonly number: string
}

const insertInvoice: Statement = {
  name: 'invoice-add',
  text: `INSERT INTO account.invoice (id, account_id, environment, type, status, price_cents,
      tax_cents, total_cents, currency, credits, description, seller, buyer, tax, payment_id,
      original_invoice_id, refund_id)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
    RETURNING number`,
}

interface InvoiceRow extends Omit<NewInvoice, 'paymentId'> {
  readonly type: 'invoice' | 'credit_note'
  readonly seller: InvoiceParty | null
  readonly buyer: InvoiceParty
  readonly paymentId: string | null
  readonly originalInvoiceId: string | null
  readonly refundId: string | null
}

/**
 * Adds an invoice of a payment, with seller and buyer as they are now. Publishes `invoice.created`, and
 * `invoice.paid` for a paid one. Code that also posts in the ledger does so before: a settlement locks
 * the balance first and the counter of invoices second.
 */
export async function addInvoice(
  tx: Transaction,
  owner: AccountScope,
  invoice: NewInvoice,
): Promise<WrittenInvoice> {
  const written = await insert(tx, owner, {
    ...{ ...invoice, type: 'invoice', originalInvoiceId: null, refundId: null },
    ...{ seller: currentSeller(), buyer: await currentBuyer(tx, owner) },
  })
  const { status, totalCents, taxCents, currency, credits } = invoice
  const paid = {
    ...{ invoice_id: written.id, number: written.number, total_cents: totalCents },
    ...{ currency, credits },
  }
  await publish(tx, owner, 'invoice.created', { ...paid, status, tax_cents: taxCents })
  if (status === 'paid') await publish(tx, owner, 'invoice.paid', paid)
  return written
}

async function insert(
  tx: Transaction,
  { accountId, environment }: AccountScope,
  row: InvoiceRow,
): Promise<WrittenInvoice> {
  const id = newId('inv')
  const { priceCents, taxCents, totalCents, currency, credits } = row
  const [added] = await tx.query<{ number: string }>(insertInvoice, [
    ...[id, accountId, environment, row.type, row.status, priceCents, taxCents, totalCents],
    ...[currency, credits, row.description, row.seller, row.buyer, row.tax, row.paymentId],
    ...[row.originalInvoiceId, row.refundId],
  ])
  if (!added) throw new Error('An invoice that was just inserted is missing.')
  return { id, number: added.number }
}

/** A refund of a payment, or a part of one. */
export interface NewCreditNote {
  readonly paymentId: string
  /** A refund has one credit note. */
  readonly refundId: string
  /** The amount with tax. */
  readonly amountCents: number
  readonly description: string
}

// The lock must not wait for an invoice that is being paid, because the settlement of that waits for the
// balance.
const lockPaidInvoice: Statement = {
  name: 'credit-note-lock-invoice',
  text: `SELECT id, total_cents AS "totalCents", tax_cents AS "taxCents", currency, credits, seller,
      buyer, tax
    FROM account.invoice
    WHERE account_id = $1 AND environment = $2 AND payment_id = $3 AND status = 'paid'
    FOR UPDATE`,
}

interface PaidInvoice {
  readonly id: string
  readonly totalCents: number
  readonly taxCents: number
  readonly currency: string
  readonly credits: number
  readonly seller: InvoiceParty | null
  readonly buyer: InvoiceParty
  readonly tax: TaxSnapshot | null
}

const noteOfRefund: Statement = {
  name: 'credit-note-of-refund',
  text: `SELECT id, number FROM account.invoice
    WHERE account_id = $1 AND environment = $2 AND refund_id = $3`,
}

const notesOfInvoice: Statement = {
  name: 'credit-notes-of-invoice',
  text: `SELECT coalesce(sum(total_cents), 0)::bigint AS "totalCents",
      coalesce(sum(tax_cents), 0)::bigint AS "taxCents", coalesce(sum(credits), 0)::bigint AS credits
    FROM account.invoice WHERE account_id = $1 AND original_invoice_id = $2`,
}

interface Returned {
  readonly totalCents: number
  readonly taxCents: number
  readonly credits: number
}

/**
 * Adds the credit note of a refund, once: a repetition changes nothing and returns the first. It
 * names seller and buyer as the invoice does. Tax and credits are in proportion to all that has
 * been returned so far. So the sums of all notes equal those of the invoice in the end. Publishes
 * `credit_note.created`. Lock the balance before, if the transaction posts in the ledger. Throws an
 * error if the payment has no paid invoice, or if more would be returned than was paid.
 */
export async function addCreditNote(
  tx: Transaction,
  owner: AccountScope,
  { paymentId, refundId, amountCents, description }: NewCreditNote,
): Promise<WrittenInvoice> {
  const { accountId, environment } = owner
  const [invoice] = await tx.query<PaidInvoice>(lockPaidInvoice, [
    accountId,
    environment,
    paymentId,
  ])
  if (!invoice) throw new Error(`The payment ${paymentId} has no paid invoice.`)
  const values = [accountId, environment, refundId]
  const [earlier] = await tx.query<WrittenInvoice>(noteOfRefund, values)
  if (earlier) return earlier
  const [before] = await tx.query<Returned>(notesOfInvoice, [accountId, invoice.id])
  if (!before) throw new Error('A sum has no row.')
  const amounts = amountsOf(invoice, before, amountCents)
  const { currency, tax, seller, buyer } = invoice
  const written = await insert(tx, owner, {
    ...amounts,
    ...{ type: 'credit_note', status: 'paid', currency, description, tax, seller, buyer },
    ...{ paymentId: null, originalInvoiceId: invoice.id, refundId },
  })
  await publish(tx, owner, 'credit_note.created', {
    ...{ invoice_id: written.id, number: written.number, original_invoice_id: invoice.id },
    ...{ payment_id: paymentId, total_cents: amounts.totalCents, tax_cents: amounts.taxCents },
    ...{ currency, credits: amounts.credits },
  })
  return written
}

function amountsOf(invoice: PaidInvoice, before: Returned, totalCents: number) {
  const returned = before.totalCents + totalCents
  if (totalCents <= 0 || returned > invoice.totalCents) {
    throw new Error(`A credit note of ${totalCents} does not fit the invoice ${invoice.id}.`)
  }
  const taxCents = shareOf(invoice.taxCents, returned, invoice.totalCents) - before.taxCents
  const credits = Number((BigInt(invoice.credits) * BigInt(returned)) / BigInt(invoice.totalCents))
  return {
    ...{ totalCents, taxCents, priceCents: totalCents - taxCents },
    credits: credits - before.credits,
  }
}
