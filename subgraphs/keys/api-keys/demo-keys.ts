import type { Queryable, Statement } from '../../shared/database/statement.ts'

/** An invented key of a customer, whose secret nobody has. */
interface DemoKey {
  readonly id: string
  readonly name: string
  readonly externalId: string
  readonly scopes: readonly string[]
  readonly prefix: string
  readonly last4: string
  readonly secretHash: string
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  readonly expiresAt: Date | null
}

const insertKeys: Statement = {
  name: 'demo-keys',
  text: `INSERT INTO keys.api_key (id, account_id, environment, name, prefix, last4, secret_hash, scopes,
      external_id, created_by, spender_id, is_capped, created_at, last_used_at, expires_at)
    SELECT id, $1, 'live', name, prefix, last4, "secretHash", scopes, "externalId", $3, id, true,
      "createdAt", "lastUsedAt", "expiresAt"
    FROM jsonb_to_recordset($2::jsonb) AS k (id text, name text, prefix text, last4 text,
      "secretHash" text, scopes text[], "externalId" text, "createdAt" timestamptz,
      "lastUsedAt" timestamptz, "expiresAt" timestamptz)`,
}

/** Writes keys of the past, for the demo account only. Their budgets must be written in the same transaction. */
export async function writeDemoKeys(
  transaction: Queryable,
  accountId: string,
  keys: readonly DemoKey[],
  createdBy: string,
): Promise<void> {
  await transaction.query(insertKeys, [accountId, JSON.stringify(keys), createdBy])
}
