import type { Statement } from '../../shared/database/database.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import type { PagedList } from '../../shared/lists/pagination.ts'
import { readApp, scopeOf } from './app.service.ts'
import type { AppOwner } from './app-owner.type.ts'

const ownersNewestFirst: Statement = {
  name: 'app-owners-newest-first',
  text: `
    SELECT account_id AS "accountId", array_to_string(scopes, ' ') AS scope,
      granted_at AS "grantedAt"
    FROM oauth.consent
    WHERE client_id = $1 AND environment = $2 AND revoked_at IS NULL
      AND ($3::timestamptz IS NULL OR (granted_at, account_id) < ($3, $4))
    ORDER BY granted_at DESC, account_id DESC LIMIT $5`,
}

type ListedOwner = Pick<AppOwner, 'accountId' | 'scope' | 'grantedAt'>

/**
 * The accounts that have approved an app of the caller's account, newest first: what its tokens and the answers to its
 * calls tell the app anyway. Throws NOT_FOUND for another account's app too.
 */
export async function ownersOf(
  context: GraphContext,
  clientId: string,
): Promise<PagedList<AppOwner>> {
  const registrant = scopeOf(requireAccount(context))
  await readApp(context, registrant, clientId)
  const { environment } = registrant
  const app = { clientId, environment }
  // Owners are other accounts.
  const database = context.database.as(allTenants)
  return {
    name: `oauth-app-owners/${clientId}`,
    owner: registrant,
    positionOf: ({ grantedAt, accountId }) => `${grantedAt.toISOString()} ${accountId}`,
    async read({ limit, before }) {
      const [grantedAt = null, accountId = null] = before?.split(' ') ?? []
      const values = [clientId, environment, grantedAt, accountId, limit]
      const rows = await database.query<ListedOwner>(ownersNewestFirst, values)
      const ids = rows.map((row) => row.accountId)
      const spent = (await context.appSpending?.(app, ids)) ?? new Map<string, number>()
      return rows.map((row) => ({
        ...{ ...row, clientId, owner: { accountId: row.accountId, environment } },
        spentCredits: spent.get(row.accountId) ?? 0,
      }))
    },
  }
}
