import { mapInTurns } from '../../../schema/process/map-in-turns.ts'
import type { UsagePoint } from './usage-series.type.ts'

type Point = Readonly<UsagePoint>

interface Group {
  /** Any point of the group, which says what the group is. */
  readonly one: Point
  readonly name: string
  /** The numbers of all intervals, one interval after the other; none where there are too many points to show. */
  readonly numbers: Float64Array
}

/** The instants at which the intervals of a series begin. */
export interface Intervals {
  readonly startMs: number
  readonly stepMs: number
  readonly count: number
}

/** The numbers of an interval: requests, credits, the rate of success, and two latencies. */
const numbersOfInterval = 5

/**
 * The points of a series, in order of time, then of the groups. Each group has one in each interval. They are kept as
 * numbers: a long series waits for its turns, and every collection of garbage would copy the objects that wait with
 * it. A point is an object while somebody looks at it.
 */
export class UsagePoints implements Iterable<UsagePoint> {
  readonly #intervals: Intervals
  readonly #max: number
  readonly #groups = new Map<string, Group>()
  #countWithRequests = 0

  constructor(intervals: Intervals, max: number) {
    this.#intervals = intervals
    this.#max = max
  }

  /** The number of points that were added. */
  get countWithRequests(): number {
    return this.#countWithRequests
  }

  get groupCount(): number {
    return this.#groups.size
  }

  get length(): number {
    return this.#intervals.count * this.#groups.size
  }

  /** Adds a point for each row, so many in one turn that others need not wait. */
  async addAll<Row>(rows: readonly Row[], toPoint: (row: Row) => Point): Promise<void> {
    await mapInTurns(rows, (row) => this.#add(toPoint(row)))
  }

  #add(point: Point): void {
    this.#countWithRequests += 1
    const { numbers } = this.#groupOf(point)
    const { startMs, stepMs } = this.#intervals
    const place = ((point.start.getTime() - startMs) / stepMs) * numbersOfInterval
    if (place >= numbers.length) return
    numbers[place] = point.requests
    numbers[place + 1] = point.credits
    numbers[place + 2] = point.successRate
    numbers[place + 3] = point.latencyP50Ms ?? 0
    numbers[place + 4] = point.latencyP95Ms ?? 0
  }

  #groupOf(point: Point): Group {
    const { service, endpoint, keyId, clientId, externalId } = point
    // A group has a service, and perhaps an endpoint, or else one of the others.
    const key = `${service ?? ''}\n${endpoint ?? keyId ?? clientId ?? externalId ?? ''}`
    const known = this.#groups.get(key)
    if (known) return known
    const { count } = this.#intervals
    const hasPlace = (this.#groups.size + 1) * count <= this.#max
    const numbers = new Float64Array(hasPlace ? count * numbersOfInterval : 0)
    for (let place = 2; place < numbers.length; place += numbersOfInterval) numbers[place] = 1
    const name = JSON.stringify([service, endpoint, keyId, clientId, externalId])
    const group = { one: point, name, numbers }
    this.#groups.set(key, group)
    return group
  }

  *[Symbol.iterator](): Generator<UsagePoint> {
    const { startMs, stepMs, count } = this.#intervals
    // Nulls come last.
    const groups = [...this.#groups.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
    for (let interval = 0; interval < count; interval += 1) {
      const start = new IntervalStart(startMs + interval * stepMs)
      for (const group of groups) yield pointAt(group, start, interval * numbersOfInterval)
    }
  }
}

function pointAt({ one, numbers }: Group, start: Date, place: number): UsagePoint {
  const { service, endpoint, keyId, clientId, externalId } = one
  const hasLatency = one.latencyP50Ms !== null
  return {
    start,
    service,
    endpoint,
    keyId,
    clientId,
    externalId,
    requests: numbers[place] ?? 0,
    credits: numbers[place + 1] ?? 0,
    successRate: numbers[place + 2] ?? 1,
    latencyP50Ms: hasLatency ? (numbers[place + 3] ?? 0) : null,
    latencyP95Ms: hasLatency ? (numbers[place + 4] ?? 0) : null,
  }
}

/**
 * The start of an interval, which keeps its text: all groups share it, and making the text is the most of a
 * point's cost.
 */
class IntervalStart extends Date {
  #text: string | null = null

  override toISOString(): string {
    this.#text ??= super.toISOString()
    return this.#text
  }
}
