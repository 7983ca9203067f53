import type { Budget } from 'credit-gateway-sdk'
import { integer } from '../../format/numbers.ts'
import { Time } from '../time.tsx'

const periods: Readonly<Record<Budget['period'], string>> = {
  ...{ day: 'a day', week: 'a week', month: 'a month', total: 'in total' },
}

type Shown = Pick<Budget, 'period' | 'limit_credits' | 'used_credits' | 'enforce'> & {
  readonly resets_at?: string | null
}

/** The spent part of a budget. Beyond the limit the bar is full, and the text says by how much. */
export function SpendBar({ budget }: { readonly budget: Shown }) {
  const { period, limit_credits, used_credits, enforce, resets_at } = budget
  const share = Math.min(1, used_credits / Math.max(1, limit_credits))
  const tone = share >= 1 ? 'alert' : share >= 0.8 ? 'caution' : 'accent'
  return (
    <div className="spend">
      <div className="small">
        <span className="amount">{integer(used_credits)}</span> of{' '}
        <span className="amount">{integer(limit_credits)}</span> {periods[period]}
        {!enforce && <span className="quiet">, only reported</span>}
        {resets_at && (
          <span className="quiet">
            , resets <Time at={resets_at} as="relative" />
          </span>
        )}
      </div>
      <div className="spend-bar" aria-hidden="true">
        <div style={{ width: `${share * 100}%`, background: `var(--${tone})` }} />
      </div>
    </div>
  )
}
