import { sha256 } from '../credentials/secrets.ts'
import type { Price } from './catalog-file.ts'
import type { Catalog } from './load-catalog.ts'

/** Hash of all prices, in hexadecimal: it changes when the price of any operation does. */
export function priceVersion({ services }: Catalog): string {
  const lines = services.flatMap(({ slug, operations }) =>
    operations.map(({ method, path, declared }) =>
      JSON.stringify([method, `/v1/${slug}${path}`, ...priceParts(declared.credits)]),
    ),
  )
  // The order of files and operations is no price.
  return sha256(lines.sort().join('\n'))
}

function priceParts(price: Price): readonly unknown[] {
  if ('flat' in price) return [price.flat]
  const { per_unit: perUnit, max_units: maxUnits, units_at: unitsAt, bounded_by: field } = price
  return [perUnit, maxUnits, unitsAt, field ?? null]
}
