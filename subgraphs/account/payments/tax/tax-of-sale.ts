import { isDeepStrictEqual } from 'node:util'
import type { AccountScope } from '../../../../schema/credentials/account-scope.ts'
import type { Database } from '../../../shared/database/database.ts'
import { DomainError } from '../../../shared/graph/errors.ts'
import { priceList } from '../../prices/price-list.ts'
import { getBillingDetails } from '../invoices/billing-details.service.ts'
import type { BillingDetails } from '../invoices/billing-details.type.ts'
import { type PriceWithTax, type Pricing, priceByTable } from '../invoices/tax.service.ts'
import type { PaymentProviders } from '../providers/configured.ts'
import type { PaymentProvider, TaxedSale } from '../providers/payment-provider.ts'

interface PricingContext {
  readonly database: Database
  readonly providers: Pick<PaymentProviders, 'live' | 'sandbox'>
}

/**
 * Computes the tax of a sale: by the price list, or by the payment provider if it computes tax. The
 * provider is asked here, before the transaction that stores the sale, so that nobody waits for a
 * lock meanwhile. `findPrice` returns the net price, or null if nothing seems to be due. Throws
 * SERVICE_UNAVAILABLE if the provider does not answer.
 */
export async function pricingFor(
  { database, providers }: PricingContext,
  owner: AccountScope,
  findPrice: () => Promise<number | null>,
): Promise<Pricing> {
  const provider = providers[owner.environment]
  if (!provider?.quoteTax) return priceByTable
  const priceCents = await findPrice()
  if (priceCents === 0) return priceByTable
  if (priceCents === null) return refuse
  const details = await getBillingDetails(database, owner)
  const sale = saleOf(details, priceCents)
  const price = sale ? await quote(provider, sale) : null
  if (!price) return priceByTable
  return async (tx, _, wanted) => {
    const isSame = isDeepStrictEqual(await getBillingDetails(tx, owner), details)
    return wanted === priceCents && isSame ? price : refuse()
  }
}

/** The sale or the buyer changed after the provider was asked: the whole change is tried again. */
function refuse(): never {
  throw new DomainError('SERVICE_UNAVAILABLE', 'The price has just changed. Try again.')
}

/** The sale that is taxed; null: without a country there is no tax. */
function saleOf({ country, address, taxId }: BillingDetails, priceCents: number): TaxedSale | null {
  if (country === null || address === null) return null
  const { line1, line2, city, postalCode, state } = address
  const buyer = { line1, line2, city, postalCode, state, country, taxId }
  return { priceCents, currency: priceList.currency, buyer }
}

/** The price with tax; null: the provider cannot place the address. */
async function quote(provider: PaymentProvider, sale: TaxedSale): Promise<PriceWithTax | null> {
  const { priceCents, buyer } = sale
  const quoted = await provider.quoteTax?.(sale).catch((cause: unknown) => {
    const message = 'The tax cannot be computed at the moment. Nothing was bought.'
    const internal = cause instanceof Error ? cause.message : String(cause)
    throw new DomainError('SERVICE_UNAVAILABLE', message, { cause, internal })
  })
  if (!quoted) return null
  const { id, taxCents, ratePercent, isReverseCharge } = quoted
  const { country, taxId } = buyer
  const tax = { country, ratePercent, isReverseCharge, taxId, quote: id }
  return { priceCents, taxCents, totalCents: priceCents + taxCents, tax }
}
