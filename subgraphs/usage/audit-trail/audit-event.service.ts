import { internalRoles } from '../../../schema/credentials/caller.ts'
import { isErrorCode, isOAuthErrorCode } from '../../../schema/vocabulary/error-codes.ts'
import { isId } from '../../../schema/vocabulary/ids.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { type Check, isText, requireAll } from '../../shared/graph/checks.ts'
import { AuditActorKind, type AuditEventInput } from './audit-event.type.ts'

const maxEvents = 500
const maxTextLength = 200
const maxDetailsBytes = 8 * 1024

/** An event that is already recorded stays as it is, so recording may be repeated. */
const recordEvents: Statement = {
  name: 'record-audit-events',
  text: 'SELECT usage.record_audit_events($1)',
}

/**
 * Records the whole batch or nothing; durable when it returns. Throws INVALID_REQUEST that names
 * every wrong field.
 */
export async function recordAuditEvents(
  database: Pick<Database, 'query'>,
  events: readonly AuditEventInput[],
): Promise<void> {
  requireAll([['events', events.length <= maxEvents, `must be at most ${maxEvents}`]])
  requireAll(events.flatMap(checksOf))
  await database.query(recordEvents, [JSON.stringify(events.map(toRow))])
}

function toRow(event: AuditEventInput): object {
  return {
    id: event.id,
    account_id: event.accountId || null,
    environment: event.environment,
    occurred_at: event.occurredAt.toISOString(),
    actor_kind: event.actorKind,
    actor_id: event.actorId,
    actor_role: event.actorRole || null,
    action: event.action,
    resource_id: event.resourceId || null,
    address: event.address || null,
    request_id: event.requestId || null,
    trace_id: event.traceId || null,
    result: event.result,
    details: event.details ?? {},
  }
}

// A request about a missing account is an event too: its id may be any text.
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

/** Escapes of NUL and of lone surrogates: JSON allows them, PostgreSQL cannot store them. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/
