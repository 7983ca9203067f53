import { RateLimiterMemory } from 'rate-limiter-flexible'
import { countToLimit, type RateLimiter } from './rate-limiter.ts'

/** For one process: the counts are kept here, each for its second. */
export function memoryRateLimiter(): RateLimiter {
  // The limit differs by account, so the library only counts; it never refuses.
  const counter = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: 2 })
  return countToLimit(async function countInMemory(key) {
    const clockMs = Date.now()
    // The library would start a window at its first hit: the second is part of the key instead.
    const { consumedPoints } = await counter.consume(`${key}:${Math.floor(clockMs / 1000)}`)
    return { count: consumedPoints, clockMs }
  })
}
