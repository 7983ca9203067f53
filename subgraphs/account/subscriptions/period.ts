/** SQL of an UPDATE: the period that runs now. Periods that ended unnoticed are skipped. */
export const renewal = `
  current_period_start = anchor_at + (account.periods_begun(anchor_at, period, now()) - 1) * period,
  current_period_end = anchor_at + account.periods_begun(anchor_at, period, now()) * period`

/** SQL of an UPDATE: the subscription or add-on is over. */
export const ending = `status = 'canceled', canceled_at = coalesce(canceled_at, now())`

/** The result of the end of a period. */
export type PeriodOutcome = 'renewed' | 'canceled'

/** The verbs of the audit trail. */
export const outcomeVerbs = { renewed: 'renew', canceled: 'end' } as const
