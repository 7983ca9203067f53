import { priceList } from '../prices/price-list.ts'
import type { CreditPackage } from './payment.type.ts'

/** The packages on sale. */
export function listPackages(): CreditPackage[] {
  const { currency } = priceList
  return priceList.packages.map(({ price_cents, ...offer }) => ({
    ...offer,
    priceCents: price_cents,
    currency,
  }))
}
