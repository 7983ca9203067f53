import type { Statement } from '../../shared/database/database.ts'

/** The columns by which a page of the audit trail can be filtered. */
export type FilterColumn =
  | 'shown_actor_id'
  | 'actor_id'
  | 'action'
  | 'resource_id'
  | 'result'
  | typeof memberColumn

/** The member whose session it was; null: another actor. */
export const memberColumn = "(details ->> 'member_id')"

/** SQL: lets all events through but those that tell of an operator's look. */
export const isNoRead = `action <> 'account.looked_at'`

/**
 * Each combination of filters is a statement of its own, with no other conditions: a condition that
 * may be null would keep a generic plan from the index.
 */
export function pageStatement(
  columns: readonly FilterColumn[],
  { hidesReads }: { readonly hidesReads: boolean },
): Statement {
  const conditions = columns.map((column, index) => ` AND ${column} = $${index + 6}`)
  return {
    name: ['audit-events', ...columns, ...(hidesReads ? ['unread'] : [])].join(' '),
    text: `
      SELECT id, occurred_at AS "occurredAt", actor_kind AS "actorKind", actor_id AS "actorId",
        actor_role AS "actorRole", action, resource_id AS "resourceId", address,
        request_id AS "requestId", trace_id AS "traceId", result, details,
        recorded_at AS "recordedAt", seq, encode(hash, 'hex') AS hash
      FROM usage.audit_event
      WHERE chain = $1 AND occurred_at >= $2 AND (occurred_at, id) < ($3, $4)${conditions.join('')}${hidesReads ? ` AND ${isNoRead}` : ''}
      ORDER BY occurred_at DESC, id DESC LIMIT $5`,
  }
}
