import { z } from 'zod'
import { isSpan, pageParams, spanParams, spanRule, text } from '../http/input.ts'
import { accountRoute } from './kinds/account-route.ts'

const filters = {
  ...spanParams,
  actor: text(1, 200).optional(),
  action: text(1, 200)
    .regex(/^[a-z_]+(\.[a-z_]+)+$/, 'must be words of a-z and _, joined by dots')
    .optional(),
  resource_id: text(1, 200).optional(),
  result: text(1, 200)
    .regex(/^([a-z_]+|[A-Z_]+)$/, 'must be succeeded or an error code')
    .optional(),
}

export const auditEventRoutes = [
  accountRoute({
    method: 'get',
    path: '/account/audit/events',
    summary: 'Changes of the account and refused attempts, newest first',
    operation: 'ListAuditEvents',
    isExtension: true,
    scope: 'audit:read',
    query: z.strictObject({ ...pageParams, ...filters }).refine(isSpan, spanRule),
  }),
]
