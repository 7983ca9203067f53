import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { spentDaysText } from '../../../schema/vocabulary/spent-days.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { entriesInNoSum } from '../recording/usage-epoch.service.ts'

/** How many whole days a forecast looks back. */
const historyDays = 30

/** Reads the daily sums of a month, and the entries that are in no sum yet: the log itself is not read. */
const spentDays: Statement = {
  name: 'usage-spent-days',
  text: `
    SELECT d.day::date::text AS day, coalesce(sum(u.credits), 0)::bigint AS credits
    FROM generate_series(date_trunc('day', now(), 'UTC') - interval '${historyDays} days',
      date_trunc('day', now(), 'UTC'), interval '1 day') AS d (day)
    LEFT JOIN (
      SELECT start AS day, credits FROM usage.usage_service
      WHERE account_id = $1 AND environment = $2 AND unit = 'day'
        AND start >= date_trunc('day', now(), 'UTC') - interval '${historyDays} days'
      UNION ALL
      SELECT date_trunc('day', ts, 'UTC'), credits FROM ${entriesInNoSum}
    ) u ON u.day = d.day
    GROUP BY d.day ORDER BY d.day`,
}

/** The credits of the last 30 days and of today, as the account subgraph reads them. */
export async function readSpentDays(
  database: Database,
  { accountId, environment }: AccountScope,
): Promise<string> {
  const rows = await database.query<{ day: string; credits: number }>(spentDays, [
    accountId,
    environment,
  ])
  return spentDaysText(
    rows.at(-1)?.day ?? '',
    rows.map(({ credits }) => credits),
  )
}
