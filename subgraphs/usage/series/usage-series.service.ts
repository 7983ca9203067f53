import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { nextPart } from '../../../schema/process/map-in-turns.ts'
import type { FieldError } from '../../../schema/vocabulary/error-codes.ts'
import { dotSegmentRule, hasDotSegment } from '../../../schema/vocabulary/ids.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { invalidRequest } from '../../shared/graph/errors.ts'
import { entriesInNoSum } from '../recording/usage-epoch.service.ts'
import { hasCaller, readCallerPoints, type SeriesSpan } from './caller-series.service.ts'
import { latencyPercentilesMs } from './latency-steps.ts'
import { maxEntries, readLogPoints } from './log-series.service.ts'
import { UsagePoints } from './usage-points.ts'
import {
  UsageGroup,
  type UsageInterval,
  type UsagePoint,
  type UsageSeries,
  type UsageSeriesArgs,
} from './usage-series.type.ts'

/** The sum of all groups. */
const maxPoints = 10_000

/**
 * Reads the roll-ups of its interval, and the entries that are not in them yet: a row for each point, but no more
 * than tell that there are too many. PostgreSQL adds nothing up, so the first rows leave at once.
 */
function pointsStatement(group: 'service' | 'endpoint'): Statement {
  const columns = group === 'endpoint' ? 'start, service, endpoint' : 'start, service'
  const endpoint = group === 'endpoint' ? `method || ' ' || route AS endpoint,` : ''
  const both = (column: string) => `coalesce(summed.${column}, 0) + coalesce(unsummed.${column}, 0)`
  const inSpan = 'start >= $4 AND start < $5 AND ($6::text IS NULL OR service = $6)'
  return {
    name: `usage-series by ${group}`,
    text: `
      SELECT extract(epoch FROM start)::float8 * 1000 AS "startMs", service,
        ${group === 'endpoint' ? 'endpoint' : 'NULL AS endpoint'}, ${both('requests')} AS requests,
        ${both('credits')} AS credits, (${both('successes')})::float8 / (${both('requests')}) AS "successRate",
        concat(summed.steps, unsummed.steps) AS steps
      FROM (
        SELECT * FROM usage.usage_${group}
        WHERE account_id = $1 AND environment = $2 AND unit = $3 AND ${inSpan}
      ) summed FULL JOIN (
        SELECT ${columns}, count(*) AS requests, count(*) FILTER (WHERE status < 400) AS successes,
          sum(credits)::bigint AS credits, usage.count_steps(usage.latency_class(latency_ms), 1) AS steps
        FROM (
          SELECT date_trunc($3, ts, 'UTC') AS start, service, ${endpoint} status, credits, latency_ms
          FROM ${entriesInNoSum}
            -- Entries of an epoch are no older than its first: most slices of a long series have none.
            AND (SELECT min(from_at) FROM usage.usage_epoch) < $5::timestamptz + ('1 ' || $3)::interval
        ) entries WHERE ${inSpan} GROUP BY ${columns}
      ) unsummed USING (${columns})
      LIMIT ${maxPoints + 1}`,
  }
}

const readPoints = { service: pointsStatement('service'), endpoint: pointsStatement('endpoint') }

interface PointRow {
  readonly startMs: number
  readonly service: string
  readonly endpoint: string | null
  readonly requests: number
  readonly credits: number
  readonly successRate: number
  /** The steps of latencies as a text that `latencyPercentilesMs` reads. */
  readonly steps: string
}

const dayMs = 86_400_000

const spans: Readonly<Record<UsageInterval, { stepMs: number; usualMs: number; maxDays: number }>> =
  {
    hour: { stepMs: 3_600_000, usualMs: dayMs, maxDays: 31 },
    day: { stepMs: dayMs, usualMs: 30 * dayMs, maxDays: 400 },
  }

const percentages = [50, 95]

/** Later years have more than four digits, which no answer has. */
const lastInstantMs = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * Usage over time. Throws INVALID_REQUEST for more time, for more points than are shown at once, and,
 * where no sums have the answer, for more entries than are read.
 */
export async function readUsageSeries(
  database: Database,
  owner: AccountScope,
  args: UsageSeriesArgs,
  place: FieldError['in'],
): Promise<UsageSeries> {
  const { interval, groupBy, ...asked } = args
  const { stepMs, usualMs, maxDays } = spans[interval]
  const to = asked.to ?? new Date()
  const from = asked.from ?? new Date(to.getTime() - usualMs)
  const spanMs = to.getTime() - from.getTime()
  const refuse = (field: string, message: string) => invalidRequest([{ field, in: place, message }])
  // This is checked even if one of the two is left out, because the other may be on the wrong side
  // of now.
  if (spanMs <= 0) throw refuse('from', 'must be before to')
  if (hasDotSegment(asked.externalId ?? '')) throw refuse('external_id', dotSegmentRule)
  if (spanMs > maxDays * dayMs) throw refuse('from', `must be at most ${maxDays} days before to`)
  const start = new Date(Math.floor(from.getTime() / stepMs) * stepMs)
  // Sums know only whole intervals, so entries, which some filters read instead, are counted in whole ones too.
  const end = new Date(Math.ceil(to.getTime() / stepMs) * stepMs)
  const lastEnd = new Date(Math.floor(lastInstantMs / stepMs) * stepMs)
  if (end > lastEnd) throw refuse('to', `must not be after ${lastEnd.toISOString()}`)
  const count = (end.getTime() - start.getTime()) / stepMs
  const points = new UsagePoints({ startMs: start.getTime(), stepMs, count }, maxPoints)
  const areAll = await addPoints(points, database, owner, args, { start, end })
  if (!areAll) throw refuse('from', `must be later: more than ${maxEntries} requests fit`)
  if (points.countWithRequests > maxPoints)
    throw refuse('from', `must be later: more than ${maxPoints} points fit`)
  if (points.length > maxPoints) {
    const message = `must be later: ${count} points of ${points.groupCount} groups are more than ${maxPoints}`
    throw refuse('from', message)
  }
  return { interval, groupBy, from: start, to: end, items: points }
}

/**
 * Adds points of the sums if they have the answer, else of the entries. Returns false if there are
 * too many entries.
 */
async function addPoints(
  points: UsagePoints,
  database: Database,
  owner: AccountScope,
  args: UsageSeriesArgs,
  span: SeriesSpan,
): Promise<boolean> {
  const { groupBy, statusClass } = args
  const isOfCaller = hasCaller(args)
  const isByEndpoint = groupBy === UsageGroup.endpoint
  if (
    (statusClass ?? null) === null &&
    !isOfCaller &&
    (isByEndpoint || groupBy === UsageGroup.service)
  ) {
    await addEndpointPoints(points, database, owner, args, span)
    return true
  }
  const read = (statusClass ?? null) !== null || isByEndpoint ? readLogPoints : readCallerPoints
  const found = await read(database, owner, args, span)
  await points.addAll(found ?? [], (point) => point)
  return found !== null
}

/** The rows of a statement are read in one turn of the event loop, so a long span is read in several. */
const intervalsPerStatement = 40

const pointsOfTurn = 500

/** Reads one slice of the span after the other, until there are more points than are shown. */
async function addEndpointPoints(
  points: UsagePoints,
  database: Database,
  { accountId, environment }: AccountScope,
  { interval, groupBy, service }: UsageSeriesArgs,
  { start, end }: SeriesSpan,
): Promise<void> {
  const statement = readPoints[groupBy === UsageGroup.endpoint ? 'endpoint' : 'service']
  const sliceMs = spans[interval].stepMs * intervalsPerStatement
  for (
    let fromMs = start.getTime();
    fromMs < end.getTime() && points.countWithRequests <= maxPoints;
    fromMs += sliceMs
  ) {
    if (fromMs > start.getTime()) await nextPart()
    const until = new Date(Math.min(fromMs + sliceMs, end.getTime()))
    const values = [accountId, environment, interval, new Date(fromMs), until, service ?? null]
    await points.addAll(await database.query<PointRow>(statement, values), toPoint)
  }
  // The reader of a long list of points needs a turn of its own for it.
  if (points.countWithRequests > pointsOfTurn) await nextPart()
}

function toPoint(row: PointRow): UsagePoint {
  const latenciesMs = latencyPercentilesMs(row.steps, percentages)
  return {
    start: new Date(row.startMs),
    service: row.service,
    endpoint: row.endpoint,
    keyId: null,
    clientId: null,
    externalId: null,
    requests: row.requests,
    credits: row.credits,
    successRate: row.successRate,
    latencyP50Ms: latenciesMs[0] ?? null,
    latencyP95Ms: latenciesMs[1] ?? null,
  }
}
