import type { BudgetPeriod } from '../../shared/budgets/budget.type.ts'
import type { BudgetRefusal } from './budget-refusal.type.ts'

/** A budget that refuses a request, as `account.reserve_in_budgets` returns it. */
export interface RefusingRow {
  readonly spender: string
  readonly period: BudgetPeriod
  readonly limit_credits: number
  readonly used: number
  readonly held: number
  readonly needed: number
  /** ISO 8601. */
  readonly resets_at: string | null
}

/** The refusing budget, and the credits that the request needs of it. */
export function toRefusal(row: RefusingRow): BudgetRefusal {
  const { spender, period, limit_credits, used, held, needed, resets_at } = row
  return {
    spender,
    period,
    limitCredits: limit_credits,
    usedCredits: used,
    heldCredits: held,
    remainingCredits: limit_credits - used - held,
    neededCredits: needed,
    resetsAt: resets_at === null ? null : new Date(resets_at),
  }
}
