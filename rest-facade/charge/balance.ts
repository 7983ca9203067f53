import { type AccountCaller, serviceCaller } from '../../schema/credentials/caller.ts'
import type { BodyOf } from '../../schema/generated/operations.ts'
import { layerOf } from '../../schema/vocabulary/budget-owners.ts'
import type { BudgetDetail } from '../../schema/vocabulary/error-codes.ts'
import type { Execute } from '../graph/graph-client.ts'
import type { Call } from '../http/call.ts'

type Spender = BodyOf<'ReadBudgets'>[number]

/** A budget that counts for the caller, with its owner: `key:…`, `consent:…`, `external_id:…` or `account`. */
export type OwnedBudget = Spender['budgets'][number] & Pick<Spender, 'spender'>

/** The credits that a caller can spend at one moment. */
export interface Balance {
  /** The balance less open holds and expired credits. */
  readonly available: number
  /** ISO 8601 */
  readonly asOf: string
  readonly budgets: readonly OwnedBudget[]
}

interface BalanceHolder {
  readonly caller: AccountCaller
  /** The owners of budgets that count for the caller. */
  readonly budgetOwners: readonly string[]
}

/** Reads balance and budgets of the caller; nothing is held. */
export async function readBalance(holder: BalanceHolder, execute: Execute): Promise<Balance> {
  const [{ available, as_of: asOf }, budgets] = await Promise.all([
    execute('QuoteCalls', {}, holder.caller),
    readBudgets(holder, execute),
  ])
  return { available, asOf, budgets }
}

/** The budgets of a caller that refuse a call which can count so many credits. */
export async function readRefusing(
  call: Pick<Call, 'caller' | 'budgetOwners'>,
  needed: number,
  execute: Execute,
): Promise<BudgetDetail[]> {
  const { caller, budgetOwners } = call
  if (!caller) return []
  try {
    return refusingOf(await readBudgets({ caller, budgetOwners }, execute), needed)
  } catch {
    // The call is refused in any case.
    return []
  }
}

/** The budgets that refuse a call which can count so many credits. */
export function refusingOf(budgets: readonly OwnedBudget[], needed: number): BudgetDetail[] {
  return budgets
    .filter((one) => one.enforce && one.remainingCredits < needed)
    .map((budget) => shortfall(budget, needed))
}

function shortfall(budget: OwnedBudget, neededCredits: number): BudgetDetail {
  return {
    of: layerOf(budget.spender),
    period: budget.period,
    limit_credits: budget.limitCredits,
    used_credits: budget.usedCredits,
    held_credits: budget.heldCredits,
    remaining_credits: budget.remainingCredits,
    needed_credits: neededCredits,
    resets_at: budget.resetsAt,
  }
}

/** Most callers have no budgets, and then no question is needed. */
async function readBudgets(
  { caller: { accountId, environment, requestId, traceId }, budgetOwners }: BalanceHolder,
  execute: Execute,
): Promise<OwnedBudget[]> {
  if (budgetOwners.length === 0) return []
  const caller = serviceCaller({ environment, requestId, traceId })
  const found = await execute(
    'ReadBudgets',
    { accountId, environment, spenders: budgetOwners },
    caller,
  )
  return found.flatMap(({ spender, budgets }) => budgets.map((one) => ({ spender, ...one })))
}
