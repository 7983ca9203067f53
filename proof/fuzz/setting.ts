import type { TestDatabase } from '../../test/support/database/database.ts'
import { restingVariables } from '../../test/support/database/database-dump.ts'

/** Variables of a gateway, beside those of all tests: no number of requests is too much. */
export const fuzzVariables = {
  ...restingVariables,
  MAX_CONCURRENT_REQUESTS: '10000',
} as const

/** The credits that these accounts were charged for calls, by the ledger. */
export async function ledgerCharges(
  database: Pick<TestDatabase, 'query'>,
  accountIds: readonly string[],
): Promise<number> {
  const [row] = await database.query<{ credits: string }>(
    `SELECT coalesce(-sum(credits), 0) AS credits FROM account.ledger_entry
     WHERE kind = 'charge' AND account_id = ANY($1)`,
    [accountIds],
  )
  return Number(row?.credits)
}
