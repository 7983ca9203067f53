import { Group } from '@mantine/core'
import type { GrantedConsent } from 'credit-gateway-sdk'
import { useState } from 'react'
import { quotable } from '../../../../schema/vocabulary/claimed-name.ts'
import { gateway } from '../../api.ts'
import { SpendBar } from '../../components/charts/spend-bar.tsx'
import { PermittedButton } from '../../components/forms/permitted-button.tsx'
import { type Column, List } from '../../components/list.tsx'
import { Card } from '../../components/screen.tsx'
import { Status } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { useList } from '../../data/read.ts'
import { nameOf } from '../../format/app-name.ts'
import { ChangeBudgets, WithdrawConsent } from './consent-dialogs.tsx'

interface Opened {
  readonly dialog: 'budgets' | 'withdraw'
  readonly consent: GrantedConsent
}

/** The apps that may act for this account, and the budgets of each. */
export function Consents() {
  const [opened, setOpened] = useState<Opened | null>(null)
  const page = useList<GrantedConsent>(
    ['consents'],
    (input, options) => gateway.oauthApps.listConsents(input, options),
    { scopes: ['oauth:read'], cursorName: 'granted', isLive: true },
  )
  const columns: readonly Column<GrantedConsent>[] = [
    {
      label: 'App',
      cell: ({ client_name, client_id, origin, document_host }) => (
        <>
          {origin ? <Unverified name={client_name} host={document_host} /> : client_name}
          <div className="mono quiet small">{client_id}</div>
        </>
      ),
    },
    // Before the scopes, which may fill the second line of a phone.
    {
      label: 'Spent',
      cell: ({ budgets }) =>
        budgets.length === 0 ? (
          <span className="quiet">No budget: all credits of the account</span>
        ) : (
          budgets.map((budget) => <SpendBar key={budget.period} budget={budget} />)
        ),
    },
    {
      label: 'May',
      cell: ({ scope }) => (
        <span className="mono small">{scope === '' ? 'only sign in' : scope}</span>
      ),
    },
    { label: 'Granted', cell: ({ granted_at }) => <Time at={granted_at} as="day" /> },
    {
      ...{ label: '', isRight: true },
      cell: (consent) => (
        <Group gap="xs" wrap="nowrap" justify="flex-end">
          <PermittedButton
            {...{ scope: 'oauth:write', variant: 'default', size: 'xs' }}
            aria-label={`Budget of ${nameOf(consent)}`}
            onClick={() => setOpened({ dialog: 'budgets', consent })}
          >
            Budget
          </PermittedButton>
          <PermittedButton
            {...{ scope: 'oauth:write', variant: 'default', size: 'xs', c: 'red' }}
            aria-label={`Withdraw access of ${nameOf(consent)}`}
            onClick={() => setOpened({ dialog: 'withdraw', consent })}
          >
            Withdraw
          </PermittedButton>
        </Group>
      ),
    },
  ]
  const Dialog = opened?.dialog === 'budgets' ? ChangeBudgets : WithdrawConsent
  return (
    <Card title="Apps with access to your account">
      <List
        {...{ name: 'granted consents', page, columns }}
        keyOf={({ client_id }) => client_id}
        empty="No app may act for this account. People who sign in to an app with this account are asked first."
      />
      {opened && <Dialog consent={opened.consent} onClose={() => setOpened(null)} />}
    </Card>
  )
}

interface UnverifiedProps {
  /** As the app calls itself. */
  readonly name: string
  /** Of the document that describes it; undefined: it registered itself. */
  readonly host: string | undefined
}

/** The name of an app that nobody has verified proves nothing, so its host comes first. */
function Unverified({ name, host }: UnverifiedProps) {
  return (
    <div className="unverified">
      <div className="host">{host ?? 'An app that registered itself'}</div>
      <Group gap="xs" wrap="nowrap">
        <Status tone="caution">unverified</Status>
        <span className="small">
          “<bdi>{quotable(name)}</bdi>”
        </span>
      </Group>
    </div>
  )
}
