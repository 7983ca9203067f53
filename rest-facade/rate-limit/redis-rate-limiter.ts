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
const reconnectMs = 1000
const probeMs = 1000

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
    retryStrategy: (attempt) => Math.min(attempt * 50, reconnectMs),
  })
  const counter = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: 'rate',
    points: Number.MAX_SAFE_INTEGER,
    duration: 2,
    rejectIfRedisNotReady: true,
  })
  let isAway = false
  let isClosed = false
  let nextProbe: NodeJS.Timeout | undefined

  /** From now on no request asks Redis, before it has answered a probe. */
  function takeLeave(error: unknown): void {
    if (isAway) return
    isAway = true
    log.warn({ err: error }, 'Redis is away: rate limits are open')
    probeLater()
  }

  function probeLater(): void {
    clearTimeout(nextProbe)
    if (!isClosed) nextProbe = setTimeout(probe, probeMs).unref()
  }

  async function probe(): Promise<void> {
    try {
      await redis.ping()
    } catch {
      // A connection that swallows what is sent would not end by itself for minutes.
      if (redis.status === 'ready') redis.disconnect(true)
      return probeLater()
    }
    clearTimeout(nextProbe)
    if (isAway) log.info('Redis is back: rate limits hold')
    isAway = false
  }
  redis.on('error', takeLeave)
  redis.on('ready', probe)

  return {
    close() {
      isClosed = true
      clearTimeout(nextProbe)
      redis.disconnect()
    },
    limit: countToLimit(async (key, limitRps) => {
      const now = currentSecond()
      if (isAway) return openWindow(limitRps, now)
      try {
        const { consumedPoints } = await counter.consume(windowKey(key, now))
        return rateWindow(limitRps, consumedPoints, now)
      } catch (error) {
        takeLeave(error)
        return openWindow(limitRps, now)
      }
    }),
  }
}
