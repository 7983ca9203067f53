import type { Environment } from '../../../schema/credentials/caller.ts'
import { newOAuthSecret } from '../../../schema/credentials/oauth-secret-format.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import type { Audience } from '../../../schema/vocabulary/audiences.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import type { TestDatabase } from '../database/database.ts'

/** Inserts rows directly into the database, without the gateway. */
type Place = { readonly database: Pick<TestDatabase, 'query'> }

interface AppOptions {
  /** The owner of the app. */
  readonly ownerId: string
  readonly environment?: Environment
  readonly redirectUris?: readonly string[]
  readonly isPublic?: boolean
}

export interface PlantedApp {
  readonly clientId: string
  /** Empty for a public app. */
  readonly clientSecret: string
}

/** An app without a working authorization flow: its grants are inserted too. */
export async function plantApp(
  { database }: Place,
  { ownerId, environment = 'live', isPublic = false, ...options }: AppOptions,
): Promise<PlantedApp> {
  const clientId = newId('app')
  const clientSecret = isPublic ? '' : newOAuthSecret('svc', 'ocs')
  const { redirectUris = ['https://app.example/callback'] } = options
  await database.query(
    `INSERT INTO oauth.app (client_id, account_id, environment, client_name, application_type,
       token_endpoint_auth_method, secret_hash, redirect_uris, grant_types, scopes, require_pkce)
     VALUES ($1, $2, $3, 'Planted', 'web', $4, $5, $6, '{authorization_code,refresh_token}',
       '{openid}', $7)`,
    [
      clientId,
      ownerId,
      environment,
      isPublic ? 'none' : 'client_secret_basic',
      isPublic ? null : sha256(clientSecret),
      redirectUris,
      isPublic,
    ],
  )
  return { clientId, clientSecret }
}

interface GrantOptions extends AppOptions {
  /** The account that granted. */
  readonly accountId: string
  readonly scopes: readonly string[]
  /** By default that of REST. */
  readonly audience?: Audience
  /** An existing app. */
  readonly app?: PlantedApp
}

export interface PlantedGrant extends PlantedApp {
  readonly grantId: string
  readonly accessToken: string
  readonly refreshToken: string
  /** A code that is not redeemed yet. */
  readonly code: string
}

/** The rows of an app that an account has approved: one of each kind, valid for an hour. */
export async function plantGrant(place: Place, options: GrantOptions): Promise<PlantedGrant> {
  const { accountId, scopes, environment = 'live', audience = 'api' } = options
  const app = options.app ?? (await plantApp(place, options))
  const grantId = newId('grant')
  const { database } = place
  await database.query(
    `INSERT INTO oauth.authorization_grant
       (id, account_id, environment, client_id, scopes, audience, approved_by_key_id, auth_time,
        expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, 'key_planted', now(), now() + interval '1 hour')`,
    [grantId, accountId, environment, app.clientId, scopes, audience],
  )
  await database.query(
    `INSERT INTO oauth.consent (account_id, environment, client_id, scopes, key_id)
     VALUES ($1, $2, $3, $4, 'key_planted') ON CONFLICT DO NOTHING`,
    [accountId, environment, app.clientId, scopes],
  )
  const issued = { grantId, accountId }
  const accessToken = await plantAccessToken(place, { ...issued, scopes })
  const refreshToken = newOAuthSecret('svc', 'ort')
  await database.query(
    `INSERT INTO oauth.refresh_token (token_hash, grant_id, account_id, expires_at)
     VALUES ($1, $2, $3, now() + interval '1 hour')`,
    [sha256(refreshToken), grantId, accountId],
  )
  const code = newOAuthSecret('svc', 'oac')
  await database.query(
    `INSERT INTO oauth.authorization_code (code_hash, grant_id, account_id, redirect_uri, expires_at)
     VALUES ($1, $2, $3, 'https://app.example/callback', now() + interval '1 hour')`,
    [sha256(code), grantId, accountId],
  )
  return { ...app, grantId, accessToken, refreshToken, code }
}

interface AccessTokenOptions {
  readonly grantId: string
  readonly accountId: string
  readonly scopes: readonly string[]
}

/** One more token of a grant. */
export async function plantAccessToken(
  { database }: Place,
  { grantId, accountId, scopes }: AccessTokenOptions,
): Promise<string> {
  const accessToken = newOAuthSecret('svc', 'oat')
  await database.query(
    `INSERT INTO oauth.access_token (token_hash, grant_id, account_id, scopes, expires_at)
     VALUES ($1, $2, $3, $4, now() + interval '1 hour')`,
    [sha256(accessToken), grantId, accountId, scopes],
  )
  return accessToken
}
