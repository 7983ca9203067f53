import type { Environment } from '../../../schema/credentials/caller.ts'
import { layerOf } from '../../../schema/vocabulary/budget-owners.ts'
import type { BudgetDetail } from '../../../schema/vocabulary/error-codes.ts'
import type { ApiError } from '../../http/errors.ts'
import { priced } from '../charge-call.ts'
import { budgetExceeded, insufficientCredits } from '../refusals.ts'
import type { Balance, OwnedBudget } from './balance.ts'
import type { Refusal } from './quote-body.ts'

/**
 * Whether a call that can cost `maximum` credits is covered, as its reservation would decide: null, or
 * the refusal. The balance is looked at first. In the sandbox the balance covers every call, because
 * calls cost 0; budgets count the catalog's price there too.
 */
export function refusalUnlessAffordable(
  maximum: number,
  { available, budgets }: Balance,
  environment: Environment,
): Refusal | null {
  const due = priced({ environment }, maximum)
  if (due > available) return toRefusal(insufficientCredits(due, available))
  const exceeded = budgets.filter((one) => one.enforce && one.remainingCredits < maximum)
  if (exceeded.length === 0) return null
  const details = exceeded.map((budget) => shortfall(budget, maximum))
  return toRefusal(budgetExceeded(maximum, details))
}

/**
 * The rest of the tightest budget that refuses calls, or of the tightest of all where none refuses;
 * null without one.
 */
export function tightestOf(budgets: readonly OwnedBudget[]): number | null {
  const firm = budgets.filter(({ enforce }) => enforce)
  const deciding = firm.length > 0 ? firm : budgets
  if (deciding.length === 0) return null
  return Math.min(...deciding.map(({ remainingCredits }) => remainingCredits))
}

function shortfall(budget: OwnedBudget, neededCredits: number): BudgetDetail {
  return {
    of: layerOf(budget.spender),
    period: budget.period,
    limit_credits: budget.limitCredits,
    used_credits: budget.usedCredits,
    held_credits: budget.heldCredits,
    remaining_credits: budget.remainingCredits,
    needed_credits: neededCredits,
    resets_at: budget.resetsAt,
  }
}

/** The refusal of a real call, as a member of a quote. */
export function toRefusal({ code, message, details }: ApiError): Refusal {
  switch (code) {
    case 'FORBIDDEN':
    case 'NOT_FOUND':
    case 'INVALID_REQUEST':
    case 'INSUFFICIENT_CREDITS':
    case 'BUDGET_EXCEEDED':
      return { code, message, details: details ? [...details] : null }
    default:
      throw new Error(`No judgement ends in ${code}.`)
  }
}
