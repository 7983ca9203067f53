import type { Price } from './catalog-file.ts'
import { pointerParts } from './json-pointer.ts'
import type { PriceRule } from './operation.ts'
import type { RequestInput } from './request-validator.ts'

export function priceRule(price: Price): PriceRule {
  if ('flat' in price) {
    const { flat } = price
    const always = () => flat
    return {
      ...{ maximum: flat, maximumOf: always, minimumOf: always },
      ...{ unitsAt: null, unitName: null, creditsPerUnit: 0, isBounded: false },
    }
  }
  const { per_unit: creditsPerUnit, max_units: maxUnits, unit_name: unitName } = price
  const { units_at, bounded_by: field } = price
  const unitsAt = pointerParts(units_at)
  function maximumOf(input: RequestInput): number {
    const units = field === undefined ? maxUnits : unitsAskedFor(input, field)
    return creditsPerUnit * Math.min(units, maxUnits)
  }
  return {
    ...{ maximum: creditsPerUnit * maxUnits, creditsPerUnit, unitsAt, unitName, maximumOf },
    isBounded: field !== undefined,
    minimumOf(input) {
      const isRepeated = field !== undefined && units_at === `/${field}`
      return isRepeated && Array.isArray(boundIn(input, field)) ? maximumOf(input) : 0
    },
  }
}

function boundIn({ query, body }: RequestInput, field: string): unknown {
  return body[field] ?? query[field]
}

/** A number counts as itself and a list by its length. A missing field sets no bound. */
function unitsAskedFor(input: RequestInput, field: string): number {
  const value = boundIn(input, field)
  if (Array.isArray(value)) return value.length
  return typeof value === 'number' ? Math.max(0, Math.ceil(value)) : Number.POSITIVE_INFINITY
}
