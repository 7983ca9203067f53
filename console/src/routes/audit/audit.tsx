import type { AuditEvent } from 'credit-gateway-sdk'
import { useState } from 'react'
import { gateway } from '../../api.ts'
import { None } from '../../components/figures.tsx'
import { SelectFilter, TimeFilter } from '../../components/forms/filters.tsx'
import { PermittedButton } from '../../components/forms/permitted-button.tsx'
import { ClearFilters } from '../../components/forms/text-filter.tsx'
import { Icon } from '../../components/icons.tsx'
import { type Column, List } from '../../components/list.tsx'
import { Card, Screen } from '../../components/screen.tsx'
import { Status } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { useList } from '../../data/read.ts'
import { useFilters } from '../../data/search.ts'
import { spanOf } from '../../data/span.ts'
import type { Names } from '../../format/names.ts'
import { BeginExport } from './begin-export.tsx'
import { EventDrawer } from './event-drawer.tsx'
import { Exports } from './exports.tsx'
import { whoOf } from './names.ts'
import { actionChoices, resultChoices, resultOf, sentenceOf } from './sentence.ts'
import { useNames } from './use-names.ts'

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
const filterNames = [...texts, 'span', 'from', 'to']

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
  const names = useNames()
  const columns: readonly Column<AuditEvent>[] = [
    {
      label: 'What happened',
      cell: (event) => (
        <button type="button" className="row-link" onClick={() => open(event)}>
          {sentenceOf(event, names)}
        </button>
      ),
    },
    {
      label: 'Result',
      cell: ({ result }) =>
        result === 'succeeded' ? (
          <Status tone="good">{resultOf(result)}</Status>
        ) : (
          <Status tone="alert">{resultOf(result)}</Status>
        ),
    },
    { label: 'From', cell: ({ address }) => address ?? <None /> },
    { label: 'Time', cell: ({ occurred_at }) => <Time at={occurred_at} /> },
  ]
  return (
    <Card title="Trail">
      <div className="card-filters">
        <TimeFilter fallback={null} names={['1h', '24h', '7d', '30d', '90d']} />
        <SelectFilter name="action" label="Action" data={actionChoices} isSearchable />
        <SelectFilter name="actor" label="Who" data={actorsOf(names, filters.actor)} isSearchable />
        <SelectFilter
          {...{ name: 'resource_id', label: 'To what', isSearchable: true }}
          data={objectsOf(names, filters.resource_id)}
        />
        <SelectFilter name="result" label="Result" data={resultChoices} />
        <ClearFilters names={filterNames} />
      </div>
      <List
        {...{ name: 'audit events', page, columns, onOpen: open }}
        keyOf={({ id }) => id}
        empty={
          filterNames.some((name) => filters[name])
            ? 'Nothing fits these filters.'
            : 'Nothing has been changed yet.'
        }
      />
      {filters.event && !opened && page.data && !page.isFetching && <NotHere id={filters.event} />}
      {opened && (
        <EventDrawer
          {...{ event: opened, sentence: sentenceOf(opened, names), who: whoOf(opened, names) }}
          onClose={() => replace({ ...filters, event: undefined })}
        />
      )}
    </Card>
  )
}

/** An address may name an event that its filters leave out, or that is gone. */
function NotHere({ id }: { readonly id: string }) {
  return (
    <p className="card-body quiet" role="status">
      The event {id} is not on this page.
    </p>
  )
}

/** Keys and apps by their names, and the operator. A person is chosen from an event. */
function actorsOf(names: Names, chosen: string | undefined) {
  return choicesOf(names, /^(?:key|app)_/, [{ value: 'internal', label: 'The operator' }], chosen)
}

function objectsOf(names: Names, chosen: string | undefined) {
  return choicesOf(names, /./, [], chosen)
}

interface Choice {
  readonly value: string
  readonly label: string
}

/** What the address names is a choice too, also if nothing here has a name for it. */
function choicesOf(names: Names, kind: RegExp, others: Choice[], chosen: string | undefined) {
  const named = [...names].filter(([id]) => kind.test(id))
  const all = [
    ...named.map(([value, label]) => ({ value, label: `${label} (…${value.slice(-4)})` })),
  ]
  const found = [...others, ...all]
  const isMissing = chosen !== undefined && !found.some(({ value }) => value === chosen)
  return isMissing ? [...found, { value: chosen, label: chosen }] : found
}
