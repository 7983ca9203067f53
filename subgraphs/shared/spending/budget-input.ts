import { type BudgetInput, type BudgetNameInput, BudgetPeriod } from '../budgets/budget.type.ts'
import type { Check } from '../graph/checks.ts'

/** Converts the budgets of internal tools to the form that all other callers use. */
export function toBudgetInputs(budgets: readonly BudgetNameInput[]): BudgetInput[] {
  return budgets.map(({ period, ...rest }) => ({ ...rest, period: BudgetPeriod[`${period}`] }))
}

/** The rules of a list of budgets; each wrong member has its own line. */
export function budgetChecks(budgets: readonly BudgetInput[]): Check[] {
  return budgets.flatMap(({ period, limitCredits }, index): Check[] => [
    [
      `budgets.${index}.period`,
      budgets.findIndex((other) => other.period === period) === index,
      `is the period of another budget of this list: ${period}`,
    ],
    [
      `budgets.${index}.limit_credits`,
      Number.isSafeInteger(limitCredits) && limitCredits >= 1,
      `must be an integer from 1 to ${Number.MAX_SAFE_INTEGER}`,
    ],
  ])
}

/** A budget as the audit trail shows it. */
export function noteOfBudget({ period, limitCredits, enforce }: BudgetInput): object {
  return { period, limit_credits: limitCredits, ...(enforce === false && { enforce }) }
}
