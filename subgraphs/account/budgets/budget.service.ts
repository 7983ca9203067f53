import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { externalIdBudgetOwner } from '../../../schema/vocabulary/budget-owners.ts'
import type { Budget, BudgetInput, BudgetPeriod } from '../../shared/budgets/budget.type.ts'
import type { Statement, Transaction } from '../../shared/database/database.ts'
import type { Queryable } from '../../shared/database/statement.ts'
import { requireAll } from '../../shared/graph/checks.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { budgetChecks } from '../../shared/spending/budget-input.ts'
import type { SpenderBudgets } from './spender-budgets.type.ts'

interface BudgetRow extends Budget {
  readonly spender: string
}

const budgetsOf: Statement = {
  name: 'budgets-of',
  text: `SELECT spender, period, limit_credits AS "limitCredits", used AS "usedCredits",
      held AS "heldCredits", limit_credits - used - held AS "remainingCredits",
      resets_at AS "resetsAt", is_enforced AS enforce
    FROM account.budgets_of($1, $2, $3::text[])`,
}

/**
 * The budgets of the spenders, in the order of the spenders. Spenders without budgets are left out.
 */
export async function readBudgets(
  database: Queryable,
  { accountId, environment }: AccountScope,
  spenders: readonly string[],
): Promise<SpenderBudgets[]> {
  const values = [accountId, environment, spenders]
  const rows = await database.query<BudgetRow>(budgetsOf, values)
  const found = new Map<string, Budget[]>()
  for (const { spender, ...budget } of rows) {
    const known = found.get(spender)
    if (known) known.push(budget)
    else found.set(spender, [budget])
  }
  return [...found].map(([spender, budgets]) => ({ spender, budgets }))
}

/** The budgets of one spender, by their periods. */
export async function readOwnBudgets(
  database: Queryable,
  owner: AccountScope,
  spender: string,
): Promise<Budget[]> {
  const [found] = await readBudgets(database, owner, [spender])
  return found?.budgets ?? []
}

const budgetedExternalIds: Statement = {
  name: 'budgeted-external-ids',
  text: `SELECT DISTINCT spender FROM account.budget
    WHERE account_id = $1 AND environment = $2 AND spender > $3 AND spender < $4
      AND strpos(lower(substr(spender, $5)), lower($6)) > 0
    ORDER BY spender LIMIT $7`,
}

interface ExternalIdsWanted {
  readonly after: string
  readonly search: string
  readonly limit: number
}

/** A character that sorts after all visible ones. */
const afterAll = '\x7F'

/**
 * External ids that have budgets, come after `after` and have `search` in them, whatever its case, in the order
 * of their characters.
 */
export async function listExternalIds(
  database: Queryable,
  { accountId, environment }: AccountScope,
  { after, search, limit }: ExternalIdsWanted,
): Promise<string[]> {
  const prefix = externalIdBudgetOwner('')
  const rows = await database.query<{ spender: string }>(budgetedExternalIds, [
    ...[
      accountId,
      environment,
      externalIdBudgetOwner(after),
      externalIdBudgetOwner(afterAll),
      prefix.length + 1,
      search,
      limit,
    ],
  ])
  return rows.map(({ spender }) => spender.slice(prefix.length))
}

const lockBalance: Statement = {
  name: 'budget-lock-balance',
  text: `SELECT 1 FROM account.balance WHERE account_id = $1 AND environment = $2 FOR UPDATE`,
}

const replaceBudgets: Statement = {
  name: 'budgets-set',
  text: 'SELECT account.set_budgets($1, $2, $3, $4::text[], $5::bigint[], $6::boolean[])',
}

/**
 * Replaces all budgets of a spender: a period that it had before keeps its use, a new one begins at
 * 0, all others are deleted. Throws NOT_FOUND for an unknown account, and INVALID_REQUEST that
 * names every wrong budget.
 */
export async function setBudgets(
  tx: Transaction,
  owner: AccountScope,
  spender: string,
  budgets: readonly BudgetInput[],
): Promise<Budget[]> {
  requireAll(budgetChecks(budgets))
  await lock(tx, owner)
  await tx.query(replaceBudgets, [
    ...[owner.accountId, owner.environment, spender],
    budgets.map(({ period }) => period),
    budgets.map(({ limitCredits }) => limitCredits),
    budgets.map(({ enforce }) => enforce ?? true),
  ])
  return readOwnBudgets(tx, owner, spender)
}

/** Every transaction that changes the use of a budget takes this lock too. */
async function lock(tx: Transaction, { accountId, environment }: AccountScope): Promise<void> {
  const locked = await tx.query(lockBalance, [accountId, environment])
  if (locked.length === 0) throw new DomainError('NOT_FOUND', 'No account has this id.')
}

const resetUse: Statement = {
  name: 'budget-reset',
  text: 'SELECT account.reset_budget($1, $2, $3, $4) AS "isThere"',
}

/**
 * Sets the use of a budget to 0; calls under way no longer count in it. Throws NOT_FOUND without
 * such a budget.
 */
export async function resetBudget(
  tx: Transaction,
  owner: AccountScope,
  spender: string,
  period: BudgetPeriod,
): Promise<Budget> {
  await lock(tx, owner)
  const values = [owner.accountId, owner.environment, spender, period]
  await tx.query(resetUse, values)
  const budgets = await readOwnBudgets(tx, owner, spender)
  const budget = budgets.find((one) => one.period === period)
  if (!budget) throw new DomainError('NOT_FOUND', 'There is no budget for this period.')
  return budget
}

const countedOf: Statement = {
  name: 'counted-of-request',
  text: `SELECT credits - refunded AS credits FROM account.spending
    WHERE request_id = $1 AND account_id = $2 AND environment = $3`,
}

/** Removes from the budgets all that a request still counts in them. */
export async function undoSpending(
  tx: Transaction,
  owner: AccountScope,
  requestId: string,
): Promise<void> {
  await lock(tx, owner)
  const values = [requestId, owner.accountId, owner.environment]
  const [counted] = await tx.query<{ credits: number }>(countedOf, values)
  if (counted && counted.credits > 0) await refundSpending(tx, owner, requestId, counted.credits)
}

const lowerUse: Statement = {
  name: 'budget-refund',
  text: 'SELECT account.refund_spending($1, $2, $3, $4)',
}

/** A refund lowers the use in the window in which the call was reserved. The balance is locked. */
export async function refundSpending(
  tx: Transaction,
  { accountId, environment }: AccountScope,
  requestId: string,
  credits: number,
): Promise<void> {
  await tx.query(lowerUse, [accountId, environment, requestId, credits])
}
