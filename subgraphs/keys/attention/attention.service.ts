import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { keyBudgetOwner } from '../../../schema/vocabulary/budget-owners.ts'
import type { Finding } from '../../shared/attention/attention.ts'
import { budgetFinding } from '../../shared/attention/budget-finding.ts'
import type { Statement } from '../../shared/database/database.ts'
import type { GraphContext } from '../../shared/graph/context.ts'

const expiringDays = 7

// A key that was rotated has its successor, so nobody has to do anything about its end.
const inUse = `account_id = $1 AND environment = $2 AND revoked_at IS NULL AND enabled
      AND replaced_by IS NULL`

const expiringKeys: Statement = {
  name: 'attention-expiring-keys',
  text: `SELECT id, name, extract(epoch FROM expires_at - now())::int AS seconds FROM keys.api_key
    WHERE ${inUse} AND expires_at > now() AND expires_at <= now() + interval '${expiringDays} days'
    ORDER BY expires_at, id LIMIT 20`,
}

interface ExpiringKey {
  readonly id: string
  readonly name: string
  readonly seconds: number
}

const hour = 3600
const day = 24 * hour

function inWords(seconds: number): string {
  const [count, noun] =
    seconds >= 2 * day ? [Math.floor(seconds / day), 'day'] : [Math.floor(seconds / hour), 'hour']
  return count === 0 ? 'less than an hour' : `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Keys in use that expire within a week. */
export async function findExpiringKeys(
  { database }: GraphContext,
  { accountId, environment }: AccountScope,
): Promise<Finding[]> {
  const rows = await database.query<ExpiringKey>(expiringKeys, [accountId, environment])
  return rows.map(({ id, name, seconds }) => ({
    severity: seconds < day ? 'critical' : 'warning',
    title: `The API key “${name}” expires in ${inWords(seconds)}`,
    ...{ resourceId: id, label: 'Rotate or extend the key', page: `keys/${id}` },
  }))
}

const cappedKeys: Statement = {
  name: 'attention-capped-keys',
  text: `SELECT id, name, spender_id AS "spenderId" FROM keys.api_key
    WHERE ${inUse} AND is_capped AND (expires_at IS NULL OR expires_at > now())
    ORDER BY id DESC LIMIT 200`,
}

/** Keys in use of whose budgets at least 80 % are used. The newest 200 keys with budgets are looked at. */
export async function findFullKeys(
  { database, budgets }: GraphContext,
  owner: AccountScope,
): Promise<(Finding | null)[]> {
  const keys = await database.query<{ id: string; name: string; spenderId: string }>(cappedKeys, [
    ...[owner.accountId, owner.environment],
  ])
  if (keys.length === 0 || !budgets) return []
  const found = await budgets.read(
    owner,
    keys.map(({ spenderId }) => keyBudgetOwner(spenderId)),
  )
  return keys.map(({ id, name, spenderId }) =>
    budgetFinding(found.get(keyBudgetOwner(spenderId)) ?? [], {
      ...{ name: `The API key “${name}”`, resourceId: id },
      ...{ label: 'See the budget', page: `keys/${id}` },
    }),
  )
}
