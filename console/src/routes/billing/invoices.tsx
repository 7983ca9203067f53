import type { Invoice } from 'credit-gateway-sdk'
import { gateway } from '../../api.ts'
import { Amount } from '../../components/figures.tsx'
import { type Column, List } from '../../components/list.tsx'
import { Money } from '../../components/money.tsx'
import { Card } from '../../components/screen.tsx'
import { Status, type Tone } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { useList } from '../../data/read.ts'
import { gatewayUrl } from '../../place.ts'

const tones: Readonly<Record<Invoice['status'], Tone>> = {
  ...{ paid: 'good', open: 'caution', void: 'quiet' },
}

const columns: readonly Column<Invoice>[] = [
  {
    label: 'Number',
    cell: ({ number, type }) => (
      <>
        <span className="mono">{number}</span>
        {type === 'credit_note' && <div className="quiet small">credit note</div>}
      </>
    ),
  },
  { label: 'For', cell: ({ description }) => description },
  { label: 'State', cell: ({ status }) => <Status tone={tones[status]}>{status}</Status> },
  { label: 'Date', cell: ({ created_at }) => <Time at={created_at} as="day" /> },
  { ...{ label: 'Credits', isRight: true }, cell: ({ credits }) => <Amount value={credits} /> },
  {
    ...{ label: 'Total', isRight: true, onPhone: 'side' },
    cell: ({ total_cents, currency }) => <Money cents={total_cents} currency={currency} />,
  },
  {
    ...{ label: '', isRight: true },
    // The browser opens the PDF itself, with the cookie of the session.
    cell: ({ id, number }) => (
      <a
        href={`${gatewayUrl}/v1/billing/invoices/${id}.pdf`}
        aria-label={`PDF of ${number}`}
        target="_blank"
        rel="noreferrer"
      >
        PDF
      </a>
    ),
  },
]

/** Invoices and credit notes, newest first. */
export function Invoices() {
  const page = useList<Invoice>(
    ['billing', 'invoices'],
    (input, options) => gateway.billing.listInvoices(input, options),
    { scopes: ['billing:read'], limit: 10, cursorName: 'invoices' },
  )
  return (
    <Card title="Invoices">
      <List
        {...{ name: 'invoices', page, columns }}
        keyOf={({ id }) => id}
        empty="No invoice yet. Each purchase has one."
      />
    </Card>
  )
}
