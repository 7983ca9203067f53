import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import { useElementSize } from '@mantine/hooks'
import { useMemo } from 'react'
import { Line } from 'recharts'
import { type Bar, type Series, sizes } from '../../data/series.ts'
import { nameZone, showDate } from '../../format/dates.ts'
import { compact, integer } from '../../format/numbers.ts'
import { useZone } from '../../format/zone.ts'
import { ticksOf } from './ticks.ts'
import { dayTicks, hourTicks } from './time-ticks.ts'

export interface SeriesChartProps extends Series {
  /** A description of the chart for screen readers. */
  readonly label: string
  /** The counted unit, for example `credits`. */
  readonly unit: string
  readonly height?: number
  /** The name of the line of the period before, if the bars have it. */
  readonly before?: string
  /** Called when a bar is clicked, with the span of the bar and the name of the part. */
  readonly onPick?: (span: { readonly from: string; readonly to: string }, part: string) => void
}

/** Screen readers skip the drawing and read a table with the same numbers. */
export default function SeriesChart(props: SeriesChartProps) {
  const { label, series, rows, unit, interval, before, onPick } = props
  const chosenZone = useZone()
  // Days are sums of days in UTC, whatever the zone of the person.
  const zone = interval === 'day' ? 'UTC' : chosenZone
  const nameOf = (at: number) => showDate(at, interval === 'day' ? 'date' : 'hour', zone)
  const places = `${interval === 'day' ? 'Days' : 'Hours'} in ${nameZone(zone, Date.now())}`
  const { ref, width } = useElementSize()
  const most = Math.max(1, Math.floor((width - axisPx) / labelPx[interval]))
  const times = useMemo(() => {
    const all = rows.map(({ at }) => at)
    const ticks = interval === 'day' ? dayTicks(all, most) : hourTicks(all, most, zone)
    // The label of a bar at the end would reach beyond the drawing.
    const edge = all.length - (labelPx[interval] / 2 / Math.max(1, width - axisPx)) * all.length
    return ticks.filter((at) => all.indexOf(at) + 0.5 <= edge)
  }, [rows, interval, most, zone, width])
  return (
    <figure aria-label={label}>
      <div ref={ref} aria-hidden="true" data-picks={onPick !== undefined}>
        <Drawing {...{ ...props, nameOf, times }} />
      </div>
      <figcaption className="legend small">
        {series.map(({ name, color }) => (
          <span key={name}>
            <i style={{ background: color }} />
            {name}
          </span>
        ))}
        {before && (
          <span>
            <i className="dashed" />
            {before}
          </span>
        )}
        <span className="legend-zone">{places}</span>
      </figcaption>
      <Numbers {...{ label, unit, series, rows, nameOf, before }} />
    </figure>
  )
}

/** The widths of the axis of numbers, and of a time below the bars with its distance to the next one. */
const axisPx = 56
const labelPx = { day: 64, hour: 112 }

interface DrawingProps extends SeriesChartProps {
  /** The bars that have their time below them. */
  readonly times: readonly number[]
  /** The name of the bar that begins at this instant. */
  readonly nameOf: (at: number) => string
}

function Drawing(props: DrawingProps) {
  const { series, rows, unit, height = 240, interval, before, onPick, nameOf, times } = props
  const ticks = useMemo(() => ticksOf(mostOf(rows)), [rows])
  function pick(index: number, part: string) {
    const bar = rows[index]
    if (!bar) return
    const [from, to] = [bar.at, bar.at + sizes[interval]].map((ms) => new Date(ms).toISOString())
    if (from && to) onPick?.({ from, to }, part)
  }
  return (
    <BarChart
      {...{ h: height, dataKey: 'at', type: 'stacked', gridAxis: 'x', tickLine: 'none' }}
      data={rows.map((row) => ({ ...row }))}
      series={series.map(({ name, color }, index) => ({
        ...{ name: `values.${index}`, label: name, color },
      }))}
      yAxisProps={{
        ...{ width: axisPx, ticks: [...ticks], domain: [0, ticks.at(-1) ?? 1] },
        ...{ interval: 0, tickFormatter: compact },
      }}
      xAxisProps={{ ticks: [...times], interval: 0, tickFormatter: nameOf }}
      maxBarWidth={28}
      tooltipAnimationDuration={0}
      tooltipProps={{
        content: ({ active, payload }) => {
          const bar = rows.find(({ at }) => at === payload?.[0]?.payload?.at)
          if (!active || !bar) return null
          return <Tip {...{ bar, series, unit, before, name: nameOf(bar.at) }} />
        },
      }}
      barProps={({ label: part }) => ({
        isAnimationActive: false,
        onClick: (_, index) => pick(index, String(part)),
      })}
      barChartProps={{ accessibilityLayer: false, margin: { top: 8 } }}
    >
      {before && (
        <Line
          {...{ dataKey: 'before', type: 'linear', stroke: 'var(--quiet)', strokeWidth: 1.5 }}
          {...{ strokeDasharray: '4 3', dot: false, activeDot: false, isAnimationActive: false }}
        />
      )}
    </BarChart>
  )
}

function mostOf(rows: readonly Bar[]): number {
  return Math.max(0, ...rows.flatMap((row) => [totalOf(row), row.before ?? 0]))
}

function totalOf({ values }: Bar): number {
  return values.reduce((sum, value) => sum + value, 0)
}

interface TipProps extends Pick<SeriesChartProps, 'series' | 'unit'> {
  readonly before: string | undefined
  readonly bar: Bar
  readonly name: string
}

/** The numbers of one bar, from the top of the stack to its foot, and their total. */
function Tip({ bar, name, series, unit, before }: TipProps) {
  const parts = series
    .map((part, index) => ({ ...part, value: bar.values[index] ?? 0 }))
    .filter(({ value }) => value > 0)
    .reverse()
  return (
    <div className="tip small">
      <b>{name}</b>
      <dl>
        {parts.map((part) => (
          <div key={part.name} className="tip-row">
            <dt>
              <i style={{ background: part.color }} />
              {part.name}
            </dt>
            <dd className="amount">{integer(part.value)}</dd>
          </div>
        ))}
        <div className="tip-row tip-total">
          <dt>Total</dt>
          <dd className="amount">
            {integer(totalOf(bar))} {unit}
          </dd>
        </div>
        {before && (
          <div className="tip-row quiet">
            <dt>{before}</dt>
            <dd className="amount">{integer(bar.before ?? 0)}</dd>
          </div>
        )}
      </dl>
    </div>
  )
}

interface NumbersProps extends Pick<SeriesChartProps, 'label' | 'unit' | 'series' | 'rows'> {
  readonly before: string | undefined
  readonly nameOf: (at: number) => string
}

/** The chart as a table for screen readers. */
function Numbers({ label, unit, series, rows, nameOf, before }: NumbersProps) {
  return (
    <div className="unseen">
      <table>
        <caption>
          {label}, in {unit}
        </caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            <th scope="col">Total</th>
            {before && <th scope="col">{before}</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.at}>
              <th scope="row">{nameOf(row.at)}</th>
              {series.map(({ name }, index) => (
                <td key={name}>{row.values[index]}</td>
              ))}
              <td>{totalOf(row)}</td>
              {before && <td>{row.before}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
