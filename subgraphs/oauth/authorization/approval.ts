import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import {
  codeSeconds,
  offlineGrantSeconds,
  onlineGrantSeconds,
} from '../../../schema/vocabulary/oauth-lifetimes.ts'
import type { Statement, Transaction } from '../../shared/database/database.ts'
import { invalidRequest } from '../../shared/graph/errors.ts'
import { holdHosts } from '../agents/app-hosts.service.ts'
import { AppOrigin } from '../apps/app.type.ts'
import type { Client } from '../apps/client.service.ts'
import { problem, toField } from './checks/check.ts'
import { unknownClient } from './checks/check-client.ts'
import type { JudgedRequest } from './judged-request.ts'

export interface ApprovedRequest extends Omit<JudgedRequest, 'ignoredScopes'> {
  /** Budgets were stored for the consent. */
  readonly isCapped: boolean
}

/**
 * Stores an owner's approval: the consent, its grant, and the code with this hash. It locks the hosts of the app, the
 * app, the consent and the grant in this order, as every transaction that ends one of them does. It needs the rows
 * of all accounts, because the app belongs to another one. Returns whether the approval adds a scope to
 * the consent. Throws INVALID_REQUEST when the app has been suspended or changed, or its host denied, meanwhile.
 */
export async function storeApproval(
  tx: Transaction,
  caller: AccountCaller,
  approved: ApprovedRequest,
  codeHash: string,
): Promise<boolean> {
  requireUsable(await holdHosts(tx, approved.client.hosts))
  await storeApp(tx, caller, approved.client)
  await lockApp(tx, approved.client)
  const isNews = await isMore(tx, caller, approved)
  await rememberConsent(tx, caller, approved)
  await insertCode(tx, caller, approved, codeHash)
  return isNews
}

const lockUsableApp: Statement = {
  name: 'lock-usable-app',
  text: `
    SELECT redirect_uris = $2::text[] AND scopes = $3::text[] AS "isSame" FROM oauth.app
    WHERE client_id = $1 AND suspended_at IS NULL
    FOR KEY SHARE`,
}

const changedClient = problem('client_id', 'has changed since it was shown; ask again')

/** What an account has registered may have changed since the request was judged; a document is stored with it. */
async function lockApp(tx: Transaction, client: Client): Promise<void> {
  const { clientId, redirectUris, scopes, document } = client
  const [app] = await tx.query<{ isSame: boolean }>(lockUsableApp, [clientId, redirectUris, scopes])
  requireUsable(app !== undefined)
  if (!app?.isSame && !document) throw invalidRequest(changedClient.map(toField))
}

function requireUsable(isUsable: boolean): void {
  if (!isUsable) throw invalidRequest(unknownClient.map(toField))
}

/**
 * The newest approval decides what the list of apps and the exchange of codes read of the document. Hosts stay: what was
 * granted by an older document ends when one of its hosts is denied.
 */
const keepDocument: Statement = {
  name: 'keep-document-app',
  text: `
    INSERT INTO oauth.app AS a (client_id, environment, origin, document_url, hosts, client_name,
      application_type, token_endpoint_auth_method, redirect_uris, grant_types, scopes,
      require_pkce, approved_at)
    VALUES ($1, $2, 'document', $3, $4::text[], $5, 'native', 'none', $6::text[], $7::text[],
      $8::text[], true, now())
    ON CONFLICT (client_id) DO UPDATE SET client_name = excluded.client_name,
      redirect_uris = excluded.redirect_uris,
      hosts = ARRAY(SELECT DISTINCT unnest(a.hosts || excluded.hosts)),
      grant_types = excluded.grant_types, scopes = excluded.scopes
    WHERE (a.client_name, a.redirect_uris, a.grant_types, a.scopes) IS DISTINCT FROM
      (excluded.client_name, excluded.redirect_uris, excluded.grant_types, excluded.scopes)
    RETURNING cardinality(hosts) AS "hostCount"`,
}

/** The most hosts that documents of an app may name over time. */
const maxHosts = 100

/** An app that was approved once is kept. */
const keepRegistration: Statement = {
  name: 'keep-registered-app',
  text: 'UPDATE oauth.app SET approved_at = now() WHERE client_id = $1 AND approved_at IS NULL',
}

/** Stores an app that nobody has registered by hand, or keeps it from now on. */
async function storeApp(
  tx: Transaction,
  { environment }: AccountCaller,
  { clientId, origin, document, hosts }: Client,
): Promise<void> {
  if (origin === AppOrigin.registration) await tx.query(keepRegistration, [clientId])
  if (!document) return
  const { address, clientName, redirectUris, grantTypes, scopes } = document
  const written = [clientName, redirectUris, grantTypes, scopes]
  const values = [clientId, environment, address, hosts, ...written]
  const [kept] = await tx.query<{ hostCount: number }>(keepDocument, values)
  if (!kept || kept.hostCount <= maxHosts) return
  const message = `has had redirects of more than ${maxHosts} hosts over time`
  throw invalidRequest(problem('client_id', message).map(toField))
}

const lockCoveringConsent: Statement = {
  name: 'lock-covering-consent',
  text: `
    SELECT client_id FROM oauth.consent
    WHERE account_id = $1 AND client_id = $2 AND revoked_at IS NULL AND scopes @> $3::text[]
    FOR UPDATE`,
}

async function isMore(
  tx: Transaction,
  { accountId }: AccountCaller,
  { client, scopes }: ApprovedRequest,
): Promise<boolean> {
  const covered = await tx.query(lockCoveringConsent, [accountId, client.clientId, scopes])
  return covered.length === 0
}

/** Earlier scopes stay granted, unless the consent was withdrawn. Earlier budgets stay. */
const widenConsent: Statement = {
  name: 'widen-consent',
  text: `
    INSERT INTO oauth.consent AS c (account_id, environment, client_id, scopes, key_id, is_capped,
      client_name, redirect_uris, document_hash)
    VALUES ($1, $2, $3, $4::text[], $5, $6, $7, $8::text[], $9)
    ON CONFLICT (account_id, client_id) DO UPDATE SET
      scopes = CASE WHEN c.revoked_at IS NULL
        THEN ARRAY(SELECT DISTINCT unnest(c.scopes || excluded.scopes) ORDER BY 1)
        ELSE excluded.scopes END,
      key_id = excluded.key_id, granted_at = now(), revoked_at = NULL,
      is_capped = c.is_capped OR excluded.is_capped, client_name = excluded.client_name,
      redirect_uris = excluded.redirect_uris, document_hash = excluded.document_hash`,
}

async function rememberConsent(
  tx: Transaction,
  { accountId, environment, keyId }: AccountCaller,
  { client: { clientId, document }, scopes, isCapped }: ApprovedRequest,
): Promise<void> {
  await tx.query(widenConsent, [
    ...[accountId, environment, clientId, scopes, keyId, isCapped],
    ...[document?.clientName ?? null, document?.redirectUris ?? null, document?.hash ?? null],
  ])
}

/** The grant comes first: the code, and all tokens that follow from it, refer to it. */
const insertGrantAndCode: Statement = {
  name: 'insert-grant-and-code',
  text: `
    WITH granted AS (
      INSERT INTO oauth.authorization_grant (id, account_id, environment, client_id, scopes, audience,
        approved_by_key_id, session_id, auth_time, nonce, expires_at)
      VALUES ($1, $2, $3, $4, $5::text[], $6, $7, $8, coalesce($9::timestamptz, now()), $10,
        now() + make_interval(secs => $11))
      RETURNING id, account_id
    )
    INSERT INTO oauth.authorization_code (code_hash, grant_id, account_id, redirect_uri,
      code_challenge, expires_at)
    SELECT $12, id, account_id, $13, $14, now() + make_interval(secs => $15) FROM granted`,
}

async function insertCode(
  tx: Transaction,
  { accountId, environment, keyId, session }: AccountCaller,
  { client, request, scopes, audience }: ApprovedRequest,
  codeHash: string,
): Promise<void> {
  const isOffline = scopes.includes('offline_access') && client.grantTypes.includes('refresh_token')
  await tx.query(insertGrantAndCode, [
    ...[newId('grant'), accountId, environment, client.clientId, scopes, audience],
    ...[keyId, session?.id ?? null, session?.provenAt ?? null],
    scopes.includes('openid') ? request.nonce : null,
    isOffline ? offlineGrantSeconds : onlineGrantSeconds,
    ...[codeHash, request.redirectUri, request.codeChallenge, codeSeconds],
  ])
}
