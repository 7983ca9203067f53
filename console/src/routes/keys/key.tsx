import { Link, useParams } from '@tanstack/react-router'
import type { ApiKey } from 'credit-gateway-sdk'
import type { ReactNode } from 'react'
import { gateway } from '../../api.ts'
import { Copyable } from '../../components/copy.tsx'
import { CustomerLink } from '../../components/customer-link.tsx'
import { Facts as FactList } from '../../components/facts.tsx'
import { Icon } from '../../components/icons.tsx'
import { KeyLink } from '../../components/key-link.tsx'
import { Loading } from '../../components/list.tsx'
import { MadeBy } from '../../components/made-by.tsx'
import { NoPermission, ProblemNotice } from '../../components/problem.tsx'
import { Card, Screen } from '../../components/screen.tsx'
import { Time } from '../../components/time.tsx'
import { useCredits } from '../../data/charges.ts'
import { useRead } from '../../data/read.ts'
import { SpendOf } from '../usage/spend-of.tsx'
import { KeyActions } from './key-actions.tsx'
import { KeyBudgets } from './key-budgets.tsx'
import { KeyState } from './key-state.tsx'

export default function Key() {
  const { keyId = '' }: { keyId?: string } = useParams({ strict: false })
  useCredits()
  const key = useRead<ApiKey>(
    ['keys', 'one', keyId],
    (options) => gateway.keys.get({ key_id: keyId }, options),
    { scopes: ['keys:read'], isLive: true, everyMs: 15_000 },
  )
  return (
    <Screen
      title={key.data?.name ?? 'API key'}
      actions={key.data && <KeyActions apiKey={key.data} />}
    >
      <div className="stack">
        <Link to="/keys" className="link crumb">
          <Icon name="previous" size={12} /> All API keys
        </Link>
        {key.missing && <NoPermission {...key.missing} />}
        {key.error && <ProblemNotice error={key.error} retry={() => void key.refetch()} />}
        {key.isLoading && <Loading what="the key" />}
        {key.data && <Facts apiKey={key.data} />}
        {key.data && <KeyBudgets apiKey={key.data} />}
        {key.data && <SpendOf caller={{ key: keyId }} who="This key" />}
      </div>
    </Screen>
  )
}

function Facts({ apiKey }: { readonly apiKey: ApiKey }) {
  const metadata = Object.entries(apiKey.metadata)
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['Status', <KeyState key="state" apiKey={apiKey} />],
    ['Key', <span key="key" className="mono">{`${apiKey.prefix}…${apiKey.last4}`}</span>],
    ['ID', <Copyable key="id" text={apiKey.id} what="key id" />],
    [
      'Customer',
      apiKey.external_id ? <CustomerLink key="customer" id={apiKey.external_id} /> : 'none',
    ],
    ['Scopes', apiKey.scopes.includes('*') ? 'everything (*)' : apiKey.scopes.join(', ')],
    [
      'Allowed addresses',
      apiKey.ip_allowlist.length === 0 ? (
        'all'
      ) : (
        <span className="mono">{apiKey.ip_allowlist.join(', ')}</span>
      ),
    ],
    ['Expires', apiKey.expires_at ? <Time key="expires" at={apiKey.expires_at} /> : 'never'],
    [
      'Last used',
      apiKey.last_used_at ? <Time key="used" at={apiKey.last_used_at} as="relative" /> : 'never',
    ],
    ['Created', <Time key="created" at={apiKey.created_at} />],
    ['Created by', <MadeBy key="maker" maker={apiKey.created_by} />],
    ...(apiKey.revoked_at
      ? [['Revoked', <Time key="revoked" at={apiKey.revoked_at} />] as const]
      : []),
    ...(metadata.length > 0 ? [['Metadata', metadata.map(metadataLine)] as const] : []),
    ...(apiKey.replaced_by
      ? [['Replaced by', <KeyLink key="next" id={apiKey.replaced_by} />] as const]
      : []),
  ]
  return (
    <Card>
      <div className="card-body">
        <FactList facts={facts} />
      </div>
    </Card>
  )
}

function metadataLine([name, text]: readonly [string, unknown]) {
  return (
    <div key={name} className="host">
      <span className="quiet">{name}:</span> {String(text)}
    </div>
  )
}
