import type { Environment } from '../../../schema/credentials/caller.ts'
import { newOAuthSecret } from '../../../schema/credentials/oauth-secret-format.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { handoverSeconds } from '../../../schema/vocabulary/oauth-lifetimes.ts'
import { isPersonRole, type PersonRole } from '../../../schema/vocabulary/roles.ts'
import { makeChange } from '../../shared/changes/change.ts'
import type { Queryable, Statement } from '../../shared/database/statement.ts'
import { requireAccount } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import type { CreatedHandover } from './handover.type.ts'

/**
 * A code that opens a session of the same key or person on the other listener. Throws FORBIDDEN without a
 * session, and for one that was opened on the sandbox: it never leads to live.
 */
export function createHandover(context: OAuthContext): Promise<CreatedHandover> {
  const caller = requireAccount(context)
  const { accountId, session } = caller
  const target = caller.environment === 'live' ? 'sandbox' : 'live'
  const code = newOAuthSecret(context.keyPrefix, 'ohc')
  const note = () => ({ details: { environment: target } })
  const change = { owner: caller, action: 'session.hand_over', resourceId: session?.id, note }
  return makeChange(context, change, async (tx) => {
    if (!session)
      throw new DomainError('FORBIDDEN', 'Only the session of a browser can be handed over.')
    const [parent] = await tx.query<{ parentId: string | null }>(openSessionById, [
      session.id,
      accountId,
    ])
    if (!parent) throw new DomainError('FORBIDDEN', 'The session has ended.')
    if (target === 'live' && parent.parentId === null) {
      throw new DomainError('FORBIDDEN', 'A session that was opened on the sandbox stays there.')
    }
    const [stored] = await tx.query<{ expiresAt: Date }>(insertHandover, [
      ...[sha256(code), session.id, accountId, target, handoverSeconds],
    ])
    if (!stored) throw new Error('A handover was not stored.')
    return { url: `${context.baseUrls[target]}/console/handover#${code}`, ...stored }
  })
}

const openSessionById: Statement = {
  name: 'session-to-hand-over',
  text: `
    SELECT parent_id AS "parentId" FROM oauth.session
    WHERE id = $1 AND account_id = $2 AND ended_at IS NULL AND expires_at > now()`,
}

const insertHandover: Statement = {
  name: 'insert-session-handover',
  text: `
    INSERT INTO oauth.session_handover (code_hash, session_id, account_id, environment, expires_at)
    VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))
    RETURNING expires_at AS "expiresAt"`,
}

export interface Handover {
  readonly sessionId: string
  /** The session that this one was handed over from. */
  readonly parentId: string | null
  readonly accountId: string
  readonly keyId: string | null
  readonly memberId: string | null
  readonly role: PersonRole | null
  readonly actor: string | null
  readonly returnUrl: string | null
  readonly expiresAt: Date
  /**
   * Whether the code belongs to this environment, was neither used nor expired, and its session is
   * open.
   */
  readonly isUsable: boolean
}

const columns = `h.session_id AS "sessionId", s.parent_id AS "parentId", h.account_id AS "accountId", s.key_id AS "keyId",
  s.member_id AS "memberId", s.role,
  s.actor, s.return_url AS "returnUrl", h.expires_at AS "expiresAt"`
const isUsable = `h.environment = $2 AND h.used_at IS NULL AND h.expires_at > now()
  AND s.ended_at IS NULL AND s.expires_at > now()`
const ofCode = 'h.code_hash = $1 AND s.id = h.session_id'

const handoverOfCode: Statement = {
  name: 'session-handover',
  text: `
    SELECT ${columns}, ${isUsable} AS "isUsable" FROM oauth.session_handover h, oauth.session s
    WHERE ${ofCode}`,
}

/** Uses the code: of several requests at the same time, one gets it. */
const useUsableHandover: Statement = {
  name: 'use-session-handover',
  text: `
    UPDATE oauth.session_handover h SET used_at = now() FROM oauth.session s
    WHERE ${ofCode} AND ${isUsable}
    RETURNING ${columns}, true AS "isUsable"`,
}

/** Null for a code that was never issued. */
export function findHandover(
  view: Queryable,
  codeHash: string,
  environment: Environment,
): Promise<Handover | null> {
  return handoverBy(view, handoverOfCode, [codeHash, environment])
}

/** Returns the code if it is usable, and marks it as used. */
export function useHandover(
  tx: Queryable,
  codeHash: string,
  environment: Environment,
): Promise<Handover | null> {
  return handoverBy(tx, useUsableHandover, [codeHash, environment])
}

async function handoverBy(
  view: Queryable,
  statement: Statement,
  values: readonly string[],
): Promise<Handover | null> {
  const [row] = await view.query<Handover>(statement, values)
  // A later build has added this role, and this build does not know its rights.
  return row && (row.role === null || isPersonRole(row.role)) ? row : null
}
