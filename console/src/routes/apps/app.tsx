import { Group } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import type { OAuthApp } from 'credit-gateway-sdk'
import { useState } from 'react'
import { gateway } from '../../api.ts'
import { Copyable } from '../../components/copy.tsx'
import { Facts } from '../../components/facts.tsx'
import { PermittedButton } from '../../components/forms/permitted-button.tsx'
import { Icon } from '../../components/icons.tsx'
import { MadeBy } from '../../components/made-by.tsx'
import { Card, Screen } from '../../components/screen.tsx'
import { Status } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { Unread } from '../../components/unread.tsx'
import { useRead } from '../../data/read.ts'
import { kinds } from './app-kinds.ts'
import { ChangeApp } from './change-app.tsx'
import { Owners } from './owners.tsx'
import { RotateSecret } from './rotate-secret.tsx'
import { SuspendApp } from './suspend-app.tsx'

/** One app of this account: what it is, and who has let it in. */
export default function App() {
  const { clientId = '' }: { clientId?: string } = useParams({ strict: false })
  const app = useRead<OAuthApp>(
    ['apps', 'one', clientId],
    (options) => gateway.oauthApps.get({ client_id: clientId }, options),
    { scopes: ['oauth:read'], isLive: true, everyMs: 15_000 },
  )
  if (app.data) return <AppScreen app={app.data} />
  return (
    <Screen title="App">
      <AllApps />
      <Card>
        <Unread read={app} what="the app" />
      </Card>
    </Screen>
  )
}

type Open = 'change' | 'rotate' | 'suspend' | null

const dialogs = { change: ChangeApp, rotate: RotateSecret, suspend: SuspendApp } as const

function AppScreen({ app }: { readonly app: OAuthApp }) {
  const [open, setOpen] = useState<Open>(null)
  const Dialog = open && dialogs[open]
  const isActive = app.status === 'active'
  const hasSecret = app.token_endpoint_auth_method !== 'none'
  const act = (name: NonNullable<Open>, label: string, color?: string) => (
    <PermittedButton
      {...{ scope: 'oauth:write', variant: 'default', size: 'xs', ...(color && { c: color }) }}
      onClick={() => setOpen(name)}
    >
      {label}
    </PermittedButton>
  )
  return (
    <Screen title={app.client_name}>
      <AllApps />
      <div className="cards">
        <Card
          title="Registration"
          actions={
            isActive && (
              <Group gap="xs">
                {act('change', 'Edit')}
                {hasSecret && act('rotate', 'Rotate secret')}
                {act('suspend', 'Suspend', 'red')}
              </Group>
            )
          }
        >
          <div className="card-body">
            <Facts facts={factsOf(app)} />
          </div>
        </Card>
        <Owners clientId={app.client_id} />
      </div>
      {Dialog && <Dialog app={app} onClose={() => setOpen(null)} />}
    </Screen>
  )
}

function AllApps() {
  return (
    <Link to="/apps" className="link crumb">
      <Icon name="previous" size={12} /> All apps
    </Link>
  )
}

function factsOf(app: OAuthApp): React.ComponentProps<typeof Facts>['facts'] {
  const { status, scope, redirect_uris, created_at, require_pkce } = app
  return [
    [
      'State',
      <Status key="state" tone={status === 'active' ? 'good' : 'alert'}>
        {status}
      </Status>,
    ],
    ['Client ID', <Copyable key="id" text={app.client_id} what="client id" />],
    ['Secret', <Secret key="secret" app={app} />],
    ['Runs', kinds[app.application_type]],
    ['PKCE', require_pkce ? 'required' : 'optional'],
    [
      'Redirects to',
      <ul key="uris" className="plain mono small">
        {redirect_uris.map((uri) => (
          <li key={uri}>{uri}</li>
        ))}
      </ul>,
    ],
    [
      'May ask for',
      <span key="scope" className="mono small">
        {scope}
      </span>,
    ],
    ...(app.client_uri ? [['Home page', app.client_uri] as const] : []),
    ...(app.policy_uri ? [['Privacy policy', app.policy_uri] as const] : []),
    ...(app.tos_uri ? [['Terms of service', app.tos_uri] as const] : []),
    ['Registered', <Time key="created" at={created_at} />],
    ['Registered by', <MadeBy key="maker" maker={app.created_by} />],
  ]
}

/** Whether two secrets work for the moment. */
function Secret({ app }: { readonly app: OAuthApp }) {
  const { token_endpoint_auth_method: method, previous_secret_expires_at: until } = app
  if (method === 'none') return 'none: each sign-in proves itself by PKCE'
  if (!until) return 'one secret works'
  return (
    <span role="status">
      <Status tone="caution">two secrets work</Status> The previous one works until{' '}
      <Time at={until} />
    </span>
  )
}
