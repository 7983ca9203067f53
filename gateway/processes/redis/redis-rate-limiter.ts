import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { orNullAfter } from '../../../rest-facade/charge/batching/or-null-after.ts'
import {
  type Counted,
  countToLimit,
  msLeft,
  type RateLimiter,
} from '../../../rest-facade/rate-limit/rate-limiter.ts'
import type { OpenableLimiter } from '../../observability/metrics.ts'
import { redisClient } from './client.ts'
import type { RedisAddress } from './redis-address.ts'

const replyPatienceMs = 200
const connectPatienceMs = 1000
const probeMs = 250

/**
 * Counts in the second that Redis's own clock tells, so that all processes count in the same one,
 * whatever theirs say. The second is kept beside the count, and not in the key: a cluster must know
 * all keys before the script runs.
 */
const countInSecond = `
local time = redis.call('TIME')
if redis.call('HGET', KEYS[1], 'second') ~= time[1] then
  redis.call('HSET', KEYS[1], 'second', time[1], 'count', 0)
  redis.call('EXPIRE', KEYS[1], ARGV[2])
end
local count = redis.call('HINCRBY', KEYS[1], 'count', ARGV[1])
return { count, time[1] * 1000 + math.floor(time[2] / 1000) }`

export interface RedisRateLimiter extends OpenableLimiter {
  readonly limit: RateLimiter
  close(): void
}

/**
 * Counts for many processes in Redis. When Redis is unavailable, requests pass without waiting (docs/spec.md
 * §8.3). Resolves as soon as it can count or knows that it cannot, after a second at the latest.
 */
export async function redisRateLimiter(
  address: RedisAddress,
  log: Logger,
): Promise<RedisRateLimiter> {
  const redis = redisClient(address)
  const counter = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: 'rate',
    points: Number.MAX_SAFE_INTEGER,
    duration: 2,
    rejectIfRedisNotReady: true,
    customIncrTtlLuaScript: countInSecond,
  })
  let isUnavailable = false
  let isClosed = false
  let unchecked = 0

  async function count(key: string, requests = 1): Promise<Counted> {
    const answer = await orNullAfter(replyPatienceMs, counter.consume(key, requests))
    if (answer === null) throw new Error(`Redis did not answer within ${replyPatienceMs} ms.`)
    // The library names the second result of its script so; ours returns the time.
    return { count: answer.consumedPoints, clockMs: answer.msBeforeNext }
  }

  /** Has no request ask Redis before Redis has counted for this process again. */
  function takeLeave(key: string, error: unknown): void {
    if (isUnavailable || isClosed) return
    isUnavailable = true
    log.warn({ reason: reasonOf(error) }, 'Redis is unavailable: rate limits are open')
    void comeBack(key)
  }

  /** Probes where the count failed: in a cluster other keys may be elsewhere, and well. */
  async function comeBack(key: string): Promise<void> {
    while (isUnavailable && !isClosed) {
      try {
        const { clockMs } = await count(`probe:${key}`)
        // A server that stood still has just counted the commands sent before, so the count of this
        // second is wrong.
        await sleep(msLeft(clockMs), undefined, { ref: false })
        isUnavailable = false
        log.info('Redis is back: rate limits hold')
      } catch {
        // This connection may swallow commands, or lead to a server that has become a replica.
        if (redis.status === 'ready') redis.disconnect(true)
        await sleep(probeMs, undefined, { ref: false })
      }
    }
  }

  redis.on('error', (error) => takeLeave('', error))
  // The connection is ready, or has failed: `once` rejects with an error.
  await orNullAfter(
    connectPatienceMs,
    once(redis, 'ready').catch(() => null),
  )

  function letThrough(): null {
    unchecked += 1
    return null
  }

  return {
    isOpen: () => isUnavailable,
    unchecked: () => unchecked,
    close() {
      isClosed = true
      redis.disconnect()
    },
    limit: countToLimit(async function countInRedis(key, _limitRps, requests) {
      if (isUnavailable) return letThrough()
      // The text in braces decides the slot, so a probe of the key goes to the key's node.
      const tagged = `{${key}}`
      try {
        return await count(tagged, requests)
      } catch (error) {
        takeLeave(tagged, error)
        return letThrough()
      }
    }),
  }
}

/**
 * The reason of a failure. It is only a part of the error, because the whole error shows the command, with
 * the password if that was refused.
 */
function reasonOf(error: unknown): string {
  const { message, code } = Object(error)
  // If several addresses refuse, Node gives only a code.
  return String(message || code)
}
