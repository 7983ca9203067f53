import { Drawer, Stack, Title } from '@mantine/core'
import { auditActions, deedOf } from '../../../../../schema/vocabulary/audit-actions.ts'
import { Copyable } from '../../../../src/components/copy.tsx'
import { Facts, Json } from '../../../../src/components/facts.tsx'
import { SelectFilter, TimeFilter } from '../../../../src/components/forms/filters.tsx'
import { ClearFilters, TextFilter } from '../../../../src/components/forms/text-filter.tsx'
import { type Column, List } from '../../../../src/components/list.tsx'
import { Card } from '../../../../src/components/screen.tsx'
import { Status } from '../../../../src/components/status.tsx'
import { Time } from '../../../../src/components/time.tsx'
import { useFilters } from '../../../../src/data/search.ts'
import { spanOf } from '../../../../src/data/span.ts'
import { integer } from '../../../../src/format/numbers.ts'
import type { Body } from '../../api.ts'
import { Dash } from '../../components/dash.tsx'
import { useAskedPage } from '../../data/read.ts'
import { useWhere } from '../../data/where.ts'

type Event = NonNullable<Body<'AccountAudit'>>['auditEvents']['nodes'][number]

const names = ['action', 'actor', 'result', 'span', 'from', 'to'] as const

const actions = Object.entries(auditActions)
  .map(([value, { verb, object }]) => ({ value, label: `${verb} ${object}` }))
  .toSorted((one, other) => one.label.localeCompare(other.label))

/** Who has changed what of the account, operators among them. */
export function Audit() {
  const { id, inLog } = useWhere()
  const { filters, set, replace } = useFilters()
  const { from = null, to = null } = spanOf(filters, Date.now())
  const asked = {
    ...{ id, environment: inLog, from, to },
    actor: filters.actor ?? null,
    action: filters.action ?? null,
    result: filters.result ?? null,
  }
  const page = useAskedPage('AccountAudit', asked, (body) => body?.auditEvents, { isLive: true })
  const open = (event: Event) => set({ ...filters, event: event.id })
  const opened = page.data?.items.find((event) => event.id === filters.event)
  return (
    <Card title="Audit trail">
      <div className="card-filters">
        <TimeFilter fallback={null} names={['1h', '24h', '7d', '30d', '90d']} />
        <SelectFilter name="action" label="Action" data={actions} isSearchable />
        <TextFilter name="actor" label="Who" placeholder="A name or an id" />
        <TextFilter name="result" label="Result" placeholder="succeeded" />
        <ClearFilters names={names} />
      </div>
      <List
        {...{ name: 'audit events', page, columns: columnsWith(open), onOpen: open }}
        keyOf={(event) => event.id}
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

function columnsWith(open: (event: Event) => void): readonly Column<Event>[] {
  return [
    {
      label: 'What happened',
      cell: (event) => (
        <button type="button" className="row-link" onClick={() => open(event)}>
          {sentenceOf(event)}
        </button>
      ),
    },
    {
      label: 'Result',
      cell: ({ result }) =>
        result === 'succeeded' ? (
          <Status tone="good">done</Status>
        ) : (
          <Status tone="alert">{result}</Status>
        ),
    },
    { label: 'Reason', cell: ({ details }) => textIn(details.reason) ?? <Dash /> },
    { label: 'Time', cell: ({ occurredAt }) => <Time at={occurredAt} /> },
  ]
}

/** People and operators have a name; of others the end of the id says which one it is. */
const nameOf: Readonly<Record<string, (id: string) => string>> = {
  key: (id) => `The key ${id}`,
  oauth_client: (id) => `The app ${id}`,
  system: () => 'The gateway',
  anonymous: () => 'Somebody without a key',
}

/** "Ada granted credits", or "Ada could not grant credits". */
function sentenceOf({ actorKind, actorId, action, result }: Event): string {
  const who = nameOf[actorKind]?.(`…${actorId.slice(-6)}`) ?? actorId
  const deed = deedOf(action, result)
  return deed ? `${who} ${deed.past} ${deed.object.replace(/ of$/, '')}` : `${who}: ${action}`
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** All facts of one event. */
function EventDrawer({ event, onClose }: { readonly event: Event; readonly onClose: () => void }) {
  return (
    <Drawer opened onClose={onClose} title={sentenceOf(event)}>
      <Stack gap="lg">
        <Facts
          facts={[
            ['Action', event.action],
            ['Result', event.result],
            ['When', <Time at={event.occurredAt} as="exact" key="when" />],
            ['Who', `${event.actorKind.replaceAll('_', ' ')} ${event.actorId}`],
            ['Role', event.actorRole],
            ['To what', event.resourceId && <Copyable text={event.resourceId} what="id" />],
            ['From', event.address],
            ['Request', event.requestId && <Copyable text={event.requestId} what="request id" />],
            ['Trace', event.traceId && <Copyable text={event.traceId} what="trace id" />],
            ['Number', integer(event.seq)],
          ]}
        />
        {Object.keys(event.details).length > 0 && (
          <section aria-label="Details">
            <Title order={3} mb="xs">
              Details
            </Title>
            <Json value={event.details} label="Details of the event" />
          </section>
        )}
      </Stack>
    </Drawer>
  )
}
