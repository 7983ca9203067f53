import { z } from 'zod'
import { serviceSlugs } from '../../schema/scopes.ts'
import { pageParams } from '../input.ts'
import type { Route } from '../route.ts'

/** Every service group of the usage log (contract §7). */
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

export const usageRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/account/usage/log',
    summary: 'Requests of the account, newest first',
    operation: 'ListUsageLog',
    subgraph: 'usage',
    scope: 'usage:read',
    readsUsage: true,
    query: z.strictObject({
      ...pageParams,
      service: z.enum(serviceGroups, `must be one of ${serviceGroups.join(', ')}`).optional(),
      status_class: statusClass.optional(),
    }),
  },
]
