import { RateLimiterMemory } from 'rate-limiter-flexible'
import {
  countToLimit,
  currentSecond,
  type RateLimiter,
  rateWindow,
  windowKey,
} from './rate-limiter.ts'

/** For one process: the counts are kept here, each for its second. */
export function memoryRateLimiter(): RateLimiter {
  // The limit differs by account, so the library only counts; it never refuses.
  const counter = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: 2 })
  return countToLimit(async function countInMemory(key, limitRps) {
    const now = currentSecond()
    const { consumedPoints } = await counter.consume(windowKey(key, now))
    return rateWindow(limitRps, consumedPoints, now)
  })
}
