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

/** What the keys tell of an external id. */
export type Counted = Pick<ExternalId, 'id' | 'keys' | 'lastUsedAt'>

const carried: Statement = {
  name: 'external-ids-of-keys',
  text: `
    SELECT external_id AS id, count(*) FILTER (
      WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())) AS keys,
      max(last_used_at) AS "lastUsedAt"
    FROM keys.api_key
    WHERE account_id = $1 AND environment = $2 AND external_id > $3
      AND ($4::text IS NULL OR external_id = $4) AND strpos(lower(external_id), lower($5)) > 0
    GROUP BY external_id ORDER BY external_id LIMIT $6`,
}

/**
 * The external ids that keys carry or that have budgets, in the order of their characters. `search` is a part
 * of them, whatever its case; the empty text is a part of all.
 */
export function externalIdsOf(context: GraphContext, search: string): PagedList<Counted> {
  const { database } = context
  const owner = requireAccount(context)
  return {
    name: 'external-ids',
    owner,
    positionOf: ({ id }) => id,
    async read({ limit, before: after }) {
      const wanted = { after: after ?? '', search, limit }
      const [ofKeys, withBudgets] = await Promise.all([
        countKeys(database, owner, { ...wanted, only: null }),
        bookOf(context).listExternalIds(owner, wanted),
      ])
      // Each list has the first of its kind, so the first of both are among them.
      const counts = new Map(ofKeys.map((counted) => [counted.id, counted]))
      const ids = [...new Set([...counts.keys(), ...withBudgets])]
      const inOrder = ids.sort((one, other) => (one < other ? -1 : 1)).slice(0, limit)
      return inOrder.map((id) => counts.get(id) ?? withoutKeys(id))
    },
  }
}

interface Wanted {
  /** An external id has at least one character, so all come after the empty text. */
  readonly after: string
  readonly only: string | null
  readonly search: string
  readonly limit: number
}

const withoutKeys = (id: string): Counted => ({ id, keys: 0, lastUsedAt: null })

function countKeys(
  database: Queryable,
  { accountId, environment }: AccountScope,
  { after, only, search, limit }: Wanted,
): Promise<Counted[]> {
  const filter = [after, only, search, limit]
  return database.query<Counted>(carried, [accountId, environment, ...filter])
}

/** One external id of the owner's; one that no key carries has no keys. */
export async function countKeysOf(
  database: Queryable,
  owner: AccountScope,
  id: string,
): Promise<Counted> {
  const [counted] = await countKeys(database, owner, { after: '', only: id, search: '', limit: 1 })
  return counted ?? withoutKeys(id)
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
    return countKeysOf(tx, owner, id)
  })
  const line = lineOf(context, change, { details: { budgets: budgets.map(noteOfBudget) } })
  await recordRefusal(context, change, () => bookOf(context).set(owner, spender, budgets, line))
  return counted
}
