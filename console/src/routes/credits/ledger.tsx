import { Link } from '@tanstack/react-router'
import type { LedgerEntry, LedgerEntryKind } from 'credit-gateway-sdk'
import { gateway } from '../../api.ts'
import { Amount, None } from '../../components/figures.tsx'
import { SelectFilter, TimeFilter } from '../../components/forms/filters.tsx'
import { ClearFilters, TextFilter } from '../../components/forms/text-filter.tsx'
import { type Column, List } from '../../components/list.tsx'
import { Card } from '../../components/screen.tsx'
import { Status, type Tone } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { useList } from '../../data/read.ts'
import { useFilters } from '../../data/search.ts'
import { spanOf } from '../../data/span.ts'

const tones: Readonly<Record<LedgerEntryKind, Tone>> = {
  ...{ grant: 'good', purchase: 'good', allowance: 'good', reinstatement: 'good' },
  ...{ refund: 'good', charge: 'quiet', adjustment: 'caution' },
  ...{ expiry: 'caution', clawback: 'alert' },
}

const columns: readonly Column<LedgerEntry>[] = [
  { label: 'Time', cell: ({ created_at }) => <Time at={created_at} /> },
  { label: 'Kind', cell: ({ kind }) => <Status tone={tones[kind]}>{kind}</Status> },
  { label: 'What', onPhone: 'title', cell: ({ description }) => description },
  {
    label: 'Request',
    cell: ({ request_id }) =>
      request_id ? (
        <Link
          to="/logs"
          search={{ request: request_id } as never}
          className="mono link one-line"
          title={request_id}
        >
          {request_id}
        </Link>
      ) : (
        <None />
      ),
  },
  {
    ...{ label: 'Credits', isRight: true, onPhone: 'side' },
    cell: ({ credits }) => <Amount value={credits} isSigned />,
  },
  {
    ...{ label: 'Balance after', isRight: true },
    cell: ({ balance_after }) => <Amount value={balance_after} />,
  },
]

const names = ['kind', 'span', 'from', 'to', 'request_id'] as const

/** Every entry of the ledger, newest first. A charge links to its request. */
export function Ledger() {
  const { filters } = useFilters()
  const { kind, request_id } = filters
  const asked = {
    ...spanOf(filters, Date.now()),
    ...(kind && { kind: kind as LedgerEntryKind }),
    ...(request_id && { request_id }),
  }
  const page = useList<LedgerEntry>(
    ['credits', 'ledger', asked],
    (input, options) => gateway.account.listLedgerEntries({ ...input, ...asked }, options),
    { scopes: ['account:read'], isLive: true },
  )
  return (
    <Card title="Ledger">
      <div className="card-filters">
        <TimeFilter fallback={null} names={['24h', '7d', '30d', '90d']} />
        <SelectFilter label="Kind" name="kind" data={Object.keys(tones)} />
        <TextFilter name="request_id" label="Request ID" placeholder="req_…" />
        <ClearFilters names={names} />
      </div>
      <List
        {...{ name: 'ledger entries', page, columns }}
        keyOf={({ id }) => id}
        empty={
          Object.keys(asked).length > 0
            ? 'No entry fits these filters.'
            : 'There are no entries yet.'
        }
      />
    </Card>
  )
}
