import type Stripe from 'stripe'
import { euCountries } from '../../../../schema/vocabulary/billing/vat-ids.ts'
import type { TaxedSale, TaxQuote } from './payment-provider.ts'

/** Computes the tax of a sale with Stripe Tax. */
export async function quoteByStripe(
  { tax }: Pick<Stripe, 'tax'>,
  { priceCents, currency, buyer }: TaxedSale,
): Promise<TaxQuote> {
  const { country, line1, line2, city, postalCode, state, taxId } = buyer
  const isVatId = taxId !== null && euCountries.includes(country)
  const calculation = await tax.calculations.create({
    currency: currency.toLowerCase(),
    line_items: [{ amount: priceCents, reference: 'credits', tax_behavior: 'exclusive' }],
    customer_details: {
      address: {
        ...{ country, line1, city, postal_code: postalCode },
        ...(line2 === null ? {} : { line2 }),
        ...(state === null ? {} : { state }),
      },
      address_source: 'billing',
      ...(isVatId ? { tax_ids: [{ type: 'eu_vat', value: taxId }] } : {}),
    },
  })
  const { id, amount_total: total, tax_amount_exclusive: taxCents } = calculation
  if (id === null || total !== priceCents + taxCents) {
    throw new Error('Stripe has computed the tax of another amount.')
  }
  const parts = calculation.tax_breakdown
  const percents = parts.map(({ amount, tax_rate_details: rate }) =>
    amount > 0 ? Number(rate?.percentage_decimal ?? 0) : 0,
  )
  return {
    ...{ id, taxCents },
    // Several authorities may tax a sale: a state and a city.
    ratePercent: Number(percents.reduce((sum, percent) => sum + percent, 0).toFixed(4)),
    isReverseCharge: parts.some(({ taxability_reason }) => taxability_reason === 'reverse_charge'),
  }
}
