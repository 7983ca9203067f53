import { z } from 'zod'
import { idPattern } from '../../schema/vocabulary/ids.ts'
import { idValue, isSpan, pageParams, shown, spanParams, spanRule } from '../http/input.ts'
import { accountRoute } from './kinds/account-route.ts'

/** Every kind of ledger entry (docs/contract.md §5). */
const ledgerKinds = [
  ...['grant', 'purchase', 'allowance', 'charge', 'refund', 'expiry', 'adjustment'],
  ...['clawback', 'reinstatement'],
] as const

export const creditRoutes = [
  accountRoute({
    method: 'get',
    path: '/account/credits',
    summary: 'Current credit balance',
    operation: 'GetCredits',
    scope: 'account:read',
  }),
  accountRoute({
    method: 'get',
    path: '/account/credits/lots',
    summary: 'Credits by expiry',
    description:
      'Lists the lots that have credits left; those that are used first come first. Each grant, purchase, allowance and refund brings a lot. Together they have as many credits as the balance, less those that have expired a moment ago, or none while it is negative.',
    operation: 'ListCreditLots',
    isExtension: true,
    scope: 'account:read',
    query: z.strictObject(pageParams),
  }),
  accountRoute({
    method: 'get',
    path: '/account/credits/ledger',
    summary: 'Ledger of the account, newest entry first',
    operation: 'ListLedgerEntries',
    isExtension: true,
    scope: 'account:read',
    query: z
      .strictObject({
        ...pageParams,
        ...spanParams,
        kind: z
          .enum(ledgerKinds, `must be one of ${ledgerKinds.join(', ')}`)
          .register(shown, { description: 'Only entries of this kind.' })
          .optional(),
        request_id: idValue('req', 'a request')
          .register(shown, {
            schema: { type: 'string', pattern: idPattern('req') },
            description: 'Only the charge of this request, and its refund.',
          })
          .optional(),
      })
      .refine(isSpan, spanRule),
  }),
]
