import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import {
  accountBudgetOwner,
  externalIdBudgetOwner,
  layerOf,
} from '../../../schema/vocabulary/budget-owners.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { budgetsOf } from '../../shared/spending/shown-budgets.ts'
import { BudgetLayer, type EffectiveBudget } from './api-key.type.ts'
import { spenderOf } from './key-budgets.service.ts'

/** The members of a key that decide about its budgets. */
export interface SpendingKey extends AccountScope {
  readonly spenderId: string
  readonly externalId?: string | null
}

/** The budgets of all layers that a call with the key must fit into, the key's own first. */
export async function effectiveBudgetsOf(
  context: GraphContext,
  key: SpendingKey,
): Promise<EffectiveBudget[]> {
  const { externalId } = key
  const spenders = [
    spenderOf(key),
    ...(externalId ? [externalIdBudgetOwner(externalId)] : []),
    accountBudgetOwner,
  ]
  const budgets = await Promise.all(
    spenders.map(async (spender) => {
      const of = BudgetLayer[layerOf(spender)]
      return (await budgetsOf(context, key, spender)).map((budget) => Object.assign({ of }, budget))
    }),
  )
  return budgets.flat()
}
