import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import { integer } from '../../format/numbers.ts'

export interface ChartSeries {
  /** Unique, and shown. */
  readonly name: string
  /** A colour of the palette: `var(--series-1)`. */
  readonly color: string
}

export interface SeriesChartProps {
  /** A description of the chart for screen readers. */
  readonly label: string
  readonly series: readonly ChartSeries[]
  /** A row for each bar: its name, and the value of each series. */
  readonly rows: readonly Readonly<Record<string, string | number>>[]
  /** The counted unit, for example `credits`. */
  readonly unit: string
  readonly height?: number
}

/** Screen readers skip the drawing and read a table with the same numbers. */
export default function SeriesChart(props: SeriesChartProps) {
  const { label, series, rows, unit, height = 240 } = props
  return (
    <figure aria-label={label}>
      <div aria-hidden="true">
        <BarChart
          h={height}
          data={[...rows] as Record<string, string | number>[]}
          dataKey="name"
          type="stacked"
          series={[...series]}
          valueFormatter={integer}
          gridAxis="x"
          tickLine="none"
          yAxisProps={{ width: 70, allowDecimals: false }}
          xAxisProps={{ minTickGap: 24 }}
          maxBarWidth={28}
          tooltipAnimationDuration={0}
          barProps={{ isAnimationActive: false }}
          barChartProps={{ accessibilityLayer: false }}
        />
      </div>
      <figcaption className="legend small">
        {series.map(({ name, color }) => (
          <span key={name}>
            <i style={{ background: color }} />
            {name}
          </span>
        ))}
      </figcaption>
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
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name}>
                <th scope="row">{row.name}</th>
                {series.map(({ name }) => (
                  <td key={name}>{row[name] ?? 0}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  )
}
