import { type Check, requireAll } from '../../shared/graph/checks.ts'
import type { UsageSource } from '../log/usage-log.type.ts'
import { type AuditExportInput, AuditExportKind } from './audit-export.type.ts'

/** The filters as they are stored, and as the audit trail shows them. */
export interface Filters {
  readonly kind: AuditExportKind
  readonly from: Date | null
  readonly to: Date | null
  readonly service: string | null
  readonly status_class: number | null
  readonly actor: string | null
  /** These are there only if they are asked for. */
  readonly key_id?: string | null
  readonly client_id?: string | null
  readonly external_id?: string | null
  readonly end_user?: string | null
  readonly sources?: readonly UsageSource[] | null
  readonly error_code?: string | null
  readonly extended?: boolean | null
}

const needsRequests = 'filters requests: it needs the kind requests'

/** Throws INVALID_REQUEST that names the filters that do not fit each other. */
export function filtersOf(input: AuditExportInput): Filters {
  const filters = {
    kind: input.kind ?? AuditExportKind.activity,
    from: input.from ?? null,
    to: input.to ?? null,
    service: input.service ?? null,
    status_class: input.statusClass ?? null,
    actor: input.actor ?? null,
    ...furtherOf(input),
  }
  const { kind, from, to, service, status_class, actor } = filters
  const isActivity = kind === AuditExportKind.activity
  requireAll([
    ['to', !from || !to || to > from, 'must be later than from'],
    ['service', !isActivity || service === null, needsRequests],
    ['status_class', !isActivity || status_class === null, needsRequests],
    ['actor', isActivity || actor === null, 'filters activity: it needs the kind activity'],
    ...Object.keys(furtherOf(input)).map(
      (name): Check => [name === 'sources' ? 'source' : name, !isActivity, needsRequests],
    ),
  ])
  return filters
}

function furtherOf(input: AuditExportInput) {
  const { keyId, clientId, externalId, endUser, sources, errorCode, isExtended } = input
  return {
    ...(keyId ? { key_id: keyId } : {}),
    ...(clientId ? { client_id: clientId } : {}),
    ...(externalId ? { external_id: externalId } : {}),
    ...(endUser ? { end_user: endUser } : {}),
    ...(sources ? { sources } : {}),
    ...(errorCode ? { error_code: errorCode } : {}),
    ...(isExtended ? { extended: true } : {}),
  }
}
