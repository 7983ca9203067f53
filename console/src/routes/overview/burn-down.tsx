import type { BurnDownPoint } from 'credit-gateway-sdk'
import { useSyncExternalStore } from 'react'
import { ticksOf } from '../../components/charts/ticks.ts'
import { daysBetween, dayTicks } from '../../components/charts/time-ticks.ts'
import { nameZone, showDate } from '../../format/dates.ts'
import { compact, integer } from '../../format/numbers.ts'
import { useZone } from '../../format/zone.ts'

const margin = { left: 44, right: 8, top: 10, bottom: 28 }

/** Letters keep their size where the drawing is narrow. */
const narrow = { width: 340, height: 210, dates: 5 }
const wide = { width: 560, height: 240, dates: 9 }
const phones = window.matchMedia('(max-width: 47.99em)')

function usePhone(): boolean {
  return useSyncExternalStore(
    (note) => {
      phones.addEventListener('change', note)
      return () => phones.removeEventListener('change', note)
    },
    () => phones.matches,
  )
}

/** What is left, as a line with its range. Screen readers skip the drawing and read a table with the same numbers. */
export default function BurnDown({ points }: { readonly points: readonly BurnDownPoint[] }) {
  const zone = useZone()
  const { width, height, dates } = usePhone() ? narrow : wide
  const inner = {
    width: width - margin.left - margin.right,
    height: height - margin.top - margin.bottom,
  }
  const times = points.map(({ at }) => Date.parse(at))
  const [first = 0] = times
  const span = Math.max(1, (times.at(-1) ?? first) - first)
  const highest = Math.max(1, ...points.map(({ high }) => high))
  const ticks = ticksOf(highest)
  const top = ticks.at(-1) ?? highest
  const xOf = (ms: number) => margin.left + ((ms - first) / span) * inner.width
  const yOf = (credits: number) => margin.top + (1 - Math.max(0, credits) / top) * inner.height
  const placesOf = (name: 'low' | 'likely' | 'high') =>
    points.map((point, index) => `${xOf(times[index] ?? 0)},${yOf(point[name])}`)
  const days = daysBetween(first, first + span, zone)
  const shown = dayTicks(days.length > 0 ? days : [first], dates)
  return (
    <figure aria-label="Credits left">
      <svg className="burn-down" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        {ticks.map((tick) => (
          <g key={tick}>
            <line
              {...{ x1: margin.left, x2: width - margin.right }}
              {...{ y1: yOf(tick), y2: yOf(tick) }}
            />
            <text x={margin.left - 8} y={yOf(tick) + 4} textAnchor="end">
              {compact(tick)}
            </text>
          </g>
        ))}
        {shown.map((ms) => (
          <text
            key={ms}
            x={xOf(ms)}
            y={height - 6}
            textAnchor={xOf(ms) > width - 30 ? 'end' : 'middle'}
          >
            {showDate(ms, 'date', zone)}
          </text>
        ))}
        <polygon points={[...placesOf('high'), ...placesOf('low').reverse()].join(' ')} />
        <polyline points={placesOf('likely').join(' ')} />
      </svg>
      <figcaption className="legend small">
        <span>
          <i style={{ background: 'var(--series-1)' }} />
          likely
        </span>
        <span>
          <i className="range" />8 of 10 possible futures
        </span>
        <span className="legend-zone">Days in {nameZone(zone, Date.now())}</span>
      </figcaption>
      <SamePoints points={points} zone={zone} />
    </figure>
  )
}

/** The same numbers, for screen readers. */
function SamePoints({
  points,
  zone,
}: {
  readonly points: readonly BurnDownPoint[]
  readonly zone: string
}) {
  return (
    <div className="unseen">
      <table>
        <caption>Credits left, by day</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Low</th>
            <th scope="col">Likely</th>
            <th scope="col">High</th>
          </tr>
        </thead>
        <tbody>
          {points.map(({ at, low, likely, high }) => (
            <tr key={at}>
              <th scope="row">{showDate(Date.parse(at), 'day', zone)}</th>
              <td>{integer(low)}</td>
              <td>{integer(likely)}</td>
              <td>{integer(high)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
