import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { patience } from '../support/patience.ts'
import { hasRedis, type RedisServer, startRedisServer } from '../support/redis-server.ts'

describe.runIf(hasRedis)('two gateways with one Redis, whose database announces nothing', () => {
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
