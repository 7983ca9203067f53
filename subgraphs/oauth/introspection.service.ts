import { type GraphContext, requireClient } from '../shared/context.ts'
import type { Statement } from '../shared/database.ts'
import { DomainError } from '../shared/errors.ts'
import { issuerOf } from './issuer.ts'
import { isAccountActive } from './owner-account.ts'

/** Of the app's own tokens, as long as they are accepted; whatever else there is, is not looked at. */
const activeToken: Statement = {
  name: 'active-token',
  text: `
    SELECT t.account_id AS "accountId", t.scopes, t.expires_at AS "expiresAt",
      t.created_at AS "createdAt", t.is_access_token AS "isAccessToken"
    FROM (
      SELECT grant_id, account_id, scopes, created_at, expires_at, true AS is_access_token
      FROM oauth.access_token WHERE token_hash = $1 AND revoked_at IS NULL
      UNION ALL
      SELECT r.grant_id, r.account_id, g.scopes, r.created_at, r.expires_at, false
      FROM oauth.refresh_token r JOIN oauth.authorization_grant g ON g.id = r.grant_id
      WHERE r.token_hash = $1 AND r.consumed_at IS NULL
    ) t
    JOIN oauth.authorization_grant g ON g.id = t.grant_id
    JOIN oauth.app a ON a.client_id = g.client_id
    WHERE t.expires_at > now() AND g.client_id = $2 AND g.environment = $3
      AND g.revoked_at IS NULL AND g.expires_at > now() AND a.suspended_at IS NULL`,
}

interface TokenRow {
  readonly accountId: string
  readonly scopes: string[]
  readonly expiresAt: Date
  readonly createdAt: Date
  readonly isAccessToken: boolean
}

/** RFC 7662 §2.2: what a token is worth now, or only that it is worth nothing. The hint changes nothing. */
export async function introspect(context: GraphContext, tokenHash: string) {
  const { clientId, isConfidential, environment } = requireClient(context)
  if (!isConfidential) throw new DomainError('FORBIDDEN', 'Only a confidential app may ask.')
  const values = [tokenHash, clientId, environment]
  const [token] = await context.database.query<TokenRow>(activeToken, values)
  if (!token || !(await isAccountActive(context, token.accountId))) return { active: false }
  return {
    active: true,
    scope: token.scopes.join(' '),
    clientId,
    tokenType: token.isAccessToken ? 'Bearer' : null,
    exp: seconds(token.expiresAt),
    iat: seconds(token.createdAt),
    sub: token.accountId,
    aud: clientId,
    iss: issuerOf(context.baseUrls[environment]),
  }
}

function seconds(instant: Date): number {
  return Math.floor(instant.getTime() / 1000)
}
