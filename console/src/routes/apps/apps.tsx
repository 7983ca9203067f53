import type { OAuthApp } from 'credit-gateway-sdk'
import { useState } from 'react'
import { gateway } from '../../api.ts'
import { PermittedButton } from '../../components/forms/permitted-button.tsx'
import { Icon } from '../../components/icons.tsx'
import { type Column, List } from '../../components/list.tsx'
import { Card, Screen } from '../../components/screen.tsx'
import { Status } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { useList } from '../../data/read.ts'
import { Consents } from './consents.tsx'
import { RegisterApp } from './register-app.tsx'
import { SuspendApp } from './suspend-app.tsx'

const kinds: Readonly<Record<OAuthApp['application_type'], string>> = {
  ...{ web: 'on a server', native: 'on devices', spa: 'in the browser' },
}

/** The apps that this account has registered, and those that it has authorised. */
export default function Apps() {
  const [isRegistering, setRegistering] = useState(false)
  return (
    <Screen
      title="Apps"
      actions={
        <PermittedButton
          scope="oauth:write"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => setRegistering(true)}
        >
          Register app
        </PermittedButton>
      }
    >
      <div className="cards">
        <OwnApps />
        <Consents />
      </div>
      {isRegistering && <RegisterApp onClose={() => setRegistering(false)} />}
    </Screen>
  )
}

function OwnApps() {
  const [suspending, setSuspending] = useState<OAuthApp | null>(null)
  const page = useList<OAuthApp>(
    ['apps'],
    (input, options) => gateway.oauthApps.list(input, options),
    { scopes: ['oauth:read'] },
  )
  const columns: readonly Column<OAuthApp>[] = [
    {
      label: 'App',
      cell: ({ client_name, client_id }) => (
        <>
          {client_name}
          <div className="mono quiet small">{client_id}</div>
        </>
      ),
    },
    { label: 'Runs', cell: ({ application_type }) => kinds[application_type] },
    {
      label: 'Comes back to',
      cell: ({ redirect_uris }) => (
        <ul className="plain mono small">
          {redirect_uris.map((uri) => (
            <li key={uri}>{uri}</li>
          ))}
        </ul>
      ),
    },
    {
      label: 'State',
      cell: ({ status }) => <Status tone={status === 'active' ? 'good' : 'alert'}>{status}</Status>,
    },
    { label: 'Registered', cell: ({ created_at }) => <Time at={created_at} as="day" /> },
    {
      ...{ label: '', isRight: true },
      cell: (app) =>
        app.status === 'active' && (
          <PermittedButton
            {...{ scope: 'oauth:write', variant: 'default', size: 'xs' }}
            aria-label={`Suspend ${app.client_name}`}
            onClick={() => setSuspending(app)}
          >
            Suspend
          </PermittedButton>
        ),
    },
  ]
  return (
    <Card title="Apps of this account">
      <List
        {...{ name: 'apps', page, columns }}
        keyOf={({ client_id }) => client_id}
        empty="No app yet. Register one to let other accounts use your product with their credits."
      />
      {suspending && <SuspendApp app={suspending} onClose={() => setSuspending(null)} />}
    </Card>
  )
}
