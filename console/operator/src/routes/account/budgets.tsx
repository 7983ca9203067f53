import { Card } from '../../../../src/components/screen.tsx'
import { Unread } from '../../../../src/components/unread.tsx'
import { useAsked } from '../../data/read.ts'
import { leastRoles, useMay } from '../../data/role.ts'
import { useWhere } from '../../data/where.ts'
import { BudgetBars } from './budget-bars.tsx'

/** The budgets of the account, and those of its keys. */
export function Budgets() {
  return (
    <>
      <AccountBudgets />
      <KeyBudgets />
    </>
  )
}

function AccountBudgets() {
  const { id } = useWhere()
  const isPermitted = useMay()('seeBudgets')
  const read = useAsked('AccountBudgets', { id }, { isEnabled: isPermitted })
  const budgets = read.data?.budgets
  return (
    <Card title="All calls of the account">
      {!isPermitted && (
        <p className="card-body quiet">The role {leastRoles.seeBudgets} sees these.</p>
      )}
      {isPermitted && !budgets && <Unread read={read} what="the budgets" />}
      {budgets && (
        <div className="card-body">
          {budgets.length === 0 ? (
            <p className="quiet">No budget.</p>
          ) : (
            <BudgetBars budgets={budgets} />
          )}
        </div>
      )}
    </Card>
  )
}

function KeyBudgets() {
  const { id, inLog } = useWhere()
  const read = useAsked('AccountKeys', { id })
  const keys = read.data?.apiKeys.filter(
    ({ environment, status, budgets }) =>
      environment === inLog && status === 'active' && budgets.length > 0,
  )
  return (
    <Card title="Keys">
      {!keys && <Unread read={read} what="the keys" />}
      {keys?.length === 0 && <p className="card-body quiet">No key has a budget.</p>}
      {keys && keys.length > 0 && (
        <ul className="rows">
          {keys.map((key) => (
            <li key={key.id}>
              <div className="grow">
                <b>{key.name}</b>{' '}
                <span className="mono quiet">
                  {key.prefix}…{key.last4}
                </span>
              </div>
              <div>
                <BudgetBars budgets={key.budgets} />
              </div>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
