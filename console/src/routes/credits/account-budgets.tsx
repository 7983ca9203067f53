import { acting, queries } from '../../api.ts'
import { BudgetsCard } from '../../components/budgets/budgets.tsx'
import type { BudgetInput } from '../../components/forms/budget-fields.tsx'
import { Card } from '../../components/screen.tsx'
import { Unread } from '../../components/unread.tsx'
import { useAccountBudgets } from '../../data/spenders.ts'

const title = 'Budgets of the account'

/** What all calls of the account together may spend. */
export function AccountBudgets() {
  const read = useAccountBudgets()
  if (!read.data) {
    return (
      <Card title={title}>
        <Unread read={read} what="the budgets" />
      </Card>
    )
  }
  return (
    <BudgetsCard
      {...{ title, scope: 'account:write', budgets: read.data.budgets }}
      note="They limit what all calls of the account spend together, with any key or app."
      save={async (budgets: BudgetInput[]) => {
        await acting.account.changeBudgets({ budgets })
        await queries.invalidateQueries({ queryKey: ['budgets'] })
      }}
    />
  )
}
