import type { Statement } from '../../shared/database.ts'
import { isScopeText, scopesOf } from '../checks/check-scope.ts'
import { accessTokenSeconds, refreshTokenSeconds } from '../lifetimes.ts'
import { OAuthFailure } from '../oauth-failure.ts'
import { isAccountActive } from '../owner-account.ts'
import { type Exchange, hashesOf, type Issued, invalidGrant } from './exchange.ts'
import { revokeReplayed } from './replay.ts'

const findRefreshToken: Statement = {
  name: 'refresh-token',
  text: `
    SELECT r.grant_id AS "grantId", r.account_id AS "accountId", g.client_id AS "clientId",
      g.scopes, g.auth_time AS "authTime", r.expires_at > now() AS "isFresh",
      r.consumed_at IS NOT NULL
        AND r.consumed_at <= now() - make_interval(secs => $3) AS "isConsumed",
      g.revoked_at IS NULL AND g.expires_at > now() AS "isAlive"
    FROM oauth.refresh_token r JOIN oauth.authorization_grant g ON g.id = r.grant_id
    WHERE r.token_hash = $1 AND g.environment = $2`,
}

interface RefreshTokenRow {
  readonly grantId: string
  readonly accountId: string
  readonly clientId: string
  readonly scopes: string[]
  readonly authTime: Date
  readonly isFresh: boolean
  readonly isConsumed: boolean
  readonly isAlive: boolean
}

/** Whoever sets `consumed_at` has it; within the grace, whoever comes again has a sibling. */
const rotateRefreshToken: Statement = {
  name: 'rotate-refresh-token',
  text: `
    WITH consumed AS (
      UPDATE oauth.refresh_token SET consumed_at = coalesce(consumed_at, now())
      WHERE token_hash = $1
        AND (consumed_at IS NULL OR consumed_at > now() - make_interval(secs => $7))
      RETURNING grant_id
    ), granted AS (
      SELECT g.id, g.account_id, g.expires_at
      FROM consumed JOIN oauth.authorization_grant g ON g.id = consumed.grant_id
      WHERE g.revoked_at IS NULL
    ), refreshable AS (
      INSERT INTO oauth.refresh_token (token_hash, grant_id, account_id, expires_at)
      SELECT $3, id, account_id, least(expires_at, now() + make_interval(secs => $6)) FROM granted
    )
    INSERT INTO oauth.access_token (token_hash, grant_id, account_id, scopes, expires_at)
    SELECT $2, id, account_id, $4::text[], now() + make_interval(secs => $5) FROM granted
    RETURNING grant_id`,
}

/**
 * RFC 6749 §6. Every use brings another refresh token, of the whole grant; only the access token can be
 * narrower. One that was used before ends the grant (RFC 9700 §4.14.2).
 */
export async function useRefreshToken(exchange: Exchange): Promise<Issued | OAuthFailure> {
  const { context, client, request } = exchange
  const values = [request.refreshTokenHash, client.environment, context.oauth.refreshGraceSeconds]
  const [found] = await context.database.query<RefreshTokenRow>(findRefreshToken, values)
  const isOurs = found?.clientId === client.clientId && found.isFresh && found.isAlive
  if (!isOurs || !(await isAccountActive(context, found.accountId))) return invalidGrant()
  if (found.isConsumed) return endGrant(exchange, found)
  const scopes = narrowed(request.scope, found.scopes)
  if (!scopes) return new OAuthFailure('invalid_scope', 'The grant does not cover this scope.')
  if (!(await rotate(exchange, scopes))) return endGrant(exchange, found)
  const { accountId, authTime } = found
  return { accountId, scopes, authTime, nonce: null, hasRefreshToken: true }
}

/** Null when it asks for more than was granted. */
function narrowed(scope: string | null, granted: readonly string[]): readonly string[] | null {
  if (scope === null) return granted
  const wanted = isScopeText(scope) ? scopesOf(scope) : []
  return wanted.length > 0 && wanted.every((name) => granted.includes(name)) ? wanted : null
}

async function endGrant({ context }: Exchange, found: RefreshTokenRow): Promise<OAuthFailure> {
  await revokeReplayed(context, found, 'refresh_reuse')
  return invalidGrant()
}

/** Whether nobody else had it first, but for the grace. */
async function rotate(exchange: Exchange, scopes: readonly string[]): Promise<boolean> {
  const { context, request } = exchange
  const { accessTokenHash, refreshTokenHash } = hashesOf(exchange)
  const issued = await context.database.query(rotateRefreshToken, [
    request.refreshTokenHash,
    ...[accessTokenHash, refreshTokenHash, scopes],
    ...[accessTokenSeconds, refreshTokenSeconds, context.oauth.refreshGraceSeconds],
  ])
  return issued.length > 0
}
