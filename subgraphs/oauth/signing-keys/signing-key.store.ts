import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { JWK } from 'jose'
import type { Environment } from '../../../schema/credentials/caller.ts'
import { idTokenSeconds } from '../../../schema/vocabulary/oauth-lifetimes.ts'
import { algOf, type SealedPair, type SigningKeyUse } from './signing-key.pair.ts'

/** Keys that follow each other: one of them signs. */
export interface KeyRing {
  readonly use: SigningKeyUse
  readonly environment: Environment
}

const tables: Readonly<Record<SigningKeyUse, string>> = {
  openid: 'oauth.signing_key',
  backends: 'oauth.backend_signing_key',
}

/** How long a verifier may go by a copy of JWKS. */
const copySeconds = 3600

/** How wrong a verifier's clock may be, and that of a process of ours which signs a moment longer. */
const skewSeconds = 3600

/** How long a key is published before it signs: by then every copy of JWKS has it (docs/oauth-rules.md 112). */
export const pendingSeconds = copySeconds

/**
 * How long a key is published after its successor has begun to sign: whatever it signed has ended by then,
 * also what backend modules are shown, which lives for a minute.
 */
const retiredSeconds = idTokenSeconds + copySeconds + skewSeconds

/** The diagram is in the README. */
export type SigningKeyState = 'pending' | 'active' | 'retired' | 'removed' | 'revoked'

export interface SigningKey extends SealedPair {
  readonly state: SigningKeyState
  readonly activateAt: Date
  /** Whether nothing that it signed can be in use any more. */
  readonly isOver: boolean
}

const signingKeyLock = 7_462_002

/** Until the transaction ends nobody else adds, activates or revokes a key, on any ring. */
export async function lockSigningKeys(tx: SqlEntityManager): Promise<void> {
  await tx.execute('SELECT pg_advisory_xact_lock(?)', [signingKeyLock])
}

interface SigningKeyRow {
  readonly kid: string
  readonly public_jwk: JWK
  readonly private_sealed: string
  readonly activate_at: string
  readonly is_begun: boolean
  readonly is_over: boolean
  readonly is_revoked: boolean
}

/**
 * Every key of a ring, oldest first, as of the statement's own time: that of the transaction may
 * be from before it had the lock.
 */
export async function readSigningKeys(
  tx: SqlEntityManager,
  { use, environment }: KeyRing,
): Promise<SigningKey[]> {
  const rows = await tx.execute<SigningKeyRow[]>(
    `SELECT kid, public_jwk, private_sealed, activate_at, revoked_at IS NOT NULL AS is_revoked,
       activate_at <= statement_timestamp() AS is_begun,
       coalesce(lead(activate_at) OVER (ORDER BY activate_at, kid)
         <= statement_timestamp() - make_interval(secs => ?), false) AS is_over
     FROM ${tables[use]} WHERE environment = ? ORDER BY activate_at, kid`,
    [retiredSeconds, environment],
  )
  const active = rows.findLast(({ is_begun, is_revoked }) => is_begun && !is_revoked)
  return rows.map((row) => ({
    kid: row.kid,
    publicJwk: row.public_jwk,
    privateSealed: row.private_sealed,
    activateAt: new Date(row.activate_at),
    isOver: row.is_over,
    state: row === active ? 'active' : stateOf(row),
  }))
}

/** Of any key but the active one. */
function stateOf({ is_revoked, is_begun, is_over }: SigningKeyRow): SigningKeyState {
  if (is_revoked) return 'revoked'
  if (!is_begun) return 'pending'
  return is_over ? 'removed' : 'retired'
}

/** The one that signs now; there is at most one. */
export function activeOf(keys: readonly SigningKey[]): SigningKey | undefined {
  return keys.find(({ state }) => state === 'active')
}

interface NewKey {
  readonly ring: KeyRing
  readonly pair: SealedPair
  /** 0: now. */
  readonly activeInSeconds: number
  /** After so long a job adds its successor, unless there is one. */
  readonly rotationDays: number
}

/** When it becomes active. */
export async function insertSigningKey(
  tx: SqlEntityManager,
  { ring: { use, environment }, pair, activeInSeconds, rotationDays }: NewKey,
): Promise<Date> {
  // A job without `use` is of the provider: so they were before there were others.
  const job = { environment, kid: pair.kid, ...(use === 'openid' ? {} : { use: 'BACKENDS' }) }
  // Rounded down, because what begins now must have begun for whoever looks next.
  const [row] = await tx.execute<{ activate_at: string }[]>(
    `WITH made AS (
       INSERT INTO ${tables[use]} (kid, environment, alg, public_jwk, private_sealed, activate_at)
       VALUES (?, ?, ?, ?, ?,
         date_trunc('milliseconds', statement_timestamp()) + make_interval(secs => ?))
       RETURNING activate_at
     )
     SELECT activate_at, jobs.enqueue('TurnSigningKeys', ?::jsonb,
       activate_at + make_interval(days => ?))
     FROM made`,
    [
      ...[pair.kid, environment, algOf(use), JSON.stringify(pair.publicJwk), pair.privateSealed],
      ...[activeInSeconds, JSON.stringify(job), rotationDays],
    ],
  )
  if (!row) throw new Error('A signing key was not stored.')
  return new Date(row.activate_at)
}

/** A pending key begins to sign; when that is. */
export async function activateSigningKey(
  tx: SqlEntityManager,
  { use }: KeyRing,
  kid: string,
): Promise<Date> {
  const [row] = await tx.execute<{ activate_at: string }[]>(
    `UPDATE ${tables[use]} SET activate_at = date_trunc('milliseconds', statement_timestamp())
     WHERE kid = ? RETURNING activate_at`,
    [kid],
  )
  if (!row) throw new Error(`No signing key is named ${kid}.`)
  return new Date(row.activate_at)
}

export async function revokeSigningKey(
  tx: SqlEntityManager,
  { use }: KeyRing,
  kid: string,
): Promise<void> {
  const sql = `UPDATE ${tables[use]} SET revoked_at = statement_timestamp() WHERE kid = ?`
  await tx.execute(sql, [kid])
}

export async function deleteSigningKeys(
  tx: SqlEntityManager,
  { use }: KeyRing,
  keys: readonly SigningKey[],
): Promise<void> {
  const sql = `DELETE FROM ${tables[use]} WHERE kid = ?`
  for (const { kid } of keys) await tx.execute(sql, [kid])
}
