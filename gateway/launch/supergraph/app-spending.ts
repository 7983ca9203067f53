import type { Execute } from '../../../rest-facade/graph/graph-client.ts'
import { ApiError } from '../../../rest-facade/http/errors.ts'
import { serviceCaller } from '../../../schema/credentials/caller.ts'
import type { AppSpending } from '../../../subgraphs/shared/graph/context.ts'
import { DomainError } from '../../../subgraphs/shared/graph/errors.ts'

/** What the usage subgraph knows about the spending of apps, for the oauth subgraph. */
export function createAppSpending(execute: Execute): AppSpending {
  return async ({ clientId, environment }, accountIds) => {
    if (accountIds.length === 0) return new Map()
    const asked = { clientId, accountIds: [...accountIds] }
    const found = await execute('GetAppSpending', asked, serviceCaller({ environment })).catch(
      (error: unknown) => {
        throw error instanceof ApiError ? new DomainError(error.code, error.message) : error
      },
    )
    return new Map(found.map(({ accountId, credits }) => [accountId, credits]))
  }
}
