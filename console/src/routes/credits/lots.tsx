import type { CreditLot } from 'credit-gateway-sdk'
import { gateway } from '../../api.ts'
import { Amount } from '../../components/figures.tsx'
import { type Column, List } from '../../components/list.tsx'
import { Card } from '../../components/screen.tsx'
import { Status } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { useList } from '../../data/read.ts'

const soonMs = 14 * 86_400_000

const columns: readonly Column<CreditLot>[] = [
  { label: 'From', cell: ({ source }) => <Status tone="quiet">{source}</Status> },
  { label: 'Expires', cell: ({ expires_at }) => <Expiry at={expires_at ?? null} /> },
  { label: 'Received', cell: ({ created_at }) => <Time at={created_at} as="day" /> },
  {
    ...{ label: 'Left', isRight: true, onPhone: 'side' },
    cell: ({ remaining_credits }) => <Amount value={remaining_credits} />,
  },
  {
    ...{ label: 'Of', isRight: true },
    cell: ({ granted_credits }) => <Amount value={granted_credits} />,
  },
]

/**
 * The lots of the balance, in the order in which they are spent: the first to expire comes first.
 */
export function Lots() {
  const page = useList<CreditLot>(
    ['credits', 'lots'],
    (input, options) => gateway.account.listCreditLots(input, options),
    { scopes: ['account:read'], limit: 10, cursorName: 'lots', isLive: true },
  )
  return (
    <Card title="Credits by expiry">
      <List
        {...{ name: 'credits by expiry', page, columns }}
        keyOf={({ id }) => id}
        empty="You have no credits left. Buy a package on the Billing screen."
      />
    </Card>
  )
}

function Expiry({ at }: { readonly at: string | null }) {
  if (at === null) return <span className="quiet">never</span>
  const isSoon = Date.parse(at) - Date.now() < soonMs
  return (
    <span>
      <Time at={at} as="day" />{' '}
      <span className={isSoon ? 'soon' : 'quiet'}>
        (<Time at={at} as="relative" />)
      </span>
    </span>
  )
}
