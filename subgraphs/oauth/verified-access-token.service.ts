import type { Environment } from '../../schema/caller.ts'
import { tokenScopes } from '../../schema/scopes.ts'
import type { Database, Statement } from '../shared/database.ts'
import type { VerifiedAccessToken } from './verified-access-token.type.ts'

const usableToken: Statement = {
  name: 'usable-access-token',
  text: `
    SELECT g.client_id, g.account_id, a.account_id AS client_account_id, t.scopes, least(t.expires_at, g.expires_at) AS expires_at
    FROM oauth.access_token t
    JOIN oauth.authorization_grant g ON g.id = t.grant_id
    JOIN oauth.app a ON a.client_id = g.client_id
    WHERE t.token_hash = $1 AND g.environment = $2
      AND t.revoked_at IS NULL AND t.expires_at > now()
      AND g.revoked_at IS NULL AND g.expires_at > now()
      AND a.suspended_at IS NULL`,
}

interface TokenRow {
  readonly client_id: string
  readonly account_id: string
  readonly client_account_id: string
  readonly scopes: string[]
  readonly expires_at: Date
}

/** As much of a hash as tells tokens apart. */
const nameDigits = 16

/**
 * Null for an unknown, revoked or expired token, a dead grant and a suspended app alike, so that nobody
 * learns which it was. A token never covers more than the contract lets one (§4), whatever its row says.
 */
export async function verifyAccessToken(
  database: Database,
  tokenHash: string,
  environment: Environment,
): Promise<VerifiedAccessToken | null> {
  const [row] = await database.query<TokenRow>(usableToken, [tokenHash, environment])
  if (!row) return null
  return {
    id: `tok:${tokenHash.slice(0, nameDigits)}`,
    clientId: row.client_id,
    account: { id: row.account_id },
    clientAccount: { id: row.client_account_id },
    scopes: row.scopes.filter((scope) => tokenScopes.includes(scope)),
    expiresAt: row.expires_at,
  }
}
