import { type AccountCaller, serviceCaller } from '../../../schema/credentials/caller.ts'
import type { BodyOf } from '../../../schema/generated/operations.ts'
import type { Execute } from '../../graph/graph-client.ts'

type Spender = BodyOf<'ReadBudgets'>[number]

/** A budget that counts for the caller, and whose it is: The owner of the budget: `key:…`, `consent:…`, `external_id:…` or `account`. */
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
