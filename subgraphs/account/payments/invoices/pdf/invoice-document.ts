import type { InvoiceParty } from '../invoice-party.ts'
import type { TaxSnapshot } from '../tax-rules.ts'

/** All that is printed of an invoice. The same document always gives the same bytes. */
export interface InvoiceDocument {
  readonly type: 'invoice' | 'credit_note'
  readonly number: string
  readonly status: 'paid' | 'open' | 'void'
  readonly createdAt: Date
  /** Of the sandbox: no money was paid. */
  readonly isTest: boolean
  /** Null: no seller is configured. */
  readonly seller: InvoiceParty | null
  readonly buyer: InvoiceParty
  readonly description: string
  readonly credits: number
  readonly currency: string
  readonly priceCents: number
  readonly taxCents: number
  readonly totalCents: number
  /** Null: it was not taxed. */
  readonly tax: TaxSnapshot | null
  /** Of a credit note: the number of the invoice that it corrects. */
  readonly originalNumber: string | null
}
