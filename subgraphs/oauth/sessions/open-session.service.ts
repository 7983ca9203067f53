import type { Environment } from '../../../schema/credentials/caller.ts'
import { newOAuthSecret } from '../../../schema/credentials/oauth-secret-format.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { previousCookieSeconds } from '../../../schema/vocabulary/oauth-lifetimes.ts'
import type { PersonRole } from '../../../schema/vocabulary/roles.ts'
import type { Statement, Transaction } from '../../shared/database/database.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { lockPerson } from '../passkeys/passkey.store.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import { endSessions } from './end-session.service.ts'

/** The proof of the key or person at the browser. */
export type Proof =
  | { readonly kind: 'key'; readonly keyId: string }
  | {
      readonly kind: 'portal'
      readonly role: PersonRole
      /** The person, as the provider's backend names them. */
      readonly actor: string
      readonly returnUrl: string | null
    }
  | {
      readonly kind: 'member'
      readonly memberId: string
      readonly role: PersonRole
      /** The mail address of the member. */
      readonly actor: string
      /** The passkey that was used. Otherwise a mail has proven the address: that is no proof of somebody who has a passkey. */
      readonly passkeyId?: string
    }
  /**
   * A session of the same account on the other listener: its key or person is signed in here too.
   */
  | { readonly kind: 'handover'; readonly parentId: string }

interface SignIn {
  readonly accountId: string
  readonly environment: Environment
  readonly proof: Proof
  /** SHA-256 of the cookie that the browser has sent for this environment; null: it sent none. */
  readonly previousHash: string | null
  /**
   * Names the request of the app for which the browser signs in. It is checked when the request is
   * repeated.
   */
  readonly continueToken?: string | null
  /** The client's address. */
  readonly address: string | null
}

export interface OpenedSession {
  readonly id: string
  /** The value of the cookie; no other answer has it. */
  readonly secret: string
  readonly accountId: string
  readonly authTime: Date
  readonly expiresAt: Date
  /**
   * `proven` and `kept`: the browser had this session before, and it was proven anew, or only kept
   * after a handover or a mail that proves nothing.
   */
  readonly outcome: 'opened' | 'proven' | 'kept'
}

/** The key or person that is signed in. */
interface Holder {
  readonly keyId: string | null
  readonly memberId: string | null
  readonly role: PersonRole | null
  readonly actor: string | null
  readonly returnUrl: string | null
}

interface OpenSession extends Holder {
  readonly id: string
  readonly accountId: string
  readonly parentId: string | null
  readonly provenAt: Date
  readonly expiresAt: Date
}

interface PreviousSession extends OpenSession {
  /** Only the newest cookie may be proven; the previous one must not. */
  readonly isNewest: boolean
}

/**
 * Signs a browser in. The transaction sees all accounts, because the browser may have a session of
 * another account. If the proof is of the same key or person, the browser's session stays: it keeps
 * its end and gets a new cookie. Any other session of the browser ends. A session that is handed
 * over ends with its parent, and it counts as no fresh proof; neither does a mail to somebody who has a
 * passkey. Throws NOT_FOUND when the parent has
 * ended, and for a return to live unless the browser still has its session there.
 */
export async function openSession(
  tx: Transaction,
  { keyPrefix, oauth }: Pick<OAuthContext, 'keyPrefix' | 'oauth'>,
  signIn: SignIn,
): Promise<OpenedSession> {
  const { accountId, environment, proof, previousHash, address } = signIn
  const secret = newOAuthSecret(keyPrefix, 'osn')
  const { holder, parent } = await findHolder(tx, accountId, proof)
  const isProof = parent === null && (await provesHolder(tx, proof))
  const previous = previousHash ? await lockPrevious(tx, previousHash, environment) : null
  const request = signIn.continueToken ? sha256(signIn.continueToken) : null
  const isSame = previous && previous.accountId === accountId && isOf(previous, holder)
  if (isSame && (!parent || (previous.isNewest && isRelated(previous, parent)))) {
    const statement = isProof ? proveAgain : keepWithCookie
    const values = [previous.id, sha256(secret), previousCookieSeconds, address]
    const ofProof = isProof ? [request, passkeyOf(proof)] : []
    const [kept] = await tx.query<Times>(statement, [...values, ...ofProof])
    if (!kept) throw new Error('A session that was locked is gone.')
    const outcome = isProof ? 'proven' : 'kept'
    return { id: previous.id, secret, accountId, outcome, ...kept }
  }
  // This code leads back to the session with which the browser signed in. Without that session, the
  // browser has to sign in again.
  if (parent && environment === 'live') throw over()
  if (previous) await endSessions(tx, [previous.id])
  const id = newId('ses')
  const [opened] = await tx.query<Times>(insertSession, [
    ...[id, sha256(secret), accountId, environment],
    ...[holder.keyId, holder.role, holder.actor, holder.returnUrl],
    ...[parent?.id ?? null, isProof ? null : (parent?.provenAt ?? new Date())],
    ...[parent?.expiresAt ?? null],
    ...[request, address, oauth.sessionHours, holder.memberId, passkeyOf(proof)],
  ])
  if (!opened) throw new Error('A session was not stored.')
  return { id, secret, accountId, outcome: 'opened', ...opened }
}

/** The key or person to sign in, and the session that is handed over, if any. */
async function findHolder(
  tx: Transaction,
  accountId: string,
  proof: Proof,
): Promise<{ readonly holder: Holder; readonly parent: OpenSession | null }> {
  switch (proof.kind) {
    case 'key':
      return { holder: { ...nobody, keyId: proof.keyId }, parent: null }
    case 'portal': {
      const { role, actor, returnUrl } = proof
      return { holder: { ...nobody, role, actor, returnUrl }, parent: null }
    }
    case 'member': {
      const { role, actor, memberId } = proof
      return { holder: { ...nobody, role, actor, memberId }, parent: null }
    }
    case 'handover': {
      const parent = await lockParent(tx, accountId, proof.parentId)
      return { holder: parent, parent }
    }
  }
}

const personOfMember: Statement = {
  name: 'person-of-member',
  text: 'SELECT person_id AS "personId" FROM oauth.membership WHERE id = $1',
}

const anyPasskey: Statement = {
  name: 'any-passkey-of-person',
  text: 'SELECT oauth.has_passkey($1) AS "hasPasskey"',
}

/**
 * Whether the proof shows who is at the browser. The first passkey of a person, which ends the proofs of mails, comes
 * before this session or after it: the lock of the person is taken, before that of any session.
 */
async function provesHolder(tx: Transaction, proof: Proof): Promise<boolean> {
  if (proof.kind !== 'member' || proof.passkeyId) return true
  const [member] = await tx.query<{ personId: string | null }>(personOfMember, [proof.memberId])
  if (!member?.personId) return false
  await lockPerson(tx, member.personId)
  const [found] = await tx.query<{ hasPasskey: boolean }>(anyPasskey, [member.personId])
  return found?.hasPasskey === false
}

function passkeyOf(proof: Proof): string | null {
  return proof.kind === 'member' ? (proof.passkeyId ?? null) : null
}

const nobody: Holder = {
  ...{ keyId: null, memberId: null },
  ...{ role: null, actor: null, returnUrl: null },
}

function isOf(session: OpenSession, { keyId, memberId, role, actor }: Holder): boolean {
  if (memberId !== null) return session.memberId === memberId
  if (session.memberId !== null) return false
  return session.keyId === keyId && session.role === role && session.actor === actor
}

/**
 * The browser had this session before it went to the other listener, or from an earlier handover.
 */
function isRelated(previous: OpenSession, parent: OpenSession): boolean {
  return previous.id === parent.parentId || previous.parentId === parent.id
}

const columns = `id, account_id AS "accountId", key_id AS "keyId", member_id AS "memberId", role, actor,
  parent_id AS "parentId", return_url AS "returnUrl", proven_at AS "provenAt",
  expires_at AS "expiresAt"`
const isOpen = 'ended_at IS NULL AND expires_at > now()'

const lockPreviousSession: Statement = {
  name: 'lock-previous-session',
  text: `
    SELECT ${columns}, secret_hash = $1 AS "isNewest" FROM oauth.session
    WHERE (secret_hash = $1 OR (previous_secret_hash = $1 AND previous_until > now()))
      AND environment = $2 AND ${isOpen}
    FOR UPDATE`,
}

async function lockPrevious(
  tx: Transaction,
  secretHash: string,
  environment: Environment,
): Promise<PreviousSession | null> {
  const [row] = await tx.query<PreviousSession>(lockPreviousSession, [secretHash, environment])
  return row ?? null
}

/** A request that ends the parent waits for this lock, and then ends the new session too. */
const lockParentSession: Statement = {
  name: 'lock-parent-session',
  text: `
    SELECT ${columns} FROM oauth.session WHERE id = $1 AND account_id = $2 AND ${isOpen}
    FOR SHARE`,
}

async function lockParent(tx: Transaction, accountId: string, id: string): Promise<OpenSession> {
  const [row] = await tx.query<OpenSession>(lockParentSession, [id, accountId])
  if (!row) throw over()
  return row
}

function over(): DomainError {
  return new DomainError('NOT_FOUND', 'The session that was handed over has ended.')
}

interface Times {
  readonly authTime: Date
  readonly expiresAt: Date
}

const times = 'auth_time AS "authTime", expires_at AS "expiresAt"'
const newCookie = `previous_secret_hash = secret_hash, secret_hash = $2,
  previous_until = now() + make_interval(secs => $3), address = $4`

const proveAgain: Statement = {
  name: 'prove-session',
  text: `
    UPDATE oauth.session SET ${newCookie}, proven_at = now(), signed_in_for = $5, passkey_id = $6,
      decided_at = NULL
    WHERE id = $1 RETURNING ${times}`,
}

const keepWithCookie: Statement = {
  name: 'keep-session-with-cookie',
  text: `UPDATE oauth.session SET ${newCookie} WHERE id = $1 RETURNING ${times}`,
}

/**
 * A session that is handed over was proven before it was opened, and it ends with its parent at the
 * latest. One without a proof counts as proven before it was opened, too.
 */
const insertSession: Statement = {
  name: 'insert-session',
  text: `
    WITH at AS (
      SELECT coalesce($11::timestamptz, now() + make_interval(hours => $14)) AS expires_at,
        CASE WHEN $10::timestamptz IS NULL THEN now()
          ELSE least($10::timestamptz, now() - interval '1 ms') END AS proven_at
    )
    INSERT INTO oauth.session (id, secret_hash, account_id, environment, key_id, role, actor,
      return_url, parent_id, proven_at, expires_at, signed_in_for, address, member_id,
      passkey_id)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, proven_at, expires_at, $12, $13, $15, $16 FROM at
    RETURNING ${times}`,
}
