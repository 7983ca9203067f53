import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { Finding } from '../../shared/attention/attention.ts'
import type { Statement } from '../../shared/database/database.ts'
import type { GraphContext } from '../../shared/graph/context.ts'

const suspendedApps: Statement = {
  name: 'attention-suspended-apps',
  text: `SELECT client_id AS id, client_name AS name FROM oauth.app
    WHERE account_id = $1 AND environment = $2 AND is_suspended_by_operator
      AND suspended_at > now() - interval '30 days'
    ORDER BY suspended_at DESC LIMIT 20`,
}

/** Apps of the account that the operator has suspended lately; those that the account has suspended are no news. */
export async function findSuspendedApps(
  { database }: GraphContext,
  { accountId, environment }: AccountScope,
): Promise<Finding[]> {
  const rows = await database.query<{ id: string; name: string }>(suspendedApps, [
    ...[accountId, environment],
  ])
  return rows.map(({ id, name }) => ({
    severity: 'critical',
    title: `The operator has suspended the app “${name}”`,
    ...{ resourceId: id, label: 'See the apps', page: 'apps' },
  }))
}
