import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/**
 * Counts of a minute, in memory like the counts of anonymous callers: of this process, or with workers
 * of the primary (docs/promises.md S2).
 */
export interface MinuteLimit {
  readonly perMinute: number
  /** Counts one more. Returns the seconds to wait when that is too many, else null. */
  count(name: string): Promise<number | null>
  /**
   * Returns the seconds to wait when so many were counted that no more may come, else null. Counts
   * nothing.
   */
  waitOf(name: string): Promise<number | null>
}

/** A minute begins with its first count. A limit of 0 limits nothing. */
export function createMinuteLimit(perMinute: number): MinuteLimit {
  if (perMinute === 0) {
    return { perMinute, count: async () => null, waitOf: async () => null }
  }
  const counter = new RateLimiterMemory({ points: perMinute, duration: 60 })
  return {
    perMinute,
    async count(name) {
      try {
        await counter.consume(name)
        return null
      } catch (refusal) {
        if (refusal instanceof RateLimiterRes) return secondsOf(refusal)
        throw refusal
      }
    },
    async waitOf(name) {
      const counted = await counter.get(name)
      return counted && counted.consumedPoints >= perMinute ? secondsOf(counted) : null
    },
  }
}

function secondsOf({ msBeforeNext }: RateLimiterRes): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1000))
}
