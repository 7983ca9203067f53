import type { TestAccount, TestGateway } from '../../../test/support/gateway/gateway.ts'
import type { AccountStart } from '../model/history.ts'
import type { Plan, PlannedAccount } from '../plan/plan.ts'
import { untilAnswered } from './administer.ts'
import { bearer } from './ask.ts'
import { type Credential, keyCredential, signIn } from './credentials.ts'
import type { Stage } from './stage.ts'

export interface Member extends TestAccount, PlannedAccount {
  /** One after the other, where there are others than its own key. */
  readonly credentials: Credential[]
}

export interface Cast {
  readonly accounts: readonly Member[]
  readonly starts: readonly AccountStart[]
}

/** Makes the accounts of the plan, before any fault. */
export async function makeAccounts(plan: Plan, { gateways, postgres }: Stage): Promise<Cast> {
  const gateway = gateways[0].current()
  if (!gateway) throw new Error('The gateway is not up.')
  const accounts: Member[] = []
  for (const planned of plan.accounts) {
    const { credits, role } = planned
    const account = await gateway.createAccount({ credits })
    const plantings = role === 'subscriber' ? [payByItself, beginLow] : [renewLater]
    for (const planting of plantings) await postgres.database.query(planting, [account.id])
    const credentials = await credentialsOf(gateway, account, planned)
    accounts.push({ ...account, ...planned, credentials })
  }
  const rows = await postgres.database.query<{ account_id: string; last_seq: string }>(
    "SELECT account_id, last_seq FROM account.balance WHERE environment = 'live'",
  )
  const starts = rows.map(({ account_id: accountId, last_seq: lastSeq }) => ({
    accountId,
    lastSeq: Number(lastSeq),
    budget: accounts.find(({ id }) => id === accountId)?.budget ?? null,
  }))
  return { accounts, starts }
}

/** The renewals of a subscription are paid by the stored method. */
const payByItself = `INSERT INTO account.auto_recharge (account_id, environment, payment_method)
  VALUES ($1, 'live', 'simulated')`

/** A plan that can rise. */
const beginLow = `UPDATE account.subscription SET tier = 'pro_sub' WHERE account_id = $1`

/** All other accounts have the highest tier, for its rate limit; its allowance would leave nobody poor. */
const renewLater = `UPDATE account.subscription SET current_period_end = now() + interval '1 d'
  WHERE account_id = $1`

async function credentialsOf(
  gateway: TestGateway,
  { id, liveKey }: TestAccount,
  { role, budget }: PlannedAccount,
): Promise<Credential[]> {
  if (role === 'visitor') return [await signIn(liveKey, () => gateway)]
  if (role !== 'rotated' && budget === null) return []
  const budgets = budget === null ? [] : [{ period: 'total', limit_credits: budget }]
  const headers = { 'idempotency-key': `cast-${id}` }
  const { status, body } = await untilAnswered(
    () => gateway,
    ({ live }) => live.post('/v1/account/keys', { name: 'Another', budgets }, liveKey, headers),
  )
  if (status !== 201) throw new Error(`There is no further key: ${JSON.stringify(body)}.`)
  return [keyCredential(Object(body), liveKey)]
}

/** What its own key opens. */
export function ownCredential({ liveKey }: TestAccount) {
  return { headers: bearer(liveKey), place: null }
}
