import type { BudgetPeriod } from '../../shared/budgets/budget.type.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { requireUncapped } from '../../shared/spending/capped.ts'
import { ApiKeyEntity } from './api-key.entity.ts'
import { getApiKey } from './api-key.service.ts'
import { requireCurrent } from './current-key.ts'
import { bookOf, spenderOf } from './key-budgets.service.ts'
import { changeKeys, requireScopes } from './key-lock.service.ts'

/**
 * Sets the use of one of the key's budgets to 0. Throws NOT_FOUND without a budget of this period, CONFLICT
 * unless the key is current, FORBIDDEN for a calling key that has budgets.
 */
export async function resetBudget(
  context: GraphContext,
  id: string,
  period: BudgetPeriod,
): Promise<ApiKeyEntity> {
  const change = {
    ...{ action: 'key.reset_budget', resourceId: id },
    note: () => ({ details: { period } }),
  }
  const book = bookOf(context)
  // Looked for before, so that the line in the audit trail tells of what has happened.
  const { accountId, environment } = requireAccount(context)
  const where = { id, accountId, environment: EnvironmentValue[environment] }
  const known = await context.database.transaction((tx) => tx.findOne(ApiKeyEntity, where))
  const budgets = known && (await book.read(known, [spenderOf(known)])).get(spenderOf(known))
  const key = await changeKeys(context, change, async (tx, caller) => {
    requireUncapped(caller, 'reset budgets')
    const key = await getApiKey(tx, caller, id)
    requireScopes(caller, key.scopes)
    requireCurrent(key)
    if (!budgets?.some((budget) => budget.period === period)) {
      throw new DomainError('NOT_FOUND', 'The API key has no budget for this period.')
    }
    return key
  })
  await book.reset(key, spenderOf(key), period)
  return key
}
