import type { Queryable, Statement } from '../../shared/database/statement.ts'

/** An invented app of the account, to which the account has consented. */
interface DemoApp {
  readonly clientId: string
  readonly name: string
  readonly redirectUri: string
  readonly scopes: readonly string[]
  readonly secretHash: string
  readonly createdAt: Date
}

const insertApp: Statement = {
  name: 'demo-app',
  text: `WITH app AS (
      INSERT INTO oauth.app (client_id, account_id, environment, client_name, application_type,
        token_endpoint_auth_method, secret_hash, redirect_uris, grant_types, scopes, require_pkce,
        approved_at, created_at, created_by)
      VALUES ($2, $1, 'live', $3, 'web', 'client_secret_basic', $4, $5,
        '{authorization_code,refresh_token}', $6, true, $7, $7, $8)
    )
    INSERT INTO oauth.consent (account_id, environment, client_id, scopes, granted_at, is_capped)
    VALUES ($1, 'live', $2, $6, $7, true)`,
}

/** Writes an app and a consent of the past. The budgets of the consent must be written in the same transaction. */
export async function writeDemoApp(
  transaction: Queryable,
  accountId: string,
  { clientId, name, redirectUri, scopes, secretHash, createdAt }: DemoApp,
  createdBy: string,
): Promise<void> {
  await transaction.query(insertApp, [
    ...[accountId, clientId, name, secretHash, [redirectUri], scopes, createdAt],
    createdBy,
  ])
}
