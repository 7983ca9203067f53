import type { BillingAddress } from './billing-details.type.ts'

/** A seller or buyer as an invoice names it. It is stored as JSON. */
export interface InvoiceParty {
  readonly name: string
  readonly address: BillingAddress | null
  /** ISO 3166 alpha-2. */
  readonly country: string | null
  readonly taxId: string | null
  readonly email: string | null
  /** The buyer's number of the order. */
  readonly purchaseOrder: string | null
}
