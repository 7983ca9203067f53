import { Link } from '@tanstack/react-router'
import type {
  Forecast,
  Overview as OverviewData,
  UsageErrors,
  UsageSeries,
} from 'credit-gateway-sdk'
import { useMemo, useState } from 'react'
import { gateway } from '../../api.ts'
import { Chart } from '../../components/charts/chart.tsx'
import { Loading } from '../../components/list.tsx'
import { NoPermission, ProblemNotice } from '../../components/problem.tsx'
import { Card, Screen } from '../../components/screen.tsx'
import { useCredits } from '../../data/charges.ts'
import { useOpenLogs } from '../../data/open-logs.ts'
import { type Read, useRead } from '../../data/read.ts'
import { seriesOf } from '../../data/series.ts'
import { serviceName, serviceOf } from '../../format/names.ts'
import { integer, percent } from '../../format/numbers.ts'
import { NeedsAttention } from './attention.tsx'
import { FirstCall, isCall } from './first-call.tsx'
import { NewestFailures } from './newest-failures.tsx'
import { RunsOut } from './run-out.tsx'
import { WhatRunsOut } from './what-runs-out.tsx'

/** The days of the chart of the spend. */
const chartDays = 30
/** The gateway keeps a forecast so long. */
const forecastMs = 600_000

export default function Overview() {
  const credits = useCredits()
  const overview = useRead<OverviewData>(
    ['overview'],
    (options) => gateway.account.getOverview({}, options),
    { scopes: ['account:read'], isLive: true, everyMs: 15_000 },
  )
  // What stands further below is asked for afterwards: a page asks four things at once.
  const isEnabled = overview.isFetched || overview.missing !== null
  const days = useRead<UsageSeries>(
    ['usage', 'summary', 'days'],
    (options) => gateway.usage.summarize({ interval: 'day', group_by: 'service' }, options),
    { scopes: ['account:read', 'usage:read'], isLive: true, everyMs: 15_000 },
  )
  const errors = useRead<UsageErrors>(
    ['usage', 'errors'],
    (options) => gateway.usage.listErrors({}, options),
    { scopes: ['usage:read'], isLive: true, everyMs: 30_000, isEnabled },
  )
  const forecast = useRead<Forecast>(
    ['forecast'],
    (options) => gateway.account.getForecast({}, options),
    { scopes: ['account:read'], isLive: true, everyMs: forecastMs, isEnabled },
  )
  const calls = days.data?.items.filter(isCall).reduce((sum, point) => sum + point.requests, 0)
  const [isNew, setNew] = useState(false)
  // After the first call, its step is ticked, and the list stays until the next visit.
  if (calls === 0 && !isNew) setNew(true)
  const failed = credits.error ?? overview.error

  return (
    <Screen title="Overview">
      <div className="stack">
        {credits.missing && <NoPermission {...credits.missing} />}
        {failed && (
          <ProblemNotice
            error={failed}
            retry={() => {
              void credits.refetch()
              void overview.refetch()
            }}
          />
        )}
        <NeedsAttention />
        <Stats {...{ credits, overview, forecast }} />
        {isNew && <FirstCall />}
        {!isNew && !forecast.missing && (
          <div className="cards">
            <div className="half">
              <RunsOut forecast={forecast} />
              <WhatRunsOut
                {...{ forecast: forecast.data, overview: overview.data }}
                available={credits.data?.available}
              />
            </div>
          </div>
        )}
        <Card
          title={`Spend of the last ${chartDays} days`}
          actions={<Link to="/usage">Usage</Link>}
        >
          <Spend days={days} />
        </Card>
        <NewestFailures errors={errors} />
      </div>
    </Screen>
  )
}

interface StatsProps {
  readonly credits: ReturnType<typeof useCredits>
  readonly overview: Read<OverviewData>
  readonly forecast: Read<Forecast>
}

function Stats({ credits, overview, forecast }: StatsProps) {
  const month = overview.data?.usage.month_to_date
  return (
    <dl className="card stats">
      <Stat
        {...{ label: 'Available credits', read: credits }}
        value={({ available }) => integer(available)}
      />
      <Stat
        {...{ label: 'Held', read: credits, note: 'in progress' }}
        value={({ held }) => integer(held)}
      />
      <Stat
        {...{ label: 'Spent this month', read: overview, note: 'credits' }}
        value={({ usage }) => integer(usage.month_to_date.credits)}
      />
      <Stat
        {...{ label: 'Likely to last', read: forecast, note: 'at your recent pace' }}
        value={lastingOf}
      />
      <Stat
        {...{ label: 'Error rate', read: overview, note: 'this month' }}
        value={() => (month && month.requests > 0 ? percent(1 - month.success_rate) : '–')}
      />
    </dl>
  )
}

function Spend({ days }: { readonly days: Read<UsageSeries> }) {
  const openLogs = useOpenLogs()
  const chart = useMemo(
    () =>
      days.data &&
      seriesOf({
        ...{ points: days.data.items, interval: 'day', from: days.data.from, to: days.data.to },
        partOf: ({ service }) => serviceName(service),
        countOf: (point) => point.credits,
      }),
    [days.data],
  )
  return (
    <div className="card-body">
      {days.error && <ProblemNotice error={days.error} retry={() => void days.refetch()} />}
      {days.missing && <NoPermission {...days.missing} />}
      {days.isLoading && <Loading what="the spend" />}
      {chart && chart.series.length === 0 && (
        <p className="quiet">No credits were spent in the last {chartDays} days.</p>
      )}
      {chart && chart.series.length > 0 && (
        <Chart
          {...{ ...chart, label: 'Credits spent by service', unit: 'credits' }}
          onPick={(span, part) => openLogs({ ...span, service: serviceOf(part) })}
        />
      )}
    </div>
  )
}

const dayMs = 86_400_000

/** The whole days until the credits probably run out; a dash for an account without a history. */
function lastingOf({ as_of, available, runs_out_at, drivers }: Forecast): string {
  if (available <= 0) return 'Nothing left'
  if (drivers.days === 0) return '–'
  if (!runs_out_at?.likely) return 'Over a year'
  const days = Math.floor((Date.parse(runs_out_at.likely) - Date.parse(as_of)) / dayMs)
  if (days < 1) return 'Less than a day'
  return days === 1 ? '1 day' : `${integer(days)} days`
}

interface StatProps<Data> {
  readonly label: string
  readonly note?: string
  readonly read: { readonly data: Data | undefined; readonly isLoading: boolean }
  readonly value: (data: Data) => string
}

/** A number. While it loads, nothing is shown, and never a zero. */
function Stat<Data>({ label, note, read, value }: StatProps<Data>) {
  return (
    <div className="stat">
      <dt>{label}</dt>
      <dd aria-busy={read.isLoading}>
        {read.data === undefined ? (
          <span className="quiet">{read.isLoading ? <Waiting /> : '–'}</span>
        ) : (
          <span className="amount">{value(read.data)}</span>
        )}
        {note && <div className="note">{note}</div>}
      </dd>
    </div>
  )
}

function Waiting() {
  return (
    <span role="status">
      <span className="unseen">Loading</span>
      <span className="skeleton" />
    </span>
  )
}
