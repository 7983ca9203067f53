import { type Column, List } from '../../../../src/components/list.tsx'
import { Card } from '../../../../src/components/screen.tsx'
import { Status } from '../../../../src/components/status.tsx'
import { Time } from '../../../../src/components/time.tsx'
import type { Body } from '../../api.ts'
import { useAskedPage } from '../../data/read.ts'
import { stateOf, useWhere } from '../../data/where.ts'

type App = NonNullable<Body<'AccountApps'>>['oauthApps']['nodes'][number]
type Consent = NonNullable<Body<'AccountConsents'>>['consents']['nodes'][number]
type Endpoint = NonNullable<Body<'AccountWebhooks'>>['webhookEndpoints']['nodes'][number]

/** The apps that may act for the account, those that it has registered, and where its events go. */
export function Apps() {
  const state = stateOf(useWhere())
  const consents = useAskedPage('AccountConsents', state, (body) => body?.consents, {
    cursorName: 'consents',
  })
  const apps = useAskedPage('AccountApps', state, (body) => body?.oauthApps, { cursorName: 'apps' })
  const endpoints = useAskedPage('AccountWebhooks', state, (body) => body?.webhookEndpoints, {
    cursorName: 'endpoints',
  })
  return (
    <>
      <Card title="Apps that may act for the account">
        <List
          {...{ name: 'consents', page: consents, columns: consentColumns }}
          keyOf={({ clientId }) => clientId}
          empty="No app may act for the account."
        />
      </Card>
      <Card title="Apps of the account">
        <List
          {...{
            name: 'apps',
            page: apps,
            columns: appColumns,
            keyOf: ({ clientId }: App) => clientId,
          }}
          empty="The account has registered no app."
        />
      </Card>
      <Card title="Webhook endpoints">
        <List
          {...{ name: 'webhook endpoints', page: endpoints, columns: endpointColumns }}
          keyOf={({ id }) => id}
          empty="The account has no webhook endpoint."
        />
      </Card>
    </>
  )
}

const consentColumns: readonly Column<Consent>[] = [
  {
    label: 'App',
    cell: ({ clientName, documentHost }) => (
      <>
        <b>{clientName}</b>
        {documentHost && <div className="quiet small host">{documentHost}</div>}
      </>
    ),
  },
  {
    label: 'Status',
    cell: ({ status }) => <Status tone={status === 'active' ? 'good' : 'quiet'}>{status}</Status>,
  },
  { label: 'Scope', cell: ({ scope }) => <span className="mono">{scope}</span> },
  { label: 'Since', cell: ({ grantedAt }) => <Time at={grantedAt} as="day" /> },
  { label: 'Client id', cell: ({ clientId }) => <span className="mono">{clientId}</span> },
]

const appColumns: readonly Column<App>[] = [
  { label: 'App', cell: ({ clientName }) => <b>{clientName}</b> },
  {
    label: 'Status',
    cell: ({ status }) => <Status tone={status === 'active' ? 'good' : 'alert'}>{status}</Status>,
  },
  { label: 'Kind', cell: ({ applicationType }) => applicationType },
  { label: 'Scope', cell: ({ scope }) => <span className="mono">{scope}</span> },
  { label: 'Client id', cell: ({ clientId }) => <span className="mono">{clientId}</span> },
  { label: 'Registered', cell: ({ createdAt }) => <Time at={createdAt} as="day" /> },
]

const endpointColumns: readonly Column<Endpoint>[] = [
  { label: 'Address', cell: ({ url }) => <span className="host">{url}</span> },
  {
    label: 'Status',
    cell: ({ status, failingSince }) =>
      failingSince ? (
        <Status tone="alert">failing</Status>
      ) : (
        <Status tone={status === 'enabled' ? 'good' : 'quiet'}>{status}</Status>
      ),
  },
  {
    label: 'Failing since',
    cell: ({ failingSince }) => (failingSince ? <Time at={failingSince} /> : '–'),
  },
  { label: 'Events', cell: ({ events }) => <span title={events.join(' ')}>{events.length}</span> },
  { label: 'Created', cell: ({ createdAt }) => <Time at={createdAt} as="day" /> },
]
