import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { AccountCaller, Environment } from '../../../schema/credentials/caller.ts'
import { isId } from '../../../schema/vocabulary/ids.ts'
import { mayGive, type PersonRole, personRoles } from '../../../schema/vocabulary/roles.ts'
import { coversScope, everyScope, scopesForKey } from '../../../schema/vocabulary/scopes.ts'
import { makeChange } from '../../shared/changes/change.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import type { Queryable } from '../../shared/database/statement.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { PagedList } from '../../shared/lists/pagination.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import { endSessions } from './end-session.service.ts'

interface SessionRow {
  readonly id: string
  readonly environment: Environment
  readonly keyId: string | null
  readonly role: string | null
  readonly actor: string | null
  readonly returnUrl: string | null
  readonly parentId: string | null
  readonly address: string | null
  readonly createdAt: Date
  readonly provenAt: Date
  readonly expiresAt: Date
}

/** An open session. */
export interface ListedSession extends SessionRow {
  /** Whether it is the calling session. */
  readonly isCurrent: boolean
}

function toListed(row: SessionRow, { session }: Pick<AccountCaller, 'session'>): ListedSession {
  return { ...row, isCurrent: session?.id === row.id }
}

const columns = `id, environment, key_id AS "keyId", role, actor, return_url AS "returnUrl",
  parent_id AS "parentId", address, auth_time AS "createdAt", proven_at AS "provenAt",
  expires_at AS "expiresAt"`

/**
 * The caller's own sessions: of its key, of the member, or of the person of a portal, who has a name and a role alone and
 * may be named like a member.
 */
const isOwn = `(s.key_id = $3 OR s.member_id = $4
  OR ($4::text IS NULL AND s.member_id IS NULL AND s.actor = $5 AND s.role = $6))`

/**
 * The sessions that the caller may see: all of its account, or its own. They are on the caller's listener or were
 * handed over from there.
 */
const isVisible = `s.account_id = $1 AND s.ended_at IS NULL AND s.expires_at > now()
  AND ($7 OR ${isOwn})
  AND (s.environment = $2 OR EXISTS (
    SELECT FROM oauth.session parent WHERE parent.id = s.parent_id AND parent.environment = $2))`

/** Of these, the sessions that the caller may end: its own, those of keys, and those of people with the roles $8. */
const isEndable = `(${isOwn} OR ($7 AND s.key_id IS NOT NULL) OR s.role = ANY ($8::text[]))`

const sessionsNewestFirst: Statement = {
  name: 'sessions-newest-first',
  text: `
    SELECT ${columns} FROM oauth.session s
    WHERE ${isVisible} AND ($8::text IS NULL OR id < $8)
    ORDER BY id DESC LIMIT $9`,
}

function visibleTo({ accountId, environment, scopes, keyId, session }: AccountCaller) {
  const seesAll = coversScope(scopes, 'keys:write')
  const { memberId = null, actor = null, role = null } = session ?? {}
  return [accountId, environment, keyId, memberId, actor, role, seesAll] as const
}

/** The roles of the people whose sessions the caller may end: whom it may remove. A key with `*` stands for an OWNER. */
function managedRoles({ scopes, session }: AccountCaller): readonly PersonRole[] {
  const role = session?.role ?? (scopes.includes(everyScope) ? 'OWNER' : null)
  return role === null ? [] : personRoles.filter((one) => mayGive(role, one))
}

/** The open sessions that the caller may see, newest first. */
export function sessionsOf(database: Database, caller: AccountCaller): PagedList<ListedSession> {
  return listOf(database, caller, visibleTo(caller))
}

/** All open sessions of an account, with those that were handed over, for internal tools. */
export function allSessionsOf(
  database: Database,
  { accountId, environment }: AccountScope,
): PagedList<ListedSession> {
  const visible = [accountId, environment, null, null, null, null, true]
  return listOf(database, { accountId, environment }, visible)
}

function listOf(
  database: Database,
  owner: AccountScope & Pick<AccountCaller, 'session'>,
  visible: readonly unknown[],
): PagedList<ListedSession> {
  return {
    name: 'sessions',
    owner,
    positionOf: ({ id }) => id,
    async read({ limit, before }) {
      const values = [...visible, before, limit]
      const rows = await database.query<SessionRow>(sessionsNewestFirst, values)
      return rows.map((row) => toListed(row, owner))
    },
  }
}

const visibleSession: Statement = {
  name: 'visible-session',
  text: `SELECT ${columns} FROM oauth.session s WHERE ${isVisible} AND id = $8`,
}

const endableSession: Statement = {
  name: 'endable-session',
  text: `SELECT FROM oauth.session s WHERE id = $9 AND ${isVisible} AND ${isEndable}`,
}

/** Throws NOT_FOUND for a session that has ended, or that the caller may not see. */
export async function getSession(
  database: Queryable,
  caller: AccountCaller,
  id: string,
): Promise<ListedSession> {
  const found = isId('ses', id) ? await findVisible(database, caller, id) : null
  if (!found) throw new DomainError('NOT_FOUND', 'No session has this id.')
  return found
}

async function findVisible(
  database: Queryable,
  caller: AccountCaller,
  id: string,
): Promise<ListedSession | null> {
  const values = [...visibleTo(caller), id]
  const [found] = await database.query<SessionRow>(visibleSession, values)
  return found ? toListed(found, caller) : null
}

/**
 * The calling session, with the facts that a page needs. Throws NOT_FOUND for a key, and
 * AUTHENTICATION_REQUIRED when the session has ended since it was looked up.
 */
export async function getCurrentSession(context: OAuthContext) {
  const caller = requireAccount(context)
  const { session, accountId, scopes } = caller
  if (!session)
    throw new DomainError('NOT_FOUND', 'This route needs a browser session, not an API key.')
  const found = await findVisible(context.database, caller, session.id)
  if (!found) throw new DomainError('AUTHENTICATION_REQUIRED', 'The session has ended.')
  const account = await context.findAccount?.(accountId)
  return {
    ...found,
    accountId,
    accountName: account?.name ?? '',
    // `*` of a role stands for all, also for what `*` of a key does not cover.
    scopes: scopes.includes(everyScope) ? scopesForKey(scopes) : [...scopes],
    stepUpEndsAt: endOfProof(session.provenAt, context.oauth.stepUpMinutes),
    switchTo: switchOf(found),
  }
}

function endOfProof(provenAt: string | null, minutes: number): Date | null {
  if (provenAt === null) return null
  return new Date(Date.parse(provenAt) + minutes * 60_000)
}

/**
 * The switch leads from live to the sandbox, and from the sandbox only back to the session with
 * which the browser signed in.
 */
function switchOf({ environment, parentId }: ListedSession): Environment | null {
  if (environment === 'live') return 'sandbox'
  return parentId === null ? null : 'live'
}

interface Ended {
  /** The number of sessions that the caller may see. */
  readonly ended: number
}

/**
 * Ends a session and all sessions that were handed over from it. Throws as `getSession` does, and FORBIDDEN for that of
 * a person whom the caller may not remove.
 */
export async function endOneSession(context: GraphContext, id: string): Promise<Ended> {
  const caller = requireAccount(context)
  const change = { owner: caller, action: 'session.end', resourceId: id }
  return makeChange(context, change, async (tx) => {
    await getSession(tx, caller, id)
    const values = [...visibleTo(caller), managedRoles(caller), id]
    if ((await tx.query(endableSession, values)).length === 0) {
      throw new DomainError(
        'FORBIDDEN',
        'Only who may remove a person may end a session of theirs.',
      )
    }
    await endSessions(tx, [id])
    return { ended: 1 }
  })
}

/**
 * "All other sessions" excludes the calling session and those that it was handed over from. It
 * includes the sessions that were handed over from it, because somebody who once had its cookie may
 * have them.
 */
const otherSessions: Statement = {
  name: 'other-sessions',
  text: `
    WITH RECURSIVE own AS (
      SELECT id, parent_id FROM oauth.session WHERE id = $9 AND account_id = $1
      UNION
      SELECT s.id, s.parent_id FROM oauth.session s JOIN own ON s.id = own.parent_id
    )
    SELECT id FROM oauth.session s
    WHERE ${isVisible} AND ${isEndable} AND NOT EXISTS (SELECT FROM own WHERE own.id = s.id)
    ORDER BY id`,
}

/** One line of the audit trail stands for all of them and names at most this number. */
const maxNamed = 100

/** Ends all other sessions that the caller may end; none is the calling one if a key calls. */
export async function endOtherSessions(context: GraphContext): Promise<Ended> {
  const caller = requireAccount(context)
  const change = {
    ...{ owner: caller, action: 'session.end_others' },
    note: (ids: readonly string[]) => ({
      details: { ended: ids.length, sessions: ids.slice(0, maxNamed) },
    }),
  }
  const ids = await makeChange(context, change, async (tx) => {
    const values = [...visibleTo(caller), managedRoles(caller), caller.session?.id ?? null]
    const others = await tx.query<{ id: string }>(otherSessions, values)
    const ended = await endSessions(
      tx,
      others.map(({ id }) => id),
    )
    const listed = new Set(others.map(({ id }) => id))
    const own = ended.map(({ id }) => id).filter((id) => listed.has(id))
    return own.toSorted()
  })
  return { ended: ids.length }
}
