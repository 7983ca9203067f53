import { internalRoles } from '../../schema/caller.ts'
import { isErrorCode, isOAuthErrorCode } from '../../schema/error-codes.ts'
import { isId } from '../../schema/ids.ts'
import type { Owner } from '../shared/change.ts'
import { type Check, isText, requireAll } from '../shared/checks.ts'
import type { Database, Statement } from '../shared/database.ts'
import type { PagedList } from '../shared/pagination.ts'
import { AuditActorKind, type AuditEvent, type AuditEventInput } from './audit-event.type.ts'

const maxEvents = 500
const maxTextLength = 200
const maxDetailsBytes = 8 * 1024

/** An event that is there already is left as it is, so recording may be repeated. */
const recordEvents: Statement = {
  name: 'record-audit-events',
  text: `
    INSERT INTO usage.audit_event (id, account_id, environment, occurred_at, actor_kind, actor_id,
      actor_role, action, resource_id, address, request_id, trace_id, result, details)
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[],
      $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[],
      $13::text[], $14::jsonb[])
    -- In one order, whoever records: no two wait for each other.
    ORDER BY 1
    ON CONFLICT DO NOTHING`,
}

/**
 * Durable when it returns; all of the batch or nothing. Throws INVALID_REQUEST that names every field
 * that is not as it must be.
 */
export async function recordAuditEvents(
  database: Database,
  events: readonly AuditEventInput[],
): Promise<void> {
  requireAll([['events', events.length <= maxEvents, `must be at most ${maxEvents}`]])
  requireAll(events.flatMap(checksOf))
  await database.query(recordEvents, [
    events.map((event) => event.id),
    events.map((event) => event.accountId || null),
    events.map((event) => event.environment),
    events.map((event) => event.occurredAt.toISOString()),
    events.map((event) => event.actorKind),
    events.map((event) => event.actorId),
    events.map((event) => event.actorRole || null),
    events.map((event) => event.action),
    events.map((event) => event.resourceId || null),
    events.map((event) => event.address || null),
    events.map((event) => event.requestId || null),
    events.map((event) => event.traceId || null),
    events.map((event) => event.result),
    events.map((event) => detailsJson(event)),
  ])
}

// What was asked of an account that is not there is an event too: its id may be any text.
const optionalTexts = ['accountId', 'resourceId', 'address', 'requestId', 'traceId'] as const

function checksOf(event: AuditEventInput, index: number): Check[] {
  const at = (name: keyof AuditEventInput) => `events.${index}.${name}`
  const { id, actorId, action, result } = event
  const details = detailsJson(event)
  return [
    [at('id'), isId('aud', id), 'must be the id of an audit event'],
    [at('actorId'), isText(actorId, maxTextLength), `must have 1 to ${maxTextLength} characters`],
    [at('actorRole'), hasFittingRole(event), 'must be the role of an internal actor, of no other'],
    [at('action'), isAction(action), 'must be words of a-z and _, joined by dots'],
    [at('result'), isOutcome(result), 'must be succeeded or an error code'],
    [at('details'), isSmall(details), `must have at most ${maxDetailsBytes} bytes of JSON`],
    [at('details'), !unstorable.test(details), 'must be well-formed Unicode without NUL'],
    ...optionalTexts.map((name): Check => {
      const text = event[name]
      const message = `must have at most ${maxTextLength} characters`
      return [at(name), !text || isText(text, maxTextLength), message]
    }),
  ]
}

function hasFittingRole({ actorKind, actorRole }: AuditEventInput): boolean {
  if (actorKind !== AuditActorKind.internal) return !actorRole
  return internalRoles.some((role) => role === actorRole)
}

function isAction(action: string): boolean {
  return action.length <= maxTextLength && /^[a-z_]+(\.[a-z_]+)+$/.test(action)
}

function isOutcome(result: string): boolean {
  return result === 'succeeded' || isErrorCode(result) || isOAuthErrorCode(result)
}

function detailsJson({ details }: AuditEventInput): string {
  return JSON.stringify(details ?? {})
}

function isSmall(json: string): boolean {
  return Buffer.byteLength(json) <= maxDetailsBytes
}

/** Escapes of NUL and of lone surrogates: JSON can say them, PostgreSQL cannot store them. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/

/** The id of an event starts with its time, so the order of ids is newest first. */
const readPage: Statement = {
  name: 'audit-event-page',
  text: `
    SELECT id, occurred_at, actor_kind, actor_id, actor_role, action, resource_id, address,
      request_id, trace_id, result, details, recorded_at
    FROM usage.audit_event
    WHERE account_id = $1 AND environment = $2 AND ($3::text IS NULL OR id < $3)
    ORDER BY id DESC LIMIT $4`,
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
}

/** What was changed, and what was refused, newest first. */
export function auditTrailOf(
  database: Database,
  { accountId, environment }: Owner,
): PagedList<AuditEvent> {
  return {
    name: 'audit-events',
    owner: { accountId, environment },
    positionOf: ({ id }) => id,
    async read({ limit, before }) {
      const values = [accountId, environment, before, limit]
      return (await database.query<AuditEventRow>(readPage, values)).map(toAuditEvent)
    },
  }
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
  }
}
