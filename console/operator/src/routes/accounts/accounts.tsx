import { Button, Group } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { Amount } from '../../../../src/components/figures.tsx'
import { type Column, List } from '../../../../src/components/list.tsx'
import { Screen } from '../../../../src/components/screen.tsx'
import { Time } from '../../../../src/components/time.tsx'
import { useFilters } from '../../../../src/data/search.ts'
import { tierName } from '../../../../src/format/names.ts'
import type { Body, Variables } from '../../api.ts'
import { AccountLink } from '../../components/account-link.tsx'
import { AccountState } from '../../components/account-status.tsx'
import { Dash } from '../../components/dash.tsx'
import { useAskedPage } from '../../data/read.ts'
import { Filters } from './filters.tsx'
import { Found } from './found.tsx'
import { isLookUp, lookUpOf, lookUps } from './look-ups.ts'

type Listed = NonNullable<Body<'AccountList'>['nodes'][number]>

/** All accounts, by their state, or those that an exact look-up finds. */
export default function Accounts() {
  const { filters } = useFilters()
  const kind = isLookUp(filters.by) ? filters.by : null
  const text = filters.find ?? ''
  return (
    <Screen title="Accounts">
      <Filters />
      <div className="card">
        {kind !== null && text !== '' ? <Found {...{ kind, text }} /> : <AccountList />}
      </div>
    </Screen>
  )
}

function AccountList() {
  const { filters } = useFilters()
  const navigate = useNavigate()
  const { state, tier, order, find } = filters
  const asked = {
    search: find ?? null,
    filters: state ? state.split(',') : null,
    ...{ tier: tier ?? null, order: order ?? 'NEWEST' },
  } as Omit<Variables<'AccountList'>, 'first' | 'after'>
  const page = useAskedPage('AccountList', asked, (body) => body, { first: 50 })
  const open = ({ id }: Listed) =>
    void navigate({ to: '/accounts/$accountId', params: { accountId: id } as never })
  return (
    <List
      {...{ name: 'accounts', page, columns, onOpen: open, keyOf: ({ id }: Listed) => id }}
      empty={
        find ? (
          <Missed text={find} />
        ) : state || tier ? (
          'No account fits.'
        ) : (
          'There are no accounts yet.'
        )
      }
    />
  )
}

/** Nothing has such a name: what the text looks like is found by another look-up. */
function Missed({ text }: { readonly text: string }) {
  const { set } = useFilters()
  const kind = lookUpOf(text)
  if (kind === null) return 'No account has this in its name or mail address.'
  return (
    <Group gap="sm">
      No account has this in its name or mail address.
      <Button variant="default" size="xs" onClick={() => set({ by: kind })}>
        {kind === 'mail'
          ? 'Look among members too'
          : `Find by ${lookUps[kind].label.toLowerCase()}`}
      </Button>
    </Group>
  )
}

const columns: readonly Column<Listed>[] = [
  {
    label: 'Account',
    cell: ({ id, name }) => (
      <b className="host">
        <AccountLink id={id}>{name}</AccountLink>
      </b>
    ),
  },
  { label: 'Mail address', cell: ({ email }) => <span className="host">{email}</span> },
  { label: 'Status', cell: ({ status }) => <AccountState status={status} /> },
  {
    label: 'Tier',
    cell: ({ tier, subscriptionTier }) => (
      <span className="one-line">
        {tierName(tier)}
        {subscriptionTier && <span className="quiet"> + {tierName(subscriptionTier)}</span>}
      </span>
    ),
  },
  {
    ...{ label: 'Balance', isRight: true, onPhone: 'side' },
    cell: ({ balance }) => (
      <span className={balance < 0 ? 'negative' : undefined}>
        <Amount value={balance} />
      </span>
    ),
  },
  {
    ...{ label: 'Spent this month', isRight: true, onPhone: 'line' },
    cell: ({ activity }) => <Amount value={activity.creditsThisMonth} />,
  },
  {
    label: 'Last call',
    cell: ({ activity: { lastCallAt } }) =>
      lastCallAt ? <Time at={lastCallAt} as="relative" /> : <Dash />,
  },
]
