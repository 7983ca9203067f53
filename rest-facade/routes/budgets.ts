import { z } from 'zod'
import { budgetList, budgetPeriods } from '../http/fields/budgets.ts'
import { externalId } from '../http/fields/external-id.ts'
import { idParam, pageParams, shown, text } from '../http/input.ts'
import { accountRoute } from './kinds/account-route.ts'

export const budgetRoutes = [
  accountRoute({
    method: 'get',
    path: '/account/budgets',
    summary: 'Budgets of the account: what all its calls together may spend',
    description: 'Returns the budgets of the account: what all its calls together may spend.',
    operation: 'GetAccountBudgets',
    isExtension: true,
    scope: 'account:read',
  }),
  accountRoute({
    method: 'put',
    path: '/account/budgets',
    summary: 'Replace the budgets of the account',
    description:
      'Replaces all budgets of the account by the list. A period that stays keeps its use, a new one starts at 0, and `[]` removes all. A key that has budgets itself cannot change any.',
    operation: 'ChangeAccountBudgets',
    isExtension: true,
    scope: 'account:write',
    keysOnly: true,
    uncappedOnly: true,
    body: z.strictObject({ budgets: budgetList }),
    needsBody: true,
  }),
  accountRoute({
    method: 'get',
    path: '/account/external-ids',
    summary: 'External ids of the keys of the account, with the budgets that such keys share',
    description:
      'Lists the external ids of the keys of the account, in the order of their characters. `keys` counts those that are not revoked or expired; `last_used_at` is of all of them.',
    operation: 'ListExternalIds',
    readsUsage: true,
    isExtension: true,
    scope: 'keys:read',
    keysOnly: true,
    query: z.strictObject({
      ...pageParams,
      q: text(1, 128)
        .register(shown, { description: 'A part of the external id, whatever its case.' })
        .optional(),
    }),
  }),
  accountRoute({
    method: 'get',
    path: '/account/external-ids/:external_id',
    summary: 'One external id, with its keys, budgets and credits of this month',
    description:
      'Returns one external id. One that no key has yet, and that has no budgets, is answered too: with 0 keys.',
    operation: 'GetExternalId',
    readsUsage: true,
    isExtension: true,
    scope: 'keys:read',
    keysOnly: true,
    params: z.strictObject({ external_id: externalId }),
  }),
  accountRoute({
    method: 'put',
    path: '/account/external-ids/:external_id/budgets',
    summary: 'Replace the budgets that all keys with an external id share',
    description:
      'Replaces all budgets of the external id by the list. Budgets can be set before a key has the external id. A period that stays keeps its use, a new one starts at 0, and `[]` removes all. A key that has budgets itself cannot change any.',
    operation: 'ChangeExternalIdBudgets',
    isExtension: true,
    scope: 'keys:write',
    keysOnly: true,
    uncappedOnly: true,
    params: z.strictObject({ external_id: externalId }),
    body: z.strictObject({ budgets: budgetList }),
    needsBody: true,
  }),
  accountRoute({
    method: 'post',
    path: '/account/keys/:key_id/budgets/:period/reset',
    summary: "Reset a key's budget",
    description:
      'Sets the use of a budget to 0. Calls in progress do not count any more. A key that has budgets itself cannot do this.',
    operation: 'ResetKeyBudget',
    isExtension: true,
    refusals: ['CONFLICT'],
    scope: 'keys:write',
    keysOnly: true,
    uncappedOnly: true,
    params: z.strictObject({
      key_id: idParam('key', 'API key'),
      period: z.enum(budgetPeriods, `must be one of ${budgetPeriods.join(', ')}`),
    }),
  }),
]
