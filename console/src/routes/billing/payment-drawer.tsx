import { Drawer, Title } from '@mantine/core'
import type { PastPayment } from 'credit-gateway-sdk'
import type { ReactNode } from 'react'
import { gateway } from '../../api.ts'
import { Copyable } from '../../components/copy.tsx'
import { Facts } from '../../components/facts.tsx'
import { Amount } from '../../components/figures.tsx'
import { Money } from '../../components/money.tsx'
import { Time } from '../../components/time.tsx'
import { Unread } from '../../components/unread.tsx'
import { useRead } from '../../data/read.ts'
import { gatewayUrl } from '../../place.ts'
import { nameOf } from './methods.tsx'
import { PayLink } from './packages.tsx'
import { PaymentState, sources } from './payment-state.tsx'

interface PaymentDrawerProps {
  readonly id: string
  readonly onClose: () => void
}

/** Everything about one payment. */
export function PaymentDrawer({ id, onClose }: PaymentDrawerProps) {
  const payment = useRead<PastPayment>(
    ['billing', 'payments', id],
    (options) => gateway.billing.getPayment({ payment_id: id }, options),
    { scopes: ['billing:read'], isLive: true },
  )
  return (
    <Drawer opened onClose={onClose} title={<Title order={2}>Payment</Title>}>
      {payment.data ? (
        <div className="stack">
          <Facts facts={factsOf(payment.data)} />
          {payment.data.action_url && <PayLink url={payment.data.action_url} label="Pay" />}
        </div>
      ) : (
        <Unread read={payment} what="the payment" />
      )}
    </Drawer>
  )
}

function factsOf(payment: PastPayment): readonly (readonly [string, ReactNode])[] {
  const { currency, card, invoice_id: invoice, settled_at: settled } = payment
  const money = (cents: number) => <Money cents={cents} currency={currency} />
  return [
    ['For', `${payment.description} (${sources[payment.source]})`],
    ['State', <PaymentState key="state" payment={payment} />],
    ['Credits', <Amount key="credits" value={payment.credits} />],
    ['Price', money(payment.price_cents)],
    ['Tax', money(payment.tax_cents)],
    ['Total', money(payment.total_cents)],
    ...(card ? [['Card', nameOf(card)] as const] : []),
    ['Requested', <Time key="created" at={payment.created_at} />],
    ...(settled ? [['Decided', <Time key="settled" at={settled} />] as const] : []),
    ...(invoice ? [['Invoice', <InvoiceLink key="invoice" id={invoice} />] as const] : []),
    ['Payment ID', <Copyable key="id" text={payment.id} what="payment id" />],
  ]
}

function InvoiceLink({ id }: { readonly id: string }) {
  return (
    <a href={`${gatewayUrl}/v1/billing/invoices/${id}.pdf`} target="_blank" rel="noreferrer">
      PDF
    </a>
  )
}
