import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { externalIdBudgetOwner } from '../../../schema/vocabulary/budget-owners.ts'
import { externalIdRule, isExternalId } from '../../../schema/vocabulary/external-id.ts'
import type { BudgetInput } from '../../shared/budgets/budget.type.ts'
import { lineOf, recordRefusal } from '../../shared/changes/change.ts'
import type { Queryable, Statement } from '../../shared/database/statement.ts'
import { requireAll } from '../../shared/graph/checks.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import type { PagedList } from '../../shared/lists/pagination.ts'
import { budgetChecks, noteOfBudget } from '../../shared/spending/budget-input.ts'
import { requireUncapped } from '../../shared/spending/capped.ts'
import { bookOf } from '../api-keys/key-budgets.service.ts'
import { changeKeys } from '../api-keys/key-lock.service.ts'
import type { ExternalId } from './external-id.type.ts'

type Counted = Pick<ExternalId, 'id' | 'keys'>

const carried: Statement = {
  name: 'external-ids-of-keys',
  text: `
    SELECT external_id AS id, count(*) FILTER (
      WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())) AS keys
    FROM keys.api_key
    WHERE account_id = $1 AND environment = $2 AND external_id > $3
      AND ($4::text IS NULL OR external_id = $4)
    GROUP BY external_id ORDER BY external_id LIMIT $5`,
}

/** The external ids that keys carry or that have budgets, in the order of their characters. */
export function externalIdsOf(context: GraphContext): PagedList<Counted> {
  const { database } = context
  const owner = requireAccount(context)
  return {
    name: 'external-ids',
    owner,
    positionOf: ({ id }) => id,
    async read({ limit, before: after }) {
      const [ofKeys, withBudgets] = await Promise.all([
        countKeys(database, owner, { after: after ?? '', only: null, limit }),
        bookOf(context).listExternalIds(owner, { after: after ?? '', limit }),
      ])
      // Each list has the first of its kind, so the first of both are among them.
      const counts = new Map(ofKeys.map(({ id, keys }) => [id, keys]))
      const ids = [...new Set([...counts.keys(), ...withBudgets])]
      const inOrder = ids.sort((one, other) => (one < other ? -1 : 1)).slice(0, limit)
      return inOrder.map((id) => ({ id, keys: counts.get(id) ?? 0 }))
    },
  }
}

interface Wanted {
  /** An external id has at least one character, so all come after the empty text. */
  readonly after: string
  readonly only: string | null
  readonly limit: number
}

function countKeys(
  database: Queryable,
  { accountId, environment }: AccountScope,
  { after, only, limit }: Wanted,
): Promise<Counted[]> {
  return database.query<Counted>(carried, [accountId, environment, after, only, limit])
}

/**
 * Replaces the budgets that keys with this external id share, also before there is such a key. The account
 * subgraph does it, in one transaction with the line in the audit trail; here the caller is judged. Throws
 * INVALID_REQUEST for another text, FORBIDDEN for a key that has budgets.
 */
export async function changeExternalIdBudgets(
  context: GraphContext,
  id: string,
  budgets: readonly BudgetInput[],
): Promise<Counted> {
  const owner = requireAccount(context)
  const spender = externalIdBudgetOwner(id)
  const change = { owner, action: 'external_id.update', resourceId: spender }
  const counted = await changeKeys(context, { ...change, note: () => null }, async (tx, caller) => {
    requireUncapped(caller, 'change budgets')
    requireAll([['external_id', isExternalId(id), externalIdRule], ...budgetChecks(budgets)])
    const [counted = { id, keys: 0 }] = await countKeys(tx, owner, {
      after: '',
      only: id,
      limit: 1,
    })
    return counted
  })
  const line = lineOf(context, change, { details: { budgets: budgets.map(noteOfBudget) } })
  await recordRefusal(context, change, () => bookOf(context).set(owner, spender, budgets, line))
  return counted
}
