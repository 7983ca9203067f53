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
export interface SpenderBudget extends z.infer<typeof budget> {
  /** `key:…`, `consent:…`, `external_id:…` or `account`. */
  readonly spender: string
}

/** The credits that a caller can spend at one moment. */
export interface Balance {
  /** The balance less open holds. */
  readonly available: number
  readonly asOf: Date
  readonly budgets: readonly SpenderBudget[]
}

interface Spender {
  readonly caller: AccountCaller
  /** The spenders whose budgets count, if they have budgets. */
  readonly spenders: readonly string[]
}

/** Reads balance and budgets of the caller; nothing is held. */
export async function readBalance(spender: Spender, execute: Execute): Promise<Balance> {
  const [balance, budgets] = await Promise.all([
    execute('QuoteCalls', {}, spender.caller),
    readBudgets(spender, execute),
  ])
  const { available, as_of: asOf } = credits.parse(balance)
  return { available, asOf, budgets }
}

/** Most callers have no budgets, and then no question is needed. */
async function readBudgets(
  { caller: { accountId, environment, requestId, traceId }, spenders }: Spender,
  execute: Execute,
): Promise<SpenderBudget[]> {
  if (spenders.length === 0) return []
  const caller = serviceCaller({ environment, requestId, traceId })
  const found = await execute('ReadBudgets', { accountId, environment, spenders }, caller)
  return budgetsOfMany
    .parse(found)
    .flatMap(({ spender, budgets }) => budgets.map((one) => ({ spender, ...one })))
}
