import { lazy, Suspense } from 'react'
import { loadPart } from '../../parts.ts'
import { Loading } from '../list.tsx'
import type { SeriesChartProps } from './series-chart.tsx'

const Drawn = lazy(() => loadPart(() => import('./series-chart.tsx')))

/** Draws stacked bars over time. The library of charts is loaded when the first one is shown. */
export function Chart(props: SeriesChartProps) {
  return (
    <div className="chart">
      <Suspense fallback={<Loading what="the chart" />}>
        <Drawn {...props} />
      </Suspense>
    </div>
  )
}
