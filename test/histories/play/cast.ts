import type { TestAccount } from '../../support/gateway/gateway.ts'
import type { AccountStart } from '../model/history.ts'
import type { Plan } from '../plan/plan.ts'
import type { Stage } from './stage.ts'

export interface Cast {
  readonly accounts: readonly TestAccount[]
  readonly starts: readonly AccountStart[]
}

/** Makes the accounts of the plan, before any fault. */
export async function makeAccounts(plan: Plan, { gateways, postgres }: Stage): Promise<Cast> {
  const gateway = gateways[0].current()
  if (!gateway) throw new Error('The gateway is not up.')
  const accounts: TestAccount[] = []
  for (const { credits } of plan.accounts) accounts.push(await gateway.createAccount({ credits }))
  const rows = await postgres.database.query<{ account_id: string; last_seq: string }>(
    "SELECT account_id, last_seq FROM account.balance WHERE environment = 'live'",
  )
  const starts = rows.map((row) => ({ accountId: row.account_id, lastSeq: Number(row.last_seq) }))
  return { accounts, starts }
}
