import { z } from 'zod'
import { idParam, shown, text } from '../http/input.ts'
import { accountRoute } from './kinds/account-route.ts'
import { fileRoute } from './kinds/file-route.ts'
import {
  callerValues,
  endUserValue,
  errorCode,
  serviceGroups,
  sources,
  statusClass,
} from './usage.ts'

const year = 365.25 * 86_400_000
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z')

const instant = z.iso
  .datetime({ offset: true, message: 'must be an ISO 8601 instant', abort: true })
  .refine((text) => {
    const ms = Date.parse(text)
    return ms >= -1000 * year && ms <= lastInstant
  }, 'must be between the years 1000 and 9999')
  .register(shown, { schema: { type: 'string', format: 'date-time' } })

/**
 * A filter that is null has no effect, so a caller can send the filters of an earlier job
 * unchanged.
 */
const exportRequest = z.strictObject({
  from: z.nullable(instant).optional(),
  to: z.nullable(instant).optional(),
  kind: z.nullable(z.enum(['activity', 'requests'], 'must be activity or requests')).optional(),
  service: z
    .nullable(z.enum(serviceGroups, `must be one of ${serviceGroups.join(', ')}`))
    .optional(),
  status_class: z.nullable(statusClass).optional(),
  actor: z.nullable(text(1, 200)).optional(),
  key_id: z.nullable(callerValues.key_id).optional(),
  client_id: z.nullable(callerValues.client_id).optional(),
  external_id: z.nullable(callerValues.external_id).optional(),
  end_user: z.nullable(endUserValue).optional(),
  source: z.nullable(sources).optional(),
  error_code: z.nullable(errorCode).optional(),
  extended: z
    .nullable(z.boolean('must be true or false'))
    .register(shown, {
      description: 'For requests: whether rows say who has called and why a request failed.',
    })
    .optional(),
})

/** Filters that older jobs lack: an answer has them only where they were asked for. */
const leavesOutNull = [
  'key_id',
  'client_id',
  'external_id',
  'end_user',
  'source',
  'error_code',
  'extended',
]

const jobParams = z.strictObject({ job_id: idParam('exp', 'audit export') })

/** Any value is accepted here: the signature proves whether it is right. */
const linkPart = z
  .unknown()
  .transform((value) => (typeof value === 'string' ? value : ''))
  .default('')
  .register(shown, { schema: { type: 'string' }, isRequired: true })

export const auditExportRoutes = [
  accountRoute({
    method: 'get',
    path: '/account/audit/export',
    summary: 'Exports of the account, newest first: the latest 200',
    operation: 'ListAuditExports',
    leavesOutNull,
    scope: 'audit:read',
  }),
  accountRoute({
    method: 'post',
    path: '/account/audit/export',
    summary: 'Begin an export of the audit trail, or of the usage log, as CSV',
    operation: 'CreateAuditExport',
    leavesOutNull,
    refusals: ['CONFLICT'],
    scope: 'audit:write',
    status: 202,
    readsUsage: true,
    body: exportRequest,
    takesNullBody: true,
  }),
  accountRoute({
    method: 'get',
    path: '/account/audit/export/:job_id',
    summary: 'How far an export is, and a new link to its result',
    operation: 'GetAuditExport',
    leavesOutNull,
    isExtension: true,
    scope: 'audit:read',
    someNeedScope: 'usage:read',
    params: jobParams,
  }),
  accountRoute({
    method: 'post',
    path: '/account/audit/export/:job_id/re-export',
    summary: 'Begin another export with the filters of an earlier one',
    operation: 'RepeatAuditExport',
    leavesOutNull,
    refusals: ['CONFLICT'],
    scope: 'audit:write',
    readsUsage: true,
    params: jobParams,
  }),
  fileRoute({
    method: 'get',
    path: '/account/audit/export/:job_id/result',
    summary: 'The CSV of an export, for everybody who has its link',
    operation: 'FollowAuditExportLink',
    isExtension: true,
    params: z.strictObject({ job_id: z.string() }),
    // The schema is not strict: a renamed parameter makes the link invalid, as any other tampering does
    // (docs/promises.md J7).
    query: z.object({ expires: linkPart, signature: linkPart }),
  }),
]
