import type { Environment } from '../../../schema/credentials/caller.ts'
import type { ApiError } from '../../http/errors.ts'
import { type Balance, type OwnedBudget, refusingOf } from '../balance.ts'
import { priced } from '../charge-call.ts'
import type { Shortage } from '../shortages.ts'
import type { Price } from './judge-call.ts'
import type { Refusal } from './quote-body.ts'

/**
 * Whether a call that can cost `maximum` credits is covered, as its reservation would decide: null, or what it
 * lacks. The balance is looked at first. In the sandbox the balance covers every call, because calls cost 0;
 * budgets count the catalog's price there too.
 */
export function shortageOf(
  { maximum, unitCredits }: Pick<Price, 'maximum' | 'unitCredits'>,
  { available, budgets }: Balance,
  environment: Environment,
): Shortage | null {
  const due = priced({ environment }, maximum)
  const isOfBalance = due > available
  const refusing = refusingOf(budgets, maximum)
  if (!isOfBalance && refusing.length === 0) return null
  return { needed: isOfBalance ? due : maximum, available, isOfBalance, refusing, unitCredits }
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

/** The refusal of a real call, as a member of a quote. */
export function toRefusal({ code, message, details, remedy }: ApiError): Refusal {
  switch (code) {
    case 'FORBIDDEN':
    case 'NOT_FOUND':
    case 'INVALID_REQUEST':
    case 'INSUFFICIENT_CREDITS':
    case 'BUDGET_EXCEEDED':
      return { code, message, details: details ? [...details] : null, ...(remedy && { remedy }) }
    default:
      throw new Error(`No judgement ends in ${code}.`)
  }
}
