import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { batched, type Placed } from '../../shared/database/batched.ts'
import type { Database, ServiceStatement } from '../../shared/database/database.ts'
import { allTenants } from '../../shared/database/tenant.ts'

interface Asked extends AccountScope {
  readonly spenders: readonly string[]
}

interface Found extends Placed {
  readonly spenders: readonly string[]
}

/**
 * Finds which spenders have budgets. `$1` is the place of an item, once for each of its spenders; `$2` to
 * `$4` are account, environment and spender.
 */
export const budgetedSpenders: ServiceStatement = {
  name: 'budgeted-spenders',
  wire: 'service',
  parameters: ['int4[]', 'text[]', 'text[]', 'text[]'],
  text: `
    SELECT i.place, array_agg(i.spender) AS spenders
    FROM unnest($1, $2, $3, $4) AS i (place, account_id, environment, spender)
    WHERE EXISTS (
      SELECT FROM account.budget b
      WHERE b.account_id = i.account_id AND b.environment = i.environment
        AND b.spender = i.spender)
    GROUP BY i.place`,
}

const find = batched<Asked, Found>((database, items) => {
  const all = items.flatMap(({ accountId, environment, spenders }, index) =>
    spenders.map((spender) => ({ place: index + 1, accountId, environment, spender })),
  )
  return database
    .as(allTenants)
    .query<Found>(budgetedSpenders, [
      all.map(({ place }) => place),
      all.map(({ accountId }) => accountId),
      all.map(({ environment }) => environment),
      all.map(({ spender }) => spender),
    ])
})

/**
 * The spenders of the list that have budgets, in no order. Every look-up of a key or token asks this, so one
 * statement at a time asks for all of them.
 */
export async function findBudgetedSpenders(
  database: Database,
  asked: Asked,
): Promise<readonly string[]> {
  return (await find(database, asked))?.spenders ?? []
}
