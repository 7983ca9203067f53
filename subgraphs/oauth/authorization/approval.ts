import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import {
  codeSeconds,
  offlineGrantSeconds,
  onlineGrantSeconds,
} from '../../../schema/vocabulary/oauth-lifetimes.ts'
import { invalidRequest } from '../../shared/graph/errors.ts'
import { toField } from './checks/check.ts'
import { unknownClient } from './checks/check-client.ts'
import type { JudgedRequest } from './judged-request.ts'

type ApprovedRequest = Omit<JudgedRequest, 'ignoredScopes'>

/**
 * Writes an owner's approval: what is remembered of it, its grant, and the code with this hash. Locks the
 * app, the consent and the grant in this order, as whoever ends one of them does. Needs everybody's rows,
 * because the app is another account's. Returns whether it lets the app do anything that it was not let do
 * before. Throws INVALID_REQUEST where it has been suspended meanwhile.
 */
export async function storeApproval(
  tx: SqlEntityManager,
  caller: AccountCaller,
  approved: ApprovedRequest,
  codeHash: string,
): Promise<boolean> {
  await lockApp(tx, approved.client.clientId)
  const isNews = await isMore(tx, caller, approved)
  await rememberConsent(tx, caller, approved.client.clientId, approved.scopes)
  await insertCode(tx, caller, approved, codeHash)
  return isNews
}

async function lockApp(tx: SqlEntityManager, clientId: string): Promise<void> {
  const found = await tx.execute<object[]>(
    'SELECT 1 FROM oauth.app WHERE client_id = ? AND suspended_at IS NULL FOR KEY SHARE',
    [clientId],
  )
  if (found.length === 0) throw invalidRequest(unknownClient.map(toField))
}

async function isMore(
  tx: SqlEntityManager,
  { accountId }: AccountCaller,
  { client, scopes }: ApprovedRequest,
): Promise<boolean> {
  const covered = await tx.execute<object[]>(
    `SELECT 1 FROM oauth.consent WHERE account_id = ? AND client_id = ? AND revoked_at IS NULL
       AND scopes @> ?::text[] FOR UPDATE`,
    [accountId, client.clientId, toArray(scopes)],
  )
  return covered.length === 0
}

/** What was let before stays, unless it was withdrawn. */
async function rememberConsent(
  tx: SqlEntityManager,
  { accountId, environment, keyId }: AccountCaller,
  clientId: string,
  scopes: readonly string[],
): Promise<void> {
  await tx.execute(
    `INSERT INTO oauth.consent AS c (account_id, environment, client_id, scopes, key_id)
     VALUES (?, ?, ?, ?::text[], ?)
     ON CONFLICT (account_id, client_id) DO UPDATE SET
       scopes = CASE WHEN c.revoked_at IS NULL
         THEN ARRAY(SELECT DISTINCT unnest(c.scopes || excluded.scopes) ORDER BY 1)
         ELSE excluded.scopes END,
       key_id = excluded.key_id, granted_at = now(), revoked_at = NULL`,
    [accountId, environment, clientId, toArray(scopes), keyId],
  )
}

/** The grant first: the code, and all that comes of it, is its. */
async function insertCode(
  tx: SqlEntityManager,
  { accountId, environment, keyId, session }: AccountCaller,
  { client, request, scopes }: ApprovedRequest,
  codeHash: string,
): Promise<void> {
  const isOffline = scopes.includes('offline_access') && client.grantTypes.includes('refresh_token')
  await tx.execute(
    `WITH granted AS (
       INSERT INTO oauth.authorization_grant (id, account_id, environment, client_id, scopes,
         approved_by_key_id, session_id, auth_time, nonce, expires_at)
       VALUES (?, ?, ?, ?, ?::text[], ?, ?, coalesce(?::timestamptz, now()), ?,
         now() + make_interval(secs => ?))
       RETURNING id, account_id
     )
     INSERT INTO oauth.authorization_code (code_hash, grant_id, account_id, redirect_uri,
       code_challenge, expires_at)
     SELECT ?, id, account_id, ?, ?, now() + make_interval(secs => ?) FROM granted`,
    [
      ...[newId('grant'), accountId, environment, client.clientId, toArray(scopes)],
      ...[keyId, session?.id ?? null, session?.authTime ?? null],
      scopes.includes('openid') ? request.nonce : null,
      isOffline ? offlineGrantSeconds : onlineGrantSeconds,
      ...[codeHash, request.redirectUri, request.codeChallenge, codeSeconds],
    ],
  )
}

/** Scopes have neither braces nor commas, quotes or backslashes. */
function toArray(scopes: readonly string[]): string {
  return `{${scopes.join(',')}}`
}
