import type { Checkout } from 'credit-gateway-sdk'
import { gateway } from '../../api.ts'
import { Amount } from '../../components/figures.tsx'
import { type Column, List } from '../../components/list.tsx'
import { Money } from '../../components/money.tsx'
import { Card } from '../../components/screen.tsx'
import { Status, type Tone } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { useList } from '../../data/read.ts'
import { PayLink } from './packages.tsx'

const paymentStates: Readonly<Record<Checkout['status'], readonly [Tone, string]>> = {
  requires_action: ['caution', 'waits for you'],
  pending: ['caution', 'under way'],
  paid: ['good', 'paid'],
  failed: ['alert', 'failed'],
  expired: ['quiet', 'expired'],
}

const columns: readonly Column<Checkout>[] = [
  { label: 'Payment', cell: ({ id }) => <span className="mono small">{id}</span> },
  {
    label: 'State',
    cell: ({ status, failure_reason, refunded_cents, currency }) => (
      <>
        <Status tone={paymentStates[status][0]}>{paymentStates[status][1]}</Status>
        {failure_reason && <div className="quiet small">{failure_reason}</div>}
        {refunded_cents > 0 && (
          <div className="quiet small">
            <Money cents={refunded_cents} currency={currency} /> refunded
          </div>
        )}
      </>
    ),
  },
  { label: 'Time', cell: ({ created_at }) => <Time at={created_at} /> },
  { ...{ label: 'Credits', isRight: true }, cell: ({ credits }) => <Amount value={credits} /> },
  {
    ...{ label: 'Total', isRight: true },
    cell: ({ total_cents, currency }) => <Money cents={total_cents} currency={currency} />,
  },
  {
    ...{ label: '', isRight: true },
    cell: ({ action_url }) => action_url && <PayLink url={action_url} label="Pay" />,
  },
]

/** Purchases, and the state of each. */
export function Payments() {
  const page = useList<Checkout>(
    ['billing', 'payments'],
    (input, options) => gateway.billing.listCheckouts(input, options),
    { scopes: ['billing:read'], limit: 10, cursorName: 'payments', isLive: true },
  )
  return (
    <Card title="Payments">
      <List
        {...{ name: 'payments', page, columns }}
        keyOf={({ id }) => id}
        empty="Nothing was bought yet."
      />
    </Card>
  )
}
