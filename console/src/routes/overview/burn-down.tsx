import type { BurnDownPoint } from 'credit-gateway-sdk'
import { integer } from '../../components/figures.tsx'

const shortened = new Intl.NumberFormat('en-US', { notation: 'compact' })
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })

const width = 640
const height = 200
const margin = { left: 64, right: 8, top: 10, bottom: 32 }
const inner = {
  width: width - margin.left - margin.right,
  height: height - margin.top - margin.bottom,
}

/** The least round number from 1, 2 and 5 by a power of ten that four steps of make at least `most`. */
function roundStep(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most / 4)))
  return [1, 2, 5, 10].map((one) => one * power).find((step) => step * 4 >= most) ?? most
}

/** What is left, as a line with its range. Screen readers skip the drawing and read a table with the same numbers. */
export default function BurnDown({ points }: { readonly points: readonly BurnDownPoint[] }) {
  const times = points.map(({ at }) => Date.parse(at))
  const [first = 0] = times
  const span = Math.max(1, (times.at(-1) ?? first) - first)
  const step = roundStep(Math.max(...points.map(({ high }) => high)))
  const top = step * 4
  const xOf = (ms: number) => margin.left + ((ms - first) / span) * inner.width
  const yOf = (credits: number) => margin.top + (1 - Math.max(0, credits) / top) * inner.height
  const placesOf = (name: 'low' | 'likely' | 'high') =>
    points.map((point, index) => `${xOf(times[index] ?? 0)},${yOf(point[name])}`)
  const dates = [0, 0.25, 0.5, 0.75, 1].map((share) => first + share * span)
  return (
    <figure aria-label="Credits left">
      <svg className="burn-down" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        {[0, 1, 2, 3, 4].map((line) => (
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
        {dates.map((ms, index) => (
          <text
            key={ms}
            className={index % 2 === 1 ? 'between-ends' : undefined}
            x={xOf(ms)}
            y={height - 6}
            textAnchor={index === 0 ? 'start' : index === dates.length - 1 ? 'end' : 'middle'}
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
    </figure>
  )
}
