import { type Column, List } from '../../../../src/components/list.tsx'
import type { Read } from '../../../../src/data/read.ts'
import type { Body } from '../../api.ts'
import { AccountLink } from '../../components/account-link.tsx'
import { AccountState } from '../../components/account-status.tsx'
import { useAsked, wholeList } from '../../data/read.ts'
import type { LookUp } from './look-ups.ts'

type Account = NonNullable<Body<'AccountOfId'>>

interface FoundProps {
  readonly kind: LookUp
  readonly text: string
}

/** The accounts that one look-up finds. Nothing else is asked. */
export function Found({ kind, text }: FoundProps) {
  const Finder = finders[kind]
  return <Finder text={text} />
}

interface FinderProps {
  readonly text: string
}

const finders = { mail: OfMail, key: OfKey, customer: OfCustomer, account: OfId }

/** The holder of an account, or one of its members. */
function OfMail({ text }: FinderProps) {
  const read = useAsked('AccountsOfMail', { email: text })
  const all = read.data && [...read.data.holder, ...read.data.member]
  return <FoundList read={read} found={all && distinct(all)} />
}

function OfKey({ text }: FinderProps) {
  const read = useAsked('AccountsOfKeyPrefix', { prefix: text })
  return <FoundList read={read} found={read.data && distinct(read.data)} />
}

function OfCustomer({ text }: FinderProps) {
  const read = useAsked('AccountsOfExternalId', { externalId: text })
  return <FoundList read={read} found={read.data && distinct(read.data)} />
}

function OfId({ text }: FinderProps) {
  const read = useAsked('AccountOfId', { id: text })
  const found = read.data === undefined ? undefined : read.data === null ? [] : [read.data]
  return <FoundList read={read} found={found} />
}

/** Each once, without those that the subgraph of the accounts does not know. */
function distinct(accounts: readonly (Account | null)[]): readonly Account[] {
  const known = accounts.filter((account) => account !== null)
  return [...new Map(known.map((account) => [account.id, account])).values()]
}

interface FoundListProps {
  readonly read: Read<unknown>
  readonly found: readonly Account[] | undefined
}

function FoundList({ read, found }: FoundListProps) {
  return (
    <List
      {...{
        name: 'accounts',
        page: wholeList(read, found),
        columns,
        keyOf: ({ id }: Account) => id,
      }}
      empty="No account fits. The whole text must be the same."
    />
  )
}

const columns: readonly Column<Account>[] = [
  {
    label: 'Account',
    cell: ({ id, name }) => (
      <b>
        <AccountLink id={id}>{name}</AccountLink>
      </b>
    ),
  },
  { label: 'Status', cell: ({ status }) => <AccountState status={status} /> },
  { label: 'Mail address', cell: ({ email }) => email },
  { label: 'Id', cell: ({ id }) => <span className="mono">{id}</span> },
]
