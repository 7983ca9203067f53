import type { Environment } from '../../../schema/credentials/caller.ts'
import { lowestId } from '../../../schema/vocabulary/ids.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { isInSums } from '../recording/usage-epoch.service.ts'
import type { UsageRepairPart, UsageRepairPosition } from './usage-repair.type.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Of one part: what one statement adds up in a second or so. */
const maxHours = 744
const maxRequests = 200_000

/** The hours of logs after a place, in order: each has a row, whichever release recorded it. */
const nextHours: Statement = {
  name: 'usage-repair-hours',
  text: `
    SELECT account_id, environment, hour, sum(requests)::bigint AS requests
    FROM usage.usage_hour
    WHERE (account_id, environment, hour) > ($1, $2, $3::timestamptz) AND hour >= $4 AND hour < $5
    GROUP BY account_id, environment, hour ORDER BY account_id, environment, hour
    LIMIT ${maxHours}`,
}

interface HourRow {
  readonly account_id: string
  readonly environment: Environment
  readonly hour: Date
  readonly requests: number
}

export interface RepairSpan {
  /** Hours that begin then or later. */
  readonly from: Date | null
  /** Hours that begin earlier. */
  readonly to: Date | null
}

/**
 * Adds to kinds and sums what entries of the log lack there, because a release that knew nothing of
 * them has recorded it: some hours of one log. Nothing is ever taken away. Safe beside whoever records.
 */
export async function repairUsage(
  database: Database,
  { from, to }: RepairSpan,
  after: UsageRepairPosition | null,
): Promise<UsageRepairPart> {
  const { accountId = '', environment = '', hour = null } = after ?? {}
  const rows = await database.query<HourRow>(nextHours, [
    ...[accountId, environment, hour ?? '-infinity'],
    ...[from ?? '-infinity', to ?? 'infinity'],
  ])
  const [first, ...others] = rows
  if (!first) return { hours: 0, kinds: 0, sums: 0, last: null }
  let requests = first.requests
  const together = others.filter((row) => {
    requests += row.requests
    const isSameLog = row.account_id === first.account_id && row.environment === first.environment
    return isSameLog && requests <= maxRequests
  })
  const last = together.at(-1) ?? first
  const log = { accountId: first.account_id, environment: first.environment }
  const span = { ...log, fromMs: first.hour.getTime(), untilMs: last.hour.getTime() + hourMs }
  // One after the other, each by itself: nobody holds rows of one while waiting for those of another.
  const kinds = await added(database, addKinds, valuesOf(span))
  const ofHours = await added(database, addHours, valuesOf(span))
  const ofDays = await added(database, addDays, daysOf(span))
  return {
    hours: together.length + 1,
    kinds,
    sums: ofHours + ofDays,
    last: {
      accountId: log.accountId,
      environment: EnvironmentValue[log.environment],
      hour: last.hour,
    },
  }
}

interface LogSpan {
  readonly accountId: string
  readonly environment: Environment
  readonly fromMs: number
  readonly untilMs: number
}

/**
 * What a statement finds missing at its instant stays missing by as much: whoever records adds to the log
 * and to the sums at once, or in an epoch, which is left out here until the sums have it. Only two repairs
 * must not find the same.
 */
const takeTurn: Statement = {
  name: 'usage-repair-turn',
  text: 'SELECT pg_advisory_xact_lock(7462003)',
}

function added(
  database: Database,
  statement: Statement,
  values: readonly unknown[],
): Promise<number> {
  return database.transaction(async (tx) => {
    await tx.query(takeTurn, [])
    const [row] = await tx.query<{ count: number }>(statement, values)
    return row?.count ?? 0
  })
}

/** An id is made in the same moment as `ts` is taken, but perhaps a millisecond apart. */
const slackMs = 60_000

const ofSpan = `account_id = $1 AND environment = $2 AND request_id >= $3 AND request_id < $4
  AND ts >= $5 AND ts < $6`

function valuesOf({ accountId, environment, fromMs, untilMs }: LogSpan): unknown[] {
  return [
    ...[accountId, environment],
    ...[lowestId('req', fromMs - slackMs), lowestId('req', untilMs + slackMs)],
    ...[new Date(fromMs), new Date(untilMs)],
  ]
}

const addKinds: Statement = {
  name: 'usage-repair-kinds',
  text: `
    WITH added AS (
      INSERT INTO usage.usage_kind (account_id, environment, service, status_class, credit_class)
      SELECT DISTINCT account_id, environment, service, status_class, credit_class
      FROM usage.usage_log WHERE ${ofSpan} ORDER BY 1, 2, 3, 4, 5
      ON CONFLICT DO NOTHING RETURNING 1
    ) SELECT count(*)::int AS count FROM added`,
}

/** Inserts what `whole` has more of than the sums, in the order of whoever records: no two wait for each other. */
const addMissing = `
  added AS (
    INSERT INTO usage.usage_endpoint AS e (account_id, environment, unit, start, service, endpoint,
      latency_class, requests, successes, credits)
    SELECT account_id, environment, unit, start, service, endpoint, latency_class,
      w.requests - coalesce(s.requests, 0), w.successes - coalesce(s.successes, 0),
      w.credits - coalesce(s.credits, 0)
    FROM whole w LEFT JOIN usage.usage_endpoint s
      USING (account_id, environment, unit, start, service, endpoint, latency_class)
    WHERE w.requests > coalesce(s.requests, 0)
    ORDER BY 1, 2, 3, 4, 5, 6, 7
    ON CONFLICT (account_id, environment, unit, start, service, endpoint, latency_class)
    DO UPDATE SET requests = e.requests + excluded.requests,
      successes = e.successes + excluded.successes, credits = e.credits + excluded.credits
    RETURNING 1
  ) SELECT count(*)::int AS count FROM added`

/** Of each hour, from the log. */
const addHours: Statement = {
  name: 'usage-repair-hour-sums',
  text: `
    WITH whole AS (
      SELECT account_id, environment, 'hour' AS unit,
        date_trunc('hour', ts, 'UTC')::timestamptz(0) AS start, service,
        method || ' ' || route AS endpoint, usage.latency_class(latency_ms) AS latency_class,
        count(*) AS requests, count(*) FILTER (WHERE status < 400) AS successes,
        sum(credits)::bigint AS credits
      FROM usage.usage_log WHERE ${ofSpan} AND ${isInSums} GROUP BY 1, 2, 3, 4, 5, 6, 7
    ), ${addMissing}`,
}

/** Of each day, from its hours, which are whole by then as far as they are asked for. */
const addDays: Statement = {
  name: 'usage-repair-day-sums',
  text: `
    WITH whole AS (
      SELECT account_id, environment, 'day' AS unit,
        date_trunc('day', start, 'UTC')::timestamptz(0) AS start, service, endpoint, latency_class,
        sum(requests)::bigint AS requests, sum(successes)::bigint AS successes,
        sum(credits)::bigint AS credits
      FROM usage.usage_endpoint
      WHERE account_id = $1 AND environment = $2 AND unit = 'hour' AND start >= $3 AND start < $4
      GROUP BY 1, 2, 3, 4, 5, 6, 7
    ), ${addMissing}`,
}

function daysOf({ accountId, environment, fromMs, untilMs }: LogSpan): unknown[] {
  const firstDay = new Date(Math.floor(fromMs / dayMs) * dayMs)
  const endOfDays = new Date(Math.ceil(untilMs / dayMs) * dayMs)
  return [accountId, environment, firstDay, endOfDays]
}
