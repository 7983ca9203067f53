import { countToLimit, type RateLimiter } from './rate-limiter.ts'

/**
 * Counts for one process: the counts of the current second are kept here, and dropped with it. A library
 * would keep a timer for each key.
 */
export function memoryRateLimiter(): RateLimiter {
  let counts = new Map<string, number>()
  let second = 0
  return countToLimit(function countInMemory(key, _limitRps, requests) {
    const clockMs = Date.now()
    const now = Math.floor(clockMs / 1000)
    if (now !== second) {
      // A new map is made, because a cleared map keeps the size of its largest second.
      counts = new Map()
      second = now
    }
    const count = (counts.get(key) ?? 0) + requests
    counts.set(key, count)
    return { count, clockMs }
  })
}
