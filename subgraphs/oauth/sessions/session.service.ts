import type { AccountCaller, Environment } from '../../../schema/credentials/caller.ts'
import { isPersonRole, type PersonRole } from '../../../schema/vocabulary/roles.ts'
import { makeChange } from '../../shared/changes/change.ts'
import { batched, type Placed } from '../../shared/database/batched.ts'
import type {
  Database,
  ServiceStatement,
  Statement,
  Transaction,
} from '../../shared/database/database.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import { type EndedSession, endSessions } from './end-session.service.ts'
import { type OpenedSession, openSession } from './open-session.service.ts'

interface KeySignIn {
  /** The hash of the browser's cookie from an earlier sign-in. */
  readonly previousHash: string | null
  /** Identifies the request of this sign-in; it is checked when the request is made again. */
  readonly continueToken: string | null
}

/** Signs a browser in with the calling key, or proves its session of this key anew. */
export function signInWithKey(context: OAuthContext, signIn: KeySignIn): Promise<OpenedSession> {
  const caller = requireAccount(context)
  const { accountId, environment, keyId, address } = caller
  if (keyId === null) throw new DomainError('FORBIDDEN', 'Only an API key signs a browser in.')
  const proof = { kind: 'key', keyId } as const
  const change = {
    ...{ owner: caller, action: 'session.open' },
    note: ({ id, outcome }: OpenedSession) => ({
      ...{ resourceId: id, action: outcome === 'opened' ? 'session.open' : 'session.step_up' },
    }),
  }
  // The browser may have a session of another account.
  const asAllTenants = { ...context, database: context.database.as(allTenants) }
  return makeChange(asAllTenants, change, (tx) =>
    openSession(tx, context, { ...signIn, accountId, environment, proof, address }),
  )
}

const sessionOfCookie: Statement = {
  name: 'session-of-cookie',
  text: `
    SELECT id, account_id AS "accountId" FROM oauth.session
    WHERE (secret_hash = $1 OR (previous_secret_hash = $1 AND previous_until > now()))
      AND environment = $2 AND ended_at IS NULL AND expires_at > now()
    FOR UPDATE`,
}

/** Signs a browser out by its cookie; the answer does not show whether it was signed in. */
export async function endSession(context: GraphContext, secretHash: string): Promise<void> {
  const { database, caller } = context
  const { environment } = caller
  const note = (ended: EndedSession | null) =>
    ended && { owner: { accountId: ended.accountId, environment }, resourceId: ended.id }
  // Only the cookie identifies the account.
  const asEveryone = { ...context, database: database.as(allTenants) }
  await makeChange(asEveryone, { owner: null, action: 'session.end', note }, async (tx) => {
    const [found] = await tx.query<EndedSession>(sessionOfCookie, [secretHash, environment])
    if (found) await endSessions(tx, [found.id])
    return found ?? null
  })
}

const decideInSession: Statement = {
  name: 'decide-in-session',
  text: `
    UPDATE oauth.session SET decided_at = now()
    WHERE id = $1 AND account_id = $2 AND ended_at IS NULL AND expires_at > now()
      AND (decided_at IS NULL OR NOT $3)
    RETURNING 1 AS kept`,
}

/**
 * Returns whether the caller's session is open, and stores that it has decided. With `isFirst` the
 * session must not have decided before: of two first decisions at the same time, one is refused.
 */
export async function keepSession(
  tx: Transaction,
  { accountId, session }: AccountCaller,
  isFirst: boolean,
): Promise<boolean> {
  return (await tx.query(decideInSession, [session?.id, accountId, isFirst])).length > 0
}

/**
 * LIMIT 1 makes each a look-up by the cookie, whatever the table's size. A proof counts only for
 * the cookie that it made. With the previous cookie, the session counts as never proven, because
 * somebody else may have that cookie. The role of a member is that of the membership, so that a change of it counts at
 * once; it is null once the member was removed.
 */
export const openSessionsOfCookies: ServiceStatement = {
  name: 'open-sessions-of-cookies',
  wire: 'service',
  parameters: ['text[]', 'text[]'],
  text: `
    SELECT i.place, s.id, s.account_id AS "accountId", s.key_id AS "keyId", s.actor,
      s.member_id AS "memberId",
      CASE WHEN s.member_id IS NULL THEN s.role WHEN m.removed_at IS NULL THEN m.role END AS role,
      m.id IS NOT NULL AND oauth.has_passkey(m.person_id) AS "hasPasskey",
      m.id IS NOT NULL AND m.confirmed_at IS NULL AS "isUnconfirmed",
      s.return_url AS "returnUrl", s.auth_time AS "authTime", s.expires_at AS "expiresAt",
      CASE WHEN s.proven_at < s.auth_time THEN NULL WHEN s.secret_hash = i.hash THEN s.proven_at
        ELSE 'epoch' END AS "provenAt",
      s.decided_at IS NULL AS "isFresh", s.signed_in_for AS "signedInFor"
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS i (hash, environment, place)
    CROSS JOIN LATERAL (
      SELECT * FROM (
        SELECT * FROM oauth.session WHERE secret_hash = i.hash
        UNION ALL
        SELECT * FROM oauth.session WHERE previous_secret_hash = i.hash AND previous_until > now()
      ) of_cookie
      WHERE environment = i.environment AND ended_at IS NULL AND expires_at > now()
      LIMIT 1
    ) s
    LEFT JOIN LATERAL (SELECT * FROM oauth.membership WHERE id = s.member_id LIMIT 1) m ON true`,
}

interface SentCookie {
  readonly secretHash: string
  readonly environment: Environment
}

/** One statement at a time looks up all cookies that wait. */
const findOpenSession = batched<SentCookie, SessionRow & Placed>((database, sent) =>
  database
    .as(allTenants)
    .query<SessionRow & Placed>(openSessionsOfCookies, [
      sent.map(({ secretHash }) => secretHash),
      sent.map(({ environment }) => environment),
    ]),
)

interface SessionRow {
  readonly id: string
  readonly accountId: string
  readonly keyId: string | null
  readonly role: string | null
  readonly actor: string | null
  readonly memberId: string | null
  readonly hasPasskey: boolean
  readonly isUnconfirmed: boolean
  readonly returnUrl: string | null
  readonly authTime: Date
  readonly provenAt: Date | null
  readonly expiresAt: Date
  readonly isFresh: boolean
  readonly signedInFor: string | null
}

/**
 * Null for a session that is unknown or has ended. The keys subgraph checks whether its key is still
 * accepted; a person's role is null with a key.
 */
export async function findSession(
  database: Database,
  secretHash: string,
  environment: Environment,
) {
  const row = await findOpenSession(database, { secretHash, environment })
  if (!row) return null
  const { keyId, accountId, role, ...session } = row
  const known: PersonRole | null = isPersonRole(role) ? role : null
  // A later build has added this role, and this build does not know its rights.
  if (keyId === null && known === null) return null
  return {
    ...session,
    role: known,
    account: { id: accountId },
    key: keyId === null ? null : { id: keyId },
  }
}
