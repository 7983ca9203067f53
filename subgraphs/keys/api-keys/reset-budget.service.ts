import type { BudgetPeriod } from '../../shared/budgets/budget.type.ts'
import { lineOf, recordRefusal } from '../../shared/changes/change.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { requireUncapped } from '../../shared/spending/capped.ts'
import type { ApiKeyEntity } from './api-key.entity.ts'
import { getApiKey } from './api-key.service.ts'
import { requireCurrent } from './current-key.ts'
import { bookOf, spenderOf } from './key-budgets.service.ts'
import { changeKeys, requireScopes } from './key-lock.service.ts'

/**
 * Sets the use of one of the key's budgets to 0. The account subgraph does it, in one transaction with the
 * line in the audit trail; here the key is judged. Throws NOT_FOUND without a budget of this period, CONFLICT
 * unless the key is current, FORBIDDEN for a calling key that has budgets.
 */
export async function resetBudget(
  context: GraphContext,
  id: string,
  period: BudgetPeriod,
): Promise<ApiKeyEntity> {
  const owner = requireAccount(context)
  const change = { owner, action: 'key.reset_budget', resourceId: id }
  const key = await changeKeys(context, { ...change, note: () => null }, async (tx, caller) => {
    requireUncapped(caller, 'reset budgets')
    const key = await getApiKey(tx, caller, id)
    requireScopes(caller, key.scopes)
    requireCurrent(key)
    return key
  })
  const line = lineOf(context, change, { details: { period } })
  await recordRefusal(context, change, () =>
    bookOf(context).reset(key, spenderOf(key), period, line),
  )
  return key
}
