import type { AccountScope } from '../../../shared/changes/change.ts'
import type { Transaction } from '../../../shared/database/database.ts'

/** How a tax was found. */
export type TaxSnapshot = Readonly<Record<string, unknown>>

export interface PriceWithTax {
  readonly priceCents: number
  readonly taxCents: number
  readonly totalCents: number
  readonly tax: TaxSnapshot | null
}

/** The price for this account with its tax. */
export async function priceWithTax(
  _tx: Transaction,
  _owner: AccountScope,
  priceCents: number,
): Promise<PriceWithTax> {
  return { priceCents, taxCents: 0, totalCents: priceCents, tax: null }
}
