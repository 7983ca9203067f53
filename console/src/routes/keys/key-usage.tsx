import { Link } from '@tanstack/react-router'
import type { UsageSeries } from 'credit-gateway-sdk'
import { useMemo } from 'react'
import { gateway } from '../../api.ts'
import { Chart } from '../../components/charts/chart.tsx'
import { Loading } from '../../components/list.tsx'
import { NoPermission, ProblemNotice } from '../../components/problem.tsx'
import { Card } from '../../components/screen.tsx'
import { useRead } from '../../data/read.ts'
import { seriesOf } from '../../data/series.ts'
import { useSession } from '../../session/session.tsx'

/** The credits that one key has spent. */
export function KeyUsage({ id }: { readonly id: string }) {
  const { role } = useSession()
  const usage = useRead<UsageSeries>(
    ['usage', 'summary', 'key', id],
    (options) =>
      gateway.usage.summarize({ key_id: id, interval: 'day', group_by: 'service' }, options),
    { scopes: ['account:read', 'usage:read'] },
  )
  const chart = useMemo(
    () =>
      usage.data &&
      seriesOf({
        ...{ points: usage.data.items, interval: 'day', from: usage.data.from, to: usage.data.to },
        partOf: ({ service }) => service ?? 'other',
        countOf: ({ credits }) => credits,
      }),
    [usage.data],
  )
  return (
    <Card
      title="Spend of the last 30 days"
      actions={
        <>
          <Link to="/usage" search={{ key: id } as never}>
            Usage
          </Link>
          <Link to="/logs" search={{ key: id } as never}>
            Logs
          </Link>
        </>
      }
    >
      <div className="card-body">
        {usage.missing && <NoPermission scopes={usage.missing} role={role} />}
        {usage.error && <ProblemNotice error={usage.error} retry={() => void usage.refetch()} />}
        {usage.isLoading && <Loading what="the spend" />}
        {chart && chart.series.length === 0 && (
          <p className="quiet">This key spent no credits in the last 30 days.</p>
        )}
        {chart && chart.series.length > 0 && (
          <Chart {...chart} label="Credits spent with this key by service" unit="credits" />
        )}
      </div>
    </Card>
  )
}
