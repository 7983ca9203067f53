import type { Budget } from '../budgets/budget.type.ts'
import type { Finding } from './attention.ts'

const nearlyUsedPercent = 80

const spans: Readonly<Record<Budget['period'], string>> = {
  day: 'of today',
  week: 'of this week',
  month: 'of this month',
  total: 'in all',
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
    title: `${name} has used ${percent} % of its budget ${spans[budget.period]}`,
  }
}
