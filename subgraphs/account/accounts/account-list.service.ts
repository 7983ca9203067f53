import type { Environment } from '../../../schema/credentials/caller.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { isText, requireAll } from '../../shared/graph/checks.ts'
import type { PagedList } from '../../shared/lists/pagination.ts'
import { type AccountRow, accountColumns, toAccount } from './account.service.ts'
import { type Account, AccountFilter, AccountOrder } from './account.type.ts'
import type { AccountsArgs } from './account-list.input.ts'

type Wanted = Omit<AccountsArgs, 'first' | 'after'>

/** Each filter names few accounts, and finds them by an index (deploy/scale.md). */
const conditions: Readonly<Record<AccountFilter, string>> = {
  SUSPENDED: `a.status = 'SUSPENDED'`,
  CLOSED: `a.status = 'CLOSED'`,
  LOW: `b.announced_credits IS NOT NULL`,
  // Every charge changes the balance, so no index may have it: those that were told of it are few.
  NEGATIVE: `b.announced_credits IS NOT NULL AND b.balance < 0`,
  PAST_DUE: `a.id IN (
    SELECT i.account_id FROM account.invoice i
    JOIN account.payment p ON p.id = i.payment_id
    JOIN account.subscription s ON s.account_id = i.account_id AND s.environment = $1
      AND s.current_period_start = p.period_start AND s.status <> 'canceled'
    WHERE i.environment = $1 AND i.status = 'open')`,
  DISPUTED: `a.id IN (
    SELECT account_id FROM account.payment_dispute
    WHERE environment = $1 AND status IN ('inquiry', 'open')
    UNION ALL
    SELECT account_id FROM account.payment_block WHERE environment = $1 AND lifted_at IS NULL)`,
}

/** The order of rows, and the rows that follow the position of a cursor: a balance, and an id. */
const orders: Readonly<Record<AccountOrder, { readonly by: string; readonly follows: string }>> = {
  NEWEST: { by: 'a.id DESC', follows: '$2::bigint IS NULL AND a.id < $3' },
  LOWEST_BALANCE: {
    by: 'b.balance, a.id DESC',
    follows: 'b.balance > $2 OR b.balance = $2 AND a.id < $3',
  },
  HIGHEST_BALANCE: {
    by: 'b.balance DESC, a.id DESC',
    follows: 'b.balance < $2 OR b.balance = $2 AND a.id < $3',
  },
}

/** A statement for each set of filters: a condition that may be null would keep a plan from its index. */
function pageStatement({ filters, tier, search, order }: Wanted): Statement {
  const wanted = Object.values(AccountFilter).filter((filter) => filters?.includes(filter))
  const { by, follows } = orders[order]
  return {
    name: ['accounts', order, ...wanted, tier ? 'tier' : '', search ? 'search' : '']
      .join(' ')
      .toLowerCase(),
    text: `SELECT ${accountColumns}
      WHERE ${[
        `($3::text IS NULL OR ${follows})`,
        ...wanted.map((filter) => conditions[filter]),
        tier ? 'p.tier = $5' : '$5::text IS NULL',
        search
          ? '(a.name ILIKE $6 OR a.email ILIKE $6 OR a.id = $7)'
          : '$6::text IS NULL AND $7::text IS NULL',
      ].join(' AND ')}
      ORDER BY ${by} LIMIT $4`,
  }
}

/** The accounts that an internal tool asks for. Throws INVALID_REQUEST for balances of all accounts in their order. */
export function accountList(
  database: Database,
  environment: Environment,
  wanted: Wanted,
): PagedList<Account> {
  const { filters, tier, order } = wanted
  const search = wanted.search || null
  const isNarrow = (filters ?? []).length > 0 || Boolean(tier)
  const isByBalance = order !== AccountOrder.NEWEST
  requireAll([
    ['order', !isByBalance || isNarrow, 'by balances needs a filter or a tier'],
    ['search', search === null || isText(search, 254), 'must have 1 to 254 characters'],
  ])
  const statement = pageStatement({ ...wanted, search })
  const pattern = search && `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`
  return {
    // A cursor of another order would skip accounts.
    name: isByBalance ? `accounts/${order}` : 'accounts',
    owner: null,
    positionOf: ({ id, balance }) => (isByBalance ? `${balance} ${id}` : id),
    async read({ limit, before }) {
      const [balance, id] = isByBalance ? (before?.split(' ') ?? []) : [null, before]
      const values = [
        environment,
        balance ?? null,
        id ?? null,
        limit,
        tier ?? null,
        pattern,
        search,
      ]
      return (await database.query<AccountRow>(statement, values)).map(toAccount)
    },
  }
}

/** The most accounts that one mail address finds. */
const maxOfAddress = 50

const accountsByAddress: Statement = {
  name: 'accounts-by-address',
  text: `SELECT ${accountColumns} WHERE lower(a.email) = lower($2) ORDER BY a.id DESC LIMIT ${maxOfAddress}`,
}

/** The newest accounts of the holder with exactly this address. */
export async function accountsOfHolder(
  database: Database,
  environment: Environment,
  email: string,
): Promise<Account[]> {
  requireAll([['email', isText(email, 254), 'must have 1 to 254 characters']])
  const rows = await database.query<AccountRow>(accountsByAddress, [environment, email])
  return rows.map(toAccount)
}
