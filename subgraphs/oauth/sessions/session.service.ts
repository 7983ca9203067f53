import type { AccountCaller, Environment } from '../../../schema/credentials/caller.ts'
import { newOAuthSecret } from '../../../schema/credentials/oauth-secret-format.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { sessionIdleSeconds, sessionSeconds } from '../../../schema/vocabulary/oauth-lifetimes.ts'
import { makeChange } from '../../shared/changes/change.ts'
import type { Database, Statement, Transaction } from '../../shared/database/database.ts'
import { everyone } from '../../shared/database/tenant.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'

export interface OpenedSession {
  readonly id: string
  /** The value of the cookie; no other answer has it. */
  readonly secret: string
  readonly accountId: string
  readonly authTime: Date
  readonly expiresAt: Date
}

interface SignIn {
  /** The hash of the browser's cookie from an earlier sign-in. */
  readonly previousHash: string | null
  /** Identifies the request of this sign-in; it is checked when the request is made again. */
  readonly continueToken: string | null
}

/** Signs a browser in with the calling key; its earlier session ends. */
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
    if (previousHash) await tx.query(endOpenSession, [previousHash, environment])
    const [times] = await tx.query<Pick<OpenedSession, 'authTime' | 'expiresAt'>>(insertSession, [
      ...[id, sha256(secret), accountId, environment, keyId],
      ...[continueToken ? sha256(continueToken) : null, sessionIdleSeconds, sessionSeconds],
    ])
    if (!times) throw new Error('A session was not stored.')
    return { id, secret, accountId, ...times }
  })
}

const insertSession: Statement = {
  name: 'insert-session',
  text: `
    INSERT INTO oauth.session (id, secret_hash, account_id, environment, key_id, signed_in_for,
      idle_until, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7),
      now() + make_interval(secs => $8))
    RETURNING auth_time AS "authTime", expires_at AS "expiresAt"`,
}

const endOpenSession: Statement = {
  name: 'end-session',
  text: `
    UPDATE oauth.session SET ended_at = now()
    WHERE secret_hash = $1 AND environment = $2 AND ended_at IS NULL
    RETURNING id, account_id AS "accountId"`,
}

interface EndedSession {
  readonly id: string
  readonly accountId: string
}

/** Signs a browser out by its cookie; the answer does not show whether it was signed in. */
export async function endSession(context: GraphContext, secretHash: string): Promise<void> {
  const { database, caller } = context
  const { environment } = caller
  const note = (ended: EndedSession | null) =>
    ended && { owner: { accountId: ended.accountId, environment }, resourceId: ended.id }
  // Only the cookie identifies the account.
  const asEveryone = { ...context, database: database.as(everyone) }
  await makeChange(asEveryone, { owner: null, action: 'session.end', note }, async (tx) => {
    const [ended] = await tx.query<EndedSession>(endOpenSession, [secretHash, environment])
    return ended ?? null
  })
}

const keepOpenSession: Statement = {
  name: 'keep-session',
  text: `
    UPDATE oauth.session SET decided_at = now(),
      idle_until = least(expires_at, now() + make_interval(secs => $1))
    WHERE id = $2 AND account_id = $3 AND ended_at IS NULL AND idle_until > now()
      AND expires_at > now() AND (decided_at IS NULL OR NOT $4)
    RETURNING 1 AS kept`,
}

/**
 * Returns whether the caller's session is open, and restarts its idle time. With `isFirst` it must also be
 * without a decision so far: of two first decisions at the same time, one is refused.
 */
export async function keepSession(
  tx: Transaction,
  { accountId, session }: AccountCaller,
  isFirst: boolean,
): Promise<boolean> {
  const values = [sessionIdleSeconds, session?.id, accountId, isFirst]
  return (await tx.query(keepOpenSession, values)).length > 0
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

/**
 * Null for a session that is unknown, has ended, or was idle for too long. The keys subgraph checks
 * whether its key is still accepted.
 */
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
