import { countedCredits } from '../vocabulary/counted-credits.ts'
import type { PriceRule } from './operation.ts'

const format = new Intl.NumberFormat('en-US')

/** The price for people: `5 credits`; `1 credit per result (max. 1,000)`; `free`. */
export function priceText({ maximum, unitName, creditsPerUnit }: PriceRule): string {
  if (maximum === 0) return 'free'
  if (unitName === null) return credits(maximum)
  const units = format.format(maximum / creditsPerUnit)
  return `${credits(creditsPerUnit)} per ${unitName} (max. ${units})`
}

function credits(count: number): string {
  return countedCredits(count, format.format(count))
}
