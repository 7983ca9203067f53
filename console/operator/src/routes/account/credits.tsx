import { Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { LedgerEntryKind } from '../../../../../schema/generated/operator-operations.ts'
import { Amount } from '../../../../src/components/figures.tsx'
import { type Column, List } from '../../../../src/components/list.tsx'
import { Card } from '../../../../src/components/screen.tsx'
import { Status, type Tone } from '../../../../src/components/status.tsx'
import { Time } from '../../../../src/components/time.tsx'
import { RefundChargeButton } from '../../acts/refund-charge.tsx'
import type { Body } from '../../api.ts'
import { Dash } from '../../components/dash.tsx'
import { useAskedPage } from '../../data/read.ts'
import { useMay } from '../../data/role.ts'
import { stateOf, useWhere } from '../../data/where.ts'
import { Spend } from './spend.tsx'

type Entry = NonNullable<Body<'AccountLedger'>>['ledger']['nodes'][number]
type Lot = NonNullable<Body<'AccountLots'>>['lots']['nodes'][number]

const tones: Readonly<Record<LedgerEntryKind, Tone>> = {
  ...{ grant: 'good', purchase: 'good', allowance: 'good', reinstatement: 'good' },
  ...{ refund: 'good', charge: 'quiet', adjustment: 'caution' },
  ...{ expiry: 'caution', clawback: 'alert' },
}

/** The ledger of the account, and the credits that are left of each grant and purchase. */
export function Credits() {
  return (
    <>
      <Spend />
      <Ledger />
      <Lots />
    </>
  )
}

function Ledger() {
  const where = useWhere()
  const may = useMay()
  const page = useAskedPage('AccountLedger', stateOf(where), (body) => body?.ledger, {
    isLive: true,
  })
  // A refund of a charge is of the live environment; the sandbox spends nothing.
  const isRefundable = may('refundCharge') && where.environment === 'LIVE'
  return (
    <Card title="Ledger">
      <List
        {...{ name: 'ledger entries', page, keyOf: ({ id }: Entry) => id }}
        columns={isRefundable ? [...besideAct, refunding(where.id)] : columns}
        empty="There are no entries yet."
      />
    </Card>
  )
}

const columns: readonly Column<Entry>[] = [
  { label: 'Time', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { label: 'Kind', cell: ({ kind }) => <Status tone={tones[kind]}>{kind}</Status> },
  { label: 'What', onPhone: 'title', cell: ({ description }) => description },
  {
    ...{ label: 'Credits', isRight: true, onPhone: 'side' },
    cell: ({ credits }) => <Amount value={credits} isSigned />,
  },
  {
    ...{ label: 'Balance after', isRight: true },
    cell: ({ balanceAfter }) => <Amount value={balanceAfter} />,
  },
  {
    label: 'Request',
    cell: ({ requestId }) => (requestId ? <RequestLink requestId={requestId} /> : <Dash />),
  },
]

/** On a phone the act is at the end of the first line, and the credits are in the second. */
const besideAct = columns.map((column): Column<Entry> => {
  return column.onPhone === 'side' ? { ...column, onPhone: 'line' } : column
})

function refunding(accountId: string): Column<Entry> {
  return {
    ...{ label: '', isRight: true, onPhone: 'side' },
    cell: ({ kind, requestId, credits }) =>
      kind === 'charge' &&
      requestId && (
        <RefundChargeButton accountId={accountId} requestId={requestId} credits={-credits} />
      ),
  }
}

function RequestLink({ requestId }: { readonly requestId: string }) {
  const { id } = useWhere()
  return (
    <Link
      {...{ to: '/accounts/$accountId/$part', params: { accountId: id, part: 'log' } as never }}
      search={((known: object) => ({ ...known, cursor: undefined, request: requestId })) as never}
      className="mono link"
    >
      {requestId}
    </Link>
  )
}

const lotColumns: readonly Column<Lot>[] = [
  { label: 'From', cell: ({ source }) => source },
  {
    ...{ label: 'Left', isRight: true, onPhone: 'side' },
    cell: ({ remainingCredits, grantedCredits }) => (
      <Group gap={4} justify="flex-end" wrap="nowrap">
        <Amount value={remainingCredits} />
        <span className="quiet small">
          of <Amount value={grantedCredits} />
        </span>
      </Group>
    ),
  },
  {
    label: 'Expires',
    cell: ({ expiresAt }) => (expiresAt ? <Time at={expiresAt} as="day" /> : 'never'),
  },
  {
    label: 'Payment',
    cell: ({ paymentId }) => (paymentId ? <span className="mono">{paymentId}</span> : <Dash />),
  },
  { label: 'Since', cell: ({ createdAt }) => <Time at={createdAt} as="day" /> },
]

function Lots() {
  const where = useWhere()
  const page = useAskedPage('AccountLots', stateOf(where), (body) => body?.lots, {
    cursorName: 'lots',
    first: 10,
  })
  return (
    <Card title="Credits that are left">
      <List
        {...{ name: 'credit lots', page, columns: lotColumns, keyOf: ({ id }: Lot) => id }}
        empty="No credits are left."
      />
    </Card>
  )
}
