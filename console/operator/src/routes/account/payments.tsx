import { Amount } from '../../../../src/components/figures.tsx'
import { type Column, List } from '../../../../src/components/list.tsx'
import { Money } from '../../../../src/components/money.tsx'
import { Card } from '../../../../src/components/screen.tsx'
import { Status, type Tone } from '../../../../src/components/status.tsx'
import { Time } from '../../../../src/components/time.tsx'
import { RefundPaymentButton } from '../../acts/refund-payment.tsx'
import type { Body } from '../../api.ts'
import { useAskedPage } from '../../data/read.ts'
import { useMay } from '../../data/role.ts'
import type { Payment } from '../../data/shown.ts'
import { stateOf, useWhere } from '../../data/where.ts'
import { Recharge } from './recharge.tsx'

type Invoice = NonNullable<Body<'AccountInvoices'>>['invoices']['nodes'][number]

const tones: Readonly<Record<string, Tone>> = {
  ...{ paid: 'good', failed: 'alert', expired: 'quiet' },
}

/** Every payment with what was returned or disputed of it, the invoices, and automatic recharging. */
export function Payments() {
  const state = stateOf(useWhere())
  const may = useMay()
  const page = useAskedPage('AccountPayments', state, (body) => body?.payments, {
    cursorName: 'payments',
    isLive: true,
  })
  const invoices = useAskedPage('AccountInvoices', state, (body) => body?.invoices, {
    cursorName: 'invoices',
  })
  return (
    <>
      <Card title="Payments">
        <List
          {...{ name: 'payments', page, keyOf: ({ id }: Payment) => id }}
          columns={may('refundPayment') ? [...besideAct, refunding] : columns}
          empty="No payments yet."
        />
      </Card>
      <Recharge />
      <Card title="Invoices">
        <List
          {...{ name: 'invoices', page: invoices, columns: invoiceColumns }}
          keyOf={({ id }) => id}
          empty="No invoices yet."
        />
      </Card>
    </>
  )
}

const columns: readonly Column<Payment>[] = [
  {
    label: 'Payment',
    cell: ({ id, providerReference }) => (
      <span className="mono" title={providerReference ?? undefined}>
        {id}
      </span>
    ),
  },
  {
    label: 'State',
    cell: ({ status, failureReason }) => (
      <>
        <Status tone={tones[status] ?? 'caution'}>{status}</Status>
        {failureReason && <div className="quiet small">{failureReason}</div>}
      </>
    ),
  },
  {
    ...{ label: 'Total', isRight: true, onPhone: 'side' },
    cell: ({ totalCents, currency }) => <Money cents={totalCents} currency={currency} />,
  },
  {
    label: 'Credits',
    isRight: true,
    onPhone: 'line',
    cell: ({ credits }) => <Amount value={credits} />,
  },
  { label: 'Returned', cell: (payment) => <Returned payment={payment} /> },
  {
    label: 'For',
    cell: ({ kind, provider }) =>
      `${kind.replaceAll('_', ' ')}${provider ? ` by ${provider}` : ''}`,
  },
  { label: 'Time', cell: ({ createdAt }) => <Time at={createdAt} /> },
]

/** On a phone the act is at the end of the first line, and the total is in the second. */
const besideAct = columns.map((column): Column<Payment> => {
  return column.onPhone === 'side' ? { ...column, onPhone: 'line' } : column
})

/** Refunds and disputes of a payment. */
function Returned({ payment }: { readonly payment: Payment }) {
  const { refunds, disputes, currency } = payment
  if (refunds.length + disputes.length === 0) return '–'
  return (
    <>
      {refunds.map(({ id, status, amountCents }) => (
        <div key={id} className="small">
          <Money cents={amountCents} currency={currency} /> refund {status}
        </div>
      ))}
      {disputes.map(({ id, status, amountCents, hasFunds }) => (
        <div key={id} className="small">
          <Money cents={amountCents} currency={currency} /> dispute {status}
          {hasFunds && ', funds withdrawn'}
        </div>
      ))}
    </>
  )
}

const refunding: Column<Payment> = {
  ...{ label: '', isRight: true, onPhone: 'side' },
  cell: (payment) =>
    payment.status === 'paid' &&
    payment.refundedCents < payment.totalCents && <RefundPaymentButton payment={payment} />,
}

const invoiceColumns: readonly Column<Invoice>[] = [
  {
    label: 'Invoice',
    cell: ({ number, description }) => (
      <>
        <b>{number}</b> <span className="quiet">{description}</span>
      </>
    ),
  },
  {
    label: 'State',
    cell: ({ type, status }) =>
      type === 'credit_note' ? (
        <Status tone="quiet">credit note</Status>
      ) : (
        <Status tone={status === 'paid' ? 'good' : 'caution'}>{status}</Status>
      ),
  },
  { label: 'Time', cell: ({ createdAt }) => <Time at={createdAt} as="day" /> },
  {
    ...{ label: 'Total', isRight: true },
    cell: ({ totalCents, currency }) => <Money cents={totalCents} currency={currency} />,
  },
]
