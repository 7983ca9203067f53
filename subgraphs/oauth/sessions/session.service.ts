import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { AccountCaller, Environment } from '../../../schema/credentials/caller.ts'
import { newOAuthSecret } from '../../../schema/credentials/oauth-secret-format.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { sessionIdleSeconds, sessionSeconds } from '../../../schema/vocabulary/oauth-lifetimes.ts'
import { makeChange } from '../../shared/changes/change.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { everyone } from '../../shared/database/tenant.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'

export interface OpenedSession {
  readonly id: string
  /** For the cookie; shown nowhere else. */
  readonly secret: string
  readonly accountId: string
  readonly authTime: Date
  readonly expiresAt: Date
}

/** As the driver writes them. */
interface SessionTimes {
  readonly authTime: string
  readonly expiresAt: string
}

interface SignIn {
  /** What the browser was signed in with before, by the hash of its cookie. */
  readonly previousHash: string | null
  /** Of the request that this is for; whether it is that request's, is judged when it is asked again. */
  readonly continueToken: string | null
}

/** Signs a browser in with the key that calls; what it was signed in with before, ends. */
export function openSession(
  context: GraphContext,
  { previousHash, continueToken }: SignIn,
): Promise<OpenedSession> {
  const caller = requireAccount(context)
  const { accountId, environment, keyId } = caller
  const id = newId('ses')
  const secret = newOAuthSecret(context.keyPrefix, 'osn')
  const change = { owner: caller, action: 'session.open', resourceId: id }
  // The browser may have been signed in as another account.
  const asEveryone = { ...context, database: context.database.as(everyone) }
  return makeChange(asEveryone, change, async (tx) => {
    if (previousHash) await tx.execute(endStatement, [previousHash, environment])
    const [times] = await tx.execute<SessionTimes[]>(
      `INSERT INTO oauth.session (id, secret_hash, account_id, environment, key_id, signed_in_for,
         idle_until, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, now() + make_interval(secs => ?), now() + make_interval(secs => ?))
       RETURNING auth_time AS "authTime", expires_at AS "expiresAt"`,
      [
        ...[id, sha256(secret), accountId, environment, keyId],
        ...[continueToken ? sha256(continueToken) : null, sessionIdleSeconds, sessionSeconds],
      ],
    )
    if (!times) throw new Error('A session was not stored.')
    const [authTime, expiresAt] = [new Date(times.authTime), new Date(times.expiresAt)]
    return { id, secret, accountId, authTime, expiresAt }
  })
}

const endStatement = `
  UPDATE oauth.session SET ended_at = now()
  WHERE secret_hash = ? AND environment = ? AND ended_at IS NULL
  RETURNING id, account_id AS "accountId"`

interface EndedSession {
  readonly id: string
  readonly accountId: string
}

/** Signs a browser out, by its cookie; whether it was signed in does not show. */
export async function endSession(context: GraphContext, secretHash: string): Promise<void> {
  const { database, caller } = context
  const { environment } = caller
  const note = (ended: EndedSession | null) =>
    ended && { owner: { accountId: ended.accountId, environment }, resourceId: ended.id }
  // The cookie alone says whose it is.
  const asEveryone = { ...context, database: database.as(everyone) }
  await makeChange(asEveryone, { owner: null, action: 'session.end', note }, async (tx) => {
    const [ended] = await tx.execute<EndedSession[]>(endStatement, [secretHash, environment])
    return ended ?? null
  })
}

/**
 * Whether the caller's session is still open; then it is not idle from now on. With `isFirst` also
 * whether this is the first decision in it: of two at the same time one is not.
 */
export async function keepSession(
  tx: SqlEntityManager,
  { accountId, session }: AccountCaller,
  isFirst: boolean,
): Promise<boolean> {
  const kept = await tx.execute<object[]>(
    `UPDATE oauth.session SET decided_at = now(),
       idle_until = least(expires_at, now() + make_interval(secs => ?))
     WHERE id = ? AND account_id = ? AND ended_at IS NULL AND idle_until > now()
       AND expires_at > now() AND (decided_at IS NULL OR NOT ?)
     RETURNING 1`,
    [sessionIdleSeconds, session?.id, accountId, isFirst],
  )
  return kept.length > 0
}

const openSessionStatement: Statement = {
  name: 'open-session',
  text: `
    SELECT id, key_id AS "keyId", auth_time AS "authTime", decided_at IS NULL AS "isFresh",
      signed_in_for AS "signedInFor"
    FROM oauth.session
    WHERE secret_hash = $1 AND environment = $2 AND ended_at IS NULL
      AND idle_until > now() AND expires_at > now()`,
}

interface SessionRow {
  readonly id: string
  readonly keyId: string
  readonly authTime: Date
  readonly isFresh: boolean
  readonly signedInFor: string | null
}

/** Null for one that is unknown, ended, or was idle too long. Whether its key still is accepted, the keys subgraph knows. */
export async function findSession(
  database: Database,
  secretHash: string,
  environment: Environment,
) {
  const [row] = await database.query<SessionRow>(openSessionStatement, [secretHash, environment])
  if (!row) return null
  const { id, authTime, isFresh, signedInFor, keyId } = row
  return { id, authTime, isFresh, signedInFor, key: { id: keyId } }
}
