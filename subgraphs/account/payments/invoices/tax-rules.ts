import { euCountries } from '../../../../schema/vocabulary/billing/vat-ids.ts'
import type { BillingDetails } from './billing-details.type.ts'

/** The rule by which a sale is taxed. It is stored as JSON with payments and invoices. */
export interface TaxSnapshot {
  /** ISO 3166 code of the buyer's country. */
  readonly country: string
  readonly ratePercent: number
  /** The buyer owes the tax, because the VAT id is of another country of the EU. Then the rate is 0. */
  readonly isReverseCharge: boolean
  /** The VAT id of the buyer. */
  readonly taxId: string | null
  /** The name of the payment provider, if it computed the tax. */
  readonly quote?: string
}

interface TaxRules {
  /** ISO 3166 code; null: no seller is configured. */
  readonly sellerCountry: string | null
  /** Percent by country. */
  readonly rates: Readonly<Partial<Record<string, number>>>
}

/** The rule for a sale to this buyer; null: it is not taxed. */
export function taxOf(
  { country, taxId }: Pick<BillingDetails, 'country' | 'taxId'>,
  { sellerCountry, rates }: TaxRules,
): TaxSnapshot | null {
  if (country === null) return null
  const isAbroad = sellerCountry !== null && country !== sellerCountry
  if (isAbroad && taxId !== null && euCountries.includes(country)) {
    return { country, ratePercent: 0, isReverseCharge: true, taxId }
  }
  const ratePercent = Object.hasOwn(rates, country) ? (rates[country] ?? 0) : 0
  return ratePercent === 0 ? null : { country, ratePercent, isReverseCharge: false, taxId }
}

/** The tax on a net price, in cents, rounded half up. A rate has at most two decimals. */
export function taxCentsOf(priceCents: number, ratePercent: number): number {
  const hundredths = BigInt(Math.round(ratePercent * 100))
  return Number((BigInt(priceCents) * hundredths * 2n + 10_000n) / 20_000n)
}

/** `part` of `whole` of an amount, rounded half up: `amount × part ÷ whole`. */
export function shareOf(amount: number, part: number, whole: number): number {
  if (whole === 0) return 0
  return Number((BigInt(amount) * BigInt(part) * 2n + BigInt(whole)) / (BigInt(whole) * 2n))
}
