import pg from 'pg'
import { newOAuthSecret } from '../../../schema/credentials/oauth-secret-format.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { sessionOfAllTenants } from '../../../subgraphs/shared/database/tenant.ts'
import {
  type BenchClient,
  codeChallenge,
  type Make,
  nonce,
  redirectUri,
  repeat,
  scope,
} from './provider.ts'
import type { SeededAccount } from './seed.ts'

/** Inserts grants into the gateway's tables, because the approval is not measured. */
export interface PlantedGrants {
  readonly clients: readonly BenchClient[]
  readonly make: Make
  close(): Promise<void>
}

/** Each account has one app, which it uses itself. */
export async function openPlantedGrants(
  ownerUrl: string,
  accounts: readonly SeededAccount[],
): Promise<PlantedGrants> {
  const pool = new pg.Pool({ connectionString: ownerUrl, max: 1, options: sessionOfAllTenants })
  const clients = accounts.map(({ id: ownerId }) => ({
    ownerId,
    clientId: newId('app'),
    clientSecret: newOAuthSecret('svc', 'ocs'),
  }))
  await pool.query(insertApps, [
    clients.map(({ clientId }) => clientId),
    clients.map(({ ownerId }) => ownerId),
    clients.map(({ clientSecret }) => sha256(clientSecret)),
    redirectUri,
  ])

  async function make({ what, count }: Parameters<Make>[0]): Promise<string[]> {
    const isCode = what === 'codes'
    const owners = repeat(clients, count)
    const grantIds = owners.map(() => newId('grant'))
    const ownerIds = owners.map(({ ownerId }) => ownerId)
    const secrets = owners.map(() => newOAuthSecret('svc', isCode ? 'oac' : 'oat'))
    const hashes = secrets.map((secret) => sha256(secret))
    const clientIds = owners.map(({ clientId }) => clientId)
    await pool.query(insertGrants, [grantIds, ownerIds, clientIds, [scope], nonce])
    await pool.query(isCode ? insertCodes : insertAccessTokens, [
      ...[hashes, grantIds, ownerIds],
      ...(isCode ? [redirectUri, codeChallenge] : [[scope]]),
    ])
    // The tables are analyzed as autovacuum would do a minute later: plans of an empty table are others.
    await pool.query('ANALYZE')
    return secrets
  }
  return { clients, make, close: () => pool.end() }
}

const insertApps = `
  INSERT INTO oauth.app (client_id, account_id, environment, client_name, application_type,
    token_endpoint_auth_method, secret_hash, redirect_uris, grant_types, scopes, require_pkce)
  SELECT client_id, account_id, 'live', 'Bench', 'web', 'client_secret_basic', secret_hash, ARRAY[$4],
    '{authorization_code,refresh_token}', '{openid}', true
  FROM unnest($1::text[], $2::text[], $3::text[]) AS t (client_id, account_id, secret_hash)`

const insertGrants = `
  INSERT INTO oauth.authorization_grant (id, account_id, environment, client_id, scopes,
    approved_by_key_id, auth_time, nonce, expires_at)
  SELECT id, account_id, 'live', client_id, $4::text[], 'key_bench', now(), $5,
    now() + interval '1 hour'
  FROM unnest($1::text[], $2::text[], $3::text[]) AS t (id, account_id, client_id)`

const insertCodes = `
  INSERT INTO oauth.authorization_code (code_hash, grant_id, account_id, redirect_uri,
    code_challenge, expires_at)
  SELECT hash, grant_id, account_id, $4, $5, now() + interval '1 hour'
  FROM unnest($1::text[], $2::text[], $3::text[]) AS t (hash, grant_id, account_id)`

const insertAccessTokens = `
  INSERT INTO oauth.access_token (token_hash, grant_id, account_id, scopes, expires_at)
  SELECT hash, grant_id, account_id, $4::text[], now() + interval '1 hour'
  FROM unnest($1::text[], $2::text[], $3::text[]) AS t (hash, grant_id, account_id)`
