import type { ReactNode } from 'react'
import { gateway } from '../../api.ts'
import { Amount } from '../../components/figures.tsx'
import { Card, Screen } from '../../components/screen.tsx'
import { Unread } from '../../components/unread.tsx'
import { useRead } from '../../data/read.ts'
import { AccountBudgets } from './account-budgets.tsx'
import { Ledger } from './ledger.tsx'
import { Lots } from './lots.tsx'

export default function Credits() {
  return (
    <Screen title="Credits">
      <div className="cards">
        <Card title="Balance">
          <Balance />
        </Card>
        <AccountBudgets />
        <Lots />
        <Ledger />
      </div>
    </Screen>
  )
}

function Balance() {
  const balance = useRead(
    ['credits', 'balance'],
    (options) => gateway.account.getCredits({}, options),
    { scopes: ['account:read'], isLive: true },
  )
  const { data } = balance
  if (!data) return <Unread read={balance} what="the balance" />
  return (
    <dl className="stats">
      <Stat name="Available" note="ready to spend">
        <Amount value={data.available} />
      </Stat>
      <Stat name="Held" note="in progress">
        <Amount value={data.held} />
      </Stat>
      <Stat name="Balance" note="available and held">
        <Amount value={data.balance} />
      </Stat>
    </dl>
  )
}

interface StatProps {
  readonly name: string
  readonly note: string
  readonly children: ReactNode
}

function Stat({ name, note, children }: StatProps) {
  return (
    <div className="stat">
      <dt>{name}</dt>
      <dd>{children}</dd>
      <dd className="note">{note}</dd>
    </div>
  )
}
