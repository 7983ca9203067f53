import { makeChange } from '../../shared/changes/change.ts'
import type { OnceInput } from '../../shared/changes/once.type.ts'
import type { Statement, Transaction } from '../../shared/database/database.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { isBlocked } from '../payment-blocks/payment-block.service.ts'
import type { AccountContext } from '../settings/account-settings.ts'
import { findAccount } from './account.service.ts'
import type { Account, AccountState } from './account.type.ts'

const lockAccount: Statement = {
  name: 'lock-account-for-change',
  text: 'SELECT FROM account.account WHERE id = $1 FOR NO KEY UPDATE',
}

type Owner = Parameters<typeof isBlocked>[1]

interface AccountChange {
  readonly owner: Owner
  readonly action: string
  readonly resourceId: string
  readonly request: object
  readonly once: OnceInput | null
}

/**
 * Makes a change of an account that an operator asks for. Its line in the audit trail has the details, and what was
 * changed as it was before and is afterwards. A repetition is answered with the first result.
 * Throws NOT_FOUND for an unknown account.
 */
export async function changeAccount(
  context: AccountContext,
  change: AccountChange,
  details: object,
  work: (tx: Transaction) => Promise<object>,
): Promise<Account> {
  const { owner } = change
  let more = {}
  const note = ({ before, after }: Changed) => ({
    details: { ...details, ...more, ...differenceOf(before, after) },
  })
  const { account, before } = await makeChange(context, { ...change, note }, async (tx) => {
    // Two changes at a time would both tell of the same state before.
    await tx.query(lockAccount, [owner.accountId])
    const { state: stateBefore } = await read(tx, owner)
    more = await work(tx)
    const { account, state } = await read(tx, owner)
    return { account, before: stateBefore, after: state }
  })
  return Object.assign(account, { before })
}

interface Changed {
  readonly account: Account
  readonly before: AccountState
  readonly after: AccountState
}

async function read(tx: Transaction, owner: Owner) {
  const account = await findAccount(tx, owner.accountId, owner.environment)
  if (!account) throw new DomainError('NOT_FOUND', 'No account has this id.')
  const { status, tier, subscriptionTier } = account
  const isPaymentBlocked = await isBlocked(tx, owner)
  return { account, state: { status, tier, subscriptionTier, isPaymentBlocked } }
}

/** The members of the state that differ, by the names of the audit trail. */
function differenceOf(before: AccountState, after: AccountState) {
  const names = {
    status: 'status',
    tier: 'tier',
    subscriptionTier: 'subscription_tier',
    isPaymentBlocked: 'is_payment_blocked',
  } as const
  const changed = (Object.keys(names) as (keyof typeof names)[]).filter(
    (name) => before[name] !== after[name],
  )
  const pick = (state: AccountState) =>
    Object.fromEntries(changed.map((name) => [names[name], state[name]]))
  return { before: pick(before), after: pick(after) }
}
