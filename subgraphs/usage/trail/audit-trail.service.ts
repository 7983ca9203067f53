import type { Environment } from '../../../schema/credentials/caller.ts'
import type { Owner } from '../../shared/changes/change.ts'
import type { Database } from '../../shared/database/database.ts'
import { type Check, isText, requireAll } from '../../shared/graph/checks.ts'
import type { PagedList } from '../../shared/lists/pagination.ts'
import { AuditActorKind, type AuditEvent } from './audit-event.type.ts'
import { type FilterColumn, pageStatement } from './audit-page.ts'

/** What is null lets everything through. */
export interface AuditFilter {
  readonly from?: Date | null
  readonly to?: Date | null
  readonly actor?: string | null
  readonly action?: string | null
  readonly resourceId?: string | null
  readonly result?: string | null
}

/** What was changed in an account, and what was refused, newest first, as internal tools see it. */
export function auditTrailOf(
  database: Database,
  owner: Owner,
  filter: AuditFilter = {},
): PagedList<AuditEvent> {
  const conditions = wholeConditions(filter)
  const read = reader(database, { chain: chainOf(owner), conditions, filter })
  return { name: 'audit-events', owner, positionOf, read }
}

/** The same of what is about no account. */
export function auditTrailOfNone(
  database: Database,
  environment: Environment,
  filter: AuditFilter = {},
): PagedList<AuditEvent> {
  const chain = chainOf({ accountId: '', environment })
  const read = reader(database, { chain, conditions: wholeConditions(filter), filter })
  return { name: `audit-events-of-none/${environment}`, owner: null, positionOf, read }
}

/** The same as the account holder sees it: an internal tool's token and address are not theirs to know. */
export function ownAuditTrail(
  database: Database,
  { accountId, environment }: Owner,
  filter: AuditFilter,
): PagedList<AuditEvent> {
  const owner = { accountId, environment }
  const conditions = shownConditions(filter)
  const read = reader(database, { chain: chainOf(owner), conditions, filter, show: asShown })
  return { name: 'audit-trail', owner, positionOf, read }
}

/** What stands for the id of an internal tool's token. */
const anyTool = 'internal'

function asShown(row: AuditEventRow): AuditEventRow {
  if (row.actor_kind !== AuditActorKind.internal) return row
  return { ...row, actor_id: anyTool, address: null }
}

/** As `usage.chain_of` names it. */
function chainOf({ accountId, environment }: Owner): string {
  return `${accountId}/${environment}`
}

type Condition = readonly [column: FilterColumn, value: string | null | undefined]

function shownConditions({ actor, action, resourceId, result }: AuditFilter): Condition[] {
  return [
    ['shown_actor_id', actor],
    ['action', action],
    ['resource_id', resourceId],
    ['result', result],
  ]
}

/** A token is looked for among all that internal tools did: there is one index for both views. */
function wholeConditions(filter: AuditFilter): Condition[] {
  const { actor } = filter
  if (!actor?.startsWith('tok_') && actor !== 'cli') return shownConditions(filter)
  return [...shownConditions({ ...filter, actor: anyTool }), ['actor_id', actor]]
}

/** Newest first; events of one millisecond by their ids. */
function positionOf({ occurredAt, id }: Pick<AuditEvent, 'occurredAt' | 'id'>): string {
  return `${occurredAt.toISOString()} ${id}`
}

interface Reading {
  readonly chain: string
  readonly conditions: readonly Condition[]
  readonly filter: AuditFilter
  readonly show?: (row: AuditEventRow) => AuditEventRow
}

function reader(
  database: Database,
  { chain, conditions, filter, show = (row) => row }: Reading,
): PagedList<AuditEvent>['read'] {
  requireAll([
    ...textFilters.map((name) => isUsable(name, filter[name] ?? null)),
    ['to', !filter.from || !filter.to || filter.from < filter.to, 'must be after from'],
  ])
  const asked = conditions.filter(([, value]) => value !== null && value !== undefined)
  const statement = pageStatement(asked.map(([column]) => column))
  const from = storable(filter.from ?? firstInstant).toISOString()
  const end = positionOf({ occurredAt: storable(filter.to ?? lastInstant), id: '' })
  return async ({ limit, before }) => {
    // A cursor of a page without the filter may stand after what it lets through begins.
    const [endAt, endId] = (before !== null && before < end ? before : end).split(' ')
    const values = [chain, from, endAt, endId, limit, ...asked.map(([, value]) => value)]
    const rows = await database.query<AuditEventRow>(statement, values)
    return rows.map((row) => toAuditEvent(show(row)))
  }
}

const textFilters = ['actor', 'action', 'resourceId', 'result'] as const
const maxTextLength = 200

function isUsable(name: string, text: string | null): Check {
  const message = `must have 1 to ${maxTextLength} characters`
  return [name, text === null || isText(text, maxTextLength), message]
}

const firstInstant = new Date(0)
const lastInstant = new Date('9999-12-31T23:59:59.999Z')

/** Nothing has happened outside of these bounds, and beyond them PostgreSQL writes instants otherwise. */
function storable(instant: Date): Date {
  return new Date(Math.min(Math.max(instant.getTime(), 0), lastInstant.getTime()))
}

interface AuditEventRow {
  readonly id: string
  readonly occurred_at: Date
  readonly actor_kind: AuditActorKind
  readonly actor_id: string
  readonly actor_role: string | null
  readonly action: string
  readonly resource_id: string | null
  readonly address: string | null
  readonly request_id: string | null
  readonly trace_id: string | null
  readonly result: string
  readonly details: Record<string, unknown>
  readonly recorded_at: Date
  readonly seq: number
  readonly hash: string
}

function toAuditEvent(row: AuditEventRow): AuditEvent {
  return {
    id: row.id,
    occurredAt: row.occurred_at,
    actorKind: row.actor_kind,
    actorId: row.actor_id,
    actorRole: row.actor_role,
    action: row.action,
    resourceId: row.resource_id,
    address: row.address,
    requestId: row.request_id,
    traceId: row.trace_id,
    result: row.result,
    details: row.details,
    recordedAt: row.recorded_at,
    seq: row.seq,
    hash: row.hash,
  }
}
