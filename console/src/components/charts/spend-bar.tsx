import type { Budget } from 'credit-gateway-sdk'
import { integer } from '../../format/numbers.ts'
import { Time } from '../time.tsx'

const periods: Readonly<Record<Budget['period'], string>> = {
  ...{ day: 'a day', week: 'a week', month: 'a month', total: 'in total' },
}

type Shown = Omit<Budget, 'remaining_credits' | 'resets_at'> & {
  readonly resets_at?: string | null
}

/**
 * The spent part of a budget, and beside it what calls in progress may still cost, which is not free for others.
 * Beyond the limit the bar is full, and the text says by how much.
 */
export function SpendBar({ budget }: { readonly budget: Shown }) {
  const { period, limit_credits, used_credits, held_credits, enforce, resets_at } = budget
  const shareOf = (credits: number) => Math.min(1, credits / Math.max(1, limit_credits))
  const used = shareOf(used_credits)
  const taken = shareOf(used_credits + held_credits)
  const tone = taken >= 1 ? 'alert' : taken >= 0.8 ? 'caution' : 'accent'
  return (
    <div className="spend">
      <div className="small">
        <span className="amount">{integer(used_credits)}</span> of{' '}
        <span className="amount">{integer(limit_credits)}</span> {periods[period]}
        {held_credits > 0 && (
          <>
            , <span className="amount">{integer(held_credits)}</span> in progress
          </>
        )}
        {!enforce && <span className="quiet">, only reported</span>}
        {resets_at && (
          <span className="quiet">
            , resets <Time at={resets_at} as="relative" />
          </span>
        )}
      </div>
      <div className="spend-bar" aria-hidden="true" style={{ color: `var(--${tone})` }}>
        <div style={{ width: `${used * 100}%` }} />
        <div className="held" style={{ width: `${(taken - used) * 100}%` }} />
      </div>
    </div>
  )
}
