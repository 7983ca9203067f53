import { z } from 'zod'
import type { Execute } from '../../../rest-facade/graph/graph-client.ts'
import { ApiError } from '../../../rest-facade/http/errors.ts'
import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { serviceCaller } from '../../../schema/credentials/caller.ts'
import { isFieldError } from '../../../schema/vocabulary/error-codes.ts'
import type { Budget } from '../../../subgraphs/shared/budgets/budget.type.ts'
import { BudgetPeriod } from '../../../subgraphs/shared/budgets/budget-period.ts'
import type { BudgetBook } from '../../../subgraphs/shared/graph/context.ts'
import { DomainError } from '../../../subgraphs/shared/graph/errors.ts'

const budget = z.object({
  period: z.enum(BudgetPeriod),
  limitCredits: z.number(),
  usedCredits: z.number(),
  heldCredits: z.number(),
  remainingCredits: z.number(),
  resetsAt: z.nullable(z.coerce.date()),
  enforce: z.boolean(),
})
const budgetsOfOne = z.array(budget)
const externalIds = z.array(z.string())
const budgetsOfMany = z.array(z.object({ spender: z.string(), budgets: budgetsOfOne }))

/** The budgets as the account subgraph keeps them, for the other subgraphs. */
export function createBudgetBook(execute: Execute): BudgetBook {
  function ask(operation: string, { environment, ...variables }: Asked): Promise<unknown> {
    const caller = serviceCaller({ environment })
    return execute(operation, { environment, ...variables }, caller).catch(asDomainError)
  }
  return {
    async set({ accountId, environment }, spender, budgets, line): Promise<Budget[]> {
      const asked = { accountId, environment, spender, budgets, line }
      return budgetsOfOne.parse(await ask('SetBudgets', asked))
    },
    async reset({ accountId, environment }, spender, period, line): Promise<Budget> {
      const asked = { accountId, environment, spender, period, line }
      return budget.parse(await ask('ResetBudget', asked))
    },
    async listExternalIds({ accountId, environment }, { after, limit }) {
      const asked = { accountId, environment, after, limit }
      return externalIds.parse(await ask('ListBudgetedExternalIds', asked))
    },
    async read({ accountId, environment }, spenders) {
      if (spenders.length === 0) return new Map()
      const found = budgetsOfMany.parse(
        await ask('ReadBudgets', { accountId, environment, spenders }),
      )
      return new Map(found.map((entry) => [entry.spender, entry.budgets]))
    },
  }
}

interface Asked extends AccountScope {
  readonly [variable: string]: unknown
}

/** Makes a refusal of the account subgraph a refusal of the subgraph that asked. */
function asDomainError(error: unknown): never {
  if (!(error instanceof ApiError)) throw error
  const { code, message } = error
  const details = error.details?.filter(isFieldError)
  throw new DomainError(code, message, { details, cause: error })
}
