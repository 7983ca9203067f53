import type { TestAccount } from '../../support/gateway/gateway.ts'
import type { AccountStart } from '../model/history.ts'
import type { Plan } from '../plan/plan.ts'
import type { ApiKey } from './administer.ts'
import type { Stage } from './stage.ts'

export interface Cast {
  readonly accounts: readonly TestAccount[]
  readonly starts: readonly AccountStart[]
  /** The API keys of the account that is rotated, one after the other; by its place. */
  readonly rotated: ReadonlyMap<number, ApiKey[]>
}

/** Makes the accounts of the plan, before any fault. */
export async function makeAccounts(plan: Plan, { gateways, postgres }: Stage): Promise<Cast> {
  const gateway = gateways[0].current()
  if (!gateway) throw new Error('The gateway is not up.')
  const accounts: TestAccount[] = []
  const rotated = new Map<number, ApiKey[]>()
  for (const [place, { credits, role }] of plan.accounts.entries()) {
    const account = await gateway.createAccount({ credits })
    accounts.push(account)
    if (role === 'rotated') rotated.set(place, [await gateway.createKey(account.id)])
  }
  const rows = await postgres.database.query<{ account_id: string; last_seq: string }>(
    "SELECT account_id, last_seq FROM account.balance WHERE environment = 'live'",
  )
  const starts = rows.map((row) => ({ accountId: row.account_id, lastSeq: Number(row.last_seq) }))
  return { accounts, starts, rotated }
}
