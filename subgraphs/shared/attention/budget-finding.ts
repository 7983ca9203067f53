import type { Budget } from '../budgets/budget.type.ts'
import type { Finding } from './attention.ts'

const nearlyUsedPercent = 80

const names: Readonly<Record<Budget['period'], string>> = {
  day: 'budget for today',
  week: 'budget for this week',
  month: 'budget for this month',
  total: 'total budget',
}

/** The budget that is used most, if it is nearly used up; null: none is. `name` begins the sentence. */
export function budgetFinding(
  budgets: readonly Budget[],
  { name, ...shown }: Pick<Finding, 'resourceId' | 'label' | 'page'> & { readonly name: string },
): Finding | null {
  const shares = budgets.map((budget) => ({
    budget,
    percent: Math.floor((budget.usedCredits / budget.limitCredits) * 100),
  }))
  const [most] = shares.sort((one, other) => other.percent - one.percent)
  if (!most || most.percent < nearlyUsedPercent) return null
  const { budget, percent } = most
  const isRefusing = percent >= 100 && budget.enforce
  return {
    ...shown,
    severity: isRefusing ? 'critical' : 'warning',
    title: `${name} has used ${percent} % of its ${names[budget.period]}`,
  }
}
