import type { Environment } from '../../../schema/credentials/caller.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { effectiveRps, type SubscriptionTier, type Tier } from '../prices/tiers.ts'
import type { Account, AccountStatus } from './account.type.ts'

interface AccountRow {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly status: AccountStatus
  readonly tier: Tier
  readonly subscription_tier: SubscriptionTier | null
  readonly live_tier: Tier
  readonly live_subscription_tier: SubscriptionTier | null
  readonly balance: number
  readonly created_at: Date
}

// The rate limit is the account's: nothing that the sandbox sells for play money changes it.
const accountColumns = `
  a.id, a.name, a.email, a.status, p.tier, p.subscription_tier, l.tier AS live_tier,
  l.subscription_tier AS live_subscription_tier, b.balance, a.created_at
  FROM account.account a
  JOIN account.plan p ON p.account_id = a.id AND p.environment = $1
  JOIN account.plan l ON l.account_id = a.id AND l.environment = 'live'
  JOIN account.balance b ON b.account_id = a.id AND b.environment = $1`

const accountById: Statement = {
  name: 'account-by-id',
  text: `SELECT ${accountColumns} WHERE a.id = $2`,
}

const accountsNewestFirst: Statement = {
  name: 'accounts-newest-first',
  text: `SELECT ${accountColumns}
    WHERE ($2::text IS NULL OR a.id < $2)
      AND ($3::text IS NULL OR a.name ILIKE $3 OR a.email ILIKE $3 OR a.id = $4)
    ORDER BY a.id DESC LIMIT $5`,
}

function toAccount(row: AccountRow, environment: Environment): Account {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    status: row.status,
    tier: row.tier,
    subscriptionTier: row.subscription_tier,
    balance: row.balance,
    rateLimitRps: effectiveRps(row.live_tier, row.live_subscription_tier),
    environment: EnvironmentValue[environment],
    createdAt: row.created_at,
  }
}

/** The account as it stands in one environment, or null. */
export async function findAccount(
  database: Database,
  id: string,
  environment: Environment,
): Promise<Account | null> {
  const [row] = await database.query<AccountRow>(accountById, [environment, id])
  return row ? toAccount(row, environment) : null
}

/** Throws NOT_FOUND for another account too, so that ids cannot be probed. */
export async function getAccount({ caller, database }: GraphContext, id: string): Promise<Account> {
  const mayRead = caller.kind !== 'account' || caller.accountId === id
  const account = mayRead ? await findAccount(database, id, caller.environment) : null
  if (account) return account
  throw new DomainError('NOT_FOUND', 'No account has this id.')
}

interface ListOptions {
  readonly limit: number
  readonly afterId: string | null
  readonly search: string | null
}

/** At most `limit` accounts, newest first; `search` looks in name, email and id. */
export async function listAccounts(
  database: Database,
  environment: Environment,
  { limit, afterId, search }: ListOptions,
): Promise<Account[]> {
  const pattern = search && `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`
  const rows = await database.query<AccountRow>(accountsNewestFirst, [
    environment,
    afterId,
    pattern,
    search,
    limit,
  ])
  return rows.map((row) => toAccount(row, environment))
}
