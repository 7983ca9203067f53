import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { keyBudgetOwner } from '../../../schema/vocabulary/budget-owners.ts'
import type { BudgetInput } from '../../shared/budgets/budget.type.ts'
import type { Queryable, Statement } from '../../shared/database/statement.ts'
import type { BudgetBook, GraphContext } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { budgetChecks } from '../../shared/spending/budget-input.ts'
import type { ApiKeyEntity } from './api-key.entity.ts'
import type { IssuedKey } from './issue-once.service.ts'

/** All keys of a chain of rotations are one spender. */
export function spenderOf({ spenderId }: Pick<ApiKeyEntity, 'spenderId'>): string {
  return keyBudgetOwner(spenderId)
}

interface NewBudgets {
  readonly owner: AccountScope
  /** The id of the key that will be issued. */
  readonly id: string
  readonly budgets: readonly BudgetInput[]
}

/**
 * Issues a key whose budgets are stored before it exists, so that it never works without them. They
 * go again when it was refused, or when a repetition is shown the key of the first request.
 */
export async function issueWithBudgets(
  context: GraphContext,
  { owner, id, budgets }: NewBudgets,
  issue: () => Promise<IssuedKey>,
): Promise<IssuedKey> {
  // A refusal leaves a line in the audit trail, with every wrong member, when the key is issued.
  if (budgets.length === 0 || !areRight(budgets) || isCapped(context)) return issue()
  const book = bookOf(context)
  const spender = keyBudgetOwner(id)
  await book.set(owner, spender, budgets)
  try {
    const issued = await issue()
    if (issued.apiKey.id !== id) await book.set(owner, spender, [])
    return issued
  } catch (error) {
    // After any other failure the key may have been issued.
    if (isRefusal(error)) await book.set(owner, spender, [])
    throw error
  }
}

function areRight(budgets: readonly BudgetInput[]): boolean {
  return budgetChecks(budgets).every(([, holds]) => holds)
}

function isCapped({ caller }: GraphContext): boolean {
  return caller.kind === 'account' && caller.isCapped === true
}

function isRefusal(error: unknown): boolean {
  return error instanceof DomainError && error.extensions.code !== 'SERVICE_UNAVAILABLE'
}

/** Throws SERVICE_UNAVAILABLE where no account subgraph can be asked. */
export function bookOf({ budgets }: GraphContext): BudgetBook {
  if (budgets) return budgets
  throw new DomainError('SERVICE_UNAVAILABLE', 'Budgets cannot be changed for the moment.')
}

const markStatement: Statement = {
  name: 'mark-capped-keys',
  text: `
    UPDATE keys.api_key SET is_capped = $4
    WHERE account_id = $1 AND environment = $2 AND spender_id = $3
      AND is_capped <> $4
    RETURNING id`,
}

/** Marks all keys of a chain: a replaced one may still work, and spends from the same budgets. */
export async function markCapped(
  database: Queryable,
  { accountId, environment, spenderId }: ApiKeyEntity,
  isMarked: boolean,
): Promise<void> {
  await database.query(markStatement, [accountId, environment, spenderId, isMarked])
}

/**
 * After a change of budgets that has marked their keys: removes the budgets if the keys shall have
 * none. A key stays marked only if there are budgets, because another change at the same time may
 * have removed them since: a marked key without budgets is refused.
 */
export async function settleBudgets(
  context: GraphContext,
  key: ApiKeyEntity,
  budgets: readonly BudgetInput[],
): Promise<void> {
  const book = bookOf(context)
  const spender = spenderOf(key)
  if (budgets.length === 0) await book.set(key, spender, [])
  const found = await book.read(key, [spender])
  if (!found.has(spender)) await markCapped(context.database.as(key.accountId), key, false)
}
