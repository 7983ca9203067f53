import { afterAll, beforeAll, describe, expect, type TestContext, test, vi } from 'vitest'
import { readConfig } from '../../../gateway/config/config.ts'
import { createInvalidation } from '../../../gateway/launch/parts/invalidation.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  hasRedis,
  type RedisServer,
  startRedisServer,
} from '../../support/processes/redis-server.ts'
import { patience } from '../../support/time/patience.ts'

describe.runIf(hasRedis)('two gateways with one Redis, whose database sends no notices', () => {
  let redis: RedisServer
  let database: TestDatabase
  let here: TestGateway
  let there: TestGateway
  beforeAll(async () => {
    redis = await startRedisServer()
    database = await createTestDatabase()
    await database.query('ALTER TABLE keys.api_key DISABLE TRIGGER USER')
    const variables = { REDIS_URL: redis.url, KEY_CACHE_SECONDS: '3600' }
    here = await startTestGateway(variables, { database })
    there = await startTestGateway(variables, { database })
  })
  afterAll(async () => {
    await Promise.all([here.close(), there.close()])
    await database.drop()
    await redis.close()
  })

  test('refuse a key in both after one has revoked it', async () => {
    const { id: accountId, liveKey } = await here.createAccount()
    const { id, plaintext } = await here.createKey(accountId)
    const statusThere = async () => (await there.live.get('/v1/account', plaintext)).status
    // Remembered for an hour, once nothing of the start can make it forget.
    for (let calls = 0; calls < 3; calls += 1) expect(await statusThere()).toBe(200)

    const revoked = await here.live.request(`/v1/account/keys/${id}`, {
      method: 'DELETE',
      key: liveKey,
    })

    expect(revoked.status).toBe(200)
    await vi.waitFor(async () => expect(await statusThere()).toBe(401), patience)
  })
})

describe.runIf(hasRedis)('a facade that receives notices from Redis alone', () => {
  /** Counts how often the facade forgets everything. */
  async function listening({ onTestFinished }: TestContext) {
    const redis = await startRedisServer()
    onTestFinished(() => redis.close())
    const resources = new AsyncDisposableStack()
    onTestFinished(() => resources.disposeAsync())
    let forgotten = 0
    function forgetAll(): void {
      forgotten += 1
    }
    const { REDIS_URL } = readConfig({ REDIS_URL: redis.url }, [])
    const invalidation = await createInvalidation(REDIS_URL, resources)
    invalidation.add({ forget: () => {}, forgetAll })
    await vi.waitFor(() => expect(forgotten).toBeGreaterThan(0), patience)
    return { redis, timesForgotten: () => forgotten }
  }

  test.for([
    { what: 'is away', end: (redis: RedisServer) => redis.kill() },
    { what: 'hangs', end: async (redis: RedisServer) => redis.signal('SIGSTOP') },
  ])(
    'clears its caches repeatedly while Redis $what (docs/promises.md S4)',
    async ({ end }, context) => {
      const { redis, timesForgotten } = await listening(context)
      const before = timesForgotten()

      await end(redis)

      await vi.waitFor(() => expect(timesForgotten()).toBeGreaterThan(before + 2), patience)
    },
  )
})
