import { z } from 'zod'
import { idPattern, isId } from '../../schema/vocabulary/ids.ts'
import { serviceSlugs } from '../../schema/vocabulary/scopes.ts'
import { integerParam, isSpan, pageParams, shown, spanParams, spanRule } from '../http/input.ts'
import { accountRoute } from '../route-kinds/account-route.ts'

/** Every service group of the usage log (docs/contract.md §7). */
export const serviceGroups = [
  ...serviceSlugs,
  'account',
  'keys',
  'usage',
  'billing',
  'oauth',
] as const

/** The first digit of a status. */
export const statusClass = z
  .enum(['1xx', '2xx', '3xx', '4xx', '5xx'], 'must be one of 1xx, 2xx, 3xx, 4xx, 5xx')
  .transform((statusClass) => Number(statusClass.charAt(0)))
  .register(shown, { description: 'Only answers with a status of this class.' })

export const usageRoutes = [
  accountRoute({
    method: 'get',
    path: '/account/usage/log',
    summary: 'Requests of the account, newest first',
    operation: 'ListUsageLog',
    scope: 'usage:read',
    readsUsage: true,
    query: z
      .strictObject({
        ...pageParams,
        ...spanParams,
        service: z.enum(serviceGroups, `must be one of ${serviceGroups.join(', ')}`).optional(),
        status_class: statusClass.optional(),
        request_id: z
          .string('must be a single id')
          .refine((text) => isId('req', text), 'must be the id of a request, req_…')
          .register(shown, { schema: { type: 'string', pattern: idPattern('req') } })
          .optional(),
        min_credits: integerParam(0, 999_999_999).optional(),
      })
      .refine(isSpan, spanRule),
  }),
  accountRoute({
    method: 'get',
    path: '/account/usage/summary',
    summary: 'Requests, credits, success and latency by hour or day',
    operation: 'SummarizeUsage',
    isExtension: true,
    scope: 'account:read',
    orScope: 'usage:read',
    readsUsage: true,
    query: z
      .strictObject({
        ...spanParams,
        interval: z.enum(['hour', 'day'], 'must be hour or day').default('day'),
        group_by: z.enum(['service', 'endpoint'], 'must be service or endpoint').default('service'),
      })
      .refine(isSpan, spanRule),
  }),
]
