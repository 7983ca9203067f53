/** What a plan costs and brings in each period. */
export interface PlanTerms {
  /** Net. */
  readonly priceCents: number
  readonly monthlyCredits: number
}

interface Moment {
  readonly periodStart: Date
  readonly periodEnd: Date
  /** A whole second. */
  readonly asOf: Date
}

/** The part of a period that is left, in whole seconds. */
export interface Share {
  readonly secondsLeft: number
  readonly periodSeconds: number
}

/** The amounts of a change at once. Both are 0 or more. */
export interface PlanAmounts {
  /** Net. */
  readonly dueCents: number
  readonly grantedCredits: number
}

/** The share of the period that is left. Parts of a second are cut off, and a period is never more than whole. */
export function shareLeft({ periodStart, periodEnd, asOf }: Moment): Share {
  const periodSeconds = wholeSeconds(periodEnd.getTime() - periodStart.getTime())
  const left = wholeSeconds(periodEnd.getTime() - asOf.getTime())
  return { periodSeconds, secondsLeft: Math.min(left, periodSeconds) }
}

function wholeSeconds(ms: number): number {
  return Math.max(0, Math.floor(ms / 1000))
}

/**
 * The amounts of a change from one plan to another for the rest of a period: the difference of the prices is
 * rounded up, that of the allowances down. So changes to and fro never gain anything.
 */
export function amountsOfUpgrade(from: PlanTerms, to: PlanTerms, share: Share): PlanAmounts {
  const parts = BigInt(share.secondsLeft)
  const whole = BigInt(Math.max(1, share.periodSeconds))
  const cents = BigInt(Math.max(0, to.priceCents - from.priceCents))
  const credits = BigInt(Math.max(0, to.monthlyCredits - from.monthlyCredits))
  return {
    dueCents: Number((cents * parts + whole - 1n) / whole),
    grantedCredits: Number((credits * parts) / whole),
  }
}
