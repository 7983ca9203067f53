import { actOf } from '../../shared/changes/act.ts'
import { makeChange, recordRefusal } from '../../shared/changes/change.ts'
import type { Statement } from '../../shared/database/database.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { EndedAccountSessions, EndSessionsInput } from './account-sessions.type.ts'
import { endSessions } from './end-session.service.ts'

const openSessions: Statement = {
  name: 'open-sessions-of-account',
  text: `SELECT id FROM oauth.session WHERE account_id = $1 AND ended_at IS NULL AND expires_at > now()
    ORDER BY id`,
}

/** A line of the audit trail names at most this number of sessions. */
const maxNamed = 100

/**
 * Ends one session of an account or all of them, for an operator. Throws NOT_FOUND for an unknown account, and for a
 * session that is not open.
 */
export async function endSessionsOf(
  context: GraphContext,
  { accountId, sessionId = null, ...said }: EndSessionsInput,
): Promise<EndedAccountSessions> {
  const change = {
    owner: { accountId, environment: 'live' },
    action: sessionId === null ? 'session.end_all' : 'session.end',
    resourceId: sessionId ?? accountId,
    request: { sessionId, reason: said.reason },
  } as const
  const { once, why } = await recordRefusal(context, change, async () => {
    const isThere = await context.findAccount?.(accountId)
    if (!isThere) throw new DomainError('NOT_FOUND', 'No account has this id.')
    return actOf(context.caller, said)
  })
  let ids: readonly string[] = []
  const note = ({ ended, openBefore, openAfter }: EndedAccountSessions) => ({
    details: {
      ...{ ended, sessions: ids.slice(0, maxNamed), ...why },
      ...{ before: { open: openBefore }, after: { open: openAfter } },
    },
  })
  return makeChange(context, { ...change, once, note }, async (tx) => {
    const open = await tx.query<{ id: string }>(openSessions, [accountId])
    const wanted = open.filter(({ id }) => sessionId === null || id === sessionId)
    if (sessionId !== null && wanted.length === 0) {
      throw new DomainError('NOT_FOUND', 'No open session of this account has this id.')
    }
    const ended = await endSessions(
      tx,
      wanted.map(({ id }) => id),
    )
    ids = ended.map(({ id }) => id).toSorted()
    const openAfter = (await tx.query(openSessions, [accountId])).length
    return { ended: ended.length, openBefore: open.length, openAfter }
  })
}
