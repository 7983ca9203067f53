import { useMemo } from 'react'
import { Chart } from '../../../../src/components/charts/chart.tsx'
import { Loading } from '../../../../src/components/list.tsx'
import { ProblemNotice } from '../../../../src/components/problem.tsx'
import { Card } from '../../../../src/components/screen.tsx'
import { seriesOf } from '../../../../src/data/series.ts'
import { serviceName } from '../../../../src/format/names.ts'
import { useAsked } from '../../data/read.ts'
import { useWhere } from '../../data/where.ts'

const days = 30
const dayMs = 86_400_000

/** What the account has spent on each service, by day. */
export function Spend() {
  const { id, inLog } = useWhere()
  const from = new Date(Math.floor(Date.now() / dayMs - days + 1) * dayMs).toISOString()
  const spend = useAsked('AccountUsage', { id, environment: inLog, from })
  const summary = spend.data?.usageSummary
  const chart = useMemo(
    () =>
      summary &&
      seriesOf({
        ...{ points: summary.items, interval: 'day', from: summary.from, to: summary.to },
        partOf: ({ service }) => serviceName(service),
        countOf: ({ credits }) => credits,
      }),
    [summary],
  )
  return (
    <Card title={`Credits spent in the last ${days} days`}>
      <div className="card-body">
        {spend.error && <ProblemNotice error={spend.error} retry={() => void spend.refetch()} />}
        {!summary && !spend.error && <Loading what="the spend" />}
        {chart && chart.series.length === 0 && <p className="quiet">No credits were spent.</p>}
        {chart && chart.series.length > 0 && (
          <Chart {...{ ...chart, label: 'Credits spent by day', unit: 'credits' }} />
        )}
      </div>
    </Card>
  )
}
