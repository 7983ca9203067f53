import { Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Read } from '../../data/read.ts'
import { useAccountBudgets, useCustomer } from '../../data/spenders.ts'
import { CustomerLink } from '../customer-link.tsx'
import { Loading } from '../list.tsx'
import { NoPermission, ProblemNotice } from '../problem.tsx'
import { BudgetBars } from './budgets.tsx'

interface LayerProps {
  readonly name: string
  readonly children: ReactNode
}

/** The budgets of one layer. A call must fit into those of all layers. */
export function BudgetLayer({ name, children }: LayerProps) {
  return (
    <section aria-label={name}>
      <Title order={3} mb={4}>
        {name}
      </Title>
      {children}
    </section>
  )
}

/** The budgets that all keys of a customer share. */
export function CustomerLayer({ id }: { readonly id: string }) {
  const customer = useCustomer(id)
  return (
    <BudgetLayer name="All keys of the customer">
      {customer.data ? (
        <BudgetBars budgets={customer.data.budgets} />
      ) : (
        <Missing read={customer} what="the budgets of the customer" />
      )}
      <p className="small">
        <CustomerLink id={id} />
      </p>
    </BudgetLayer>
  )
}

/** The budgets of the account. */
export function AccountLayer() {
  const account = useAccountBudgets()
  return (
    <BudgetLayer name="All calls of the account">
      {account.data ? (
        <BudgetBars budgets={account.data.budgets} />
      ) : (
        <Missing read={account} what="the budgets of the account" />
      )}
      <p className="small">
        <Link to="/credits">Budgets of the account</Link>
      </p>
    </BudgetLayer>
  )
}

function Missing({ read, what }: { readonly read: Read<unknown>; readonly what: string }) {
  if (read.missing) return <NoPermission {...read.missing} />
  if (read.error) return <ProblemNotice error={read.error} retry={() => void read.refetch()} />
  return <Loading what={what} />
}
