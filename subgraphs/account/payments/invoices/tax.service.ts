import type { AccountScope } from '../../../../schema/credentials/account-scope.ts'
import type { Transaction } from '../../../shared/database/database.ts'
import { priceList } from '../../prices/price-list.ts'
import { getBillingDetails } from './billing-details.service.ts'
import { type TaxSnapshot, taxCentsOf, taxOf } from './tax-rules.ts'

export type { TaxSnapshot }

/** The amounts that a buyer pays. `totalCents` is `priceCents + taxCents`. */
export interface PriceWithTax {
  readonly priceCents: number
  readonly taxCents: number
  readonly totalCents: number
  /** The rule of the tax; null: the sale is not taxed. */
  readonly tax: TaxSnapshot | null
}

/** Returns the amounts that the account pays for this net price. */
export type Pricing = (
  tx: Transaction,
  owner: AccountScope,
  priceCents: number,
) => Promise<PriceWithTax>

/** Computes the tax by the rates of the price list and the present billing details. */
export const priceByTable: Pricing = async (tx, owner, priceCents) => {
  const { tax: rates, seller } = priceList
  const details = await getBillingDetails(tx, owner)
  const tax = taxOf(details, { sellerCountry: seller?.country ?? null, rates })
  const taxCents = tax ? taxCentsOf(priceCents, tax.ratePercent) : 0
  return { priceCents, taxCents, totalCents: priceCents + taxCents, tax }
}
