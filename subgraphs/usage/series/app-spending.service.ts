import type { Environment } from '../../../schema/credentials/caller.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import type { AppSpending } from './app-spending.type.ts'

/** Accounts are found by the index of sums by app, so the cost does not depend on their calls. */
const spentThrough: Statement = {
  name: 'spent-through-app',
  text: `
    SELECT account_id AS "accountId", sum(credits)::bigint AS credits FROM usage.usage_key
    WHERE account_id = ANY ($1::text[]) AND environment = $2 AND unit = 'day' AND client_id = $3
      AND start > now() - interval '30 days'
    GROUP BY account_id`,
}

export interface AskedSpending {
  readonly clientId: string
  readonly accountIds: readonly string[]
  readonly environment: Environment
}

/** The credits that accounts have spent through an app in the last 30 days, but for the last few minutes. */
export function spendingThrough(
  database: Database,
  { clientId, accountIds, environment }: AskedSpending,
): Promise<AppSpending[]> {
  return database.query(spentThrough, [accountIds, environment, clientId])
}
