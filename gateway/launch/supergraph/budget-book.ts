import type { Execute } from '../../../rest-facade/graph/graph-client.ts'
import { ApiError } from '../../../rest-facade/http/errors.ts'
import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { serviceCaller } from '../../../schema/credentials/caller.ts'
import type { BodyOf, OperationName, VariablesOf } from '../../../schema/generated/operations.ts'
import { isFieldError } from '../../../schema/vocabulary/error-codes.ts'
import type { Budget } from '../../../subgraphs/shared/budgets/budget.type.ts'
import { BudgetPeriod } from '../../../subgraphs/shared/budgets/budget-period.ts'
import type { BudgetBook } from '../../../subgraphs/shared/graph/context.ts'
import { DomainError } from '../../../subgraphs/shared/graph/errors.ts'

/** The budgets as the account subgraph keeps them, for the other subgraphs. */
export function createBudgetBook(execute: Execute): BudgetBook {
  function ask<Name extends OperationName>(
    operation: Name,
    variables: VariablesOf<Name>,
    { environment }: AccountScope,
  ): Promise<BodyOf<Name>> {
    return execute(operation, variables, serviceCaller({ environment })).catch(asDomainError)
  }
  return {
    async set({ accountId, environment }, spender, budgets, line) {
      const asked = { accountId, environment, spender, budgets, line }
      return (await ask('SetBudgets', asked, asked)).map(toBudget)
    },
    async reset({ accountId, environment }, spender, period, line) {
      const asked = { accountId, environment, spender, period, line }
      return toBudget(await ask('ResetBudget', asked, asked))
    },
    listExternalIds({ accountId, environment }, { after, search, limit }) {
      const asked = { accountId, environment, after, search, limit }
      return ask('ListBudgetedExternalIds', asked, asked)
    },
    async read({ accountId, environment }, spenders) {
      if (spenders.length === 0) return new Map()
      const asked = { accountId, environment, spenders }
      const found = await ask('ReadBudgets', asked, asked)
      return new Map(found.map(({ spender, budgets }) => [spender, budgets.map(toBudget)]))
    },
  }
}

function toBudget({ period, resetsAt, ...budget }: BodyOf<'ResetBudget'>): Budget {
  return {
    ...budget,
    period: BudgetPeriod[period],
    resetsAt: resetsAt === null ? null : new Date(resetsAt),
  }
}

/** Makes a refusal of the account subgraph a refusal of the subgraph that asked. */
function asDomainError(error: unknown): never {
  if (!(error instanceof ApiError)) throw error
  const { code, message } = error
  const details = error.details?.filter(isFieldError)
  throw new DomainError(code, message, { details, cause: error })
}
