import type { Environment } from '../../../schema/credentials/caller.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import type { ClientOrigin } from './client-origin.type.ts'

/** Far more than a gateway has apps; beyond it, origins have no CORS. */
const maxOrigins = 100_000

const originsOfApps: Statement = {
  name: 'client-origins',
  text: `
    SELECT substring(uri FROM '(?i)^https?://[^/?#]+') AS written,
      bool_or(a.token_endpoint_auth_method = 'none') AS is_public
    FROM oauth.app a, unnest(a.redirect_uris) AS uri
    WHERE a.environment = $1 AND a.suspended_at IS NULL AND uri ~* '^https?://[^/?#]'
    GROUP BY written ORDER BY written LIMIT ${maxOrigins}`,
}

interface OriginRow {
  readonly written: string
  readonly is_public: boolean
}

/** Each origin once, of one environment. */
export async function listClientOrigins(
  database: Database,
  environment: Environment,
): Promise<ClientOrigin[]> {
  const rows = await database.query<OriginRow>(originsOfApps, [environment])
  const found = new Map<string, boolean>()
  for (const { written, is_public } of rows) {
    const origin = URL.parse(written)?.origin
    // Redirect URIs are kept as they were written; browsers write one origin in one way.
    if (origin !== undefined) found.set(origin, is_public || found.get(origin) === true)
  }
  return [...found].map(([origin, isPublic]) => ({ origin, isPublic }))
}
