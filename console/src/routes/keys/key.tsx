import { Link, useParams } from '@tanstack/react-router'
import type { ApiKey } from 'credit-gateway-sdk'
import type { ReactNode } from 'react'
import { gateway } from '../../api.ts'
import { SpendBar } from '../../components/charts/spend-bar.tsx'
import { Copyable } from '../../components/copy.tsx'
import { Facts as FactList } from '../../components/facts.tsx'
import { Loading } from '../../components/list.tsx'
import { NoPermission, ProblemNotice } from '../../components/problem.tsx'
import { Card, Screen } from '../../components/screen.tsx'
import { Time } from '../../components/time.tsx'
import { useCredits } from '../../data/charges.ts'
import { useRead } from '../../data/read.ts'
import { useSession } from '../../session/session.tsx'
import { KeyActions } from './key-actions.tsx'
import { KeyState } from './key-state.tsx'
import { KeyUsage } from './key-usage.tsx'

export default function Key() {
  const { role } = useSession()
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
        <Link to="/keys" className="small">
          All API keys
        </Link>
        {key.missing && <NoPermission scopes={key.missing} role={role} />}
        {key.error && <ProblemNotice error={key.error} retry={() => void key.refetch()} />}
        {key.isLoading && <Loading what="the key" />}
        {key.data && <Facts apiKey={key.data} />}
        {key.data && key.data.budgets.length > 0 && (
          <Card title="Budgets">
            <div className="card-body stack">
              {key.data.budgets.map((budget) => (
                <SpendBar key={budget.period} budget={budget} />
              ))}
            </div>
          </Card>
        )}
        {key.data && <KeyUsage id={keyId} />}
      </div>
    </Screen>
  )
}

function Facts({ apiKey }: { readonly apiKey: ApiKey }) {
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['Status', <KeyState key="state" apiKey={apiKey} />],
    ['Key', <span key="key" className="mono">{`${apiKey.prefix}…${apiKey.last4}`}</span>],
    ['Id', <Copyable key="id" text={apiKey.id} what="key id" />],
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
    ...(apiKey.revoked_at
      ? [['Revoked', <Time key="revoked" at={apiKey.revoked_at} />] as const]
      : []),
    ...(apiKey.external_id ? [['External id', apiKey.external_id] as const] : []),
    ...(apiKey.replaced_by ? [['Replaced by', replacedBy(apiKey.replaced_by)] as const] : []),
  ]
  return (
    <Card>
      <div className="card-body">
        <FactList facts={facts} />
      </div>
    </Card>
  )
}

function replacedBy(id: string) {
  return (
    <Link to="/keys/$keyId" params={{ keyId: id } as never} className="mono">
      {id}
    </Link>
  )
}
