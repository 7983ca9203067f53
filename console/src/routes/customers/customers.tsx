import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import type { ExternalId } from 'credit-gateway-sdk'
import { gateway } from '../../api.ts'
import { BudgetBars } from '../../components/budgets/budgets.tsx'
import { CustomerLink } from '../../components/customer-link.tsx'
import { Amount, None } from '../../components/figures.tsx'
import { type Column, List } from '../../components/list.tsx'
import { Card, Screen } from '../../components/screen.tsx'
import { Time } from '../../components/time.tsx'
import { useCredits } from '../../data/charges.ts'
import { useList } from '../../data/read.ts'
import { useFilters } from '../../data/search.ts'
import { CreateKey } from '../keys/create-key.tsx'
import { MonthOfCustomers } from './month-of-customers.tsx'

const typingMs = 300
const pageSize = 100

/** The customers, teams or agents that the keys of the account belong to: the external ids of keys. */
export default function Customers() {
  const { filters, replace } = useFilters()
  const navigate = useNavigate()
  useCredits()
  const search = useDebouncedCallback((q: string) => replace({ q: q || undefined }), typingMs)
  const { q } = filters
  const page = useList<ExternalId>(
    ['external-ids', 'page', q],
    (input, options) => gateway.account.listExternalIds({ ...(q ? { q } : {}), ...input }, options),
    { scopes: ['keys:read'], limit: pageSize, isLive: true, everyMs: 15_000 },
  )
  const isWhole = page.cursor === null && page.data?.next_cursor === null
  return (
    <Screen title="Customers" actions={<CreateKey />}>
      <div className="stack">
        <p className="quiet">
          Give a key the ID of your customer, team or agent. You then see its calls here, and all
          keys of a customer share its budgets.
        </p>
        <MonthOfCustomers hasNames={!isWhole} />
        <Card>
          <div className="card-filters">
            <TextInput
              {...{ label: 'Search', placeholder: 'Part of the ID', size: 'xs', w: 240 }}
              defaultValue={q ?? ''}
              onChange={(event) => search(event.currentTarget.value.trim())}
            />
          </div>
          <List<ExternalId>
            {...{ name: 'customers', columns, keyOf: ({ external_id: id }) => id }}
            page={isWhole && page.data ? { ...page, data: bySpend(page.data) } : page}
            onOpen={({ external_id: externalId }) =>
              void navigate({ to: '/customers/$externalId', params: { externalId } as never })
            }
            empty={
              q
                ? 'No customer fits.'
                : 'You have no customers yet. Create a key and enter the ID of your customer under “Customer”.'
            }
          />
        </Card>
      </div>
    </Screen>
  )
}

/** A list that fits on one page begins with who spends most; longer ones have the order of the ids. */
function bySpend<Data extends { readonly items: readonly ExternalId[] }>(data: Data): Data {
  const items = data.items.toSorted(
    (one, other) => other.credits_this_month - one.credits_this_month,
  )
  return { ...data, items }
}

const columns: readonly Column<ExternalId>[] = [
  { label: 'Customer', cell: ({ external_id: id }) => <CustomerLink id={id} /> },
  {
    ...{ label: 'Spent this month', isRight: true, onPhone: 'side' },
    cell: ({ credits_this_month: credits }) => <Amount value={credits} unit="credits" />,
  },
  {
    label: 'Budget',
    cell: ({ budgets }) => (budgets.length === 0 ? <None /> : <BudgetBars budgets={budgets} />),
  },
  { ...{ label: 'Keys', isRight: true }, cell: ({ keys }) => <Amount value={keys} /> },
  {
    label: 'Last call',
    cell: ({ last_used_at: at }) =>
      at ? <Time at={at} as="relative" /> : <span className="quiet">never</span>,
  },
]
