import type { Environment } from '../../../schema/credentials/caller.ts'
import type { Audience } from '../../../schema/vocabulary/audiences.ts'
import { tokenScopes } from '../../../schema/vocabulary/scopes.ts'
import { batched, type Placed } from '../../shared/database/batched.ts'
import type { ServiceStatement } from '../../shared/database/database.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import type { VerifiedAccessToken } from './verified-access-token.type.ts'

/** LIMIT 1 makes each a look-up by key, whatever the tables' sizes. */
export const usableTokens: ServiceStatement = {
  name: 'usable-access-tokens',
  wire: 'service',
  parameters: ['text[]', 'text[]'],
  text: `
    SELECT i.place, t.*
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS i (token_hash, environment, place)
    CROSS JOIN LATERAL (
      SELECT g.client_id AS "clientId", g.account_id AS "accountId",
        a.account_id AS "clientAccountId", t.scopes, g.audience,
        least(t.expires_at, g.expires_at) AS "expiresAt",
        coalesce(c.is_capped, false) AS "isCapped",
        CASE
          WHEN t.revoked_at IS NOT NULL THEN 'was revoked'
          WHEN t.expires_at <= now() THEN 'has expired'
          WHEN g.revoked_at IS NOT NULL THEN 'lost its grant, which was revoked'
          WHEN g.expires_at <= now() THEN 'lost its grant, which has expired'
          WHEN a.suspended_at IS NOT NULL THEN 'is of a suspended app'
        END AS fault
      FROM oauth.access_token t
      CROSS JOIN LATERAL (
        SELECT * FROM oauth.authorization_grant WHERE id = t.grant_id LIMIT 1
      ) g
      CROSS JOIN LATERAL (
        SELECT account_id, suspended_at FROM oauth.app WHERE client_id = g.client_id LIMIT 1
      ) a
      LEFT JOIN oauth.consent c ON c.account_id = g.account_id AND c.client_id = g.client_id
      WHERE t.token_hash = i.token_hash AND g.environment = i.environment
      LIMIT 1
    ) t`,
}

interface TokenRow extends Placed {
  readonly clientId: string
  readonly accountId: string
  readonly clientAccountId: string | null
  readonly scopes: string[]
  readonly audience: Audience
  readonly expiresAt: Date
  readonly isCapped: boolean
  /** Why the token is not usable. */
  readonly fault: string | null
}

interface Presented {
  readonly tokenHash: string
  readonly environment: Environment
}

const findUsableToken = batched<Presented, TokenRow>((database, presented) =>
  database
    .as(allTenants)
    .query<TokenRow>(usableTokens, [
      presented.map(({ tokenHash }) => tokenHash),
      presented.map(({ environment }) => environment),
    ]),
)

/** The number of digits of a hash by which tokens are told apart. */
const nameDigits = 16

/**
 * Null for an unknown token. Throws INVALID_API_KEY for a revoked or expired one, a dead grant and a suspended
 * app: the facade answers alike, because callers must not learn which it was, and its log says which. One statement at a time looks up all tokens that are presented. A token never covers
 * more than docs/contract.md §4 allows, whatever its row says. One for the tools is none where there are no tools.
 */
export async function verifyAccessToken(
  { database, caller, oauth }: OAuthContext,
  tokenHash: string,
): Promise<VerifiedAccessToken | null> {
  const row = await findUsableToken(database, { tokenHash, environment: caller.environment })
  if (!row || (row.audience === 'mcp' && !oauth.agents)) return null
  if (row.fault !== null) {
    const { clientId, accountId, fault } = row
    throw new DomainError('INVALID_API_KEY', 'This access token is not accepted.', {
      internal: `A token of the app ${clientId} for the account ${accountId} ${fault}.`,
    })
  }
  return {
    id: `tok:${tokenHash.slice(0, nameDigits)}`,
    clientId: row.clientId,
    account: { id: row.accountId },
    clientAccount: row.clientAccountId === null ? null : { id: row.clientAccountId },
    scopes: row.scopes.filter((scope) => tokenScopes.includes(scope)),
    audience: row.audience,
    expiresAt: row.expiresAt,
    isCapped: row.isCapped,
  }
}
