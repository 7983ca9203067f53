import type { ListAppOwnersResponses } from 'credit-gateway-sdk'
import { gateway } from '../../api.ts'
import { SpendBar } from '../../components/charts/spend-bar.tsx'
import { type Column, List } from '../../components/list.tsx'
import { Card } from '../../components/screen.tsx'
import { Time } from '../../components/time.tsx'
import { useList } from '../../data/read.ts'
import { creditsText } from '../../format/numbers.ts'
import { useSession } from '../../session/session.tsx'

type Owner = ListAppOwnersResponses[200]['items'][number]

const columns: readonly Column<Owner>[] = [
  {
    label: 'Account',
    cell: (owner) => <Account {...owner} />,
  },
  {
    ...{ label: 'Spent in 30 days', isRight: true },
    cell: ({ spent_credits }) => <span className="amount">{creditsText(spent_credits)}</span>,
  },
  {
    label: 'May spend',
    cell: ({ budgets }) => {
      if (!budgets) return <span className="quiet">Not shown: the app may not read it</span>
      if (budgets.length === 0) return <span className="quiet">No budget</span>
      return budgets.map((budget) => <SpendBar key={budget.period} budget={budget} />)
    },
  },
  { label: 'Allowed', cell: ({ granted_at }) => <Time at={granted_at} as="day" /> },
]

function Account({ account_id, scope }: Owner) {
  const isOwn = useSession().account_id === account_id
  return (
    <>
      {isOwn ? 'This account' : <span className="mono">{account_id}</span>}
      <div className="mono quiet small">{scope}</div>
    </>
  )
}

/** The accounts that let an app in, and what it spent there. */
export function Owners({ clientId }: { readonly clientId: string }) {
  const page = useList<Owner>(
    ['apps', 'owners', clientId],
    (input, options) => gateway.oauthApps.listOwners({ ...input, client_id: clientId }, options),
    { scopes: ['oauth:read'] },
  )
  return (
    <Card title="Accounts that use it">
      <List
        {...{ name: 'accounts that use the app', page, columns }}
        keyOf={({ account_id }) => account_id}
        empty="No account has let this app in yet."
      />
    </Card>
  )
}
