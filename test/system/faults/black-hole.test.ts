import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { atNight } from '../../support/extent/extent.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { assessDamage, expectNoDamage, report } from '../../support/load/audit.ts'
import {
  type DeduplicatingBackend,
  startDeduplicatingBackend,
} from '../../support/load/deduplicating-backend.ts'
import { idempotencyHeader, startLoad, wishesOf } from '../../support/load/load.ts'
import { type ChaosProxy, startChaosProxy } from '../../support/processes/chaos-proxy.ts'
import { patience } from '../../support/time/patience.ts'

describe('a network that drops all packets to PostgreSQL', () => {
  let database: TestDatabase
  let proxy: ChaosProxy
  let backend: DeduplicatingBackend
  let gateway: TestGateway
  beforeAll(async () => {
    database = await createTestDatabase()
    proxy = await startChaosProxy(database.serviceUrl)
    backend = await startDeduplicatingBackend()
    const variables = {
      DATABASE_URL: proxy.through(database.serviceUrl),
      BACKEND_CONTACT_FINDER_URL: backend.url,
      BACKEND_TIMEOUT_MS: '4000',
      HOLD_TTL_SECONDS: '5',
    }
    gateway = await startTestGateway(variables, { database })
  })
  afterEach(() => proxy.set('pass'))
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

  const untilRevealed = (account: TestAccount) =>
    vi.waitUntil(async () => (await reveal(account)).status === 200, patience)

  test('causes 503 while health stays 200, until the network recovers', {
    timeout: 300_000,
  }, async () => {
    const owners = await Promise.all([gateway.createAccount(), gateway.createAccount()])
    const account = await gateway.createAccount()
    await untilRevealed(account)

    proxy.set('black hole')
    const load = startLoad(wishesOf(owners, 40), {
      urlOf: () => gateway.baseUrl,
      clients: 8,
      answerPatienceMs: 12_000,
      patienceMs: 240_000,
    })
    // Both calls are answered although the hole stays open until they are.
    const during = await reveal(account)
    const health = await gateway.live.get('/v1/health')
    proxy.set('pass')
    await untilRevealed(account)
    const fulfilments = await load.done

    const damage = await assessDamage(gateway, fulfilments)
    report('black hole', proxy.injections(), damage, load)
    expect(health.status).toBe(200)
    expectError(gateway, during, { status: 503, code: 'SERVICE_UNAVAILABLE' })
    expect(load.malformed).toEqual([])
    expect(fulfilments.filter(({ body }) => body !== null)).toHaveLength(40)
    await expectNoDamage(gateway, damage)
  })

  test('aborts a transaction that gets no answer, so that nothing waits for it for ever', async () => {
    const account = await gateway.createAccount()
    const createKey = (name: string) =>
      gateway.live.post('/v1/account/keys', { name }, account.liveKey)
    // The gateway knows the caller from now on.
    expect((await createKey('Before')).status).toBe(201)

    proxy.set('black hole')
    const during = await createKey('During')
    proxy.set('pass')

    expectError(gateway, during, { status: 503, code: 'SERVICE_UNAVAILABLE' })
    await vi.waitFor(async () => expect((await createKey('After')).status).toBe(201), patience)
    const { body } = await gateway.live.get('/v1/account/keys', account.liveKey)
    const names = Object(body).items.map(({ name }: { name: string }) => name)
    expect(names).toEqual(expect.arrayContaining(['Before', 'After']))
    expect(names).not.toContain('During')
  })

  // A probe that a standstill of the machine delays for 0.7 seconds ends as in a black hole: then it is tried again.
  test.runIf(atNight)(
    'is told apart from a network that dropped idle connections only: a slow statement is waited for',
    {
      retry: 2,
    },
    async () => {
      const account = await gateway.createAccount()
      const { id } = await gateway.createKey(account.id)
      const others = await Promise.all([gateway.createAccount(), gateway.createAccount()])
      await untilRevealed(account)

      // The probe of the database has a connection of its own.
      expect(proxy.forget('credit-gateway readiness')).toBeGreaterThan(0)
      const before = proxy.injections()
      const locked = database.query(
        `WITH locked AS (SELECT FROM keys.api_key WHERE id = $1 FOR UPDATE)
       SELECT pg_sleep(1.6) FROM locked`,
        [id],
      )
      const isLocked = async () => {
        const free = await database.query(
          'SELECT FROM keys.api_key WHERE id = $1 FOR UPDATE SKIP LOCKED',
          [id],
        )
        return free.length === 0
      }
      await vi.waitUntil(isLocked, { timeout: 20_000, interval: 5 })
      let isAnswered = false
      const waiting = gateway.live
        .request(`/v1/account/keys/${id}`, {
          method: 'PATCH',
          key: account.liveKey,
          body: { name: 'Later' },
        })
        .finally(() => {
          isAnswered = true
        })
      const beside: number[] = []
      while (!isAnswered) {
        for (const { liveKey } of others) {
          beside.push((await gateway.live.get('/v1/account', liveKey)).status)
          beside.push((await gateway.live.get('/v1/account/keys', liveKey)).status)
        }
        // An account may ask a hundred times in a second.
        await sleep(40)
      }
      await locked

      expect((await waiting).status).toBe(200)
      expect(new Set(beside)).toEqual(new Set([200]))
      // Somebody did ask into the hole.
      expect(proxy.injections()).toBeGreaterThan(before)
    },
  )
})
