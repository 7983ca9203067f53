import type { Price } from './catalog-file.ts'
import { pointerParts } from './json-pointer.ts'
import type { PriceRule } from './operation.ts'
import type { RequestInput } from './request-validator.ts'

export function priceRule(price: Price): PriceRule {
  if ('flat' in price) {
    const { flat } = price
    return { maximum: flat, maximumOf: () => flat, unitsAt: null, creditsPerUnit: 0 }
  }
  const { per_unit: creditsPerUnit, max_units: maxUnits, units_at, bounded_by: field } = price
  return {
    maximum: creditsPerUnit * maxUnits,
    creditsPerUnit,
    unitsAt: pointerParts(units_at),
    maximumOf(input) {
      const units = field === undefined ? maxUnits : unitsAskedFor(input, field)
      return creditsPerUnit * Math.min(units, maxUnits)
    },
  }
}

/** A number counts as itself and a list by its length. A missing field sets no bound. */
function unitsAskedFor({ query, body }: RequestInput, field: string): number {
  const value = body[field] ?? query[field]
  if (Array.isArray(value)) return value.length
  return typeof value === 'number' ? Math.max(0, Math.ceil(value)) : Number.POSITIVE_INFINITY
}
