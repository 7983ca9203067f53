import type { Environment } from '../../../schema/credentials/caller.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import type { ClientOrigin } from './client-origin.type.ts'

/** Far more than a gateway has apps; the origins beyond this limit get no CORS headers. */
const maxOrigins = 100_000

const originsOfApps: Statement = {
  name: 'client-origins',
  text: `
    SELECT substring(uri FROM '(?i)^https?://[^/?#]+') AS written,
      bool_or(a.token_endpoint_auth_method = 'none') AS "isPublic"
    FROM oauth.app a, unnest(a.redirect_uris) AS uri
    WHERE a.environment = $1 AND a.suspended_at IS NULL
      AND (a.origin = 'account' OR a.approved_at IS NOT NULL) AND uri ~* '^https?://[^/?#]'
    GROUP BY written ORDER BY written LIMIT ${maxOrigins}`,
}

interface OriginRow {
  readonly written: string
  readonly isPublic: boolean
}

/**
 * Each origin once, of one environment. Without an approval, an app that nobody registered by hand has none: strangers
 * must not fill the list.
 */
export async function listClientOrigins(
  database: Database,
  environment: Environment,
): Promise<ClientOrigin[]> {
  const rows = await database.query<OriginRow>(originsOfApps, [environment])
  const found = new Map<string, boolean>()
  for (const { written, isPublic } of rows) {
    const origin = URL.parse(written)?.origin
    // Redirect URIs are stored as they were written; browsers write an origin in one way only.
    if (origin !== undefined) found.set(origin, isPublic || found.get(origin) === true)
  }
  return [...found].map(([origin, isPublic]) => ({ origin, isPublic }))
}
