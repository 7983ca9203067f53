import type { PastPayment } from 'credit-gateway-sdk'
import { gateway } from '../../api.ts'
import { Amount, None } from '../../components/figures.tsx'
import { type Column, List } from '../../components/list.tsx'
import { Money } from '../../components/money.tsx'
import { Card } from '../../components/screen.tsx'
import { Time } from '../../components/time.tsx'
import { useList } from '../../data/read.ts'
import { useFilters } from '../../data/search.ts'
import { nameOf } from './methods.tsx'
import { PayLink } from './packages.tsx'
import { PaymentDrawer } from './payment-drawer.tsx'
import { PaymentState, sources } from './payment-state.tsx'

const columns = (open: (payment: PastPayment) => void): readonly Column<PastPayment>[] => [
  {
    label: 'Payment',
    cell: (payment) => (
      <>
        <button type="button" className="row-link" onClick={() => open(payment)}>
          {payment.description}
        </button>{' '}
        <span className="quiet small">{sources[payment.source]}</span>
      </>
    ),
  },
  {
    label: 'State',
    cell: (payment) => <PaymentState payment={payment} />,
  },
  { label: 'Card', cell: ({ card }) => (card ? nameOf(card) : <None />) },
  { label: 'Time', cell: ({ created_at }) => <Time at={created_at} /> },
  { ...{ label: 'Credits', isRight: true }, cell: ({ credits }) => <Amount value={credits} /> },
  {
    ...{ label: 'Total', isRight: true, onPhone: 'side' },
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
  const { filters, set, replace } = useFilters()
  const open = ({ id }: PastPayment) => set({ ...filters, payment: id })
  const page = useList<PastPayment>(
    ['billing', 'payments'],
    (input, options) => gateway.billing.listPayments(input, options),
    { scopes: ['billing:read'], limit: 10, cursorName: 'payments', isLive: true },
  )
  return (
    <Card title="Payments">
      <List
        {...{ name: 'payments', page, columns: columns(open), onOpen: open }}
        keyOf={({ id }) => id}
        empty="No payments yet."
      />
      {filters.payment !== undefined && (
        <PaymentDrawer
          id={filters.payment}
          onClose={() => replace({ ...filters, payment: undefined })}
        />
      )}
    </Card>
  )
}
