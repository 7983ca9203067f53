/** How often something may be done: so many times at once, and then so many times a second. */
export interface Allowance {
  /** Whether it may be done now; then it counts. */
  take(): boolean
}

interface AllowanceOptions {
  readonly atOnce: number
  readonly perSecond: number
  /** The time of a monotonic clock. */
  readonly clockMs: () => number
}

export function createAllowance({ atOnce, perSecond, clockMs }: AllowanceOptions): Allowance {
  let left = atOnce
  let countedAtMs = clockMs()
  return {
    take() {
      const nowMs = clockMs()
      left = Math.min(atOnce, left + ((nowMs - countedAtMs) / 1000) * perSecond)
      countedAtMs = nowMs
      if (left < 1) return false
      left -= 1
      return true
    },
  }
}
