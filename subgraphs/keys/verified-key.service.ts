import type { Environment } from '../../schema/caller.ts'
import type { GraphContext } from '../shared/context.ts'
import type { Database, Statement } from '../shared/database.ts'
import type { KeyUseInput, VerifiedKey } from './verified-key.type.ts'

/** `$1` is what finds it, `$2` the environment. */
const usableKeyBy = (column: 'id' | 'secret_hash') => `
  SELECT id, account_id, scopes, ip_allowlist, expires_at FROM keys.api_key
  WHERE ${column} = $1 AND environment = $2
    AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`

const usableKey: Statement = { name: 'usable-key', text: usableKeyBy('secret_hash') }

const usableKeyById: Statement = { name: 'usable-key-by-id', text: usableKeyBy('id') }

interface KeyRow {
  readonly id: string
  readonly account_id: string
  readonly scopes: string[]
  readonly ip_allowlist: string[]
  readonly expires_at: Date | null
}

/** Null for an unknown, revoked or expired key alike, so that nobody learns which it was. */
export async function verifyKey(
  database: Database,
  secretHash: string,
  environment: Environment,
): Promise<VerifiedKey | null> {
  const [row] = await database.query<KeyRow>(usableKey, [secretHash, environment])
  return row ? toVerified(row) : null
}

/** The same for whoever has presented the key before, in a browser. Only the facade may know. */
export async function verifyKeyById(
  { database, caller }: GraphContext,
  id: string,
): Promise<VerifiedKey | null> {
  if (caller.kind !== 'service') return null
  const [row] = await database.query<KeyRow>(usableKeyById, [id, caller.environment])
  return row ? toVerified(row) : null
}

function toVerified(row: KeyRow): VerifiedKey {
  return {
    id: row.id,
    account: { id: row.account_id },
    scopes: row.scopes,
    ipAllowlist: row.ip_allowlist,
    expiresAt: row.expires_at,
  }
}

/** In one order, so that two processes never wait for each other in a circle. */
const markUsed: Statement = {
  name: 'mark-keys-used',
  text: `
    UPDATE keys.api_key k SET last_used_at = greatest(k.last_used_at, u.used_at)
    FROM (
      SELECT k.id, u.used_at
      FROM unnest($1::text[], $2::timestamptz[]) AS u (id, used_at)
      JOIN keys.api_key k USING (id) ORDER BY k.id FOR UPDATE OF k
    ) u
    WHERE k.id = u.id`,
}

/** Remembers when keys were last accepted. */
export async function markKeysUsed(
  database: Database,
  uses: readonly KeyUseInput[],
): Promise<void> {
  await database.query(markUsed, [
    uses.map(({ keyId }) => keyId),
    uses.map(({ usedAt }) => usedAt.toISOString()),
  ])
}
