import { newOAuthSecret } from '../../../../schema/credentials/oauth-secret-format.ts'
import { sha256 } from '../../../../schema/credentials/secrets.ts'
import type { Audience } from '../../../../schema/vocabulary/audiences.ts'
import {
  accessTokenSeconds,
  refreshTokenSeconds,
} from '../../../../schema/vocabulary/oauth-lifetimes.ts'
import { batched } from '../../../shared/database/batched.ts'
import type { ServiceStatement, Statement } from '../../../shared/database/database.ts'
import { allTenants } from '../../../shared/database/tenant.ts'
import { isAccountActive } from '../../accounts/active-account.ts'
import { isScopeText, scopesOf } from '../../authorization/checks/check-scope.ts'
import {
  accessTokenExpiresIn,
  type ClientRow,
  type Exchange,
  type Issued,
  invalidGrant,
  type Presented,
  refusalOf,
  wrongTarget,
} from './exchange.ts'
import { OAuthFailure } from './oauth-failure.ts'
import { revokeReplayed } from './replay.ts'

/** LIMIT 1 makes each a look-up by key, whatever the tables' sizes. */
export const findRefreshTokens: ServiceStatement = {
  name: 'refresh-tokens',
  wire: 'service',
  parameters: ['text[]', 'text[]', 'text[]', 'int4[]'],
  text: `
    SELECT i.place, a.grant_types AS "grantTypes",
      a.document_url AS "documentUrl", r.*
    FROM unnest($1::text[], $2::text[], $3::text[], $4::int[]) WITH ORDINALITY
      AS i (token_hash, client_id, environment, grace_seconds, place)
    CROSS JOIN LATERAL (
      SELECT grant_types, document_url FROM oauth.app
      WHERE client_id = i.client_id AND environment = i.environment AND suspended_at IS NULL
      LIMIT 1
    ) a
    LEFT JOIN LATERAL (
      SELECT r.grant_id AS "grantId", r.account_id AS "accountId", g.client_id AS "clientId",
        g.scopes, g.audience, g.auth_time AS "authTime", r.expires_at > now() AS "isFresh",
        r.consumed_at IS NOT NULL AND (i.grace_seconds = 0
          OR r.consumed_at <= now() - make_interval(secs => i.grace_seconds)) AS "isConsumed",
        g.revoked_at IS NULL AND g.expires_at > now() AS "isAlive"
      FROM oauth.refresh_token r JOIN oauth.authorization_grant g ON g.id = r.grant_id
      WHERE r.token_hash = i.token_hash AND g.environment = i.environment
      LIMIT 1
    ) r ON true`,
}

interface RefreshToken {
  readonly grantId: string
  readonly accountId: string
  readonly clientId: string
  readonly scopes: string[]
  readonly audience: Audience
  readonly authTime: Date
  readonly isFresh: boolean
  readonly isConsumed: boolean
  readonly isAlive: boolean
}

/** Without a grant there is no such token. */
type RefreshTokenRow = ClientRow & (RefreshToken | { readonly grantId: null })

interface PresentedForRotation extends Presented {
  readonly graceSeconds: number
}

const findRefreshToken = batched<PresentedForRotation, RefreshTokenRow>((database, presented) =>
  database
    .as(allTenants)
    .query<RefreshTokenRow>(findRefreshTokens, [
      presented.map(({ hash }) => hash),
      presented.map(({ clientId }) => clientId),
      presented.map(({ environment }) => environment),
      presented.map(({ graceSeconds }) => graceSeconds),
    ]),
)

/**
 * The request that sets `consumed_at` gets the next token. Within the grace period a second use
 * gets another token; without a grace period it is refused. A statement that began before the first
 * use has an older `now()`, so the grace period is checked to be positive.
 */
const rotateRefreshToken: Statement = {
  name: 'rotate-refresh-token',
  text: `
    WITH consumed AS (
      UPDATE oauth.refresh_token SET consumed_at = coalesce(consumed_at, now())
      WHERE token_hash = $1
        AND (consumed_at IS NULL OR $7 > 0 AND consumed_at > now() - make_interval(secs => $7))
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
    SELECT $2, id, account_id, $4::text[], least(expires_at, now() + make_interval(secs => $5))
    FROM granted
    RETURNING ${accessTokenExpiresIn}`,
}

/**
 * RFC 6749 §6. Every use issues another refresh token with all scopes of the grant; only the access
 * token can be narrower. A token that was used before ends the grant (RFC 9700 §4.14.2).
 */
export async function useRefreshToken(exchange: Exchange): Promise<Issued | OAuthFailure> {
  const { context, client, request } = exchange
  const { clientId, environment } = client
  const { refreshGraceSeconds: graceSeconds } = context.oauth
  const presented = { hash: request.refreshTokenHash, clientId, environment, graceSeconds }
  const found = await findRefreshToken(context.database, presented)
  const refusal = refusalOf(found, exchange)
  if (refusal) return refusal
  const isOurs =
    found?.grantId &&
    found.clientId === clientId &&
    (found.isConsumed || found.isFresh) &&
    found.isAlive
  if (!isOurs) return invalidGrant()
  // A refresh token that comes again ends its grant, also for a suspended account: when the account is active
  // again, the grant must not return.
  if (found.isConsumed) return endGrant(exchange, found)
  if (!(await isAccountActive(context, found.accountId))) return invalidGrant()
  const misdirected = wrongTarget(found.audience, exchange)
  if (misdirected) return misdirected
  const scopes = narrowed(request.scope, found.scopes)
  if (!scopes) return new OAuthFailure('invalid_scope', 'The grant does not cover this scope.')
  const idToken = await exchange.idTokenOf({ ...found, scopes, nonce: null })
  const refreshToken = newOAuthSecret(context.keyPrefix, 'ort')
  const expiresIn = await rotate(exchange, scopes, refreshToken)
  if (expiresIn === null) return endGrant(exchange, found)
  return { scopes, expiresIn, refreshToken, idToken }
}

/** Null when the request asks for more than was granted. */
function narrowed(scope: string | null, granted: readonly string[]): readonly string[] | null {
  if (scope === null) return granted
  const wanted = isScopeText(scope) ? scopesOf(scope) : []
  return wanted.length > 0 && wanted.every((name) => granted.includes(name)) ? wanted : null
}

async function endGrant({ context }: Exchange, found: RefreshToken): Promise<OAuthFailure> {
  await revokeReplayed(context, found, 'refresh_reuse')
  return invalidGrant()
}

/**
 * The lifetime of the access token; null when the refresh token was used before, outside of its
 * grace period.
 */
async function rotate(
  { context, request, accessToken }: Exchange,
  scopes: readonly string[],
  refreshToken: string,
): Promise<number | null> {
  const [issued] = await context.database.query<{ expiresIn: number }>(rotateRefreshToken, [
    request.refreshTokenHash,
    ...[sha256(accessToken), sha256(refreshToken), scopes],
    ...[accessTokenSeconds, refreshTokenSeconds, context.oauth.refreshGraceSeconds],
  ])
  return issued?.expiresIn ?? null
}
