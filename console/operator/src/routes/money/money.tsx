import { Amount } from '../../../../src/components/figures.tsx'
import { type Column, List } from '../../../../src/components/list.tsx'
import { Money as Price } from '../../../../src/components/money.tsx'
import { Card, Screen } from '../../../../src/components/screen.tsx'
import { Status } from '../../../../src/components/status.tsx'
import { Time } from '../../../../src/components/time.tsx'
import type { Body } from '../../api.ts'
import { AccountLink } from '../../components/account-link.tsx'
import { AccountState } from '../../components/account-status.tsx'
import { useAskedPage } from '../../data/read.ts'
import { useMay } from '../../data/role.ts'
import { Unmatched } from './unmatched.tsx'

type Doubtful = Body<'PaymentsInDoubt'>['nodes'][number]
type Dispute = Body<'OpenDisputes'>['nodes'][number]
type Refund = Body<'PendingRefunds'>['nodes'][number]
type Recharge = Body<'FailingRecharges'>['nodes'][number]
type Negative = Body<'NegativeAccounts'>['nodes'][number]

/** What of the money of all accounts somebody must look after. */
export default function Money() {
  const may = useMay()
  return (
    <Screen title="Money">
      <div className="cards">
        <InDoubt />
        <Disputes />
        <Refunds />
        {may('seeUnmatched') && <Unmatched />}
        <Recharges />
        <Negatives />
      </div>
    </Screen>
  )
}

interface OfAccount {
  readonly accountId: string
  readonly accountName: string
}

const account: Column<OfAccount> = {
  label: 'Account',
  cell: ({ accountId, accountName }) => <AccountLink id={accountId}>{accountName}</AccountLink>,
}

const since: Column<{ readonly createdAt: string }> = {
  label: 'Since',
  cell: ({ createdAt }) => <Time at={createdAt} as="relative" />,
}

const asked: Column<{ readonly askAt: string }> = {
  label: 'Asked next',
  cell: ({ askAt }) => <Time at={askAt} as="relative" />,
}

function InDoubt() {
  const page = useAskedPage('PaymentsInDoubt', {}, (body) => body, {
    ...{ cursorName: 'doubtful', first: 10 },
  })
  const columns: readonly Column<Doubtful>[] = [
    account,
    { label: 'Payment', cell: ({ id }) => <span className="mono">{id}</span> },
    { label: 'For', cell: ({ kind }) => kind.replaceAll('_', ' ') },
    { label: 'Provider', cell: ({ provider }) => provider ?? 'none' },
    since,
    asked,
    {
      ...{ label: 'Total', isRight: true },
      cell: ({ totalCents, currency }) => <Price cents={totalCents} currency={currency} />,
    },
  ]
  return (
    <Card title="Payments in doubt">
      <List
        {...{ name: 'payments in doubt', page, columns, keyOf: ({ id }: Doubtful) => id }}
        empty="The outcome of every payment is known."
      />
    </Card>
  )
}

function Disputes() {
  const page = useAskedPage('OpenDisputes', {}, (body) => body, {
    ...{ cursorName: 'disputes', first: 10 },
  })
  const columns: readonly Column<Dispute>[] = [
    account,
    {
      label: 'State',
      cell: ({ status }) => (
        <Status tone={status === 'open' ? 'alert' : 'caution'}>{status}</Status>
      ),
    },
    { label: 'Payment', cell: ({ paymentId }) => <span className="mono">{paymentId}</span> },
    {
      label: 'At the provider',
      cell: ({ reference }) => <span className="mono">{reference}</span>,
    },
    since,
    {
      ...{ label: 'Amount', isRight: true },
      cell: ({ amountCents, currency }) => <Price cents={amountCents} currency={currency} />,
    },
  ]
  return (
    <Card title="Disputes">
      <List
        {...{ name: 'disputes', page, columns, keyOf: ({ id }: Dispute) => id }}
        empty="No dispute is open."
      />
    </Card>
  )
}

function Refunds() {
  const page = useAskedPage('PendingRefunds', {}, (body) => body, {
    ...{ cursorName: 'refunds', first: 10 },
  })
  const columns: readonly Column<Refund>[] = [
    account,
    { label: 'Payment', cell: ({ paymentId }) => <span className="mono">{paymentId}</span> },
    { label: 'Reason', cell: ({ reason }) => reason ?? 'none' },
    since,
    asked,
    {
      ...{ label: 'Amount', isRight: true },
      cell: ({ amountCents, currency }) => <Price cents={amountCents} currency={currency} />,
    },
  ]
  return (
    <Card title="Refunds that wait">
      <List
        {...{ name: 'pending refunds', page, columns, keyOf: ({ id }: Refund) => id }}
        empty="Every refund is decided."
      />
    </Card>
  )
}

function Recharges() {
  const page = useAskedPage('FailingRecharges', {}, (body) => body, {
    ...{ cursorName: 'recharges', first: 10 },
  })
  const columns: readonly Column<Recharge>[] = [
    account,
    {
      label: 'State',
      cell: ({ state }) => (
        <Status tone={state === 'suspended' ? 'alert' : 'caution'}>
          {state.replaceAll('_', ' ')}
        </Status>
      ),
    },
    { label: 'Why', cell: ({ failureReason }) => failureReason },
    {
      label: 'Tried next',
      cell: ({ state, tryAt }) =>
        state === 'suspended' ? 'not by itself' : <Time at={tryAt} as="relative" />,
    },
    { label: 'Declined', isRight: true, cell: ({ declines }) => <Amount value={declines} /> },
  ]
  return (
    <Card title="Recharges that fail">
      <List
        {...{ name: 'failing recharges', page, columns }}
        keyOf={({ accountId }) => accountId}
        empty="No recharge fails."
      />
    </Card>
  )
}

function Negatives() {
  const page = useAskedPage('NegativeAccounts', {}, (body) => body, {
    ...{ cursorName: 'negative', first: 10 },
  })
  const columns: readonly Column<Negative>[] = [
    { label: 'Account', cell: ({ id, name }) => <AccountLink id={id}>{name}</AccountLink> },
    { label: 'Status', cell: ({ status }) => <AccountState status={status} /> },
    { label: 'Balance', isRight: true, cell: ({ balance }) => <Amount value={balance} /> },
  ]
  return (
    <Card title="Negative balances">
      <List
        {...{ name: 'negative balances', page, columns, keyOf: ({ id }: Negative) => id }}
        empty="No balance is below zero."
      />
    </Card>
  )
}
