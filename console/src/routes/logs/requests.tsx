import type { UsageLogEntry } from 'credit-gateway-sdk'
import { useState } from 'react'
import { gateway } from '../../api.ts'
import { CustomerLink } from '../../components/customer-link.tsx'
import { Amount, None } from '../../components/figures.tsx'
import { type Column, List } from '../../components/list.tsx'
import { HttpStatus } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { askedOf } from '../../data/asked.ts'
import { useList } from '../../data/read.ts'
import { useFilters } from '../../data/search.ts'
import { spanOf } from '../../data/span.ts'
import { serviceName } from '../../format/names.ts'
import { duration } from '../../format/numbers.ts'

/**
 * How often the list is read again: at most once in two seconds, and not while the page is in the background.
 */
const tailMs = 2000

interface RequestsProps {
  readonly isLive: boolean
  readonly onOpen: (entry: UsageLogEntry) => void
}

/** The requests of keys and apps, newest first. */
export function Requests({ isLive, onOpen }: RequestsProps) {
  const { filters } = useFilters()
  const [openedMs] = useState(Date.now)
  const asked = {
    ...spanOf(filters, openedMs),
    ...askedOf(filters),
    ...(filters.error ? { error_code: filters.error } : {}),
    ...(filters.endpoint ? { endpoint: filters.endpoint } : {}),
    ...(filters.end_user ? { end_user: filters.end_user } : {}),
    ...{ source: 'key,token', extended: true },
  }
  const page = useList<UsageLogEntry>(
    ['usage', 'log', asked],
    (input, options) =>
      gateway.usage.listLog(
        { ...asked, ...input } as Parameters<typeof gateway.usage.listLog>[0],
        options,
      ),
    {
      ...{ scopes: ['usage:read'], limit: 50, isLive: filters.cursor === undefined },
      everyMs: isLive ? tailMs : 4000,
    },
  )
  const hasCustomers = page.data?.items.some(({ external_id: id }) => id) ?? false
  return (
    <List
      {...{ name: 'requests', page, columns: columns(onOpen, hasCustomers), onOpen }}
      keyOf={({ request_id: id }) => id}
      empty="No requests match. New requests appear here within seconds."
    />
  )
}

const customer: Column<UsageLogEntry> = {
  label: 'Customer',
  cell: ({ external_id: id }) => (id ? <CustomerLink id={id} /> : <None />),
}

function columns(
  onOpen: (entry: UsageLogEntry) => void,
  hasCustomers: boolean,
): readonly Column<UsageLogEntry>[] {
  return [
    {
      label: 'Request',
      cell: (entry) => (
        <button type="button" className="row-link mono" onClick={() => onOpen(entry)}>
          <b>{entry.method}</b> {entry.endpoint}
        </button>
      ),
    },
    {
      ...{ label: 'Status', onPhone: 'side' },
      cell: ({ status, error_code: code }) => (
        <>
          <HttpStatus status={status} /> {code && <span className="mono small">{code}</span>}
        </>
      ),
    },
    { label: 'Service', cell: ({ service }) => serviceName(service) },
    ...(hasCustomers ? [customer] : []),
    {
      ...{ label: 'Credits', isRight: true, onPhone: 'line' },
      cell: ({ credits }) => <Amount value={credits} />,
    },
    {
      ...{ label: 'Latency', isRight: true, onPhone: 'line' },
      cell: ({ latency_ms: ms }) => <span className="amount">{duration(ms)}</span>,
    },
    { label: 'Time', isRight: true, onPhone: 'line', cell: ({ ts }) => <Time at={ts} /> },
  ]
}
