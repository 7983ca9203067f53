import type { Environment } from '../../../schema/credentials/caller.ts'
import { batched, type Placed } from '../../shared/database/batched.ts'
import type { Database, ServiceStatement, Statement } from '../../shared/database/database.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { effectiveRps, type SubscriptionTier, type Tier } from '../prices/tiers.ts'
import type { Account } from './account.type.ts'

interface AccountRow extends Omit<Account, 'rateLimitRps'> {
  readonly liveTier: Tier
  readonly liveSubscriptionTier: SubscriptionTier | null
}

const columns = `
  a.id, a.name, a.email, a.status, p.environment, p.tier, p.subscription_tier AS "subscriptionTier",
  l.tier AS "liveTier", l.subscription_tier AS "liveSubscriptionTier", b.balance,
  a.created_at AS "createdAt"`

// The rate limit follows from the live plan: play money must not change it.
const stateIn = (environment: string) => `
  JOIN account.plan p ON p.account_id = a.id AND p.environment = ${environment}
  JOIN account.plan l ON l.account_id = a.id AND l.environment = 'live'
  JOIN account.balance b ON b.account_id = a.id AND b.environment = ${environment}`

const accountColumns = `${columns} FROM account.account a ${stateIn('$1')}`

const accountById: Statement = {
  name: 'account-by-id',
  text: `SELECT ${accountColumns} WHERE a.id = $2`,
}

/** Finds accounts by their ids. LIMIT 1 makes each a look-up by key, whatever the sizes of the tables. */
export const accountsById: ServiceStatement = {
  name: 'accounts-by-id',
  wire: 'service',
  parameters: ['text[]', 'text[]'],
  text: `
    SELECT i.place, a.*
    FROM unnest($1, $2) WITH ORDINALITY AS i (id, environment, place)
    CROSS JOIN LATERAL (
      SELECT ${columns} FROM account.account a ${stateIn('i.environment')}
      WHERE a.id = i.id
      LIMIT 1
    ) a`,
}

const accountsNewestFirst: Statement = {
  name: 'accounts-newest-first',
  text: `SELECT ${accountColumns}
    WHERE ($2::text IS NULL OR a.id < $2)
      AND ($3::text IS NULL OR a.name ILIKE $3 OR a.email ILIKE $3 OR a.id = $4)
    ORDER BY a.id DESC LIMIT $5`,
}

function toAccount({ liveTier, liveSubscriptionTier, ...account }: AccountRow): Account {
  return { ...account, rateLimitRps: effectiveRps(liveTier, liveSubscriptionTier) }
}

/** The account with its state in one environment, or null. */
export async function findAccount(
  database: Database,
  id: string,
  environment: Environment,
): Promise<Account | null> {
  const [row] = await database.query<AccountRow>(accountById, [environment, id])
  return row ? toAccount(row) : null
}

interface Asked {
  readonly id: string
  readonly environment: Environment
}

/** Finds the account of a key or token; one statement at a time serves all that are looked up. */
const findForService = batched<Asked, AccountRow & Placed>((database, asked) =>
  database
    .as(allTenants)
    .query<AccountRow & Placed>(accountsById, [
      asked.map(({ id }) => id),
      asked.map(({ environment }) => environment),
    ]),
)

async function findReadable(
  { caller, database }: GraphContext,
  id: string,
): Promise<Account | null> {
  const { environment } = caller
  if (caller.kind === 'service') {
    const found = await findForService(database, { id, environment })
    if (!found) return null
    const { place: _, ...row } = found
    return toAccount(row)
  }
  const mayRead = caller.kind !== 'account' || caller.accountId === id
  return mayRead ? findAccount(database, id, environment) : null
}

/** Throws NOT_FOUND for another account's id too, so that ids cannot be probed. */
export async function getAccount(context: GraphContext, id: string): Promise<Account> {
  const account = await findReadable(context, id)
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
  return rows.map(toAccount)
}
