import type { Environment } from '../../../schema/credentials/caller.ts'
import { type Audience, mcpResourceOf } from '../../../schema/vocabulary/audiences.ts'
import { batched, type Placed } from '../../shared/database/batched.ts'
import type { ServiceStatement } from '../../shared/database/database.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import { requireClient } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { isAccountActive } from '../accounts/active-account.ts'
import { issuerOf } from '../provider/issuer.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'

/**
 * Finds accepted tokens of the calling app and no others. LIMIT 1 makes each part a look-up by key,
 * whatever the tables' sizes: an app may have any number of grants.
 */
export const activeTokens: ServiceStatement = {
  name: 'active-tokens',
  wire: 'service',
  parameters: ['text[]', 'text[]', 'text[]'],
  text: `
    SELECT i.place, g.account_id AS "accountId", coalesce(t.scopes, g.scopes) AS scopes,
      g.audience,
      t.expires_at AS "expiresAt", t.created_at AS "createdAt",
      t.scopes IS NOT NULL AS "isAccessToken"
    FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY
      AS i (token_hash, client_id, environment, place)
    CROSS JOIN LATERAL (
      SELECT grant_id, scopes, created_at, expires_at FROM oauth.access_token
      WHERE token_hash = i.token_hash AND revoked_at IS NULL AND expires_at > now()
      UNION ALL
      SELECT grant_id, NULL, created_at, expires_at FROM oauth.refresh_token
      WHERE token_hash = i.token_hash AND consumed_at IS NULL AND expires_at > now()
      LIMIT 1
    ) t
    CROSS JOIN LATERAL (
      SELECT * FROM oauth.authorization_grant WHERE id = t.grant_id LIMIT 1
    ) g
    CROSS JOIN LATERAL (
      SELECT FROM oauth.app WHERE client_id = g.client_id AND suspended_at IS NULL LIMIT 1
    ) a
    WHERE g.client_id = i.client_id AND g.environment = i.environment
      AND g.revoked_at IS NULL AND g.expires_at > now()`,
}

interface TokenRow extends Placed {
  readonly accountId: string
  readonly scopes: string[]
  readonly audience: Audience
  readonly expiresAt: Date
  readonly createdAt: Date
  readonly isAccessToken: boolean
}

interface Asked {
  readonly tokenHash: string
  readonly clientId: string
  readonly environment: Environment
}

const findActiveToken = batched<Asked, TokenRow>((database, asked) =>
  database
    .as(allTenants)
    .query<TokenRow>(activeTokens, [
      asked.map(({ tokenHash }) => tokenHash),
      asked.map(({ clientId }) => clientId),
      asked.map(({ environment }) => environment),
    ]),
)

/**
 * RFC 7662 §2.2: describes an active token, or says only that it is inactive. The hint has no
 * effect.
 */
export async function introspect(context: OAuthContext, tokenHash: string) {
  const { clientId, isConfidential, environment } = requireClient(context)
  if (!isConfidential) throw new DomainError('FORBIDDEN', 'Only a confidential app may ask.')
  const token = await findActiveToken(context.database, { tokenHash, clientId, environment })
  if (token?.audience === 'mcp' && !context.oauth.agents) return { active: false }
  if (!token || !(await isAccountActive(context, token.accountId))) return { active: false }
  return {
    active: true,
    scope: token.scopes.join(' '),
    clientId,
    tokenType: token.isAccessToken ? 'Bearer' : null,
    exp: seconds(token.expiresAt),
    iat: seconds(token.createdAt),
    sub: token.accountId,
    // A token of REST names the app, as before there was another audience.
    aud: token.audience === 'mcp' ? mcpResourceOf(context.baseUrls[environment]) : clientId,
    iss: issuerOf(context.baseUrls[environment]),
  }
}

function seconds(instant: Date): number {
  return Math.floor(instant.getTime() / 1000)
}
