import { serviceName } from '../format/names.ts'

/** A colour for each part of a chart. */
const colours = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => `var(--series-${number})`)
const restColour = 'var(--series-8)'
/** What the API calls all callers beyond those that spend most. */
export const restId = 'other'
/** All parts that have no name of their own. */
export const restName = 'All others'

/** Services have the same colour on every screen. */
const services = [
  ...['contacts', 'seo', 'promote', 'markets', 'campaigns', 'cloud', 'who-is-searching', 'reviews'],
].map(serviceName)

interface Part {
  /** Unique, and shown. */
  readonly name: string
  /** A colour of the palette: `var(--series-1)`. */
  readonly color: string
}

export interface Bar {
  /** Its first instant, in milliseconds. */
  readonly at: number
  /** One for each part, in the same order. */
  readonly values: readonly number[]
  /** The total of the same hour or day in the period before; undefined: not asked for. */
  readonly before?: number
}

/** Stacked bars over time. */
export interface Series {
  readonly interval: Interval
  /** From the lowest in the stack to the highest. */
  readonly series: readonly Part[]
  readonly rows: readonly Bar[]
}

export type Interval = 'hour' | 'day'

/** What was counted of one hour or day. */
interface Point {
  /** ISO 8601. */
  readonly start: string
}

interface SeriesOptions<One extends Point> {
  readonly points: readonly One[]
  readonly interval: Interval
  readonly from: string
  readonly to: string
  /** The name of a point's group: its service, endpoint or key. */
  readonly partOf: (point: One) => string
  readonly countOf: (point: One) => number
  /** The points of the period before, which is as long. */
  readonly before?: readonly One[] | undefined
}

export const sizes = { hour: 3_600_000, day: 86_400_000 }

/** Converts points to bars: one for each hour, or each day in UTC, with a value for each part. */
export function seriesOf<One extends Point>(options: SeriesOptions<One>): Series {
  const { points, interval, from, to, partOf, countOf, before } = options
  const totals = sums(points, partOf, countOf)
  const shown = [...totals]
    .filter(([part, total]) => part !== restName && total > 0)
    .sort(([, one], [, other]) => other - one)
    .map(([part]) => part)
  const hasRest = (totals.get(restName) ?? 0) > 0
  const fits = shown.length + Number(hasRest) <= colours.length
  const own = fits ? shown : shown.slice(0, colours.length - 1)
  const names = hasRest || !fits ? [...own, restName] : own

  const size = sizes[interval]
  const first = Math.floor(Date.parse(from) / size) * size
  const length = Math.ceil((Date.parse(to) - first) / size)
  const byBar = Map.groupBy(points, ({ start }) => Date.parse(start))
  const earlier = before && sums(before, ({ start }) => String(Date.parse(start)), countOf)
  const shift = lengthInBars(from, to, interval) * size
  const rows = Array.from({ length }, (_, index) => {
    const at = first + index * size
    const nameOf = (point: One) => (own.includes(partOf(point)) ? partOf(point) : restName)
    const counts = sums(byBar.get(at) ?? [], nameOf, countOf)
    const values = names.map((name) => counts.get(name) ?? 0)
    return { at, values, ...(earlier && { before: earlier.get(String(at - shift)) ?? 0 }) }
  })
  const series = names.map((name, index) => ({ name, color: colourOf(name, index) }))
  return { interval, series, rows }
}

/** The number of whole hours or days in a span. The period before begins so much earlier. */
export function lengthInBars(from: string, to: string, interval: Interval): number {
  return Math.max(1, Math.round((Date.parse(to) - Date.parse(from)) / sizes[interval]))
}

function sums<One>(
  points: readonly One[],
  nameOf: (point: One) => string,
  countOf: (point: One) => number,
): ReadonlyMap<string, number> {
  const totals = new Map<string, number>()
  for (const point of points) {
    const name = nameOf(point)
    totals.set(name, (totals.get(name) ?? 0) + countOf(point))
  }
  return totals
}

function colourOf(name: string, index: number): string {
  if (name === restName) return restColour
  const known = services.indexOf(name)
  if (known !== -1) return `var(--series-${known + 1})`
  return colours[index] ?? restColour
}
