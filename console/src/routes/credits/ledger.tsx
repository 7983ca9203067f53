import { Link } from '@tanstack/react-router'
import type { LedgerEntry, LedgerEntryKind } from 'credit-gateway-sdk'
import { gateway } from '../../api.ts'
import { Amount } from '../../components/figures.tsx'
import { type Column, List } from '../../components/list.tsx'
import {
  ChoiceFilter,
  FilterBar,
  InstantFilter,
  TextFilter,
} from '../../components/list-filters.tsx'
import { Card } from '../../components/screen.tsx'
import { State, type Tone } from '../../components/state.tsx'
import { Time } from '../../components/time.tsx'
import { useList } from '../../data/read.ts'
import { useFilters } from '../../data/search.ts'

const tones: Readonly<Record<LedgerEntryKind, Tone>> = {
  ...{ grant: 'good', purchase: 'good', allowance: 'good', reinstatement: 'good' },
  ...{ refund: 'accent', charge: 'plain', adjustment: 'caution' },
  ...{ expiry: 'caution', clawback: 'alert' },
}

const columns: readonly Column<LedgerEntry>[] = [
  { label: 'Time', cell: ({ created_at }) => <Time at={created_at} /> },
  { label: 'Kind', cell: ({ kind }) => <State text={kind} tone={tones[kind]} /> },
  { label: 'What', cell: ({ description }) => description },
  {
    label: 'Request',
    cell: ({ request_id }) =>
      request_id ? (
        <Link to="/logs" search={{ request_id } as never} className="mono link">
          {request_id}
        </Link>
      ) : (
        <span className="quiet">–</span>
      ),
  },
  {
    ...{ label: 'Credits', isRight: true },
    cell: ({ credits }) => <Amount value={credits} isSigned />,
  },
  {
    ...{ label: 'Balance after', isRight: true },
    cell: ({ balance_after }) => <Amount value={balance_after} />,
  },
]

const names = ['kind', 'from', 'to', 'request_id'] as const

/** Every entry, newest first. A charge leads to the request that it is of. */
export function Ledger() {
  const { filters } = useFilters()
  const asked = Object.fromEntries(
    names.flatMap((name) => (filters[name] ? [[name, filters[name]]] : [])),
  )
  const page = useList<LedgerEntry>(
    ['credits', 'ledger', asked],
    (input, options) => gateway.account.listLedgerEntries({ ...input, ...asked }, options),
    { scopes: ['account:read'], isLive: true },
  )
  return (
    <Card title="Ledger">
      <FilterBar names={names}>
        <ChoiceFilter name="kind" label="Kind" all="All kinds" options={Object.keys(tones)} />
        <InstantFilter name="from" label="From" />
        <InstantFilter name="to" label="To" />
        <TextFilter name="request_id" label="Request" placeholder="req_…" />
      </FilterBar>
      <List
        {...{ name: 'ledger entries', page, columns }}
        keyOf={({ id }) => id}
        empty={
          Object.keys(asked).length > 0
            ? 'No entry fits these filters.'
            : 'Nothing has come or gone yet.'
        }
      />
    </Card>
  )
}
