import { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import {
  countToLimit,
  currentSecond,
  openWindow,
  type RateLimiter,
  rateWindow,
  windowKey,
} from './rate-limiter.ts'

const replyPatienceMs = 200
/** After a failure nobody waits for Redis again until this has passed. */
const restAfterFailureMs = 1000

export interface RedisRateLimiter {
  readonly limit: RateLimiter
  close(): void
}

/** For many processes: the counts are in Redis. When it is away, requests pass without waiting (spec, Limits 3). */
export function redisRateLimiter(redisUrl: string, log: Logger): RedisRateLimiter {
  const redis = new Redis(redisUrl, {
    // A command that cannot be sent now must fail now, not queue up behind a dead connection.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: replyPatienceMs,
    connectTimeout: 1000,
    retryStrategy: (attempt) => Math.min(attempt * 50, restAfterFailureMs),
  })
  const counter = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: 'rate',
    points: Number.MAX_SAFE_INTEGER,
    duration: 2,
    rejectIfRedisNotReady: true,
  })
  let restUntilMs = 0

  function rest(error: unknown): void {
    if (Date.now() >= restUntilMs) log.warn({ err: error }, 'Redis is away: rate limits are open')
    restUntilMs = Date.now() + restAfterFailureMs
  }
  redis.on('error', rest)

  return {
    close: () => redis.disconnect(),
    limit: countToLimit(async (key, limitRps) => {
      const now = currentSecond()
      if (Date.now() < restUntilMs) return openWindow(limitRps, now)
      try {
        const { consumedPoints } = await counter.consume(windowKey(key, now))
        return rateWindow(limitRps, consumedPoints, now)
      } catch (error) {
        rest(error)
        return openWindow(limitRps, now)
      }
    }),
  }
}
