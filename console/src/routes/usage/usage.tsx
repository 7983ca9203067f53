import { SegmentedControl, Select } from '@mantine/core'
import type { UsagePoint, UsageSeries } from 'credit-gateway-sdk'
import { useCallback, useMemo, useState } from 'react'
import { gateway } from '../../api.ts'
import { Chart } from '../../components/charts/chart.tsx'
import { SelectFilter, statusClasses, TimeFilter } from '../../components/forms/filters.tsx'
import { AppFilter, CustomerFilter, KeyFilter } from '../../components/forms/found-filters.tsx'
import { Loading } from '../../components/list.tsx'
import { NoPermission, ProblemNotice } from '../../components/problem.tsx'
import { Card, Screen } from '../../components/screen.tsx'
import { askedOf } from '../../data/asked.ts'
import { useCredits } from '../../data/charges.ts'
import { useOpenLogs } from '../../data/open-logs.ts'
import { useRead } from '../../data/read.ts'
import { type Filters, useFilters } from '../../data/search.ts'
import { lengthInBars, type Series, seriesOf, sizes } from '../../data/series.ts'
import { lengthOf, spanOf } from '../../data/span.ts'
import { services } from '../../format/names.ts'
import { ExportButton } from './export.tsx'
import { filterOf, type Group, groupLabels, groupNames, idOf, labelOf } from './groups.ts'
import { totalsOf } from './totals.ts'
import { Totals, UsageTable } from './usage-table.tsx'
import { useNames } from './use-names.ts'

const groups = Object.keys(groupNames) as Group[]
const groupChoices = groups.map((value) => ({ value, label: groupLabels[value] }))

/** Up to this span the bars are hours. */
const hoursUpToMs = 49 * 3_600_000

export default function Usage() {
  const { filters } = useFilters()
  useCredits()
  const group = groups.find((one) => one === filters.group) ?? 'service'
  const metric = filters.show === 'requests' ? 'requests' : 'credits'
  const [openedMs] = useState(Date.now)
  const span = spanOf(
    { span: filters.from || filters.to ? undefined : '30d', ...filters },
    openedMs,
  )
  const interval = lengthOf(span, openedMs) <= hoursUpToMs ? 'hour' : 'day'
  const asked = {
    ...{ ...span, interval, group_by: groupNames[group] },
    ...askedOf(filters),
  } as const
  const usage = useRead<UsageSeries>(
    ['usage', 'summary', asked],
    (options) =>
      gateway.usage.summarize(asked as Parameters<typeof gateway.usage.summarize>[0], options),
    { scopes: ['account:read', 'usage:read'], isLive: true, everyMs: 15_000, keepsPrevious: true },
  )
  const names = useNames(group, usage.data?.items)
  const partOf = useCallback(
    (point: UsagePoint) => labelOf(group, idOf(group, point), names),
    [group, names],
  )
  const { data } = usage
  const before = usePeriodBefore(asked, data)
  const earlier = usage.isPlaceholderData ? undefined : before
  const chart = useMemo(
    () =>
      data &&
      seriesOf<UsagePoint>({
        ...{ points: data.items, interval: data.interval, from: data.from, to: data.to, partOf },
        ...{ countOf: (point) => point[metric], before: earlier },
      }),
    [data, metric, partOf, earlier],
  )
  const totals = useMemo(() => data && totalsOf(data.items, partOf), [data, partOf])

  const openLogs = useOpenParts(group, (part) => data?.items.find((one) => partOf(one) === part))

  return (
    <Screen title="Usage" actions={<ExportButton span={span} filters={filters} />}>
      <FilterRow group={group} />
      <div className="stack" aria-busy={usage.isPlaceholderData}>
        {usage.missing && <NoPermission {...usage.missing} />}
        {usage.error && <ProblemNotice error={usage.error} retry={() => void usage.refetch()} />}
        {usage.isLoading && <Loading what="usage" />}
        {totals && <Totals totals={totals.all} />}
        {chart && (
          <ChartCard {...{ chart, metric, group, openLogs, hasBefore: earlier !== undefined }} />
        )}
        {totals && totals.parts.length > 0 && (
          <UsageTable {...{ group, parts: totals.parts }} onOpen={({ name }) => openLogs(name)} />
        )}
      </div>
    </Screen>
  )
}

type OpenLogs = (part: string, within?: Filters) => void

/** Opens the requests behind a bar or a row, with the filters of this screen. */
function useOpenParts(group: Group, pointOf: (part: string) => UsagePoint | undefined): OpenLogs {
  const { filters } = useFilters()
  const openLogs = useOpenLogs()
  return (part, within = {}) => {
    const { service, status, key, customer, app, span, from, to } = { ...filters, ...within }
    const point = pointOf(part)
    openLogs({
      ...{ service, status, key, customer, app, from, to },
      span: from || to ? undefined : (span ?? '30d'),
      ...(point && filterOf(group, idOf(group, point))),
    })
  }
}

interface ChartCardProps {
  readonly chart: Series
  readonly metric: 'credits' | 'requests'
  readonly group: Group
  readonly hasBefore: boolean
  readonly openLogs: OpenLogs
}

function ChartCard({ chart, metric, group, hasBefore, openLogs }: ChartCardProps) {
  return (
    <Card
      title={metric === 'credits' ? 'Credits' : 'Requests'}
      actions={<MetricChoice metric={metric} />}
    >
      <div className="card-body">
        {chart.series.length === 0 ? (
          <p className="quiet">No requests match these filters in this time.</p>
        ) : (
          <Chart
            {...{ ...chart, label: `${metric} by ${group}`, unit: metric }}
            {...(hasBefore && { before: 'Previous period' })}
            onPick={(within, part) => openLogs(part, within)}
          />
        )}
      </div>
    </Card>
  )
}

/** The points of the period before the shown one, with the same filters. */
function usePeriodBefore(
  asked: Readonly<Record<string, unknown>>,
  shown: UsageSeries | undefined,
): readonly UsagePoint[] | undefined {
  const { data } = useRead<UsageSeries>(
    ['usage-before', asked],
    (options) =>
      gateway.usage.summarize(
        { ...asked, ...spanBefore(shown) } as Parameters<typeof gateway.usage.summarize>[0],
        options,
      ),
    { scopes: ['account:read', 'usage:read'], isEnabled: shown !== undefined },
  )
  return data?.items
}

/** The span of the same length just before the shown one. */
function spanBefore(shown: UsageSeries | undefined) {
  if (!shown) return {}
  const { from, to, interval } = shown
  const fromMs = Date.parse(from) - lengthInBars(from, to, interval) * sizes[interval]
  return { from: new Date(fromMs).toISOString(), to: from }
}

function FilterRow({ group }: { readonly group: Group }) {
  const { set } = useFilters()
  return (
    <div className="filters">
      <TimeFilter fallback="30d" names={['24h', '7d', '30d', '90d']} />
      <SelectFilter label="Service" name="service" data={services} />
      <SelectFilter label="Status" name="status" data={statusClasses} />
      <KeyFilter />
      <CustomerFilter />
      <AppFilter />
      <Select
        {...{ label: 'Group by', size: 'xs', w: 130, data: groupChoices, allowDeselect: false }}
        value={group}
        onChange={(value) => set({ group: value === 'service' ? undefined : (value ?? undefined) })}
      />
    </div>
  )
}

function MetricChoice({ metric }: { readonly metric: 'credits' | 'requests' }) {
  const { set } = useFilters()
  return (
    <SegmentedControl
      {...{ size: 'xs', value: metric, 'aria-label': 'What the chart counts' }}
      data={[
        { value: 'credits', label: 'Credits' },
        { value: 'requests', label: 'Requests' },
      ]}
      onChange={(value) => set({ show: value === 'credits' ? undefined : value })}
    />
  )
}
