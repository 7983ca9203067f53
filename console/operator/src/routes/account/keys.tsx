import { useState } from 'react'
import { type Column, List } from '../../../../src/components/list.tsx'
import { Card } from '../../../../src/components/screen.tsx'
import { Status } from '../../../../src/components/status.tsx'
import { Time } from '../../../../src/components/time.tsx'
import { RevokeKeyButton } from '../../acts/revoke-key.tsx'
import { Dash } from '../../components/dash.tsx'
import { useAsked, wholeList } from '../../data/read.ts'
import { useMay } from '../../data/role.ts'
import type { ApiKey } from '../../data/shown.ts'
import { useWhere } from '../../data/where.ts'
import { BudgetBars } from './budget-bars.tsx'

/** The keys of the account in the chosen environment, as their holder sees them. */
export function Keys() {
  const { id, inLog } = useWhere()
  const may = useMay()
  const [isAll, setAll] = useState(false)
  const read = useAsked('AccountKeys', { id })
  const keys = read.data?.apiKeys.filter(({ environment }) => environment === inLog)
  const shown = keys?.filter(({ status }) => isAll || status === 'active')
  const hidden = (keys?.length ?? 0) - (shown?.length ?? 0)
  return (
    <Card title="API keys">
      <List
        {...{ name: 'API keys', page: wholeList(read, shown), keyOf: ({ id: key }: ApiKey) => key }}
        columns={may('revokeKey') ? [...columns, revoking] : columns}
        empty="No key is accepted."
      />
      {hidden > 0 && (
        <div className="card-body">
          <button type="button" className="row-link link" onClick={() => setAll(true)}>
            Show {hidden} that ended
          </button>
        </div>
      )}
    </Card>
  )
}

const columns: readonly Column<ApiKey>[] = [
  { label: 'Name', cell: ({ name }) => <b>{name}</b> },
  {
    label: 'Key',
    cell: ({ prefix, last4 }) => (
      <span className="mono amount">
        {prefix}…{last4}
      </span>
    ),
  },
  { label: 'Status', cell: (key) => <KeyState apiKey={key} /> },
  {
    label: 'Customer',
    cell: ({ externalId }) => (externalId ? <span className="host">{externalId}</span> : <Dash />),
  },
  {
    label: 'Scopes',
    cell: ({ scopes }) => (
      <span title={scopes.join(' ')}>
        {scopes.includes('*')
          ? 'everything'
          : scopes.length === 1
            ? scopes[0]
            : `${scopes.length} scopes`}
      </span>
    ),
  },
  {
    label: 'Budget',
    cell: ({ budgets }) => (budgets.length > 0 ? <BudgetBars budgets={budgets} /> : <Dash />),
  },
  {
    label: 'Last used',
    cell: ({ lastUsedAt: at }) =>
      at ? <Time at={at} as="relative" /> : <span className="quiet">never</span>,
  },
  { label: 'Created', cell: ({ createdAt }) => <Time at={createdAt} as="day" /> },
]

const revoking: Column<ApiKey> = {
  ...{ label: '', isRight: true },
  cell: (key) => key.status === 'active' && <RevokeKeyButton apiKey={key} />,
}

/** Whether a key is accepted. */
function KeyState({ apiKey: { status, enabled } }: { readonly apiKey: ApiKey }) {
  if (status === 'revoked') return <Status tone="alert">revoked</Status>
  if (status === 'expired') return <Status tone="quiet">expired</Status>
  return enabled ? <Status tone="good">active</Status> : <Status tone="caution">disabled</Status>
}
