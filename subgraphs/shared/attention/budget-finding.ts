import type { Budget } from '../budgets/budget.type.ts'
import type { Finding } from './attention.ts'

const nearlyUsedPercent = 80

const names: Readonly<Record<Budget['period'], string>> = {
  day: 'budget for today',
  week: 'budget for this week',
  month: 'budget for this month',
  total: 'total budget',
}

/**
 * The budget that is used most, if it is nearly used up; null: none is. One that refuses calls comes before those
 * that only count. `name` begins the sentence.
 */
export function budgetFinding(
  budgets: readonly Budget[],
  { name, ...shown }: Pick<Finding, 'resourceId' | 'label' | 'page'> & { readonly name: string },
): Finding | null {
  const shares = budgets.map(({ period, usedCredits, limitCredits, enforce }) => {
    const percent = Math.floor((usedCredits / limitCredits) * 100)
    return { period, percent, isRefusing: enforce && percent >= 100 }
  })
  const [most] = shares.sort(
    (one, other) =>
      Number(other.isRefusing) - Number(one.isRefusing) || other.percent - one.percent,
  )
  if (!most || most.percent < nearlyUsedPercent) return null
  const { period, percent, isRefusing } = most
  return {
    ...shown,
    severity: isRefusing ? 'critical' : 'warning',
    title: `${name} has used ${percent} % of its ${names[period]}`,
  }
}
