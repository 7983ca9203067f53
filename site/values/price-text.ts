import type { PriceRule } from '../../schema/catalog/operation.ts'

/** `5 credits`; `1 credit for each unit, at most 25`; `free`. */
export function priceText({ maximum, unitsAt, creditsPerUnit }: PriceRule): string {
  if (maximum === 0) return 'free'
  if (!unitsAt) return credits(maximum)
  return `${credits(creditsPerUnit)} for each of ${unitsAt.join('.')}, at most ${maximum}`
}

function credits(count: number): string {
  return `${count} credit${count === 1 ? '' : 's'}`
}
