import { z } from 'zod'
import { type AccountCaller, serviceCaller } from '../../../schema/credentials/caller.ts'
import type { Execute } from '../../graph/graph-client.ts'

const credits = z.object({ available: z.number(), as_of: z.coerce.date() })

const budget = z.object({
  period: z.enum(['day', 'week', 'month', 'total']),
  limitCredits: z.number(),
  usedCredits: z.number(),
  heldCredits: z.number(),
  remainingCredits: z.number(),
  resetsAt: z.nullable(z.coerce.date()),
  enforce: z.boolean(),
})
const budgetsOfMany = z.array(z.object({ spender: z.string(), budgets: z.array(budget) }))

/** A budget that counts for the caller, and whose it is. */
export interface OwnedBudget extends z.infer<typeof budget> {
  /** The owner of the budget: `key:…`, `consent:…`, `external_id:…` or `account`. */
  readonly spender: string
}

/** The credits that a caller can spend at one moment. */
export interface Balance {
  /** The balance less open holds and expired credits. */
  readonly available: number
  readonly asOf: Date
  readonly budgets: readonly OwnedBudget[]
}

interface BalanceHolder {
  readonly caller: AccountCaller
  /** The owners of budgets that count for the caller. */
  readonly budgetOwners: readonly string[]
}

/** Reads balance and budgets of the caller; nothing is held. */
export async function readBalance(holder: BalanceHolder, execute: Execute): Promise<Balance> {
  const [balance, budgets] = await Promise.all([
    execute('QuoteCalls', {}, holder.caller),
    readBudgets(holder, execute),
  ])
  const { available, as_of: asOf } = credits.parse(balance)
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
  return budgetsOfMany
    .parse(found)
    .flatMap(({ spender, budgets }) => budgets.map((one) => ({ spender, ...one })))
}
