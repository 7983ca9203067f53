import { z } from 'zod'
import { idParam, shown, text } from '../http/input.ts'
import type { Route } from '../route-kinds/route.ts'
import { serviceGroups, statusClass } from './usage.ts'

const year = 365.25 * 86_400_000
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z')

const instant = z.iso
  .datetime({ offset: true, message: 'must be an ISO 8601 instant', abort: true })
  .refine((text) => {
    const ms = Date.parse(text)
    return ms >= -1000 * year && ms <= lastInstant
  }, 'must be between the years 1000 and 9999')
  .register(shown, { schema: { type: 'string', format: 'date-time' } })

/** What is null does not filter: the filters of a job can be sent as they are. */
const exportRequest = z.strictObject({
  from: z.nullable(instant).optional(),
  to: z.nullable(instant).optional(),
  kind: z.nullable(z.enum(['activity', 'requests'], 'must be activity or requests')).optional(),
  service: z
    .nullable(z.enum(serviceGroups, `must be one of ${serviceGroups.join(', ')}`))
    .optional(),
  status_class: z.nullable(statusClass).optional(),
  actor: z.nullable(text(1, 200)).optional(),
})

const jobParams = z.strictObject({ job_id: idParam('exp', 'audit export') })

/** Whatever it is, the signature fits it or not. */
const linkPart = z
  .unknown()
  .transform((value) => (typeof value === 'string' ? value : ''))
  .default('')
  .register(shown, { schema: { type: 'string' }, isRequired: true })

export const auditExportRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/account/audit/export',
    summary: 'Exports of the account, newest first: the latest 200',
    operation: 'ListAuditExports',
    subgraph: 'usage',
    scope: 'audit:read',
  },
  {
    method: 'post',
    path: '/account/audit/export',
    summary: 'Begin an export of the audit trail, or of the usage log, as CSV',
    operation: 'CreateAuditExport',
    refusals: ['CONFLICT'],
    subgraph: 'usage',
    scope: 'audit:write',
    status: 202,
    readsUsage: true,
    body: exportRequest,
    takesNullBody: true,
  },
  {
    method: 'get',
    path: '/account/audit/export/:job_id',
    summary: 'How far an export is, and a new link to its result',
    operation: 'GetAuditExport',
    isExtension: true,
    subgraph: 'usage',
    scope: 'audit:read',
    someNeedScope: 'usage:read',
    params: jobParams,
  },
  {
    method: 'post',
    path: '/account/audit/export/:job_id/re-export',
    summary: 'Begin another export with the filters of one before',
    operation: 'RepeatAuditExport',
    refusals: ['CONFLICT'],
    subgraph: 'usage',
    scope: 'audit:write',
    readsUsage: true,
    params: jobParams,
  },
  {
    method: 'get',
    path: '/account/audit/export/:job_id/result',
    summary: 'The CSV of an export, for whoever has its link',
    operation: 'FollowAuditExportLink',
    isExtension: true,
    refusals: ['FORBIDDEN'],
    subgraph: 'usage',
    sendsExport: true,
    params: z.strictObject({ job_id: z.string() }),
    // Not strict: a link with a name that was changed is no good, as any that was tampered with (docs/promises.md J7).
    query: z.object({ expires: linkPart, signature: linkPart }),
  },
]
