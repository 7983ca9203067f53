import { Drawer } from '@mantine/core'
import { Copyable } from '../../../../src/components/copy.tsx'
import { Facts } from '../../../../src/components/facts.tsx'
import { Amount } from '../../../../src/components/figures.tsx'
import {
  SelectFilter,
  statusClasses,
  TimeFilter,
} from '../../../../src/components/forms/filters.tsx'
import { ClearFilters, TextFilter } from '../../../../src/components/forms/text-filter.tsx'
import { type Column, List } from '../../../../src/components/list.tsx'
import { Card } from '../../../../src/components/screen.tsx'
import { HttpStatus } from '../../../../src/components/status.tsx'
import { Time } from '../../../../src/components/time.tsx'
import { useFilters } from '../../../../src/data/search.ts'
import { spanOf } from '../../../../src/data/span.ts'
import { serviceName, services } from '../../../../src/format/names.ts'
import { duration, integer } from '../../../../src/format/numbers.ts'
import type { Body } from '../../api.ts'
import { useAskedPage } from '../../data/read.ts'
import { useWhere } from '../../data/where.ts'

type Entry = NonNullable<Body<'AccountLog'>>['usageLog']['nodes'][number]

const names = ['service', 'status', 'request', 'customer', 'span', 'from', 'to'] as const

/** The requests of the account. The log keeps neither the body of a request nor its answer. */
export function Log() {
  const { id, inLog } = useWhere()
  const { filters, set, replace } = useFilters()
  const { from = null, to = null } = spanOf(filters, Date.now())
  const asked = {
    ...{ id, environment: inLog, from, to },
    service: filters.service ?? null,
    statusClass: filters.status ? Number(filters.status.charAt(0)) : null,
    requestId: filters.request ?? null,
    ...{ keyId: null, externalId: filters.customer ?? null },
  }
  const page = useAskedPage('AccountLog', asked, (body) => body?.usageLog, {
    first: 50,
    isLive: filters.cursor === undefined,
  })
  const open = ({ requestId }: Entry) => set({ ...filters, opened: requestId })
  const opened = page.data?.items.find(({ requestId }) => requestId === filters.opened)
  return (
    <Card title="Requests">
      <div className="card-filters">
        <TimeFilter fallback={null} names={['1h', '24h', '7d', '30d', '90d']} />
        <SelectFilter label="Service" name="service" data={services} />
        <SelectFilter label="Status" name="status" data={statusClasses} />
        <TextFilter name="request" label="Request ID" placeholder="req_…" />
        <TextFilter name="customer" label="Customer" />
        <ClearFilters names={names} />
      </div>
      <List
        {...{ name: 'requests', page, columns: columnsWith(open), onOpen: open }}
        keyOf={({ requestId }) => requestId}
        empty="No requests match."
      />
      {opened && (
        <Drawer
          {...{ opened: true, title: 'Request' }}
          onClose={() => replace({ ...filters, opened: undefined })}
        >
          <Facts facts={factsOf(opened)} />
        </Drawer>
      )}
    </Card>
  )
}

function columnsWith(open: (entry: Entry) => void): readonly Column<Entry>[] {
  return [
    {
      label: 'Request',
      cell: (entry) => (
        <button type="button" className="row-link mono" onClick={() => open(entry)}>
          <b>{entry.method}</b> {entry.endpoint}
        </button>
      ),
    },
    {
      ...{ label: 'Status', onPhone: 'side' },
      cell: ({ status, errorCode }) => (
        <>
          <HttpStatus status={status} />{' '}
          {errorCode && <span className="mono small">{errorCode}</span>}
        </>
      ),
    },
    { label: 'Service', cell: ({ service }) => serviceName(service) },
    {
      ...{ label: 'Credits', isRight: true, onPhone: 'line' },
      cell: ({ credits }) => <Amount value={credits} />,
    },
    {
      ...{ label: 'Latency', isRight: true, onPhone: 'line' },
      cell: ({ latencyMs }) => <span className="amount">{duration(latencyMs)}</span>,
    },
    { label: 'Time', isRight: true, onPhone: 'line', cell: ({ ts }) => <Time at={ts} /> },
  ]
}

function factsOf(entry: Entry) {
  return [
    ['Request', <Copyable key="id" text={entry.requestId} what="request id" />],
    ['Call', `${entry.method} ${entry.endpoint}`],
    ['Status', <HttpStatus key="status" status={entry.status} />],
    ['Error', entry.errorCode],
    ['What went wrong', entry.errorMessage],
    ['Service', serviceName(entry.service)],
    ['Module', entry.backendModule],
    ['Credits', integer(entry.credits)],
    ['Latency', duration(entry.latencyMs)],
    ['When', <Time key="when" at={entry.ts} as="exact" />],
    ['By', entry.source],
    ['Key', entry.keyId && <Copyable key="key" text={entry.keyId} what="key id" />],
    ['App', entry.clientId && <Copyable key="app" text={entry.clientId} what="client id" />],
    ['Customer', entry.externalId],
    ['Trace', <Copyable key="trace" text={entry.traceId} what="trace id" />],
  ] as const
}
