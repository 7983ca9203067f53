import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { ApiKey, ExternalId } from 'credit-gateway-sdk'
import type { ReactNode } from 'react'
import { acting, gateway, queries } from '../../api.ts'
import { AccountLayer } from '../../components/budgets/budget-layers.tsx'
import { BudgetsCard } from '../../components/budgets/budgets.tsx'
import { Amount } from '../../components/figures.tsx'
import { Icon } from '../../components/icons.tsx'
import { List } from '../../components/list.tsx'
import { Card, Screen } from '../../components/screen.tsx'
import { Time } from '../../components/time.tsx'
import { Unread } from '../../components/unread.tsx'
import { useCredits } from '../../data/charges.ts'
import { useList } from '../../data/read.ts'
import { useCustomer } from '../../data/spenders.ts'
import { CreateKey } from '../keys/create-key.tsx'
import { keyColumns } from '../keys/key-columns.tsx'
import { Failures } from '../logs/error-groups.tsx'
import { SpendOf } from '../usage/spend-of.tsx'

/** One customer: what it spends, may spend, and what fails. */
export default function Customer() {
  const { externalId: id = '' }: { externalId?: string } = useParams({ strict: false })
  useCredits()
  const customer = useCustomer(id)
  const navigate = useNavigate()
  return (
    <Screen title={id} actions={<CreateKey customer={id} />}>
      <div className="stack">
        <Link to="/customers" className="link crumb">
          <Icon name="previous" size={12} /> All customers
        </Link>
        {customer.data ? (
          <>
            <Facts customer={customer.data} />
            <BudgetsCard
              {...{ title: 'Budgets', scope: 'keys:write', budgets: customer.data.budgets }}
              note={`All keys of ${id} share them.`}
              save={async (budgets) => {
                await acting.account.changeExternalIdBudgets({ external_id: id, budgets })
                await queries.invalidateQueries({ queryKey: ['external-ids'] })
              }}
            >
              <AccountLayer />
            </BudgetsCard>
          </>
        ) : (
          <Card>
            <Unread read={customer} what="the customer" />
          </Card>
        )}
        <SpendOf caller={{ customer: id }} who="This customer" />
        <Keys id={id} />
        <Card
          title="Errors of the last 7 days"
          actions={
            <Link to="/logs" search={{ customer: id, view: 'errors' } as never}>
              Logs
            </Link>
          }
        >
          <Failures
            asked={{ external_id: id }}
            onOpen={(request) =>
              void navigate({ to: '/logs', search: { customer: id, request } as never })
            }
          />
        </Card>
      </div>
    </Screen>
  )
}

function Facts({ customer }: { readonly customer: ExternalId }) {
  const { credits_this_month: credits, keys, last_used_at: at } = customer
  const shown: readonly (readonly [string, ReactNode, string])[] = [
    ['Spent this month', <Amount key="spent" value={credits} />, 'credits'],
    ['Keys', <Amount key="keys" value={keys} />, 'that have not ended'],
    ['Last call', at ? <Time key="last" at={at} as="relative" /> : 'never', 'with any key'],
  ]
  return (
    <dl className="card stats">
      {shown.map(([name, value, note]) => (
        <div className="stat" key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          <dd className="note">{note}</dd>
        </div>
      ))}
    </dl>
  )
}

/** All of these keys have the same customer. */
const columns = keyColumns.filter(({ label }) => label !== 'Customer')

function Keys({ id }: { readonly id: string }) {
  const navigate = useNavigate()
  const page = useList<ApiKey>(
    ['keys', 'customer', id],
    (input, options) => gateway.keys.list({ external_id: id, ...input }, options),
    { scopes: ['keys:read'], cursorName: 'keys' },
  )
  return (
    <Card title="API keys">
      <List<ApiKey>
        {...{ name: 'API keys', page, columns, keyOf: (key) => key.id }}
        onOpen={(key) => void navigate({ to: '/keys/$keyId', params: { keyId: key.id } as never })}
        empty="This customer has no keys. Create one."
      />
    </Card>
  )
}
