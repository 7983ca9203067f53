import type { Statement } from '../../shared/database.ts'
import { isVerified } from '../checks/check-code-verifier.ts'
import { accessTokenSeconds, refreshTokenSeconds } from '../lifetimes.ts'
import type { OAuthFailure } from '../oauth-failure.ts'
import { isAccountActive } from '../owner-account.ts'
import { type Exchange, hashesOf, type Issued, invalidGrant } from './exchange.ts'
import { revokeReplayed } from './replay.ts'

const findCode: Statement = {
  name: 'authorization-code',
  text: `
    SELECT c.grant_id AS "grantId", c.account_id AS "accountId", c.redirect_uri AS "redirectUri",
      c.code_challenge AS "codeChallenge", c.consumed_at IS NOT NULL AS "isConsumed",
      c.expires_at > now() AS "isFresh", g.client_id AS "clientId", g.scopes, g.nonce,
      g.auth_time AS "authTime", g.revoked_at IS NULL AND g.expires_at > now() AS "isAlive",
      'offline_access' = ANY (g.scopes) AND 'refresh_token' = ANY (a.grant_types) AS "isOffline"
    FROM oauth.authorization_code c
    JOIN oauth.authorization_grant g ON g.id = c.grant_id
    JOIN oauth.app a ON a.client_id = g.client_id
    WHERE c.code_hash = $1 AND g.environment = $2`,
}

interface CodeRow {
  readonly grantId: string
  readonly accountId: string
  readonly redirectUri: string
  readonly codeChallenge: string | null
  readonly isConsumed: boolean
  readonly isFresh: boolean
  readonly clientId: string
  readonly scopes: string[]
  readonly nonce: string | null
  readonly authTime: Date
  readonly isAlive: boolean
  readonly isOffline: boolean
}

/** Whoever sets `consumed_at` has the code; all that it brings is there with it, or nothing is. */
const consumeCode: Statement = {
  name: 'consume-authorization-code',
  text: `
    WITH consumed AS (
      UPDATE oauth.authorization_code SET consumed_at = now()
      WHERE code_hash = $1 AND consumed_at IS NULL RETURNING grant_id
    ), granted AS (
      SELECT g.id, g.account_id, g.scopes, g.expires_at
      FROM consumed JOIN oauth.authorization_grant g ON g.id = consumed.grant_id
      WHERE g.revoked_at IS NULL
    ), refreshable AS (
      INSERT INTO oauth.refresh_token (token_hash, grant_id, account_id, expires_at)
      SELECT $3, id, account_id, least(expires_at, now() + make_interval(secs => $5))
      FROM granted WHERE $3::text IS NOT NULL
    )
    INSERT INTO oauth.access_token (token_hash, grant_id, account_id, scopes, expires_at)
    SELECT $2, id, account_id, scopes, now() + make_interval(secs => $4) FROM granted
    RETURNING grant_id`,
}

/**
 * RFC 6749 §4.1.3, in the order of design, oauth rule 58: what is not the app's changes nothing; what is,
 * and came before, ends the grant.
 */
export async function redeemCode(exchange: Exchange): Promise<Issued | OAuthFailure> {
  const { context, client, request } = exchange
  const { database } = context
  const [code] = await database.query<CodeRow>(findCode, [request.codeHash, client.environment])
  const isOurs =
    code?.clientId === client.clientId &&
    (code.isConsumed || code.isFresh) &&
    code.isAlive &&
    isVerified(request.codeVerifier, code.codeChallenge) &&
    request.redirectUri === code.redirectUri
  if (!isOurs || !(await isAccountActive(context, code.accountId))) return invalidGrant()
  if (code.isConsumed || !(await consume(exchange, code))) {
    await revokeReplayed(context, code, 'code_replay')
    return invalidGrant()
  }
  const { accountId, scopes, authTime, nonce, isOffline } = code
  return { accountId, scopes, authTime, nonce, hasRefreshToken: isOffline }
}

/** Whether nobody else had it first. */
async function consume(exchange: Exchange, { isOffline }: CodeRow): Promise<boolean> {
  const { context, request } = exchange
  const { accessTokenHash, refreshTokenHash } = hashesOf(exchange)
  const issued = await context.database.query(consumeCode, [
    request.codeHash,
    accessTokenHash,
    isOffline ? refreshTokenHash : null,
    accessTokenSeconds,
    refreshTokenSeconds,
  ])
  return issued.length > 0
}
