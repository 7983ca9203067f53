import type { Budget } from 'credit-gateway-sdk'
import { integer } from './figures.tsx'
import { Time } from './time.tsx'

const periods = { day: 'today', week: 'this week', month: 'this month', total: 'in total' }

/** What of a budget is used and held. */
export function BudgetBar({ budget }: { readonly budget: Budget }) {
  const { limit_credits: limit, used_credits: used, held_credits: held, period } = budget
  const share = limit === 0 ? 1 : Math.min(1, (used + held) / limit)
  const tone = share >= 1 ? 'alert' : share >= 0.8 ? 'caution' : 'accent'
  return (
    <div className="budget">
      <div className="between small">
        <span>
          <span className="amount">{integer(used)}</span> of{' '}
          <span className="amount">{integer(limit)}</span> {periods[period]}
        </span>
        {!budget.enforce && <span className="quiet">only tells</span>}
      </div>
      <div
        className="bar"
        role="progressbar"
        aria-label={`Budget ${periods[period]}`}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(limit, used + held)}
      >
        <div style={{ width: `${share * 100}%`, background: `var(--${tone})` }} />
      </div>
      {budget.resets_at && (
        <div className="quiet small">
          begins again <Time at={budget.resets_at} as="relative" />
        </div>
      )}
    </div>
  )
}
