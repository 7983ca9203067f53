import type { ExternalId, GetAccountBudgetsResponses } from 'credit-gateway-sdk'
import { gateway } from '../api.ts'
import { type Read, useRead } from './read.ts'

const live = { isLive: true, everyMs: 15_000 }

/** A customer: its keys, its budgets and what it has spent this month. */
export function useCustomer(id: string): Read<ExternalId> {
  return useRead(
    ['external-ids', 'one', id],
    (options) => gateway.account.getExternalId({ external_id: id }, options),
    { scopes: ['keys:read'], ...live },
  )
}

/** The budgets of the account, which all calls must fit into. */
export function useAccountBudgets(): Read<GetAccountBudgetsResponses[200]> {
  return useRead(['budgets'], (options) => gateway.account.getBudgets({}, options), {
    ...{ scopes: ['account:read'], ...live },
  })
}
