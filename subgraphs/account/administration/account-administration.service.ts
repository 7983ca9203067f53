import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { Environment } from '../../../schema/credentials/caller.ts'
import { hasAtMost } from '../../../schema/vocabulary/characters.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { isMailAddress } from '../../../schema/vocabulary/mail-address.ts'
import { sandboxCredits } from '../../../schema/vocabulary/sandbox-credits.ts'
import type { Transaction } from '../../shared/database/database.ts'
import { isCredits, isText, requireAll } from '../../shared/graph/checks.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { enqueueJob } from '../../shared/jobs/jobs.ts'
import { AccountEntity, PlanEntity } from '../accounts/account.entity.ts'
import { AccountStatus } from '../accounts/account.type.ts'
import { CreditBalanceEntity } from '../ledger/credit-balance.entity.ts'
import { postEntry } from '../ledger/ledger-entry.service.ts'
import { LedgerEntryKind } from '../ledger/ledger-entry.type.ts'
import { watchFrom } from '../low-balance/balance-watch.service.ts'
import type { BillingSettings } from '../settings/account-settings.ts'
import { startAddons } from '../subscriptions/addon.service.ts'
import { setSubscription, startSubscriptions } from '../subscriptions/subscription.service.ts'
import type { CreateAccountInput, UpdateAccountInput } from './account.input.ts'

const environments: readonly Environment[] = ['live', 'sandbox']

/** A new account, and the invitation of its first OWNER; null: nobody is invited. */
export interface OpenedAccount {
  readonly id: string
  readonly invitationId: string | null
}

/** Opens an account in both environments. With `showsLink`, the caller shows the link of the first OWNER. */
export async function createAccount(
  tx: Transaction,
  input: CreateAccountInput,
  { period, lowCreditsThresholds }: BillingSettings,
  showsLink: boolean,
): Promise<OpenedAccount> {
  const { ownerEmail = null } = input
  requireAll([
    ['name', isText(input.name, 200), 'must have 1 to 200 characters'],
    ['email', isAddress(input.email), 'must be an email address'],
    ['ownerEmail', ownerEmail === null || isMailAddress(ownerEmail), 'must be an email address'],
    ['email', hasAtMost(input.email, 254), 'must have at most 254 characters'],
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
      subscriptionTier: input.subscriptionTier ?? null,
    })
    tx.create(CreditBalanceEntity, {
      accountId: id,
      environment,
      balance: 0,
      held: 0,
      lastSeq: 0,
    })
  }
  await tx.flush()
  await entitle(tx, id, input, period)
  // The oauth subgraph stores the members.
  const invitationId = ownerEmail === null ? null : newId('ivt')
  if (invitationId !== null) {
    const owner = { email: ownerEmail, invitationId, isShown: showsLink }
    await enqueueJob(tx, 'InviteOwner', { accountId: id, ...owner })
  }
  for (const environment of environments) {
    const credits = environment === 'live' ? input.credits : sandboxCredits
    if (credits > 0) await grantOpening(tx, { accountId: id, environment }, credits)
    await watchFrom(tx, { accountId: id, environment }, credits, lowCreditsThresholds)
  }
  return { id, invitationId }
}

/** Nobody signs in with the address of a holder: it is what the provider knows. */
function isAddress(text: string): boolean {
  return /^[^\s@\0]+@[^\s@\0]+$/.test(text)
}

async function grantOpening(tx: Transaction, owner: AccountScope, credits: number): Promise<void> {
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
  tx: Transaction,
  accountId: string,
  { subscriptionTier: tier, addons }: CreateAccountInput,
  period: string,
): Promise<void> {
  const owner = { accountId, environments }
  if (tier) await startSubscriptions(tx, { ...owner, tier }, period)
  if (addons.length > 0) await startAddons(tx, { ...owner, addons: [...new Set(addons)] }, period)
}

/**
 * Changes tier, subscription tier or status. The rate limit is the account's (docs/contract.md §9),
 * so both environments follow.
 */
export async function updateAccount(
  tx: Transaction,
  { id, tier, subscriptionTier, status }: UpdateAccountInput,
  period: string,
): Promise<void> {
  const account = await tx.findOne(AccountEntity, { id })
  if (!account) throw new DomainError('NOT_FOUND', 'No account has this id.')
  if (status) account.status = status
  // The oauth subgraph stores the grants of apps, so it has to end them.
  if (status === AccountStatus.CLOSED) await enqueueJob(tx, 'EndGrants', { accountId: id })
  for (const plan of await tx.find(PlanEntity, { accountId: id })) {
    if (tier) plan.tier = tier
    if (subscriptionTier === undefined) continue
    const { environment } = plan
    await setSubscription(tx, { accountId: id, environment, tier: subscriptionTier }, period)
  }
  await tx.flush()
}
