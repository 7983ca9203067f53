import type { Environment } from '../../schema/caller.ts'
import type { Owner } from '../shared/change.ts'
import { type Check, isText, requireAll } from '../shared/checks.ts'
import type { Database, Statement } from '../shared/database.ts'
import type { PagedList } from '../shared/pagination.ts'
import { AuditActorKind, type AuditEvent, type AuditEventFilter } from './audit-event.type.ts'

/** What was changed in an account, and what was refused, newest first, as internal tools see it. */
export function auditTrailOf(
  database: Database,
  owner: Owner,
  filter: AuditEventFilter = {},
): PagedList<AuditEvent> {
  const read = reader(database, chainOf(owner), wholeConditions(filter), filter)
  return { name: 'audit-events', owner, positionOf, read }
}

/** The same of what is about no account. */
export function auditTrailOfNone(
  database: Database,
  environment: Environment,
  filter: AuditEventFilter = {},
): PagedList<AuditEvent> {
  const chain = chainOf({ accountId: '', environment })
  const read = reader(database, chain, wholeConditions(filter), filter)
  return { name: `audit-events-of-none/${environment}`, owner: null, positionOf, read }
}

/** The same as the account holder sees it: an internal tool's token and address are not theirs to know. */
export function ownAuditTrail(
  database: Database,
  { accountId, environment }: Owner,
  filter: AuditEventFilter,
): PagedList<AuditEvent> {
  const owner = { accountId, environment }
  const readAll = reader(database, chainOf(owner), shownConditions(filter), filter)
  return {
    name: 'audit-trail',
    owner,
    positionOf,
    read: async (options) => (await readAll(options)).map(asShown),
  }
}

/** What stands for the id of an internal tool's token. */
const anyTool = 'internal'

function asShown(event: AuditEvent): AuditEvent {
  if (event.actorKind !== AuditActorKind.internal) return event
  return { ...event, actorId: anyTool, address: null }
}

/** As `usage.chain_of` names it. */
function chainOf({ accountId, environment }: Owner): string {
  return `${accountId}/${environment}`
}

type Column = 'shown_actor_id' | 'actor_id' | 'action' | 'resource_id' | 'result'
type Condition = readonly [column: Column, value: string | null | undefined]

function shownConditions({ actor, action, resourceId, result }: AuditEventFilter): Condition[] {
  return [
    ['shown_actor_id', actor],
    ['action', action],
    ['resource_id', resourceId],
    ['result', result],
  ]
}

/** A token is looked for among all that internal tools did: there is one index for both views. */
function wholeConditions(filter: AuditEventFilter): Condition[] {
  const { actor } = filter
  if (!actor?.startsWith('tok_') && actor !== 'cli') return shownConditions(filter)
  return [...shownConditions({ ...filter, actor: anyTool }), ['actor_id', actor]]
}

/** Newest first; events of one millisecond by their ids. */
function positionOf({ occurredAt, id }: Pick<AuditEvent, 'occurredAt' | 'id'>): string {
  return `${occurredAt.toISOString()} ${id}`
}

function reader(
  database: Database,
  chain: string,
  conditions: readonly Condition[],
  filter: AuditEventFilter,
): PagedList<AuditEvent>['read'] {
  const { from, to } = filter
  requireAll(textFilters.map((name) => isUsable(name, filter[name] ?? null)))
  const asked = conditions.filter(([, value]) => value !== null && value !== undefined)
  const statement = pageStatement(asked.map(([column]) => column))
  return async ({ limit, before }) => {
    const end = positionOf({ occurredAt: storable(to ?? lastInstant), id: '' })
    const [endAt, endId] = (before !== null && before < end ? before : end).split(' ')
    const start = storable(from ?? firstInstant).toISOString()
    const values = [chain, start, endAt, endId, limit, ...asked.map(([, value]) => value)]
    return (await database.query<AuditEventRow>(statement, values)).map(toAuditEvent)
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

/**
 * Only what is asked for stands in it, each combination a statement of its own: a condition that may be
 * null would keep a generic plan from the index.
 */
export function pageStatement(columns: readonly Column[]): Statement {
  const conditions = columns.map((column, index) => ` AND ${column} = $${index + 6}`)
  return {
    name: ['audit-events', ...columns].join(' '),
    text: `
      SELECT id, occurred_at, actor_kind, actor_id, actor_role, action, resource_id, address,
        request_id, trace_id, result, details, recorded_at, seq, encode(hash, 'hex') AS hash
      FROM usage.audit_event
      WHERE chain = $1 AND occurred_at >= $2 AND (occurred_at, id) < ($3, $4)${conditions.join('')}
      ORDER BY occurred_at DESC, id DESC LIMIT $5`,
  }
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
