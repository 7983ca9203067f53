import type { Statement } from '../../shared/database/database.ts'

/** What a page of the audit trail can be filtered by. */
export type FilterColumn = 'shown_actor_id' | 'actor_id' | 'action' | 'resource_id' | 'result'

/**
 * Only what is asked for stands in it, each combination a statement of its own: a condition that may be
 * null would keep a generic plan from the index.
 */
export function pageStatement(columns: readonly FilterColumn[]): Statement {
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
