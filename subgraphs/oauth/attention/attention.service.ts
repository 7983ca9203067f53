import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { consentBudgetOwner } from '../../../schema/vocabulary/budget-owners.ts'
import type { Finding } from '../../shared/attention/attention.ts'
import { budgetFinding } from '../../shared/attention/budget-finding.ts'
import type { Statement } from '../../shared/database/database.ts'
import { allTenants } from '../../shared/database/tenant.ts'
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

const cappedConsents: Statement = {
  name: 'attention-capped-consents',
  text: `SELECT client_id AS id, coalesce(c.client_name, a.client_name) AS name
    FROM oauth.consent c JOIN oauth.app a USING (client_id)
    WHERE c.account_id = $1 AND c.environment = $2 AND c.revoked_at IS NULL AND c.is_capped
    ORDER BY c.granted_at DESC LIMIT 200`,
}

/** Apps of whose budgets at least 80 % are used. The newest 200 consents with budgets are looked at. */
export async function findFullConsents(
  { database, budgets }: GraphContext,
  owner: AccountScope,
): Promise<(Finding | null)[]> {
  // Apps belong to other accounts.
  const apps = await database
    .as(allTenants)
    .query<{ id: string; name: string }>(cappedConsents, [owner.accountId, owner.environment])
  if (apps.length === 0 || !budgets) return []
  const found = await budgets.read(
    owner,
    apps.map(({ id }) => consentBudgetOwner(id)),
  )
  return apps.map(({ id, name }) =>
    budgetFinding(found.get(consentBudgetOwner(id)) ?? [], {
      ...{ name: `The app “${name}”`, resourceId: id, label: 'See the budget', page: 'apps' },
    }),
  )
}
