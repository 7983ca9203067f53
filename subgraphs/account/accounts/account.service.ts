import type { Environment } from '../../../schema/credentials/caller.ts'
import { batched, type Placed } from '../../shared/database/batched.ts'
import type { ServiceStatement, Statement } from '../../shared/database/database.ts'
import type { Queryable } from '../../shared/database/statement.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { effectiveRps, type SubscriptionTier, type Tier } from '../prices/tiers.ts'
import type { Account } from './account.type.ts'

/** A row of `accountColumns`. */
export interface AccountRow extends Omit<Account, 'rateLimitRps'> {
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

/** The columns of an account with its state in the environment $1, and their tables. */
export const accountColumns = `${columns} FROM account.account a ${stateIn('$1')}`

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

export function toAccount({ liveTier, liveSubscriptionTier, ...account }: AccountRow): Account {
  return { ...account, rateLimitRps: effectiveRps(liveTier, liveSubscriptionTier) }
}

/** The account with its state in one environment, or null. */
export async function findAccount(
  database: Queryable,
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
