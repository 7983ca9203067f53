import type { ApiKey } from 'credit-gateway-sdk'
import {
  AccountLayer,
  BudgetLayer,
  CustomerLayer,
} from '../../components/budgets/budget-layers.tsx'
import { BudgetBars } from '../../components/budgets/budgets.tsx'
import { Card } from '../../components/screen.tsx'

/** The budgets of all layers that a call with the key must fit into. */
export function KeyBudgets({ apiKey }: { readonly apiKey: ApiKey }) {
  const { external_id: customer, budgets } = apiKey
  return (
    <Card title="Budgets">
      <div className="card-body stack">
        <p className="small quiet">A call with this key must fit into all of them.</p>
        <div className="layers">
          <BudgetLayer name="This key">
            <BudgetBars budgets={budgets} />
          </BudgetLayer>
          {customer && <CustomerLayer id={customer} />}
          <AccountLayer />
        </div>
      </div>
    </Card>
  )
}
