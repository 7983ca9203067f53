import type { BudgetDetail } from '../../schema/vocabulary/error-codes.ts'
import { ApiError } from '../http/errors.ts'

const namesOf: Readonly<Record<BudgetDetail['of'], string>> = {
  key: 'the API key',
  consent: 'the consent',
  external_id: 'the external id',
  account: 'the account',
}

const spans: Readonly<Record<BudgetDetail['period'], string>> = {
  day: 'for the day',
  week: 'for the week',
  month: 'for the month',
  total: 'in total',
}

/**
 * A 402 whose details list all budgets that refuse. It is not a 429, because clients retry a 429.
 */
export function budgetExceeded(needed: number, details: readonly BudgetDetail[]): ApiError {
  const named = details.map(
    ({ of, period, remaining_credits }) =>
      `the budget of ${namesOf[of]} ${spans[period]} has ${remaining_credits} left`,
  )
  const message = `This request can cost ${needed} credits; ${named.join('; ')}.`
  return new ApiError('BUDGET_EXCEEDED', message, { details })
}
