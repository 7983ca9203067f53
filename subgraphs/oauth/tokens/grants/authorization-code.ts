import { newOAuthSecret } from '../../../../schema/credentials/oauth-secret-format.ts'
import { sha256 } from '../../../../schema/credentials/secrets.ts'
import type { Audience } from '../../../../schema/vocabulary/audiences.ts'
import {
  accessTokenSeconds,
  refreshTokenSeconds,
} from '../../../../schema/vocabulary/oauth-lifetimes.ts'
import { batched, type Placed } from '../../../shared/database/batched.ts'
import type { ServiceStatement, Statement } from '../../../shared/database/database.ts'
import { allTenants } from '../../../shared/database/tenant.ts'
import { isAccountActive } from '../../accounts/active-account.ts'
import { isVerified } from './check-code-verifier.ts'
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
import type { OAuthFailure } from './oauth-failure.ts'
import { revokeReplayed } from './replay.ts'

/** LIMIT 1 makes each a look-up by key, whatever the tables' sizes. */
export const findCodes: ServiceStatement = {
  name: 'authorization-codes',
  wire: 'service',
  parameters: ['text[]', 'text[]', 'text[]'],
  text: `
    SELECT i.place, a.grant_types AS "grantTypes",
      a.document_url AS "documentUrl", c.*,
      'offline_access' = ANY (c.scopes) AND 'refresh_token' = ANY (a.grant_types) AS "isOffline"
    FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY
      AS i (code_hash, client_id, environment, place)
    CROSS JOIN LATERAL (
      SELECT grant_types, document_url FROM oauth.app
      WHERE client_id = i.client_id AND environment = i.environment AND suspended_at IS NULL
      LIMIT 1
    ) a
    LEFT JOIN LATERAL (
      SELECT c.grant_id AS "grantId", c.account_id AS "accountId",
        c.redirect_uri AS "redirectUri", c.code_challenge AS "codeChallenge",
        c.consumed_at IS NOT NULL AS "isConsumed", c.expires_at > now() AS "isFresh",
        g.client_id AS "clientId", g.scopes, g.audience, g.nonce, g.auth_time AS "authTime",
        g.revoked_at IS NULL AND g.expires_at > now() AS "isAlive"
      FROM oauth.authorization_code c JOIN oauth.authorization_grant g ON g.id = c.grant_id
      WHERE c.code_hash = i.code_hash AND g.environment = i.environment
      LIMIT 1
    ) c ON true`,
}

interface Code {
  readonly grantId: string
  readonly accountId: string
  readonly redirectUri: string
  readonly codeChallenge: string | null
  readonly isConsumed: boolean
  readonly isFresh: boolean
  readonly clientId: string
  readonly scopes: string[]
  readonly audience: Audience
  readonly nonce: string | null
  readonly authTime: Date
  readonly isAlive: boolean
  readonly isOffline: boolean
}

/** Without a grant there is no such code. */
type CodeRow = ClientRow & (Code | { readonly grantId: null })

const findCode = batched<Presented, CodeRow>((database, presented) =>
  database
    .as(allTenants)
    .query<CodeRow>(findCodes, [
      presented.map(({ hash }) => hash),
      presented.map(({ clientId }) => clientId),
      presented.map(({ environment }) => environment),
    ]),
)

/**
 * The exchange that sets `consumed_at` gets the code; of simultaneous ones in a batch, the first.
 * All that the code brings is stored in the same statement. Codes are locked in one order, so that
 * no two batches wait for each other.
 */
export const consumeCodes: Statement = {
  name: 'consume-authorization-codes',
  wire: 'tenant',
  parameters: ['text[]', 'text[]', 'text[]', 'int4', 'int4'],
  text: `
    WITH locked AS (
      SELECT code_hash FROM oauth.authorization_code
      WHERE code_hash = ANY ($1::text[]) AND consumed_at IS NULL
      ORDER BY code_hash FOR UPDATE
    ), consumed AS (
      UPDATE oauth.authorization_code c SET consumed_at = now()
      FROM locked WHERE c.code_hash = locked.code_hash
      RETURNING c.code_hash, c.grant_id
    ), first AS (
      SELECT DISTINCT ON (code_hash) code_hash, access_token_hash, refresh_token_hash, place
      FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY
        AS i (code_hash, access_token_hash, refresh_token_hash, place)
      ORDER BY code_hash, place
    ), granted AS (
      SELECT first.place, first.access_token_hash, first.refresh_token_hash, g.id, g.account_id,
        g.scopes, g.expires_at AS grant_expires_at,
        least(g.expires_at, now() + make_interval(secs => $4)) AS expires_at
      FROM consumed
      JOIN first USING (code_hash)
      CROSS JOIN LATERAL (
        SELECT * FROM oauth.authorization_grant WHERE id = consumed.grant_id LIMIT 1
      ) g
      WHERE g.revoked_at IS NULL
    ), refreshable AS (
      INSERT INTO oauth.refresh_token (token_hash, grant_id, account_id, expires_at)
      SELECT refresh_token_hash, id, account_id,
        least(grant_expires_at, now() + make_interval(secs => $5))
      FROM granted WHERE refresh_token_hash IS NOT NULL
    ), issued AS (
      INSERT INTO oauth.access_token (token_hash, grant_id, account_id, scopes, expires_at)
      SELECT access_token_hash, id, account_id, scopes, expires_at FROM granted
    )
    SELECT place, ${accessTokenExpiresIn} FROM granted`,
}

interface Consumption {
  readonly codeHash: string | null
  readonly accessTokenHash: string
  readonly refreshTokenHash: string | null
}

interface ConsumedRow extends Placed {
  readonly expiresIn: number
}

const consumeCode = batched<Consumption, ConsumedRow>((database, consumptions) =>
  database.query<ConsumedRow>(consumeCodes, [
    consumptions.map(({ codeHash }) => codeHash),
    consumptions.map(({ accessTokenHash }) => accessTokenHash),
    consumptions.map(({ refreshTokenHash }) => refreshTokenHash),
    accessTokenSeconds,
    refreshTokenSeconds,
  ]),
)

/**
 * RFC 6749 §4.1.3, in the order of docs/oauth-rules.md 58: a code of another app changes nothing; a
 * code of this app that was used before ends the grant.
 */
export async function redeemCode(exchange: Exchange): Promise<Issued | OAuthFailure> {
  const { context, client, request } = exchange
  const { clientId, environment } = client
  const presented = { hash: request.codeHash, clientId, environment }
  const code = await findCode(context.database, presented)
  const refusal = refusalOf(code, exchange)
  if (refusal) return refusal
  const isOurs =
    code?.grantId &&
    code.clientId === clientId &&
    (code.isConsumed || code.isFresh) &&
    code.isAlive &&
    isVerified(request.codeVerifier, code.codeChallenge) &&
    request.redirectUri === code.redirectUri
  if (!isOurs) return invalidGrant()
  // A code that comes again ends its grant, also for a suspended account: when the account is active again,
  // the grant must not return.
  if (code.isConsumed) return endGrant(exchange, code)
  if (!(await isAccountActive(context, code.accountId))) return invalidGrant()
  const misdirected = wrongTarget(code.audience, exchange)
  if (misdirected) return misdirected
  const idToken = await exchange.idTokenOf(code)
  const refreshToken = code.isOffline ? newOAuthSecret(context.keyPrefix, 'ort') : null
  const expiresIn = await consume(exchange, refreshToken)
  if (expiresIn === null) return endGrant(exchange, code)
  return { scopes: code.scopes, expiresIn, refreshToken, idToken }
}

async function endGrant({ context }: Exchange, code: Code): Promise<OAuthFailure> {
  await revokeReplayed(context, code, 'code_replay')
  return invalidGrant()
}

/** The lifetime of the access token; null when another exchange got the code first. */
async function consume(
  { context, request, accessToken }: Exchange,
  refreshToken: string | null,
): Promise<number | null> {
  const issued = await consumeCode(context.database, {
    codeHash: request.codeHash,
    accessTokenHash: sha256(accessToken),
    refreshTokenHash: refreshToken === null ? null : sha256(refreshToken),
  })
  return issued?.expiresIn ?? null
}
