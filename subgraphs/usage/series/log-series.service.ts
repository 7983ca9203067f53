import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { lowestId } from '../../../schema/vocabulary/ids.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { callerConditions, writeConditions } from '../callers/caller-columns.ts'
import {
  columnOf,
  maxGroups,
  type PointRow,
  type SeriesSpan,
  toCallerPoint,
} from './caller-series.service.ts'
import { UsageGroup, type UsagePoint, type UsageSeriesArgs } from './usage-series.type.ts'

/** The limit of entries that are read. */
export const maxEntries = 100_000

/** An id and the time of arrival are taken in the same moment, but perhaps a millisecond apart. */
const apartMs = 1000

/**
 * Reads the entries themselves, by the index of kinds, because no sum distinguishes statuses or the
 * endpoints of one caller. Null: there are more entries than the limit.
 */
export async function readLogPoints(
  database: Database,
  { accountId, environment }: AccountScope,
  { interval, groupBy, service, statusClass, ...asked }: UsageSeriesArgs,
  { start, end }: SeriesSpan,
): Promise<UsagePoint[] | null> {
  const callers = writeConditions(callerConditions(asked), 10)
  const ids = [start.getTime() - apartMs, end.getTime() + apartMs].map((ms) => lowestId('req', ms))
  const owner = [accountId, environment, interval, start, end, ...ids]
  const values = [...owner, service ?? null, statusClass ?? null, ...callers.values]
  const rows = await database.query<LogRow>(statementOf(groupBy, callers), values)
  if (rows.some(({ entries }) => entries > maxEntries)) return null
  return rows.map((row) => toPoint(groupBy, row))
}

interface LogRow extends PointRow {
  /** How many entries were read for all points. */
  readonly entries: number
  readonly service: string | null
  readonly p50: number
  readonly p95: number
}

function toPoint(groupBy: UsageGroup, { service, p50, p95, ...row }: LogRow): UsagePoint {
  if (groupBy !== UsageGroup.service && groupBy !== UsageGroup.endpoint) {
    return toCallerPoint(groupBy, row)
  }
  return {
    ...{ start: row.start, service },
    endpoint: groupBy === UsageGroup.endpoint ? row.name : null,
    ...{ keyId: null, clientId: null, externalId: null },
    ...{ requests: row.requests, credits: row.credits, successRate: row.successRate },
    ...{ latencyP50Ms: p50, latencyP95Ms: p95 },
  }
}

function statementOf(
  groupBy: UsageGroup,
  { sql, name }: { readonly sql: string; readonly name: string },
): Statement {
  const isOfCallers = groupBy !== UsageGroup.service && groupBy !== UsageGroup.endpoint
  const column =
    groupBy === UsageGroup.endpoint
      ? `method || ' ' || route`
      : `coalesce(${columnOf[groupBy]}, '')`
  return {
    name: `usage-series-of-log ${groupBy} ${name}`,
    text: `
      WITH used AS MATERIALIZED (
        SELECT l.* FROM (
          SELECT service, status_class, credit_class FROM usage.usage_kind
          WHERE account_id = $1 AND environment = $2 AND ($8::text IS NULL OR service = $8)
            AND ($9::int IS NULL OR status_class = $9)
        ) k CROSS JOIN LATERAL (
          SELECT date_trunc($3, ts, 'UTC') AS start, ${isOfCallers ? 'NULL' : 'service'} AS service,
            ${column} AS name, (status < 400)::int AS is_success, credits, latency_ms
          FROM usage.usage_log
          WHERE account_id = $1 AND environment = $2 AND service = k.service
            AND status_class = k.status_class AND credit_class = k.credit_class
            AND request_id >= $6 AND request_id < $7 AND ts >= $4 AND ts < $5
            AND is_session IS NOT TRUE${sql}
        ) l LIMIT ${maxEntries + 1}
      ), largest AS (
        SELECT name FROM used GROUP BY name
        ORDER BY sum(credits) DESC, count(*) DESC, name LIMIT ${isOfCallers ? maxGroups : 'ALL'}
      )
      SELECT start, service, coalesce(l.name, 'other') AS name, count(*) AS requests,
        sum(credits)::bigint AS credits, avg(is_success)::float8 AS "successRate",
        percentile_disc(0.50) WITHIN GROUP (ORDER BY latency_ms) AS p50,
        percentile_disc(0.95) WITHIN GROUP (ORDER BY latency_ms) AS p95,
        (SELECT count(*) FROM used)::int AS entries
      FROM used u LEFT JOIN largest l ON l.name = u.name
      GROUP BY 1, 2, 3`,
  }
}
