import type { PastPayment } from 'credit-gateway-sdk'
import { gateway } from '../../api.ts'
import { Amount } from '../../components/figures.tsx'
import { type Column, List } from '../../components/list.tsx'
import { Money } from '../../components/money.tsx'
import { Card } from '../../components/screen.tsx'
import { Status, type Tone } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { useList } from '../../data/read.ts'
import { nameOf } from './methods.tsx'
import { PayLink } from './packages.tsx'

const paymentStates: Readonly<Record<PastPayment['status'], readonly [Tone, string]>> = {
  requires_action: ['caution', 'waits for you'],
  pending: ['caution', 'under way'],
  paid: ['good', 'paid'],
  failed: ['alert', 'failed'],
  expired: ['quiet', 'expired'],
}

const sources: Readonly<Record<PastPayment['source'], string>> = {
  ...{ checkout: 'purchase', recharge: 'auto-recharge', renewal: 'renewal', plan: 'plan change' },
}

const columns: readonly Column<PastPayment>[] = [
  {
    label: 'Payment',
    cell: ({ description, source, id }) => (
      <>
        <span title={id}>{description}</span>
        <div className="quiet small">{sources[source]}</div>
      </>
    ),
  },
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
  { label: 'Card', cell: ({ card }) => (card ? nameOf(card) : '–') },
  { label: 'Time', cell: ({ created_at }) => <Time at={created_at} /> },
  { ...{ label: 'Credits', isRight: true }, cell: ({ credits }) => <Amount value={credits} /> },
  {
    ...{ label: 'Total', isRight: true },
    cell: ({ total_cents, tax_cents, currency }) => (
      <>
        <Money cents={total_cents} currency={currency} />
        {tax_cents > 0 && (
          <div className="quiet small">
            with <Money cents={tax_cents} currency={currency} /> tax
          </div>
        )}
      </>
    ),
  },
  {
    ...{ label: '', isRight: true },
    cell: ({ action_url }) => action_url && <PayLink url={action_url} label="Pay" />,
  },
]

/** Every payment, whatever it is for. */
export function Payments() {
  const page = useList<PastPayment>(
    ['billing', 'payments'],
    (input, options) => gateway.billing.listPayments(input, options),
    { scopes: ['billing:read'], limit: 10, cursorName: 'payments', isLive: true },
  )
  return (
    <Card title="Payments">
      <List
        {...{ name: 'payments', page, columns }}
        keyOf={({ id }) => id}
        empty="No payments yet."
      />
    </Card>
  )
}
