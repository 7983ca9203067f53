import type { UsagePoint } from 'credit-gateway-sdk'
import { showDate } from '../format/dates.ts'
import { serviceName } from '../format/names.ts'

/** A colour for each part of a chart. */
const colours = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => `var(--series-${number})`)
const restColour = 'var(--series-8)'
const rest = 'Others'

/** Services have the same colour on every screen. */
const services = [
  ...['contacts', 'seo', 'promote', 'markets', 'campaigns', 'cloud', 'who-is-searching', 'reviews'],
].map(serviceName)

export interface Series {
  readonly series: readonly { readonly name: string; readonly color: string }[]
  readonly rows: readonly Readonly<Record<string, string | number>>[]
}

interface SeriesOptions {
  readonly points: readonly UsagePoint[]
  readonly interval: 'hour' | 'day'
  readonly from: string
  readonly to: string
  /** The group of a point: its service, endpoint or key. */
  readonly partOf: (point: UsagePoint) => string
  readonly countOf: (point: UsagePoint) => number
}

const sizes = { hour: 3_600_000, day: 86_400_000 }

/** Converts points to bars: one for each hour or day in UTC, with a value for each part. */
export function seriesOf({ points, interval, from, to, partOf, countOf }: SeriesOptions): Series {
  const totals = new Map<string, number>()
  for (const point of points) {
    const part = partOf(point)
    totals.set(part, (totals.get(part) ?? 0) + countOf(point))
  }
  const shown = [...totals]
    .filter(([, total]) => total > 0)
    .sort(([, one], [, other]) => other - one)
    .map(([part]) => part)
  const fits = shown.length <= colours.length
  const own = fits ? shown : shown.slice(0, colours.length - 1)
  const names = shown.length > own.length ? [...own, rest] : own

  const bars = new Map<number, Record<string, string | number>>()
  const size = sizes[interval]
  const first = Math.floor(Date.parse(from) / size) * size
  for (let at = first; at < Date.parse(to); at += size)
    bars.set(at, { name: showDate(at, interval === 'day' ? 'date' : 'hour', 'UTC') })
  for (const point of points) {
    const bar = bars.get(Date.parse(point.start))
    const value = countOf(point)
    if (!bar || value === 0) continue
    const part = partOf(point)
    const name = own.includes(part) ? part : rest
    bar[name] = Number(bar[name] ?? 0) + value
  }
  return {
    series: names.map((name, index) => ({ name, color: colourOf(name, index) })),
    rows: [...bars.values()],
  }
}

function colourOf(name: string, index: number): string {
  if (name === rest) return restColour
  const known = services.indexOf(name)
  if (known !== -1) return `var(--series-${known + 1})`
  return colours[index] ?? restColour
}
