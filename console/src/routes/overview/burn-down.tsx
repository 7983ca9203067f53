import type { BurnDownPoint } from 'credit-gateway-sdk'
import { useSyncExternalStore } from 'react'
import { integer } from '../../format/numbers.ts'

const shortened = new Intl.NumberFormat('en-US', { notation: 'compact' })
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })

const margin = { left: 44, right: 8, top: 10, bottom: 28 }

/** Letters keep their size where the drawing is narrow. */
const narrow = { width: 340, height: 210, dates: 3 }
const wide = { width: 560, height: 240, dates: 5 }
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

/** The least of 1, 2, 2.5 and 5, times a power of ten, of which four reach `most`. */
function roundStep(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most / 4)))
  return [1, 2, 2.5, 5, 10].map((one) => one * power).find((step) => step * 4 >= most) ?? most
}

/** What is left, as a line with its range. Screen readers skip the drawing and read a table with the same numbers. */
export default function BurnDown({ points }: { readonly points: readonly BurnDownPoint[] }) {
  const { width, height, dates } = usePhone() ? narrow : wide
  const inner = {
    width: width - margin.left - margin.right,
    height: height - margin.top - margin.bottom,
  }
  const times = points.map(({ at }) => Date.parse(at))
  const [first = 0] = times
  const span = Math.max(1, (times.at(-1) ?? first) - first)
  const highest = Math.max(1, ...points.map(({ high }) => high))
  const step = roundStep(highest)
  const lines = Array.from({ length: Math.ceil(highest / step) + 1 }, (_, line) => line)
  const top = step * (lines.length - 1)
  const xOf = (ms: number) => margin.left + ((ms - first) / span) * inner.width
  const yOf = (credits: number) => margin.top + (1 - Math.max(0, credits) / top) * inner.height
  const placesOf = (name: 'low' | 'likely' | 'high') =>
    points.map((point, index) => `${xOf(times[index] ?? 0)},${yOf(point[name])}`)
  const shown = Array.from({ length: dates }, (_, place) => first + (place / (dates - 1)) * span)
  return (
    <figure aria-label="Credits left">
      <svg className="burn-down" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        {lines.map((line) => (
          <g key={line}>
            <line
              {...{ x1: margin.left, x2: width - margin.right }}
              {...{ y1: yOf(line * step), y2: yOf(line * step) }}
            />
            <text x={margin.left - 8} y={yOf(line * step) + 4} textAnchor="end">
              {shortened.format(line * step)}
            </text>
          </g>
        ))}
        {shown.map((ms, index) => (
          <text
            key={ms}
            x={xOf(ms)}
            y={height - 6}
            textAnchor={index === 0 ? 'start' : index === dates - 1 ? 'end' : 'middle'}
          >
            {day.format(ms)}
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
      </figcaption>
      <SamePoints points={points} />
    </figure>
  )
}

/** The same numbers, for screen readers. */
function SamePoints({ points }: { readonly points: readonly BurnDownPoint[] }) {
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
              <th scope="row">{day.format(Date.parse(at))}</th>
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
