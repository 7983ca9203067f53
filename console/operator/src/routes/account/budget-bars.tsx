import type { BudgetPeriod } from '../../../../../schema/generated/operator-operations.ts'
import { SpendBar } from '../../../../src/components/charts/spend-bar.tsx'

interface Budget {
  readonly period: BudgetPeriod
  readonly limitCredits: number
  readonly usedCredits: number
  readonly heldCredits: number
  readonly enforce: boolean
  readonly resetsAt: string | null
}

/** What is used of each budget. */
export function BudgetBars({ budgets }: { readonly budgets: readonly Budget[] }) {
  return budgets.map(({ period, limitCredits, usedCredits, heldCredits, enforce, resetsAt }) => (
    <SpendBar
      key={period}
      budget={{
        ...{ period, enforce, resets_at: resetsAt },
        ...{ limit_credits: limitCredits, used_credits: usedCredits, held_credits: heldCredits },
      }}
    />
  ))
}
