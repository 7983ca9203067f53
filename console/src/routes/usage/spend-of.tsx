import { Link } from '@tanstack/react-router'
import type { UsageSeries } from 'credit-gateway-sdk'
import { useMemo } from 'react'
import { gateway } from '../../api.ts'
import { Chart } from '../../components/charts/chart.tsx'
import { Loading } from '../../components/list.tsx'
import { NoPermission, ProblemNotice } from '../../components/problem.tsx'
import { Card } from '../../components/screen.tsx'
import { askedOf } from '../../data/asked.ts'
import { useOpenLogs } from '../../data/open-logs.ts'
import { useRead } from '../../data/read.ts'
import type { Filters } from '../../data/search.ts'
import { seriesOf } from '../../data/series.ts'
import { serviceName, serviceOf } from '../../format/names.ts'

interface SpendOfProps {
  /** The key or the customer, as filters of Usage and Logs name it. */
  readonly caller: Filters
  /** The key or the customer, in words: "This key". */
  readonly who: string
}

/** The credits that one key or customer has spent. */
export function SpendOf({ caller, who }: SpendOfProps) {
  const openLogs = useOpenLogs()
  const asked = { ...askedOf(caller), interval: 'day', group_by: 'service' }
  const usage = useRead<UsageSeries>(
    ['usage', 'summary', asked],
    (options) =>
      gateway.usage.summarize(asked as Parameters<typeof gateway.usage.summarize>[0], options),
    { scopes: ['account:read', 'usage:read'] },
  )
  const chart = useMemo(
    () =>
      usage.data &&
      seriesOf({
        ...{ points: usage.data.items, interval: 'day', from: usage.data.from, to: usage.data.to },
        partOf: ({ service }) => serviceName(service),
        countOf: ({ credits }) => credits,
      }),
    [usage.data],
  )
  return (
    <Card
      title="Spend of the last 30 days"
      actions={
        <>
          <Link to="/usage" search={caller as never}>
            Usage
          </Link>
          <Link to="/logs" search={caller as never}>
            Logs
          </Link>
        </>
      }
    >
      <div className="card-body">
        {usage.missing && <NoPermission {...usage.missing} />}
        {usage.error && <ProblemNotice error={usage.error} retry={() => void usage.refetch()} />}
        {usage.isLoading && <Loading what="the spend" />}
        {chart && chart.series.length === 0 && (
          <p className="quiet">{who} spent no credits in the last 30 days.</p>
        )}
        {chart && chart.series.length > 0 && (
          <Chart
            {...{ ...chart, label: `Credits spent by service: ${who}`, unit: 'credits' }}
            onPick={(span, part) => openLogs({ ...caller, ...span, service: serviceOf(part) })}
          />
        )}
      </div>
    </Card>
  )
}
