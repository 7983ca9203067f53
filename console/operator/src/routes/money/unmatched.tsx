import { Amount } from '../../../../src/components/figures.tsx'
import { type Column, List } from '../../../../src/components/list.tsx'
import { Money } from '../../../../src/components/money.tsx'
import { Card } from '../../../../src/components/screen.tsx'
import { Time } from '../../../../src/components/time.tsx'
import type { Body } from '../../api.ts'
import { AccountLink } from '../../components/account-link.tsx'
import { Dash } from '../../components/dash.tsx'
import { useAskedPage } from '../../data/read.ts'

type Notification = Body<'UnmatchedNotifications'>['nodes'][number]

const columns: readonly Column<Notification>[] = [
  {
    label: 'Notification',
    cell: ({ kind, provider, reference }) => (
      <>
        {kind} by {provider}
        <div className="mono quiet small">{reference}</div>
      </>
    ),
  },
  { label: 'Why', cell: ({ reason }) => reason },
  {
    label: 'Account',
    cell: ({ accountId }) => (accountId ? <AccountLink id={accountId} /> : <Dash />),
  },
  {
    label: 'Seen last',
    cell: ({ lastSeenAt }) => <Time at={lastSeenAt} as="relative" />,
  },
  {
    ...{ label: 'Times', isRight: true, onPhone: 'line' },
    cell: ({ timesSeen }) => <Amount value={timesSeen} />,
  },
  {
    ...{ label: 'Amount', isRight: true, onPhone: 'side' },
    cell: ({ amountCents, currency }) =>
      amountCents !== null && currency ? (
        <Money cents={amountCents} currency={currency} />
      ) : (
        <Dash />
      ),
  },
]

/** Notifications of payment providers that fit no payment. */
export function Unmatched() {
  const page = useAskedPage('UnmatchedNotifications', {}, (body) => body, {
    ...{ cursorName: 'unmatched', first: 10 },
  })
  return (
    <Card title="Notifications that fit no payment">
      <List
        {...{ name: 'unmatched notifications', page, columns }}
        keyOf={({ id }) => id}
        empty="Every notification fits a payment."
      />
    </Card>
  )
}
