import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { Environment } from '../../../schema/credentials/caller.ts'
import { isId } from '../../../schema/vocabulary/ids.ts'
import type { Database } from '../../shared/database/database.ts'
import { type Check, isText, requireAll } from '../../shared/graph/checks.ts'
import type { PagedList } from '../../shared/lists/pagination.ts'
import type { UsageContext } from '../settings/usage-settings.ts'
import { AuditActorKind, type AuditEvent } from './audit-event.type.ts'
import { type FilterColumn, memberColumn, pageStatement } from './audit-page.ts'

/** A null filter has no effect. */
export interface AuditFilter {
  readonly from?: Date | null
  readonly to?: Date | null
  readonly actor?: string | null
  readonly action?: string | null
  readonly resourceId?: string | null
  readonly result?: string | null
}

/** The changes in an account, and the refused ones, newest first, as internal tools see them. */
export function auditTrailOf(
  database: Database,
  owner: AccountScope,
  filter: AuditFilter = {},
): PagedList<AuditEvent> {
  const conditions = wholeConditions(filter)
  const read = reader(database, { chain: chainOf(owner), conditions, filter })
  return { name: 'audit-events', owner, positionOf, read }
}

/** The audit trail of events that concern no account. */
export function auditTrailOfNone(
  database: Database,
  environment: Environment,
  filter: AuditFilter = {},
): PagedList<AuditEvent> {
  const chain = chainOf({ accountId: '', environment })
  const read = reader(database, { chain, conditions: wholeConditions(filter), filter })
  return { name: `audit-events-of-none/${environment}`, owner: null, positionOf, read }
}

/** The audit trail as the account holder sees it: without the token and address of an internal tool. */
export function ownAuditTrail(
  { database, showsOperatorReads = false }: Pick<UsageContext, 'database' | 'showsOperatorReads'>,
  { accountId, environment }: AccountScope,
  filter: AuditFilter,
): PagedList<AuditEvent> {
  const owner = { accountId, environment }
  const conditions = shownConditions(filter)
  const chain = chainOf(owner)
  const hidesReads = !showsOperatorReads
  const read = reader(database, { chain, conditions, filter, hidesReads, show: asShown })
  return { name: 'audit-trail', owner, positionOf, read }
}

/** Replaces the id of an internal tool's token. */
const anyTool = 'internal'

type StoredEvent = Readonly<AuditEvent>

function asShown(event: StoredEvent): StoredEvent {
  return isInternal(event.actorKind) ? { ...event, actorId: anyTool, address: null } : event
}

function isInternal(kind: AuditActorKind): boolean {
  return kind === AuditActorKind.internal
}

/** The name of the chain, as `usage.chain_of` makes it. */
function chainOf({ accountId, environment }: AccountScope): string {
  return `${accountId}/${environment}`
}

type Condition = readonly [column: FilterColumn, value: string | null | undefined]

function shownConditions({ actor, action, resourceId, result }: AuditFilter): Condition[] {
  return [
    [isId('mem', actor ?? '') ? memberColumn : 'shown_actor_id', actor],
    ['action', action],
    ['resource_id', resourceId],
    ['result', result],
  ]
}

/** A token or an operator is searched among all events of internal tools: both views share one index. */
function wholeConditions(filter: AuditFilter): Condition[] {
  const tool = toolOf(filter.actor ?? '')
  if (tool === null) return shownConditions(filter)
  return [...shownConditions({ ...filter, actor: anyTool }), ['actor_id', tool]]
}

/** The names of people are free, so that an operator is told from a person of an account by `internal:`. */
function toolOf(actor: string): string | null {
  const [, name] = /^internal:(.+)$/s.exec(actor) ?? []
  if (name !== undefined) return name
  return actor.startsWith('tok_') || actor === 'cli' ? actor : null
}

/**
 * The position of an event in the order of the list: newest first, and events of one millisecond by
 * their ids.
 */
function positionOf({ occurredAt, id }: Pick<AuditEvent, 'occurredAt' | 'id'>): string {
  return `${occurredAt.toISOString()} ${id}`
}

interface Reading {
  readonly chain: string
  readonly conditions: readonly Condition[]
  readonly filter: AuditFilter
  readonly hidesReads?: boolean
  readonly show?: (event: StoredEvent) => StoredEvent
}

function reader(
  database: Database,
  { chain, conditions, filter, hidesReads = false, show = (event) => event }: Reading,
): PagedList<AuditEvent>['read'] {
  requireAll([
    ...textFilters.map((name) => isUsable(name, filter[name] ?? null)),
    ['to', !filter.from || !filter.to || filter.from < filter.to, 'must be after from'],
  ])
  const asked = conditions.filter(([, value]) => value !== null && value !== undefined)
  const statement = pageStatement(
    asked.map(([column]) => column),
    { hidesReads },
  )
  const from = storable(filter.from ?? firstInstant).toISOString()
  const end = positionOf({ occurredAt: storable(filter.to ?? lastInstant), id: '' })
  return async ({ limit, before }) => {
    // A cursor from a page without the filter may be newer than the filter allows.
    const [endAt, endId] = (before !== null && before < end ? before : end).split(' ')
    const values = [chain, from, endAt, endId, limit, ...asked.map(([, value]) => value)]
    return (await database.query<StoredEvent>(statement, values)).map(show)
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

/** No event is outside of these bounds, and PostgreSQL writes later instants in another format. */
function storable(instant: Date): Date {
  return new Date(Math.min(Math.max(instant.getTime(), 0), lastInstant.getTime()))
}
