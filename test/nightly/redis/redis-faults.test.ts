import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { type ChaosProxy, startChaosProxy } from '../../support/processes/chaos-proxy.ts'
import {
  hasRedis,
  type RedisServer,
  startRedisServer,
} from '../../support/processes/redis-server.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { patience } from '../../support/time/patience.ts'

describe.runIf(hasRedis)('a Redis fault', () => {
  let redis: RedisServer
  let proxy: ChaosProxy
  let database: TestDatabase
  let near: TestGateway
  let far: TestGateway
  let account: TestAccount
  beforeAll(async () => {
    const loading = ['--loading-process-events-interval-bytes', '1024', '--rdbcompression', 'no']
    const args = ['--enable-debug-command', 'yes', ...loading]
    redis = await startRedisServer({ args })
    proxy = await startChaosProxy(redis.url)
    database = await createTestDatabase()
    near = await startTestGateway({ REDIS_URL: redis.url }, { database })
    far = await startTestGateway({ REDIS_URL: proxy.through(redis.url) }, { database })
    account = await near.createAccount()
  })
  afterAll(async () => {
    await Promise.all([near.close(), far.close()])
    await database.drop()
    await proxy.close()
    await redis.close()
  })

  const limit = 100

  async function call(gateway: TestGateway): Promise<TestResponse> {
    const response = await gateway.live.get('/v1/account', account.liveKey)
    expect(response.headers.get('x-ratelimit-limit')).toBe(String(limit))
    expect(Number(response.headers.get('x-ratelimit-reset'))).toBeGreaterThan(1_700_000_000)
    return response
  }

  const remainingOf = ({ headers }: TestResponse) => Number(headers.get('x-ratelimit-remaining'))

  /** Within the limit, together with what may have been counted in the same second. */
  const parallelCalls = 20
  /** A gateway that waits for Redis at each call needs twenty seconds for so many. */
  const calls = 100
  const callsPatienceMs = 15_000

  interface Trouble {
    readonly name: string
    /** Whether the way to Redis is in trouble, rather than Redis. */
    readonly isFar?: boolean
    readonly begin: () => unknown
    readonly end: () => unknown
  }

  /** Two seconds are promised. */
  const recoveryPatience = { timeout: 20_000, interval: 20 }
  let reloaded: Promise<unknown>

  const troubles: readonly Trouble[] = [
    { name: 'refuses connections', begin: () => redis.kill(), end: () => redis.start() },
    {
      name: 'resets what is under way',
      isFar: true,
      begin: () => proxy.set('reset'),
      end: () => proxy.set('pass'),
    },
    {
      name: 'stands still',
      begin: () => redis.signal('SIGSTOP'),
      end: () => redis.signal('SIGCONT'),
    },
    {
      name: 'swallows what is sent',
      isFar: true,
      begin: () => proxy.set('black hole'),
      end: () => proxy.set('pass'),
    },
    {
      name: 'takes 300 ms for everything',
      isFar: true,
      begin: () => proxy.set({ delayMs: 300 }),
      end: () => proxy.set('pass'),
    },
    {
      name: 'is a replica',
      begin: () => redis.run('REPLICAOF', '127.0.0.1', '1'),
      end: () => redis.run('REPLICAOF', 'NO', 'ONE'),
    },
    {
      name: 'has no memory left',
      async begin() {
        await redis.run('DEBUG', 'POPULATE', '10', 'filling', '200000')
        await redis.run('CONFIG', 'SET', 'maxmemory', '1mb', 'maxmemory-policy', 'noeviction')
      },
      async end() {
        await redis.run('CONFIG', 'SET', 'maxmemory', '0')
        await redis.run('FLUSHALL')
      },
    },
    {
      name: 'is loading its data',
      async begin() {
        await redis.run('DEBUG', 'POPULATE', '1000', 'loaded', '1000')
        await redis.run('CONFIG', 'SET', 'key-load-delay', '20000')
        reloaded = redis.run('DEBUG', 'RELOAD')
        await vi.waitUntil(async () => {
          const info = await redis.run('INFO', 'persistence')
          return String(info).includes('loading:1')
        }, patience)
      },
      async end() {
        await redis.run('CONFIG', 'SET', 'key-load-delay', '0')
        await reloaded
      },
    },
  ]

  test.each(troubles)('that $name delays no caller, and limits count again', async (trouble) => {
    const gateway = trouble.isFar ? far : near
    const counted = async () => {
      const response = await call(gateway)
      return remainingOf(response) < limit ? response : null
    }
    await vi.waitUntil(counted, patience)

    await trouble.begin()
    const first = await Promise.all(Array.from({ length: parallelCalls }, () => call(gateway)))
    const startedAt = performance.now()
    const later = []
    for (let count = 0; count < calls; count += 1) later.push(await call(gateway))
    const tookMs = performance.now() - startedAt
    await trouble.end()
    const recovered = await vi.waitUntil(counted, recoveryPatience)

    expect(new Set([...first, ...later].map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(later.map(remainingOf))).toEqual(new Set([limit]))
    expect(tookMs).toBeLessThan(callsPatienceMs)
    // Calls that were sent to Redis in vain are not counted.
    expect(remainingOf(recovered)).toBe(limit - 1)
  })
})
