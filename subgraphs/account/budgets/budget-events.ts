import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { BudgetPeriod } from '../../shared/budgets/budget.type.ts'
import { type NewEvent, newEvent } from '../../shared/changes/events.ts'

/**
 * A threshold of a budget that a settlement has crossed, as `account.count_spending` returns it.
 */
export interface CrossedThreshold {
  readonly spender: string
  readonly period: `${BudgetPeriod}`
  readonly percent: number
  readonly limitCredits: number
  readonly usedCredits: number
  /** Null for a budget of all time. */
  readonly resetsAt: string | null
}

/**
 * Publishes that a threshold was crossed; `keyId` is the key that made the call. It may replace an
 * older key.
 */
export function thresholdEvent(
  owner: AccountScope,
  { spender, period, percent, limitCredits, usedCredits, resetsAt }: CrossedThreshold,
  keyId: string | null,
): NewEvent {
  const [of, id = null] = partsOf(spender)
  return newEvent(owner, 'budget.threshold', {
    key_id: of === 'key' ? keyId : null,
    client_id: of === 'consent' ? id : null,
    external_id: of === 'external_id' ? id : null,
    period,
    threshold_percent: percent,
    limit_credits: limitCredits,
    used_credits: usedCredits,
    resets_at: resetsAt && new Date(resetsAt).toISOString(),
  })
}

/** An external id may contain a colon. */
function partsOf(spender: string): readonly [of: string, id?: string] {
  const colon = spender.indexOf(':')
  return colon < 0 ? [spender] : [spender.slice(0, colon), spender.slice(colon + 1)]
}
