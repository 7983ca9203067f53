import type { AuditEvent } from 'credit-gateway-sdk'
import { useState } from 'react'
import { gateway } from '../../api.ts'
import { TimeFilter } from '../../components/forms/filters.tsx'
import { PermittedButton } from '../../components/forms/permitted-button.tsx'
import { ClearFilters, TextFilter } from '../../components/forms/text-filter.tsx'
import { Icon } from '../../components/icons.tsx'
import { type Column, List } from '../../components/list.tsx'
import { Card, Screen } from '../../components/screen.tsx'
import { Status } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { useList } from '../../data/read.ts'
import { useFilters } from '../../data/search.ts'
import { spanOf } from '../../data/span.ts'
import { BeginExport } from './begin-export.tsx'
import { EventDrawer } from './event-drawer.tsx'
import { Exports } from './exports.tsx'

/** The audit trail, and exports of it. */
export default function Audit() {
  const [isExporting, setExporting] = useState(false)
  return (
    <Screen
      title="Audit trail"
      actions={
        <PermittedButton
          scope="audit:write"
          leftSection={<Icon name="download" size={14} />}
          onClick={() => setExporting(true)}
        >
          Export
        </PermittedButton>
      }
    >
      <div className="cards">
        <Exports />
        <Trail />
      </div>
      {isExporting && <BeginExport onClose={() => setExporting(false)} />}
    </Screen>
  )
}

const texts = ['action', 'actor', 'resource_id', 'result'] as const
const names = [...texts, 'span', 'from', 'to']

function Trail() {
  const { filters, set, replace } = useFilters()
  const asked = {
    ...spanOf(filters, Date.now()),
    ...Object.fromEntries(texts.flatMap((name) => (filters[name] ? [[name, filters[name]]] : []))),
  }
  const page = useList<AuditEvent>(
    ['audit', asked],
    (input, options) => gateway.audit.listEvents({ ...input, ...asked }, options),
    { scopes: ['audit:read'], isLive: true },
  )
  const open = ({ id }: AuditEvent) => set({ ...filters, event: id })
  const opened = page.data?.items.find(({ id }) => id === filters.event)
  const columns: readonly Column<AuditEvent>[] = [
    {
      label: 'Action',
      cell: (event) => (
        <button type="button" className="row-link mono one-line" onClick={() => open(event)}>
          {event.action}
        </button>
      ),
    },
    {
      label: 'Result',
      cell: ({ result }) => (
        <Status tone={result === 'succeeded' ? 'good' : 'alert'}>{result}</Status>
      ),
    },
    {
      label: 'Who',
      cell: ({ actor_kind, actor_id }) => (
        <>
          {actor_kind.replaceAll('_', ' ')}
          <ShortId id={actor_id} />
        </>
      ),
    },
    {
      label: 'To what',
      cell: ({ resource_id }) => (resource_id ? <ShortId id={resource_id} /> : <Dash />),
    },
    { label: 'From', cell: ({ address }) => address ?? <Dash /> },
    { label: 'Time', cell: ({ occurred_at }) => <Time at={occurred_at} /> },
  ]
  return (
    <Card title="Trail">
      <div className="card-filters">
        <TimeFilter fallback={null} names={['1h', '24h', '7d', '30d', '90d']} />
        <TextFilter name="action" label="Action" placeholder="key.create" />
        <TextFilter name="actor" label="Who" placeholder="key_…, app_…" />
        <TextFilter name="resource_id" label="To what" placeholder="key_…, whe_…" />
        <TextFilter name="result" label="Result" placeholder="succeeded" />
        <ClearFilters names={names} />
      </div>
      <List
        {...{ name: 'audit events', page, columns, onOpen: open }}
        keyOf={({ id }) => id}
        empty={
          names.some((name) => filters[name])
            ? 'Nothing fits these filters.'
            : 'Nothing has been changed yet.'
        }
      />
      {opened && (
        <EventDrawer event={opened} onClose={() => replace({ ...filters, event: undefined })} />
      )}
    </Card>
  )
}

/** The beginning of an id; the drawer shows the whole id. */
function ShortId({ id }: { readonly id: string }) {
  return (
    <div className="mono quiet small short-id" title={id}>
      {id}
    </div>
  )
}

function Dash() {
  return <span className="quiet">–</span>
}
