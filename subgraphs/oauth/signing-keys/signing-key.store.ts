import type { Environment } from '../../../schema/credentials/caller.ts'
import { idTokenSeconds } from '../../../schema/vocabulary/oauth-lifetimes.ts'
import type { Statement, Transaction } from '../../shared/database/database.ts'
import { algOf, type SealedPair, type SigningKeyUse } from './signing-key.pair.ts'

/** A sequence of keys of which one signs. */
export interface KeyRing {
  readonly use: SigningKeyUse
  readonly environment: Environment
}

/** How long a verifier may use its copy of JWKS. */
const copySeconds = 3600

/** How far the clock of a verifier, or of a gateway process that signs, may be off. */
const skewSeconds = 3600

/** A key is published for so long before it signs; then every copy of JWKS has it (docs/oauth-rules.md 112). */
export const pendingSeconds = copySeconds

/**
 * A key is published for so long after its successor has begun to sign. By then everything that it signed
 * has expired; the assertions for backend modules live for only a minute.
 */
const retiredSeconds = idTokenSeconds + copySeconds + skewSeconds

/** The diagram is in the README. */
export type SigningKeyState = 'pending' | 'active' | 'retired' | 'removed' | 'revoked'

export interface SigningKey extends SealedPair {
  readonly state: SigningKeyState
  readonly activateAt: Date
  /** Whether everything that the key signed has expired. */
  readonly isOver: boolean
}

interface SigningKeyRow extends SealedPair {
  readonly activateAt: Date
  readonly hasBegun: boolean
  readonly isOver: boolean
  readonly isRevoked: boolean
}

const lock: Statement = {
  name: 'lock-signing-keys',
  text: 'SELECT pg_advisory_xact_lock(7462002)',
}

/** Locks all rings: until the transaction ends, no other one adds, activates or revokes a key. */
export async function lockSigningKeys(tx: Transaction): Promise<void> {
  await tx.query(lock, [])
}

/** Each ring has a table of its own; the names of its statements end with the use of its keys. */
function statementsFor(use: SigningKeyUse, table: string) {
  return {
    /**
     * Reads the keys at the time of the statement: the time of the transaction may be from before it had the
     * lock.
     */
    read: {
      name: `signing-keys-${use}`,
      text: `
        SELECT kid, public_jwk AS "publicJwk", private_sealed AS "privateSealed",
          activate_at AS "activateAt", revoked_at IS NOT NULL AS "isRevoked",
          activate_at <= statement_timestamp() AS "hasBegun",
          coalesce(lead(activate_at) OVER (ORDER BY activate_at, kid)
            <= statement_timestamp() - make_interval(secs => $2), false) AS "isOver"
        FROM ${table} WHERE environment = $1 ORDER BY activate_at, kid`,
    },
    /** The time of the key is rounded down: a key that begins now must have begun for every later reader. */
    insert: {
      name: `insert-signing-key-${use}`,
      text: `
        WITH made AS (
          INSERT INTO ${table} (kid, environment, alg, public_jwk, private_sealed, activate_at)
          VALUES ($1, $2, $3, $4, $5,
            date_trunc('milliseconds', statement_timestamp()) + make_interval(secs => $6))
          RETURNING activate_at
        )
        SELECT activate_at AS "activateAt", jobs.enqueue('TurnSigningKeys', $7::jsonb,
          activate_at + make_interval(days => $8))
        FROM made`,
    },
    activate: {
      name: `activate-signing-key-${use}`,
      text: `
        UPDATE ${table} SET activate_at = date_trunc('milliseconds', statement_timestamp())
        WHERE kid = $1 RETURNING activate_at AS "activateAt"`,
    },
    revoke: {
      name: `revoke-signing-key-${use}`,
      text: `UPDATE ${table} SET revoked_at = statement_timestamp() WHERE kid = $1`,
    },
    remove: {
      name: `delete-signing-keys-${use}`,
      text: `DELETE FROM ${table} WHERE kid = ANY ($1)`,
    },
  } as const satisfies Readonly<Record<string, Statement>>
}

const statements = {
  openid: statementsFor('openid', 'oauth.signing_key'),
  backends: statementsFor('backends', 'oauth.backend_signing_key'),
} as const

/** Every key of a ring, oldest first. */
export async function readSigningKeys(
  tx: Transaction,
  { use, environment }: KeyRing,
): Promise<SigningKey[]> {
  const rows = await tx.query<SigningKeyRow>(statements[use].read, [environment, retiredSeconds])
  const active = rows.findLast(({ hasBegun, isRevoked }) => hasBegun && !isRevoked)
  return rows.map((row) => {
    const { kid, publicJwk, privateSealed, activateAt, isOver } = row
    const state = row === active ? 'active' : stateOf(row)
    return { kid, publicJwk, privateSealed, activateAt, isOver, state }
  })
}

/** The state of any key except the active one. */
function stateOf({ isRevoked, hasBegun, isOver }: SigningKeyRow): SigningKeyState {
  if (isRevoked) return 'revoked'
  if (!hasBegun) return 'pending'
  return isOver ? 'removed' : 'retired'
}

/** The key that signs now; there is at most one. */
export function activeOf(keys: readonly SigningKey[]): SigningKey | undefined {
  return keys.find(({ state }) => state === 'active')
}

/** The days after which a job adds the successor of a key, unless it has one by then. */
const rotationDays = 90

interface NewKey {
  readonly ring: KeyRing
  readonly pair: SealedPair
  /** 0 means now. */
  readonly activeInSeconds: number
}

interface Activation {
  readonly activateAt: Date
}

/** Returns the time at which the key becomes active. */
export async function insertSigningKey(
  tx: Transaction,
  { ring: { use, environment }, pair, activeInSeconds }: NewKey,
): Promise<Date> {
  // A job without `use` concerns OpenID keys: releases before the backends' keys wrote none.
  const job = { environment, kid: pair.kid, ...(use === 'openid' ? {} : { use: 'BACKENDS' }) }
  const [row] = await tx.query<Activation>(statements[use].insert, [
    ...[pair.kid, environment, algOf(use), JSON.stringify(pair.publicJwk), pair.privateSealed],
    ...[activeInSeconds, JSON.stringify(job), rotationDays],
  ])
  if (!row) throw new Error('A signing key was not stored.')
  return row.activateAt
}

/** A pending key begins to sign; returns the time at which it does. */
export async function activateSigningKey(
  tx: Transaction,
  { use }: KeyRing,
  kid: string,
): Promise<Date> {
  const [row] = await tx.query<Activation>(statements[use].activate, [kid])
  if (!row) throw new Error(`No signing key is named ${kid}.`)
  return row.activateAt
}

export async function revokeSigningKey(
  tx: Transaction,
  { use }: KeyRing,
  kid: string,
): Promise<void> {
  await tx.query(statements[use].revoke, [kid])
}

export async function deleteSigningKeys(
  tx: Transaction,
  { use }: KeyRing,
  keys: readonly SigningKey[],
): Promise<void> {
  if (keys.length > 0) await tx.query(statements[use].remove, [keys.map(({ kid }) => kid)])
}
