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
  /** The end of the window; null for a budget of all time. */
  readonly resetsAt: string | null
}

/**
 * The events of the thresholds that a call has crossed; `keyId` is the key that made the call. It may
 * replace an older key. People get a mail about the highest threshold of each budget.
 */
export function thresholdEvents(
  owner: AccountScope,
  crossed: readonly CrossedThreshold[],
  keyId: string | null,
): NewEvent[] {
  return crossed.map((one) => {
    const isHighest = !crossed.some(
      ({ spender, period, percent }) =>
        spender === one.spender && period === one.period && percent > one.percent,
    )
    return { ...thresholdEvent(owner, one, keyId), isMailed: isHighest }
  })
}

function thresholdEvent(
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
