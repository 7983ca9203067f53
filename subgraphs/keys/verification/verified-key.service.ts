import type { Environment } from '../../../schema/credentials/caller.ts'
import { batched, type Placed } from '../../shared/database/batched.ts'
import type { Database, ServiceStatement, Statement } from '../../shared/database/database.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { VerifiedKey } from './verified-key.type.ts'

const columns = `k.id, k.account_id AS "accountId", k.environment, k.scopes, k.ip_allowlist AS "ipAllowlist",
  k.expires_at AS "expiresAt", k.spender_id AS "spenderId",
  k.external_id AS "externalId", k.is_capped AS "isCapped"`

/** SQL: whether a key is accepted. */
export const isUsable =
  'k.enabled AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())'

/** Finds usable keys by their hashes. LIMIT 1 makes each a look-up by key, whatever the size of the table. `fault` says why a key is not usable. */
export const usableKeys: ServiceStatement = {
  name: 'usable-keys',
  wire: 'service',
  parameters: ['text[]', 'text[]'],
  text: `
    SELECT i.place, k.*
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS i (secret_hash, environment, place)
    CROSS JOIN LATERAL (
      SELECT ${columns}, CASE
          WHEN ${isUsable} THEN NULL
          WHEN k.revoked_at IS NOT NULL THEN 'was revoked'
          WHEN NOT k.enabled THEN 'is disabled'
          ELSE 'has expired'
        END AS fault
      FROM keys.api_key k
      WHERE k.secret_hash = i.secret_hash AND k.environment = i.environment
      LIMIT 1
    ) k`,
}

const usableKeyById: Statement = {
  name: 'usable-key-by-id',
  text: `SELECT ${columns} FROM keys.api_key k
    WHERE k.id = $1 AND ${isUsable}`,
}

interface KeyRow extends Omit<VerifiedKey, 'account'> {
  readonly accountId: string
}

interface PresentedKeyRow extends KeyRow, Placed {
  readonly fault: string | null
}

interface Presented {
  readonly secretHash: string
  readonly environment: Environment
}

const findUsableKey = batched<Presented, PresentedKeyRow>((database, presented) =>
  database
    .as(allTenants)
    .query<PresentedKeyRow>(usableKeys, [
      presented.map(({ secretHash }) => secretHash),
      presented.map(({ environment }) => environment),
    ]),
)

/**
 * Verifies a key. Null for an unknown key. Throws INVALID_API_KEY for a disabled, revoked or expired one: the facade answers
 * alike, because callers must not learn which
 * it was, and its log says which. One statement at a time looks up
 * all keys that are presented.
 */
export async function verifyKey(
  database: Database,
  secretHash: string,
  environment: Environment,
): Promise<VerifiedKey | null> {
  const row = await findUsableKey(database, { secretHash, environment })
  if (!row) return null
  const { fault, ...key } = row
  if (fault === null) return toVerified(key)
  throw new DomainError('INVALID_API_KEY', 'This API key is not accepted.', {
    internal: `The key ${key.id} of the account ${key.accountId} ${fault}.`,
  })
}

/**
 * Verifies a key for a browser that presented it when it signed in. Only the facade may ask. A session of the
 * sandbox may have a live key, which was handed over with it.
 */
export async function verifyKeyById(
  { database, caller }: GraphContext,
  id: string,
): Promise<VerifiedKey | null> {
  if (caller.kind !== 'service') return null
  const [row] = await database.query<KeyRow>(usableKeyById, [id])
  return row ? toVerified(row) : null
}

function toVerified({ accountId, ...key }: KeyRow): VerifiedKey {
  return { ...key, account: { id: accountId } }
}

/** The statement locks keys in one order, so that two processes never wait for each other. */
const markUsed: Statement = {
  name: 'mark-keys-used',
  text: `
    UPDATE keys.api_key k SET last_used_at = greatest(k.last_used_at, u.used_at)
    FROM (
      SELECT k.id, to_timestamp(u.used_at_ms / 1000) AS used_at
      FROM unnest($1::text[], $2::float8[]) AS u (id, used_at_ms)
      JOIN keys.api_key k USING (id) ORDER BY k.id FOR UPDATE OF k
    ) u
    WHERE k.id = u.id`,
}

/** Stores when keys were last accepted. */
export async function markKeysUsed(
  database: Database,
  keyIds: readonly string[],
  usedAtMs: readonly number[],
): Promise<void> {
  await database.query(markUsed, [keyIds, usedAtMs])
}
