import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { patience } from '../support/patience.ts'

const hasRedis = spawnSync('redis-server', ['--version']).status === 0
if (!hasRedis) process.stdout.write('skipped: redis-server is not on PATH\n')

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}

describe.runIf(hasRedis)('two gateways with one Redis, whose database announces nothing', () => {
  let redis: ChildProcess
  let folder: string
  let database: TestDatabase
  let here: TestGateway
  let there: TestGateway
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-redis-'))
    const port = await freePort()
    redis = spawn('redis-server', ['--port', String(port), '--save', '', '--dir', folder])
    database = await createTestDatabase()
    await database.query('ALTER TABLE keys.api_key DISABLE TRIGGER USER')
    const variables = { REDIS_URL: `redis://127.0.0.1:${port}`, KEY_CACHE_SECONDS: '3600' }
    here = await startTestGateway(variables, { database })
    there = await startTestGateway(variables, { database })
  })
  afterAll(async () => {
    await Promise.all([here.close(), there.close()])
    await database.drop()
    redis.kill()
    if (redis.exitCode === null) await once(redis, 'exit')
    rmSync(folder, { recursive: true, force: true })
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
