import type { UsageSeries } from 'credit-gateway-sdk'
import { useState } from 'react'
import { gateway } from '../../api.ts'
import { Amount } from '../../components/figures.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Unread } from '../../components/unread.tsx'
import { askedOf } from '../../data/asked.ts'
import { useRead } from '../../data/read.ts'
import { useFilters } from '../../data/search.ts'
import { restId } from '../../data/series.ts'
import { spanOf } from '../../data/span.ts'
import { percent } from '../../format/numbers.ts'
import { groupNames, idOf, labelOf } from '../usage/groups.ts'
import { type Total, totalsOf } from '../usage/totals.ts'
import { useNames } from '../usage/use-names.ts'

/** The requests of the filters by customer or by app. A row leads to its requests. */
export function Callers({ group }: { readonly group: 'customer' | 'app' }) {
  const { filters, set } = useFilters()
  const [openedMs] = useState(Date.now)
  const hasBounds = filters.from || filters.to
  const span = spanOf({ ...(hasBounds ? {} : { span: '7d' }), ...filters }, openedMs)
  const asked = {
    ...{ ...span, ...askedOf(filters) },
    ...{ group_by: groupNames[group], interval: 'day' },
  }
  const usage = useRead<UsageSeries>(
    ['usage', 'summary', asked],
    (options) =>
      gateway.usage.summarize(asked as Parameters<typeof gateway.usage.summarize>[0], options),
    { scopes: ['account:read', 'usage:read'], isLive: true, everyMs: 10_000, keepsPrevious: true },
  )
  const names = useNames(group, usage.data?.items)
  if (!usage.data) return <Unread read={usage} what="the requests" />
  const { parts } = totalsOf(usage.data.items, (point) => idOf(group, point) ?? none)
  if (parts.length === 0) {
    return (
      <p className="card-body quiet" role="status">
        Nothing was called in this time.
      </p>
    )
  }
  const open = (id: string) => set({ view: undefined, [group]: id })
  const first: Column<Total> = {
    label: group === 'app' ? 'App' : 'Customer',
    cell: ({ name: id }) =>
      id === none || id === restId ? (
        labelOf(group, id === none ? null : id, names)
      ) : (
        <button type="button" className="row-link link" onClick={() => open(id)}>
          {labelOf(group, id, names)}
        </button>
      ),
  }
  return (
    <div aria-busy={usage.isPlaceholderData}>
      <Table<Total>
        {...{ name: `requests by ${group}`, columns: [first, ...columns], items: parts }}
        keyOf={({ name }) => name}
      />
    </div>
  )
}

/** No id is empty. */
const none = ''

const columns: readonly Column<Total>[] = [
  {
    ...{ label: 'Requests', isRight: true, sortBy: ({ requests }) => requests },
    cell: ({ requests }) => <Amount value={requests} />,
  },
  {
    ...{ label: 'Credits', isRight: true, onPhone: 'side', sortBy: ({ credits }) => credits },
    cell: ({ credits }) => <Amount value={credits} />,
  },
  {
    ...{ label: 'Success', isRight: true, sortBy: ({ success }) => success },
    cell: ({ success }) => (success === null ? '–' : percent(success)),
  },
]
