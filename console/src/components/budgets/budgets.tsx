import type { Budget } from 'credit-gateway-sdk'
import { type ReactNode, useState } from 'react'
import { SpendBar } from '../charts/spend-bar.tsx'
import type { BudgetInput } from '../forms/budget-fields.tsx'
import { BudgetsDialog } from '../forms/budgets-dialog.tsx'
import { PermittedButton } from '../forms/permitted-button.tsx'
import { Card } from '../screen.tsx'

interface BudgetsCardProps {
  readonly title: string
  /** Whose calls the budgets limit. */
  readonly note: string
  readonly budgets: readonly Budget[]
  /** The scope that a change needs. */
  readonly scope: string
  /** Replaces all budgets by these. */
  readonly save: (budgets: BudgetInput[]) => Promise<void>
  /** Further budgets that count too. */
  readonly children?: ReactNode
}

/** The budgets of a customer, or of the account, with what is used of each. */
export function BudgetsCard(props: BudgetsCardProps) {
  const { title, note, budgets, scope, save, children } = props
  const [isOpen, setOpen] = useState(false)
  return (
    <Card
      title={title}
      actions={
        <PermittedButton
          {...{ scope, variant: 'default', size: 'xs' }}
          onClick={() => setOpen(true)}
        >
          {budgets.length === 0 ? 'Set a budget' : 'Edit budgets'}
        </PermittedButton>
      }
    >
      <div className="card-body stack">
        <p className="small quiet">{note}</p>
        <div className="layers">
          <BudgetBars budgets={budgets} />
          {children}
        </div>
      </div>
      {isOpen && (
        <BudgetsDialog {...{ title, note, budgets, save }} onClose={() => setOpen(false)} />
      )}
    </Card>
  )
}

/** What is used of each budget. */
export function BudgetBars({ budgets }: { readonly budgets: readonly Budget[] }) {
  if (budgets.length === 0) return <p className="quiet">No budget.</p>
  return (
    <div>
      {budgets.map((budget) => (
        <SpendBar key={budget.period} budget={budget} />
      ))}
    </div>
  )
}
