import type { Environment } from '../../../schema/credentials/caller.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { entriesInNoSum } from '../recording/usage-epoch.service.ts'
import type { SandboxState, UsageSummary, UsageTotals } from './usage-summary.type.ts'

interface SumsRow {
  readonly service: string
  readonly month_requests: number
  readonly month_credits: number
  readonly month_successes: number
  readonly day_requests: number
  readonly day_credits: number
  readonly day_successes: number
}

const span = (name: string, filter: string) => `
  coalesce(sum(requests) FILTER (WHERE ${filter}), 0)::bigint AS ${name}_requests,
  coalesce(sum(credits) FILTER (WHERE ${filter}), 0)::bigint AS ${name}_credits,
  coalesce(sum(requests) FILTER (WHERE ${filter} AND status_class < 4), 0)::bigint
    AS ${name}_successes`

/**
 * Reads the hourly sums of at most a month, and the entries that are not in them yet: some thousand
 * rows, whatever the length of the log.
 */
const readSums: Statement = {
  name: 'usage-summary',
  text: `
    SELECT service, ${span('month', 'true')},
      ${span('day', "hour >= date_trunc('day', now(), 'UTC')")}
    FROM (
      SELECT service, hour, status_class, requests, credits FROM usage.usage_hour
      WHERE account_id = $1 AND environment = $2
      UNION ALL
      SELECT service, ts, status_class, 1, credits FROM ${entriesInNoSum}
    ) used
    WHERE hour >= date_trunc('month', now(), 'UTC')
    GROUP BY service ORDER BY service`,
}

interface UsageOwner {
  readonly accountId: string
  readonly environment: Environment
}

/** This month and today, from the roll-ups. */
export async function summarizeUsage(
  database: Database,
  { accountId, environment }: UsageOwner,
): Promise<UsageSummary> {
  const rows = await database.query<SumsRow>(readSums, [accountId, environment])
  return {
    monthToDate: totalsOf(
      rows.map((row) => ({
        service: row.service,
        requests: row.month_requests,
        credits: row.month_credits,
        successes: row.month_successes,
      })),
    ),
    today: totalsOf(
      rows
        .map((row) => ({
          service: row.service,
          requests: row.day_requests,
          credits: row.day_credits,
          successes: row.day_successes,
        }))
        .filter(({ requests }) => requests > 0),
    ),
  }
}

/** The use of an account's sandbox, for either listener. */
export async function countSandboxUse(
  database: Database,
  accountId: string,
): Promise<SandboxState> {
  const { monthToDate, today } = await summarizeUsage(database, {
    accountId,
    environment: 'sandbox',
  })
  return {
    accountId,
    requestsToday: today.requests,
    requestsThisMonth: monthToDate.requests,
    successRate: monthToDate.successRate,
  }
}

interface ServiceSums {
  readonly service: string
  readonly requests: number
  readonly credits: number
  readonly successes: number
}

function totalsOf(services: readonly ServiceSums[]): UsageTotals {
  const sumOf = (name: 'requests' | 'credits' | 'successes') =>
    services.reduce((sum, service) => sum + service[name], 0)
  const requests = sumOf('requests')
  return {
    requests,
    credits: sumOf('credits'),
    successRate: requests === 0 ? 1 : sumOf('successes') / requests,
    byService: services.map(({ service, requests, credits }) => ({ service, requests, credits })),
  }
}
