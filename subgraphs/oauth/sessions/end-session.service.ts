import type { Statement, Transaction } from '../../shared/database/database.ts'

export interface EndedSession {
  readonly id: string
  readonly accountId: string
}

const ended = 'id, account_id AS "accountId"'

const endById: Statement = {
  name: 'end-sessions',
  text: `
    UPDATE oauth.session SET ended_at = now()
    WHERE id = ANY($1::text[]) AND ended_at IS NULL AND expires_at > now()
    RETURNING ${ended}`,
}

const endByParent: Statement = {
  name: 'end-children-of-sessions',
  text: `
    UPDATE oauth.session SET ended_at = now()
    WHERE parent_id = ANY($1::text[]) AND ended_at IS NULL
    RETURNING ${ended}`,
}

/**
 * Ends open sessions and the sessions that were handed over from them; returns those that ended. A
 * handover locks its parent: it commits before the parent ends, or finds that the parent has ended.
 */
export async function endSessions(
  tx: Transaction,
  ids: readonly string[],
): Promise<readonly EndedSession[]> {
  const all: EndedSession[] = []
  let parents: readonly EndedSession[] = await tx.query<EndedSession>(endById, [ids])
  while (parents.length > 0) {
    all.push(...parents)
    parents = await tx.query<EndedSession>(endByParent, [parents.map(({ id }) => id)])
  }
  return all
}
