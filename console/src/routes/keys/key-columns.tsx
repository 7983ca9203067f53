import { Link } from '@tanstack/react-router'
import type { ApiKey } from 'credit-gateway-sdk'
import { SpendBar } from '../../components/charts/spend-bar.tsx'
import { CustomerLink } from '../../components/customer-link.tsx'
import { None } from '../../components/figures.tsx'
import type { Column } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { KeyState } from './key-state.tsx'

/** The columns of lists of keys. */
export const keyColumns: readonly Column<ApiKey>[] = [
  {
    label: 'Name',
    cell: ({ id, name }) => (
      <Link to="/keys/$keyId" params={{ keyId: id } as never} className="row-link">
        <b>{name}</b>
      </Link>
    ),
  },
  {
    label: 'Key',
    cell: ({ prefix, last4 }) => (
      <span className="mono amount">
        {prefix}…{last4}
      </span>
    ),
  },
  { label: 'Status', cell: (key) => <KeyState apiKey={key} /> },
  {
    label: 'Customer',
    cell: ({ external_id: id }) => (id ? <CustomerLink id={id} /> : <None />),
  },
  {
    label: 'Scopes',
    cell: ({ scopes }) => (
      <span title={scopes.join(' ')}>
        {scopes.includes('*')
          ? 'everything'
          : scopes.length === 1
            ? scopes[0]
            : `${scopes.length} scopes`}
      </span>
    ),
  },
  {
    label: 'Budget',
    cell: ({ budgets: [budget] }) => (budget ? <SpendBar budget={budget} /> : <None />),
  },
  {
    label: 'Last used',
    cell: ({ last_used_at: at }) =>
      at ? <Time at={at} as="relative" /> : <span className="quiet">never</span>,
  },
  { label: 'Created', cell: ({ created_at: at }) => <Time at={at} as="day" /> },
]
