import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { mapInTurns, nextPart } from '../../../schema/process/map-in-turns.ts'
import type { FieldError } from '../../../schema/vocabulary/error-codes.ts'
import { dotSegmentRule, hasDotSegment } from '../../../schema/vocabulary/ids.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { invalidRequest } from '../../shared/graph/errors.ts'
import { entriesInNoSum } from '../recording/usage-epoch.service.ts'
import { hasCaller, readCallerPoints, type SeriesSpan } from './caller-series.service.ts'
import { latencyPercentilesMs } from './latency-steps.ts'
import { maxEntries, readLogPoints } from './log-series.service.ts'
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
  const points = await readPointsOf(database, owner, args, { start, to })
  if (!points) throw refuse('from', `must be later: more than ${maxEntries} requests fit`)
  if (points.length > maxPoints)
    throw refuse('from', `must be later: more than ${maxPoints} points fit`)
  const groups = await groupsOf(points)
  const starts = startsOf(start, to, stepMs)
  if (starts.length * groups.length > maxPoints) {
    const message = `must be later: ${starts.length} points of ${groups.length} groups are more than ${maxPoints}`
    throw refuse('from', message)
  }
  return { interval, groupBy, from: start, to, items: await withGaps(groups, starts) }
}

/** Reads sums if they have the answer, else entries. Null: there are too many entries. */
function readPointsOf(
  database: Database,
  owner: AccountScope,
  args: UsageSeriesArgs,
  span: SeriesSpan,
): Promise<UsagePoint[] | null> {
  const { groupBy, statusClass } = args
  const isOfCaller = hasCaller(args)
  const isByEndpoint = groupBy === UsageGroup.endpoint
  if ((statusClass ?? null) !== null || (isOfCaller && isByEndpoint)) {
    return readLogPoints(database, owner, args, span)
  }
  return isOfCaller || !(isByEndpoint || groupBy === UsageGroup.service)
    ? readCallerPoints(database, owner, args, span)
    : readEndpointPoints(database, owner, args, span)
}

/** The rows of a statement are read in one turn of the event loop, so a long span is read in several. */
const intervalsPerStatement = 100

/** Reads one slice of the span after the other, until there are more points than are shown. */
async function readEndpointPoints(
  database: Database,
  { accountId, environment }: AccountScope,
  { interval, groupBy, service }: UsageSeriesArgs,
  { start, to }: SeriesSpan,
): Promise<UsagePoint[]> {
  const statement = readPoints[groupBy === UsageGroup.endpoint ? 'endpoint' : 'service']
  const sliceMs = spans[interval].stepMs * intervalsPerStatement
  const points: UsagePoint[] = []
  for (
    let fromMs = start.getTime();
    fromMs < to.getTime() && points.length <= maxPoints;
    fromMs += sliceMs
  ) {
    if (fromMs > start.getTime()) await nextPart()
    const until = new Date(Math.min(fromMs + sliceMs, to.getTime()))
    const values = [accountId, environment, interval, new Date(fromMs), until, service ?? null]
    points.push(...(await toPoints(await database.query<PointRow>(statement, values))))
  }
  return points
}

function toPoints(rows: readonly PointRow[]): Promise<UsagePoint[]> {
  const startAt = new Map<number, IntervalStart>()
  return mapInTurns(rows, ({ startMs, service, endpoint, steps, ...row }) => {
    const start = startAt.get(startMs) ?? new IntervalStart(startMs)
    startAt.set(startMs, start)
    const [latencyP50Ms = null, latencyP95Ms = null] = latencyPercentilesMs(steps, percentages)
    const { requests, credits, successRate } = row
    return {
      ...{ start, service, endpoint, keyId: null, clientId: null, externalId: null },
      ...{ requests, credits, successRate, latencyP50Ms, latencyP95Ms },
    }
  })
}

/** Keeps its text: all groups share the start of an interval, and making the text is the most of a point's cost. */
class IntervalStart extends Date {
  #text: string | null = null

  override toISOString(): string {
    this.#text ??= super.toISOString()
    return this.#text
  }
}

/** The starts of all intervals up to the one that `to` is in, or that ends there. */
function startsOf(start: Date, to: Date, stepMs: number): IntervalStart[] {
  const count = Math.ceil((to.getTime() - start.getTime()) / stepMs)
  return Array.from(
    { length: count },
    (_, index) => new IntervalStart(start.getTime() + index * stepMs),
  )
}

type Point = Readonly<UsagePoint>

/** The points of one group: each interval with requests has one. */
interface PointGroup {
  readonly name: string
  /** One point of the group, which says what the group is. */
  readonly one: Point
  /** The points of the group, by the time at which their interval begins, in ms. */
  readonly pointAt: Map<number, Point>
}

/** The groups, in order of their names. */
async function groupsOf(points: readonly Point[]): Promise<PointGroup[]> {
  const groups = new Map<string, PointGroup>()
  await mapInTurns(points, (point) => {
    const name = groupName(point)
    const group = groups.get(name) ?? { name, one: point, pointAt: new Map<number, Point>() }
    groups.set(name, group)
    group.pointAt.set(point.start.getTime(), point)
  })
  return [...groups.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** The name of a group, by which groups are sorted; nulls come last. */
function groupName({ service, endpoint, keyId, clientId, externalId }: Point): string {
  return JSON.stringify([service, endpoint, keyId, clientId, externalId])
}

async function withGaps(
  groups: readonly PointGroup[],
  starts: readonly Date[],
): Promise<UsagePoint[]> {
  const intervals = await mapInTurns(starts, (start) =>
    groups.map(
      ({ one, pointAt }) => pointAt.get(start.getTime()) ?? { ...one, ...nothing(one), start },
    ),
  )
  return intervals.flat()
}

function nothing({ latencyP50Ms }: Point) {
  const latency = latencyP50Ms === null ? null : 0
  const latencies = { latencyP50Ms: latency, latencyP95Ms: latency }
  return { requests: 0, credits: 0, successRate: 1, ...latencies }
}
