import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { entriesInNoSum } from '../recording/usage-epoch.service.ts'
import type { SandboxState, UsageSummary, UsageTotals } from './usage-summary.type.ts'

type Span = 'month' | 'day'

type SumsRow = { readonly service: string } & Readonly<
  Record<`${Span}${'Requests' | 'Credits' | 'Successes'}`, number>
>

const span = (name: Span, filter: string) => `
  coalesce(sum(requests) FILTER (WHERE ${filter}), 0)::bigint AS "${name}Requests",
  coalesce(sum(credits) FILTER (WHERE ${filter}), 0)::bigint AS "${name}Credits",
  coalesce(sum(successes) FILTER (WHERE ${filter}), 0)::bigint AS "${name}Successes"`

/**
 * Reads the daily sums of at most a month, and the entries that are not in them yet: some thousand
 * rows, whatever the length of the log.
 */
const readSums: Statement = {
  name: 'usage-summary',
  text: `
    SELECT service, ${span('month', 'true')},
      ${span('day', "start >= date_trunc('day', now(), 'UTC')")}
    FROM (
      SELECT service, start, requests, successes, credits FROM usage.usage_service
      WHERE account_id = $1 AND environment = $2 AND unit = 'day'
      UNION ALL
      SELECT service, ts, 1, (status < 400)::int, credits FROM ${entriesInNoSum}
    ) used
    WHERE start >= date_trunc('month', now(), 'UTC')
    GROUP BY service ORDER BY service`,
}

/** Sums of this month and of today, from the roll-ups. */
export async function summarizeUsage(
  database: Database,
  { accountId, environment }: AccountScope,
): Promise<UsageSummary> {
  const rows = await database.query<SumsRow>(readSums, [accountId, environment])
  const sumsOf = (name: Span): ServiceSums[] =>
    rows.map((row) => ({
      service: row.service,
      requests: row[`${name}Requests`],
      credits: row[`${name}Credits`],
      successes: row[`${name}Successes`],
    }))
  return {
    monthToDate: totalsOf(sumsOf('month')),
    today: totalsOf(sumsOf('day').filter(({ requests }) => requests > 0)),
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
