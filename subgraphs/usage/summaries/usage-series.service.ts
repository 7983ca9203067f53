import type { FieldError } from '../../../schema/vocabulary/error-codes.ts'
import type { AccountScope } from '../../shared/changes/change.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { invalidRequest } from '../../shared/graph/errors.ts'
import { entriesInNoSum } from '../recording/usage-epoch.service.ts'
import {
  UsageGroup,
  type UsageInterval,
  type UsageSeries,
  type UsageSeriesArgs,
} from './usage-series.type.ts'

/** From the roll-ups of its own interval, and the entries that they lack: some rows for each endpoint, whatever the length of the log. */
const readPoints: Statement = {
  name: 'usage-series',
  text: `
    SELECT start, service, endpoint, sum(requests)::bigint AS requests,
      sum(credits)::bigint AS credits, sum(successes)::float8 / sum(requests) AS success_rate,
      usage.latency_of_class(min(latency_class) FILTER (WHERE so_far >= 0.50 * whole)) AS p50,
      usage.latency_of_class(min(latency_class) FILTER (WHERE so_far >= 0.95 * whole)) AS p95
    FROM (
      SELECT *, sum(requests) OVER (PARTITION BY start, service, endpoint) AS whole,
        sum(requests) OVER (PARTITION BY start, service, endpoint ORDER BY latency_class) AS so_far
      FROM (
        SELECT start, service, CASE WHEN $6::boolean THEN endpoint END AS endpoint, latency_class,
          sum(requests) AS requests, sum(successes) AS successes, sum(credits) AS credits
        FROM (
          SELECT start, service, endpoint, latency_class, requests, successes, credits
          FROM usage.usage_endpoint WHERE account_id = $1 AND environment = $2 AND unit = $3
          UNION ALL
          SELECT date_trunc($3, ts, 'UTC'), service, method || ' ' || route,
            usage.latency_class(latency_ms), 1, (status < 400)::int, credits
          FROM ${entriesInNoSum}
        ) used
        WHERE start >= $4 AND start < $5
        GROUP BY 1, 2, 3, 4
      ) latencies
    ) ranked
    GROUP BY start, service, endpoint ORDER BY start, service, endpoint`,
}

interface PointRow {
  readonly start: Date
  readonly service: string
  readonly endpoint: string | null
  readonly requests: number
  readonly credits: number
  readonly success_rate: number
  readonly p50: number
  readonly p95: number
}

const dayMs = 86_400_000

const spans: Readonly<Record<UsageInterval, { stepMs: number; usualMs: number; maxDays: number }>> =
  {
    hour: { stepMs: 3_600_000, usualMs: dayMs, maxDays: 31 },
    day: { stepMs: dayMs, usualMs: 30 * dayMs, maxDays: 400 },
  }

/** Usage over time. Throws INVALID_REQUEST for more time than is shown at once. */
export async function readUsageSeries(
  database: Database,
  { accountId, environment }: AccountScope,
  { interval, groupBy, ...asked }: UsageSeriesArgs,
  place: FieldError['in'],
): Promise<UsageSeries> {
  const { stepMs, usualMs, maxDays } = spans[interval]
  const to = asked.to ?? new Date()
  const from = asked.from ?? new Date(to.getTime() - usualMs)
  const spanMs = to.getTime() - from.getTime()
  // Also where one of the two is left out: the other may be on the wrong side of now.
  if (spanMs <= 0) throw refusal(place, 'must be before to')
  if (spanMs > maxDays * dayMs) throw refusal(place, `must be at most ${maxDays} days before to`)
  const start = new Date(Math.floor(from.getTime() / stepMs) * stepMs)
  const isByEndpoint = groupBy === UsageGroup.endpoint
  const values = [accountId, environment, interval, start, to, isByEndpoint]
  const rows = await database.query<PointRow>(readPoints, values)
  const items = rows.map(({ success_rate, p50, p95, ...row }) => ({
    ...row,
    successRate: success_rate,
    latencyP50Ms: p50,
    latencyP95Ms: p95,
  }))
  return { interval, groupBy, from: start, to, items }
}

function refusal(place: FieldError['in'], message: string): Error {
  return invalidRequest([{ field: 'from', in: place, message }])
}
