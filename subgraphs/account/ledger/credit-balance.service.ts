import DataLoader from 'dataloader'
import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type {
  AllTenantsDatabase,
  Database,
  ServiceStatement,
} from '../../shared/database/database.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { CreditBalance } from './credit-balance.type.ts'

/** The balance is null for an unknown account. */
type BalanceRow = CreditBalance | { readonly balance: null }

export const readBalances: ServiceStatement = {
  name: 'read-balances',
  text: `
    SELECT b.balance, b.held, now() AS "asOf",
      account.available(b.account_id, b.environment, b.balance, b.held, b.next_expiry_at) AS available
    FROM unnest($1, $2) WITH ORDINALITY AS i (account_id, environment, position)
    LEFT JOIN account.balance b USING (account_id, environment)
    ORDER BY i.position`,
  parameters: ['text[]', 'text[]'],
  wire: 'service',
}

const maxBatchSize = 500
const loaders = new WeakMap<AllTenantsDatabase, DataLoader<AccountScope, CreditBalance>>()

/**
 * Reads of all callers that arrive in the same turn of the event loop share one statement. Nothing
 * is cached.
 */
export function getCreditBalance(
  database: Database,
  { accountId, environment }: AccountScope,
): Promise<CreditBalance> {
  return loaderOf(database.as(allTenants)).load({ accountId, environment })
}

function loaderOf(database: AllTenantsDatabase): DataLoader<AccountScope, CreditBalance> {
  const existing = loaders.get(database)
  if (existing) return existing
  const loader = new DataLoader<AccountScope, CreditBalance>(
    (owners: readonly AccountScope[]) => load(database, owners),
    {
      cache: false,
      maxBatchSize,
      batchScheduleFn: setImmediate,
    },
  )
  loaders.set(database, loader)
  return loader
}

async function load(
  database: AllTenantsDatabase,
  owners: readonly AccountScope[],
): Promise<(CreditBalance | DomainError)[]> {
  const rows = await database.query<BalanceRow>(readBalances, [
    owners.map(({ accountId }) => accountId),
    owners.map(({ environment }) => environment),
  ])
  return rows.map((row) =>
    row.balance === null ? new DomainError('NOT_FOUND', 'This account does not exist.') : row,
  )
}
