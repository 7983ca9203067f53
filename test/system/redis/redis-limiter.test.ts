import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createLog } from '../../../gateway/launch/process/log.ts'
import { parseRedisUrl, type RedisAddress } from '../../../gateway/processes/redis/redis-address.ts'
import {
  type RedisRateLimiter,
  redisRateLimiter,
} from '../../../gateway/processes/redis/redis-rate-limiter.ts'
import type { RateWindow } from '../../../rest-facade/http/call.ts'
import { startTestGateway } from '../../support/gateway/gateway.ts'
import { hasRedis, startRedisServer } from '../../support/processes/redis-server.ts'
import { patience } from '../../support/time/patience.ts'

const log = createLog({ level: 'silent', format: 'json' })

/** The address of a port on which nothing listens. */
const nowhere = 'redis://127.0.0.1:1'

let opened = new AsyncDisposableStack()
afterEach(async () => {
  const closing = opened
  opened = new AsyncDisposableStack()
  await closing.disposeAsync()
})

function addressOf(url: string): RedisAddress {
  const address = parseRedisUrl(url)
  if (!address) throw new Error(`${url} is not an address.`)
  return address
}

async function limiterOf(url: string): Promise<RedisRateLimiter> {
  const limiter = await redisRateLimiter(addressOf(url), log)
  opened.defer(() => limiter.close())
  return limiter
}

describe.runIf(hasRedis)('a Redis that hangs', () => {
  test('delays only the first caller, and counts again when it resumes', async () => {
    const redis = await startRedisServer()
    opened.defer(() => redis.close())
    const limiter = await limiterOf(redis.url)
    const ask = async () => limiter.limit(randomUUID(), 10)
    const untilCounted = () => vi.waitUntil(async () => (await ask()).remaining < 10, patience)
    await untilCounted()
    redis.signal('SIGSTOP')
    await vi.waitUntil(async () => (await ask()).remaining === 10, patience)
    expect(limiter.isOpen()).toBe(true)

    // Long enough for it to be tried again, more than once.
    const seconds = new Set<number>()
    while (seconds.size < 3) {
      const turn = new Promise((resolve) => {
        setImmediate(resolve, 'waited')
      })
      const window = await Promise.race([ask(), turn])

      expect(window).toEqual({
        limitRps: 10,
        remaining: 10,
        resetAtSeconds: expect.any(Number),
        isExceeded: false,
      })
      seconds.add(Object(window).resetAtSeconds)
      await turn
    }

    expect(limiter.unchecked()).toBeGreaterThanOrEqual(3)
    redis.signal('SIGCONT')
    await untilCounted()
    expect(limiter.isOpen()).toBe(false)
  })
})

describe.runIf(hasRedis)('a Redis with another password', () => {
  test('counts as unavailable, and the log gives the reason without the password', async () => {
    const redis = await startRedisServer()
    opened.defer(() => redis.close())
    await redis.run('ACL', 'SETUSER', 'gateway', 'on', '+@all', '~*', '&*', '>right')
    const lines: string[] = []
    const address = addressOf(redis.url.replace('//', '//gateway:wrong-password@'))
    const log = pino({}, { write: (line) => lines.push(line) })

    // On a busy machine the connection may time out first; then the log says that instead.
    await vi.waitUntil(async () => {
      const limiter = await redisRateLimiter(address, log)
      opened.defer(() => limiter.close())
      expect((await limiter.limit('acct:live', 10)).remaining).toBe(10)
      return lines.some((line) => line.includes('WRONGPASS'))
    }, patience)

    expect(lines.join('')).not.toContain('wrong-password')
  })
})

describe.runIf(hasRedis)('a Redis that counts', () => {
  test('counts several requests at once', async () => {
    const redis = await startRedisServer()
    opened.defer(() => redis.close())
    const limiter = await limiterOf(redis.url)
    const remainingAfter = async (requests: number) =>
      (await limiter.limit(randomUUID(), 10, requests)).remaining

    await vi.waitUntil(async () => (await remainingAfter(1)) === 9, patience)

    // A late answer of Redis counts as none: all ten remain.
    const untilCounted = (requests: number) =>
      vi.waitFor(async () => {
        const remaining = await remainingAfter(requests)
        expect(remaining).not.toBe(10)
        return remaining
      }, patience)
    expect([await untilCounted(4), await untilCounted(10)]).toEqual([6, 0])
    await vi.waitUntil(async () => (await limiter.limit(randomUUID(), 10, 11)).isExceeded, patience)
  })
})

describe('a Redis that refuses connections', () => {
  test('admits every request, and shows the whole limit as remaining', async () => {
    const limiter = await limiterOf(nowhere)

    const windows: RateWindow[] = []
    for (let count = 0; count < 20; count += 1) windows.push(await limiter.limit('acct:live', 10))

    for (const window of windows) {
      expect(window).toEqual({
        limitRps: 10,
        remaining: 10,
        resetAtSeconds: expect.any(Number),
        isExceeded: false,
      })
    }
  })

  test('leaves a whole gateway in service', async () => {
    const gateway = await startTestGateway({ REDIS_URL: nowhere })
    try {
      const { liveKey } = await gateway.createAccount()

      // Sends as many requests as an account may have at once, beside product calls.
      const atOnce = () =>
        Promise.all(Array.from({ length: 20 }, () => gateway.live.get('/v1/account', liveKey)))
      const known: Awaited<ReturnType<typeof atOnce>> = []
      while (known.length < 160) known.push(...(await atOnce()))
      const anonymous = await Promise.all(
        Array.from({ length: 10 }, () => gateway.live.get('/v1/.well-known/jwks.json')),
      )

      for (const { status, headers } of known) {
        expect(status).toBe(200)
        expect(headers.get('x-ratelimit-limit')).toBe('100')
        expect(headers.get('x-ratelimit-remaining')).toBe('100')
      }
      // Strangers are counted in the process, which knows no Redis.
      for (const { status, headers } of anonymous) {
        expect(status).toBe(200)
        expect(Number(headers.get('x-ratelimit-remaining'))).toBeLessThan(100_000)
      }
    } finally {
      await gateway.close()
    }
  })
})
