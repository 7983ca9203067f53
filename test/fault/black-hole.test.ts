import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { TestResponse } from '../support/client.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { expectError } from '../support/error-envelope.ts'
import type { TestAccount, TestGateway } from '../support/gateway.ts'
import { assessDamage, expectNoDamage, report } from './audit.ts'
import { type ChaosProxy, startChaosProxy } from './chaos-proxy.ts'
import { type DeduplicatingBackend, startDeduplicatingBackend } from './deduplicating-backend.ts'
import { startGatewayOn } from './fault-gateway.ts'
import { idempotencyHeader, startLoad, wishesOf } from './load.ts'

/** How long anybody may wait for the news that the database is away. */
const answerPatienceMs = 12_000

describe('a network that swallows what is sent to PostgreSQL', () => {
  let database: TestDatabase
  let proxy: ChaosProxy
  let backend: DeduplicatingBackend
  let gateway: TestGateway
  beforeAll(async () => {
    database = await createTestDatabase()
    proxy = await startChaosProxy(database.serviceUrl)
    backend = await startDeduplicatingBackend()
    gateway = await startGatewayOn(database, {
      DATABASE_URL: proxy.through(database.serviceUrl),
      BACKEND_CONTACT_FINDER_URL: backend.url,
      BACKEND_TIMEOUT_MS: '1000',
      HOLD_TTL_SECONDS: '2',
    })
  })
  afterAll(async () => {
    await gateway.close()
    await backend.close()
    await proxy.close()
    await database.drop()
  })

  const reveal = (account: TestAccount) =>
    gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, account.liveKey, {
      [idempotencyHeader]: randomUUID(),
    })

  /** Null when nothing came in time. */
  function inTime(answer: Promise<TestResponse>): Promise<TestResponse | null> {
    return Promise.race([answer, sleep(answerPatienceMs, null)])
  }

  test('is told as 503 while health stays 200, and is over when it is over', {
    timeout: 90_000,
  }, async () => {
    const owners = await Promise.all([gateway.createAccount(), gateway.createAccount()])
    const [account] = owners
    expect((await reveal(account)).status).toBe(200)

    proxy.set('black hole')
    const load = startLoad(wishesOf(owners, 40), {
      urlOf: () => gateway.baseUrl,
      clients: 8,
      answerPatienceMs,
      patienceMs: 30_000,
    })
    const during = await inTime(reveal(account))
    const health = await inTime(gateway.live.get('/v1/health'))
    proxy.set('pass')
    const healedMs = performance.now()
    const after = await vi
      .waitUntil(async () => (await inTime(reveal(account)))?.status === 200, { timeout: 20_000 })
      .then(
        () => performance.now() - healedMs,
        () => Number.POSITIVE_INFINITY,
      )
    const fulfilments = await load.done

    const damage = await assessDamage(gateway, fulfilments)
    report('black hole', proxy.injections(), damage, load)
    expect(health?.status).toBe(200)
    expect(during?.status).toBe(503)
    if (during) expectError(gateway, during, { status: 503, code: 'SERVICE_UNAVAILABLE' })
    expect(after).toBeLessThan(15_000)
    expect(load.malformed).toEqual([])
    expect(fulfilments.filter(({ body }) => body !== null)).toHaveLength(40)
    await expectNoDamage(gateway, damage)
  })
})
