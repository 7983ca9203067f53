import { timingSafeEqual } from 'node:crypto'
import type { Environment } from '../../../schema/credentials/caller.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { documentAppId } from '../../../schema/vocabulary/document-address.ts'
import type { Database, ServiceStatement, Statement } from '../../shared/database/database.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import type { ClientDocument } from '../documents/client-documents.ts'
import { AppOrigin } from './app.type.ts'
import { hostsOfApp } from './checks/app-hosts.ts'

/** An app that may be used: it is registered, or describes itself by a document, and is not suspended. */
export interface Client {
  readonly clientId: string
  /** The account that registered the app; null: nobody has, by hand. */
  readonly accountId: string | null
  readonly origin: AppOrigin
  /** The document that describes the app; null for one that is registered. */
  readonly document: ClientDocument | null
  /** The hosts by which an operator can deny the app. */
  readonly hosts: readonly string[]
  readonly createdAt: Date
  readonly clientName: string
  readonly applicationType: 'web' | 'native' | 'spa'
  readonly isConfidential: boolean
  readonly redirectUris: readonly string[]
  readonly grantTypes: readonly string[]
  readonly scopes: readonly string[]
  readonly requirePkce: boolean
  readonly logoUri: string | null
  readonly clientUri: string | null
  readonly policyUri: string | null
  readonly tosUri: string | null
}

export const activeClient: ServiceStatement = {
  name: 'active-client',
  wire: 'service',
  parameters: ['text', 'text'],
  text: `
    SELECT client_id AS "clientId", account_id AS "accountId", origin, hosts,
      created_at AS "createdAt", client_name AS "clientName",
      application_type AS "applicationType", secret_hash IS NOT NULL AS "isConfidential",
      secret_hash AS "secretHash",
      CASE WHEN previous_secret_expires_at > now() THEN previous_secret_hash END
        AS "previousSecretHash",
      previous_secret_expires_at AS "previousSecretExpiresAt", redirect_uris AS "redirectUris", grant_types AS "grantTypes",
      scopes, require_pkce OR secret_hash IS NULL AS "requirePkce", logo_uri AS "logoUri",
      client_uri AS "clientUri", policy_uri AS "policyUri", tos_uri AS "tosUri"
    FROM oauth.app WHERE client_id = $1 AND environment = $2 AND suspended_at IS NULL`,
}

interface ClientRow extends Omit<Client, 'document'> {
  readonly secretHash: string | null
  /** Null also once it is not accepted any more. */
  readonly previousSecretHash: string | null
  readonly previousSecretExpiresAt: Date | null
}

/**
 * Null for an unknown app and for a suspended one alike. Any account may use the app. Who asks for approval names an
 * app with a document by the address of that.
 */
export async function findClient(
  database: Database,
  clientId: string,
  environment: Environment,
): Promise<Client | null> {
  const row = await findRow(database, clientId, environment)
  return row && row.origin !== 'document' ? { ...row, document: null } : null
}

const suspendedApp: Statement = {
  name: 'suspended-app',
  text: 'SELECT FROM oauth.app WHERE client_id = $1 AND suspended_at IS NOT NULL',
}

/** The app that a document describes; null: an operator has suspended it. */
export async function clientOfDocument(
  database: Database,
  document: ClientDocument,
  environment: Environment,
): Promise<Client | null> {
  const { clientName, redirectUris, grantTypes, scopes, clientUri, policyUri, tosUri } = document
  const clientId = documentAppId(environment, document.address)
  const suspended = await database.as(allTenants).query(suspendedApp, [clientId])
  if (suspended.length > 0) return null
  return {
    ...{ clientId, accountId: null, origin: AppOrigin.document, document },
    hosts: hostsOfApp(document.address, redirectUris),
    ...{ createdAt: new Date(), clientName, redirectUris, grantTypes, scopes },
    ...{ applicationType: 'native', isConfidential: false, requirePkce: true },
    ...{ logoUri: null, clientUri, policyUri, tosUri },
  }
}

async function findRow(
  database: Database,
  clientId: string,
  environment: Environment,
): Promise<ClientRow | null> {
  const values = [clientId, environment]
  const [row] = await database.as(allTenants).query<ClientRow>(activeClient, values)
  return row ?? null
}

const noSecret = sha256('an app without a secret')
const noPreviousSecret = sha256('an app without a previous secret')

/** An app that has proven its identity. */
export interface ProvenClient
  extends Pick<Client, 'clientId' | 'accountId' | 'origin' | 'isConfidential'> {
  /** When this secret ends; null: it is the newest one, or there is none. */
  readonly provenUntil: Date | null
}

/**
 * The app, if the secret is right, be it the one before the newest; a public app must come without a secret. The check of an unknown
 * app takes as long as that of a wrong secret (docs/oauth-rules.md 55).
 */
export async function verifyClient(
  database: Database,
  clientId: string,
  secretHash: string | null,
  environment: Environment,
): Promise<ProvenClient | null> {
  const row = await findRow(database, clientId, environment)
  const given = secretHash ?? noSecret
  const isNewest = equals(row?.secretHash ?? noSecret, given)
  const isPrevious = equals(row?.previousSecretHash ?? noPreviousSecret, given)
  if (!row || !(isNewest || isPrevious) || row.isConfidential !== (secretHash !== null)) return null
  return { ...row, provenUntil: isNewest ? null : row.previousSecretExpiresAt }
}

function equals(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(sha256(a)), Buffer.from(sha256(b))]
  return timingSafeEqual(left, right)
}
