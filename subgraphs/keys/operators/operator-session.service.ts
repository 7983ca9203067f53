import type { InternalCaller, InternalRole } from '../../../schema/credentials/caller.ts'
import { newOAuthSecret } from '../../../schema/credentials/oauth-secret-format.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import {
  operatorIdleSeconds,
  operatorRoleSeconds,
  operatorSessionSeconds,
  operatorUseSeconds,
} from '../../../schema/vocabulary/operators.ts'
import { makeChange, recordChange } from '../../shared/changes/change.ts'
import type { Database, Statement, Transaction } from '../../shared/database/database.ts'
import { requireAll } from '../../shared/graph/checks.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { OpenedOperatorSession, OpenOperatorSessionInput } from './operator.type.ts'
import {
  isInternalRole,
  isOperatorName,
  requireCommandLine,
  useOperatorLink,
} from './operator-link.service.ts'

/** Who signs in, and what has proven it. */
interface SignIn {
  readonly name: string
  readonly role: InternalRole
  /** Null: now. */
  readonly provenAt: Date | null
  readonly subject: string | null
  readonly refreshToken: string | null
  /** `olk_…`; null: an issuer has proven it. */
  readonly linkId: string | null
}

/**
 * Signs a browser in. The session that it had before ends, and the new one has a cookie of its own, so a cookie
 * that somebody has planted opens nothing. Throws NOT_FOUND for a link that does not sign in; that leaves no line in
 * the audit trail, so that guesses cannot fill it. A step-up proves a session of the same name and role anew: its end
 * stays. Throws CONFLICT where it would change name or role.
 */
export async function openOperatorSession(
  context: GraphContext,
  input: OpenOperatorSessionInput,
): Promise<OpenedOperatorSession> {
  const { previousHash = null, isStepUp = false } = input
  const secret = newOAuthSecret(context.keyPrefix, 'ops')
  const id = newId('ops')
  return context.database.transaction(async (tx) => {
    const signIn = await signInOf(tx, input)
    const { name, role, provenAt, subject, refreshToken, linkId } = signIn
    const previous = previousHash === null ? null : await end(tx, previousHash)
    if (isStepUp && (previous?.name !== name || previous.role !== role)) throw anotherOperator()
    const address = context.caller.address ?? null
    const [opened] = await tx.query<{ expiresAt: Date }>(insertSession, [
      ...[id, sha256(secret), name, role, address, provenAt],
      ...[operatorSessionSeconds, subject, refreshToken, (isStepUp && previous?.expiresAt) || null],
    ])
    if (!opened) throw new Error('A session was not stored.')
    const change = {
      owner: null,
      action: isStepUp ? 'operator.step_up' : 'operator.sign_in',
      resourceId: id,
    }
    const details = { role, link_id: linkId, subject, ended_session_id: previous?.id ?? null }
    await recordChange(tx, { caller: operatorOf(context, { id, name, role }) }, change, { details })
    return { id, secret, name, role, ...opened }
  })
}

async function signInOf(
  tx: Transaction,
  { linkTokenHash, name, role, provenAt, subject, refreshToken }: OpenOperatorSessionInput,
): Promise<SignIn> {
  if (linkTokenHash) {
    const link = await useOperatorLink(tx, linkTokenHash)
    if (!link) throw new DomainError('NOT_FOUND', 'This link is invalid or no longer works.')
    const ofLink = { name: link.name, role: link.role, linkId: link.id }
    return { ...ofLink, provenAt: null, subject: null, refreshToken: null }
  }
  const isKnown = role !== undefined && role !== null && isInternalRole(role)
  requireAll([
    ['name', isOperatorName(name ?? ''), 'must have 1 to 100 visible characters'],
    ['role', isKnown, 'must be a role'],
    ['subject', Boolean(subject), 'must be the subject of the issuer'],
  ])
  if (!isKnown) throw new Error('The role was not checked.')
  const ofIssuer = { subject: subject ?? null, refreshToken: refreshToken ?? null, linkId: null }
  return { name: name ?? '', role, provenAt: provenAt ?? null, ...ofIssuer }
}

function anotherOperator(): DomainError {
  const message = 'This sign-in is of another operator or role: sign in with it instead.'
  return new DomainError('CONFLICT', message)
}

/** The operator, for a line about the session. */
export function operatorOf(
  { caller: { environment, requestId, traceId, address = null } }: GraphContext,
  { id, name, role }: { readonly id: string; readonly name: string; readonly role: InternalRole },
): InternalCaller {
  const call = { environment, requestId, traceId, address }
  return { kind: 'internal', role, operator: name, tokenId: id, ...call }
}

/** The condition of a session that has not ended. */
export const isOpen = `ended_at IS NULL AND expires_at > now()
  AND used_at > now() - make_interval(secs => ${operatorIdleSeconds})`

const insertSession: Statement = {
  name: 'insert-operator-session',
  text: `
    INSERT INTO keys.operator_session (id, secret_hash, name, role, address, proven_at, expires_at,
      subject, refresh_token, role_asked_at)
    VALUES ($1, $2, $3, $4, $5, least(coalesce($6::timestamptz, now()), now()),
      coalesce($10::timestamptz, now() + make_interval(secs => $7)), $8::text, $9,
      CASE WHEN $8::text IS NOT NULL THEN now() END)
    RETURNING expires_at AS "expiresAt"`,
}

export interface OperatorSessionRow {
  readonly id: string
  readonly name: string
  readonly role: InternalRole
  readonly provenAt: Date
  readonly expiresAt: Date
  readonly subject: string | null
  readonly refreshToken: string | null
  readonly roleAskedAt: Date | null
  /** Whether the issuer shall be asked again. */
  readonly isRoleDue: boolean
  /** Whether the use of the session should be written down. */
  readonly isUseDue: boolean
}

const columns = `id, name, role, proven_at AS "provenAt", expires_at AS "expiresAt", subject,
  refresh_token AS "refreshToken", role_asked_at AS "roleAskedAt"`

const openSessionOfCookie: Statement = {
  name: 'operator-session',
  text: `
    SELECT ${columns},
      used_at <= now() - make_interval(secs => ${operatorUseSeconds}) AS "isUseDue",
      coalesce(role_asked_at <= now() - make_interval(secs => ${operatorRoleSeconds}), false)
        AS "isRoleDue"
    FROM keys.operator_session WHERE secret_hash = $1 AND ${isOpen}`,
}

/** Null for a session that is unknown, or that has ended. */
export async function findOperatorSession(
  database: Database,
  secretHash: string,
): Promise<OperatorSessionRow | null> {
  const [row] = await database.query<OperatorSessionRow>(openSessionOfCookie, [secretHash])
  return row ?? null
}

const noteUse: Statement = {
  name: 'note-use-of-operator-session',
  text: `
    UPDATE keys.operator_session SET used_at = now() WHERE id = $1 AND ${isOpen}
      AND used_at <= now() - make_interval(secs => ${operatorUseSeconds})
    RETURNING 1`,
}

/** Puts off the end of a session that nobody uses; once a minute at most. Returns whether it has. */
export async function noteUseOfOperatorSession(database: Database, id: string): Promise<boolean> {
  return (await database.query(noteUse, [id])).length > 0
}

const endOfCookie: Statement = {
  name: 'end-operator-session',
  text: `
    UPDATE keys.operator_session SET ended_at = now() WHERE secret_hash = $1 AND ${isOpen}
    RETURNING id, name, role, expires_at AS "expiresAt"`,
}

type EndedSession = Pick<OperatorSessionRow, 'id' | 'name' | 'role' | 'expiresAt'>

async function end(tx: Transaction, secretHash: string): Promise<EndedSession | null> {
  const [row] = await tx.query<EndedSession>(endOfCookie, [secretHash])
  return row ?? null
}

/** Ends the session of a cookie; returns whether there was one. */
export function endOperatorSession(context: GraphContext, secretHash: string): Promise<boolean> {
  return context.database.transaction(async (tx) => {
    const ended = await end(tx, secretHash)
    if (!ended) return false
    const change = { owner: null, action: 'operator.sign_out', resourceId: ended.id }
    await recordChange(tx, { caller: operatorOf(context, ended) }, change)
    return true
  })
}

const endOfName: Statement = {
  name: 'end-sessions-of-operator',
  text: `
    WITH links AS (
      UPDATE keys.operator_link SET expires_at = now()
      WHERE name = $1 AND used_at IS NULL AND expires_at > now() RETURNING 1
    ), sessions AS (
      UPDATE keys.operator_session SET ended_at = now() WHERE name = $1 AND ${isOpen} RETURNING 1
    )
    SELECT (SELECT count(*) FROM links)::int AS links,
      (SELECT count(*) FROM sessions)::int AS sessions`,
}

/**
 * Ends all sessions of an operator, and the links that nobody has used yet. Throws FORBIDDEN unless the command
 * line asks.
 */
export function endOperator(
  context: GraphContext,
  name: string,
): Promise<{ readonly links: number; readonly sessions: number }> {
  const note = (details: object) => ({ details: { name, ...details } })
  return makeChange(context, { owner: null, action: 'operator.end', note }, async (tx) => {
    requireCommandLine(context)
    const [ended] = await tx.query<{ links: number; sessions: number }>(endOfName, [name])
    if (!ended) throw new Error('The statement returns a row.')
    return ended
  })
}
