import type { Headers } from '../http/respond.ts'
import type { Settlement } from './hold.ts'

/** The credits that a caller has left after a call. */
export type RemainingCredits = Pick<Settlement, 'available' | 'budgetRemaining'>

/** A caller without budgets gets no header about budgets. */
export function remainingHeaders({ available, budgetRemaining }: RemainingCredits): Headers {
  const credits = { 'X-Credits-Remaining': String(available) }
  return budgetRemaining === null
    ? credits
    : { ...credits, 'X-Budget-Remaining': String(budgetRemaining) }
}
