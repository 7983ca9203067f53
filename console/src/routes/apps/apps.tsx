import { Link, useNavigate } from '@tanstack/react-router'
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
import { kinds } from './app-kinds.ts'
import { Consents } from './consents.tsx'
import { RegisterApp } from './register-app.tsx'
import { SuspendApp } from './suspend-app.tsx'

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
  const navigate = useNavigate()
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
          <Link to={`/apps/${client_id}`} className="row-link">
            {client_name}
          </Link>
          <div className="mono quiet small">{client_id}</div>
        </>
      ),
    },
    // Before the addresses, which may fill the second line of a phone.
    {
      label: 'State',
      cell: ({ status }) => <Status tone={status === 'active' ? 'good' : 'alert'}>{status}</Status>,
    },
    { label: 'Runs', cell: ({ application_type }) => kinds[application_type] },
    {
      label: 'Redirects to',
      cell: ({ redirect_uris }) => (
        <ul className="plain mono small">
          {redirect_uris.map((uri) => (
            <li key={uri}>{uri}</li>
          ))}
        </ul>
      ),
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
        onOpen={({ client_id }) => void navigate({ to: `/apps/${client_id}` })}
        empty="No app yet. Register one to let other accounts use your product with their credits."
      />
      {suspending && <SuspendApp app={suspending} onClose={() => setSuspending(null)} />}
    </Card>
  )
}
