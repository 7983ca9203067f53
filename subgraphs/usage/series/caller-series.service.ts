import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { callerConditions, writeConditions } from '../callers/caller-columns.ts'
import { entriesInNoSum } from '../recording/usage-epoch.service.ts'
import { UsageGroup, type UsagePoint, type UsageSeriesArgs } from './usage-series.type.ts'

/** All further groups are shown as one, named `other`. */
export const maxGroups = 50

/** Whether a series belongs to one caller. */
export function hasCaller({ keyId, clientId, externalId }: UsageSeriesArgs): boolean {
  return [keyId, clientId, externalId].some((value) => (value ?? null) !== null)
}

/** The column by which entries are grouped. Sums by key have no endpoints. */
export const columnOf: Readonly<Record<Exclude<UsageGroup, UsageGroup.endpoint>, string>> = {
  service: 'service',
  key: 'key_id',
  client: 'client_id',
  external_id: 'external_id',
}

/**
 * Reads the sums by key, and the entries that are not in them yet: some rows for each caller,
 * whatever the length of the log. The largest groups have the most credits; with equal credits, the
 * most requests.
 */
function pointsStatement(column: string, conditions: string, name: string): Statement {
  return {
    name: `usage-series-of-callers ${column} ${name}`,
    text: `
      WITH used AS MATERIALIZED (
        SELECT * FROM (
          SELECT start, ${column} AS name, requests, successes, credits FROM usage.usage_key
          WHERE account_id = $1 AND environment = $2 AND unit = $3${conditions}
          UNION ALL
          SELECT date_trunc($3, ts, 'UTC'), coalesce(${column}, ''), 1, (status < 400)::int, credits
          FROM ${entriesInNoSum}${conditions}
        ) u WHERE start >= $4 AND start < $5
      ), largest AS (
        SELECT name FROM used GROUP BY name
        ORDER BY sum(credits) DESC, sum(requests) DESC, name LIMIT ${maxGroups}
      )
      SELECT start, coalesce(l.name, 'other') AS name, sum(requests)::bigint AS requests,
        sum(credits)::bigint AS credits, sum(successes)::float8 / sum(requests) AS "successRate"
      FROM used u LEFT JOIN largest l ON l.name = u.name
      GROUP BY 1, 2`,
  }
}

export interface PointRow {
  readonly start: Date
  /** The name of the group; empty for groups without a key, client or external id. */
  readonly name: string
  readonly requests: number
  readonly credits: number
  readonly successRate: number
}

/**
 * A span of whole intervals: `start` is the beginning of one, and so is `end`, which the span does not
 * include.
 */
export interface SeriesSpan {
  readonly start: Date
  readonly end: Date
}

/** The points of callers, or of the services of one caller, in the requested span. */
export async function readCallerPoints(
  database: Database,
  { accountId, environment }: AccountScope,
  { interval, groupBy, service, ...asked }: UsageSeriesArgs,
  { start, end }: SeriesSpan,
): Promise<UsagePoint[]> {
  if (groupBy === UsageGroup.endpoint) throw new Error('Sums by key have no endpoints.')
  const ofService = { name: 's', test: 'service = $1', value: service }
  const { sql, values, name } = writeConditions([...callerConditions(asked), ofService], 6)
  const statement = pointsStatement(columnOf[groupBy], sql, name)
  const owner = [accountId, environment, interval, start, end]
  const rows = await database.query<PointRow>(statement, [...owner, ...values])
  return rows.map((row) => toCallerPoint(groupBy, row))
}

/** The totals of the group that the row names. */
export function toCallerPoint(
  groupBy: UsageGroup,
  { start, name, requests, credits, successRate }: PointRow,
): UsagePoint {
  const label = name || null
  return {
    start,
    service: groupBy === UsageGroup.service ? label : null,
    endpoint: null,
    keyId: groupBy === UsageGroup.key ? label : null,
    clientId: groupBy === UsageGroup.client ? label : null,
    externalId: groupBy === UsageGroup.external_id ? label : null,
    ...{ requests, credits, successRate },
    ...{ latencyP50Ms: null, latencyP95Ms: null },
  }
}
