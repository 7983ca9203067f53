import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Environment } from '../../schema/caller.ts'
import { newId } from '../../schema/ids.ts'
import { sandboxCredits } from '../../schema/sandbox-credits.ts'
import type { Owner } from '../shared/change.ts'
import { isCredits, isText, requireAll } from '../shared/checks.ts'
import type { BillingSettings, GraphContext } from '../shared/context.ts'
import type { Database, Statement } from '../shared/database.ts'
import { EnvironmentValue } from '../shared/environment.type.ts'
import { DomainError } from '../shared/errors.ts'
import { enqueueJob } from '../shared/jobs.ts'
import { AccountEntity, PlanEntity } from './account.entity.ts'
import type { Addon, CreateAccountInput, UpdateAccountInput } from './account.input.ts'
import { type Account, AccountStatus } from './account.type.ts'
import { startAddon } from './addon.service.ts'
import { watchFrom } from './balance-watch.service.ts'
import { CreditBalanceEntity } from './credit-balance.entity.ts'
import { postEntry } from './ledger-entry.service.ts'
import { LedgerEntryKind } from './ledger-entry.type.ts'
import { setSubscription } from './subscription.service.ts'
import { effectiveRps, type SubscriptionTier, type Tier } from './tiers.ts'

/** Play credits of a new sandbox: enough to meet every price, and to see it fall were it charged. */

const environments: readonly Environment[] = ['live', 'sandbox']

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

/** Opens an account in both environments. Returns its id. */
export async function createAccount(
  tx: SqlEntityManager,
  input: CreateAccountInput,
  { period, lowCreditsThresholds }: BillingSettings,
): Promise<string> {
  requireAll([
    ['name', isText(input.name, 200), 'must have 1 to 200 characters'],
    ['email', /^[^\s@\0]+@[^\s@\0]+$/.test(input.email), 'must be an email address'],
    ['email', input.email.length <= 254, 'must have at most 254 characters'],
    ['credits', isCredits(input.credits), 'must be an integer from 0 to 2^53 - 1'],
  ])
  const id = newId('acct')
  tx.create(AccountEntity, {
    id,
    name: input.name,
    email: input.email,
    status: AccountStatus.ACTIVE,
  })
  await tx.flush()
  for (const environment of environments) {
    tx.create(PlanEntity, {
      accountId: id,
      environment,
      tier: input.tier,
      subscriptionTier: null,
    })
    tx.create(CreditBalanceEntity, {
      accountId: id,
      environment,
      balance: 0,
      held: 0,
      lastSeq: 0,
    })
    await tx.flush()
    await entitle(tx, { accountId: id, environment }, input, period)
    const credits = environment === 'live' ? input.credits : sandboxCredits
    if (credits > 0) await grantOpening(tx, { accountId: id, environment }, credits)
    await watchFrom(tx, { accountId: id, environment }, credits, lowCreditsThresholds)
  }
  return id
}

async function grantOpening(tx: SqlEntityManager, owner: Owner, credits: number): Promise<void> {
  await postEntry(tx, {
    ...owner,
    kind: LedgerEntryKind.grant,
    credits,
    description: 'Opening balance',
    ref: 'opening-balance',
    expiresAt: null,
  })
}

async function entitle(
  tx: SqlEntityManager,
  owner: Owner,
  { subscriptionTier, addons }: CreateAccountInput,
  period: string,
): Promise<void> {
  if (subscriptionTier) await setSubscription(tx, { ...owner, tier: subscriptionTier }, period)
  for (const addon of new Set<Addon>(addons)) await startAddon(tx, { ...owner, addon }, period)
}

/**
 * Changes tier, subscription tier or status. The rate limit is the account's (docs/contract.md §9),
 * so both environments follow.
 */
export async function updateAccount(
  tx: SqlEntityManager,
  { id, tier, subscriptionTier, status }: UpdateAccountInput,
  period: string,
): Promise<void> {
  const account = await tx.findOne(AccountEntity, { id })
  if (!account) throw new DomainError('NOT_FOUND', 'No account has this id.')
  if (status) account.status = status
  // What it has granted to apps, the oauth subgraph knows.
  if (status === AccountStatus.CLOSED) await enqueueJob(tx, 'EndGrants', { accountId: id })
  for (const plan of await tx.find(PlanEntity, { accountId: id })) {
    if (tier) plan.tier = tier
    if (subscriptionTier === undefined) continue
    const { environment } = plan
    await setSubscription(tx, { accountId: id, environment, tier: subscriptionTier }, period)
  }
  await tx.flush()
}
