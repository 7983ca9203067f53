/** A seller or buyer as an invoice names it. It is stored as JSON with the invoice. */
export interface InvoiceParty {
  readonly name: string
  readonly address: PostalAddress | null
  /** ISO 3166 alpha-2. */
  readonly country: string | null
  readonly taxId: string | null
  readonly email: string | null
  /** The buyer's number of the order. */
  readonly purchaseOrder: string | null
}

export interface PostalAddress {
  readonly line1: string
  readonly line2: string | null
  readonly city: string
  readonly postalCode: string
  readonly state: string | null
}

/** The rule by which a sale was taxed. */
interface PrintedTax {
  readonly country: string
  readonly ratePercent: number
  readonly isReverseCharge: boolean
  /** The VAT id of the buyer. */
  readonly taxId: string | null
}

/** Everything that an invoice prints. The same document always gives the same bytes. */
export interface InvoiceDocument {
  readonly type: 'invoice' | 'credit_note'
  readonly number: string
  readonly status: 'paid' | 'open' | 'void'
  readonly createdAt: Date
  /** Whether the document is of the sandbox: no money was paid. */
  readonly isTest: boolean
  /** The seller; null: none is configured. */
  readonly seller: InvoiceParty | null
  readonly buyer: InvoiceParty
  /** When the payment was collected; null: it is not. */
  readonly paidAt: Date | null
  /** The period of a subscription; null: the credits came with the payment. */
  readonly periodStart: Date | null
  readonly periodEnd: Date | null
  /** The name of the payment provider; null: none was asked yet. */
  readonly provider: string | null
  /** The card that paid; null: it is not known. */
  readonly card: { readonly brand: string; readonly last4: string } | null
  readonly description: string
  readonly credits: number
  readonly currency: string
  readonly priceCents: number
  readonly taxCents: number
  readonly totalCents: number
  /** The tax; null: the sale was not taxed. */
  readonly tax: PrintedTax | null
  /** For a credit note: the number of the invoice that it corrects. */
  readonly originalNumber: string | null
}
