import type { UsageSeries } from 'credit-gateway-sdk'
import { useMemo, useState } from 'react'
import { gateway } from '../../api.ts'
import { Chart } from '../../components/charts/chart.tsx'
import { CustomerLink } from '../../components/customer-link.tsx'
import { Amount } from '../../components/figures.tsx'
import { Card } from '../../components/screen.tsx'
import { Table } from '../../components/table.tsx'
import { Unread } from '../../components/unread.tsx'
import { useOpenLogs } from '../../data/open-logs.ts'
import { useRead } from '../../data/read.ts'
import { restId, restName, seriesOf } from '../../data/series.ts'
import { type Total, totalsOf } from '../usage/totals.ts'

const shownNames = 10

/** The spend of this month by customer. With `hasNames`, a table has those who spend most. */
export function MonthOfCustomers({ hasNames }: { readonly hasNames: boolean }) {
  const [from] = useState(beginningOfMonth)
  const openLogs = useOpenLogs()
  const usage = useRead<UsageSeries>(
    ['usage', 'summary', 'customers', from],
    (options) =>
      gateway.usage.summarize({ from, interval: 'day', group_by: 'external_id' }, options),
    { scopes: ['account:read', 'usage:read'], isLive: true, everyMs: 15_000 },
  )
  const { data } = usage
  const points = useMemo(() => data?.items.filter(({ external_id: id }) => id), [data])
  const chart = useMemo(
    () =>
      data &&
      points &&
      seriesOf({
        ...{ points, interval: 'day', from: data.from, to: data.to },
        partOf: ({ external_id: id }) => nameOf(id ?? restId),
        countOf: ({ credits }) => credits,
      }),
    [data, points],
  )
  const most = useMemo(
    () =>
      points && totalsOf(points, ({ external_id: id }) => id ?? restId).parts.slice(0, shownNames),
    [points],
  )
  if (usage.missing) return null
  if (!chart || !most) {
    return (
      <Card title="Spend of this month by customer">
        <Unread read={usage} what="the spend" />
      </Card>
    )
  }
  if (chart.series.length === 0) return null
  return (
    <>
      <Card title="Spend of this month by customer">
        <div className="card-body">
          <Chart
            {...{ ...chart, label: 'Credits spent this month by customer', unit: 'credits' }}
            onPick={(span, id) => openLogs({ ...span, customer: id === restName ? undefined : id })}
          />
        </div>
      </Card>
      {hasNames && (
        <Card title="Who spends most">
          <Table<Total>
            {...{ name: 'who spends most', items: most, keyOf: ({ name }) => name }}
            columns={[
              {
                label: 'Customer',
                cell: ({ name }) => (name === restId ? restName : <CustomerLink id={name} />),
              },
              {
                ...{ label: 'Spent this month', isRight: true },
                cell: ({ credits }) => <Amount value={credits} unit="credits" />,
              },
            ]}
          />
        </Card>
      )}
    </>
  )
}

function nameOf(id: string): string {
  return id === restId ? restName : id
}

/** Months of the API are those of UTC. */
function beginningOfMonth(): string {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)).toISOString()
}
