import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
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
import {
  type Fulfilment,
  idempotencyHeader,
  startLoad,
  wishCredits,
  wishesOf,
} from '../../support/load/load.ts'
import { patience } from '../../support/time/patience.ts'

describe('two gateways on one database', () => {
  let database: TestDatabase
  let backend: DeduplicatingBackend
  let gateways: readonly [TestGateway, TestGateway]
  beforeAll(async () => {
    database = await createTestDatabase()
    backend = await startDeduplicatingBackend()
    // Keys are believed for an hour: only a notice can make a gateway forget one.
    const variables = { BACKEND_CONTACT_FINDER_URL: backend.url, KEY_CACHE_SECONDS: '3600' }
    gateways = await Promise.all([
      startTestGateway(variables, { database }),
      startTestGateway(variables, { database }),
    ])
  })
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()))
    await backend.close()
    await database.drop()
  })

  const reveal = (gateway: TestGateway, account: TestAccount, headers = {}) =>
    gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, account.liveKey, headers)

  test('admit 200 parallel calls exactly as far as the balance goes', async () => {
    const [one, two] = gateways
    const account = await one.createAccount({ credits: 50 * wishCredits })
    let turn = 0

    const load = startLoad(wishesOf([account], 200), {
      urlOf: () => (turn++ % 2 === 0 ? one : two).baseUrl,
      clients: 200,
      answerPatienceMs: 60_000,
      patienceMs: 150_000,
      isFinal: (status) => status === 402,
    })
    const fulfilments = await load.done

    const damage = await assessDamage(one, fulfilments)
    report('two gateways, one balance', 200, damage, load)
    expect(load.malformed).toEqual([])
    expect(load.fulfilled()).toBe(50)
    // The window of this second may be used up.
    const { body } = await vi.waitUntil(async () => {
      const answer = await two.live.get('/v1/account/credits', account.liveKey)
      return answer.status === 200 ? answer : null
    }, patience)
    expect(body).toMatchObject({ balance: 0, held: 0 })
    await expectNoDamage(one, damage)
  })

  test('run a call with one key once, however many copies reach either', async () => {
    const [one, two] = gateways
    const account = await one.createAccount()
    const effectsBefore = backend.effects()
    const requestsBefore = backend.requests()
    const keys = Array.from({ length: 20 }, (_, index) => `copy-${index}`)

    const fulfilments: Fulfilment[] = []
    for (const key of keys) {
      const copies = await Promise.all(
        [one, two, one, two].map((gateway) =>
          reveal(gateway, account, { [idempotencyHeader]: key }),
        ),
      )
      const successes = copies.filter(({ status }) => status === 200)
      for (const { status, headers } of copies) {
        expect([200, 409]).toContain(status)
        if (status === 409) expect(headers.get('retry-after')).toBe('1')
      }
      const bodies = new Set(successes.map(({ body }) => JSON.stringify(body)))
      expect(bodies.size).toBe(1)
      const [body = null] = bodies
      fulfilments.push({ account, key, body, charged: String(wishCredits) })
    }

    const damage = await assessDamage(two, fulfilments)
    report('two gateways, one key', keys.length * 4, damage)
    expect(backend.effects() - effectsBefore).toBe(keys.length)
    expect(backend.requests() - requestsBefore).toBe(keys.length)
    const { body } = await two.live.get('/v1/account/credits', account.liveKey)
    expect(body).toMatchObject({ balance: 1000 - keys.length * wishCredits, held: 0 })
    await expectNoDamage(two, damage)
  })

  test('show a charge of one in the next answer of the other', async () => {
    const [one, two] = gateways
    const account = await one.createAccount()
    let stale = 0

    for (let charges = 1; charges <= 40; charges += 1) {
      const [charging, reading] = charges % 2 === 0 ? [one, two] : [two, one]
      const key = { [idempotencyHeader]: `fresh-${charges}` }
      expect((await reveal(charging, account, key)).status).toBe(200)
      const { body } = await reading.live.get('/v1/account/credits', account.liveKey)
      if (Object(body).balance !== 1000 - charges * wishCredits) stale += 1
    }

    const damage = await assessDamage(one, [])
    report(`two gateways, ${stale} stale reads`, 40, damage)
    expect(stale).toBe(0)
    await expectNoDamage(one, damage)
  })

  test('refuse a key after either revoked it, without waiting for a cache to expire', async () => {
    const [one, two] = gateways
    const account = await one.createAccount()
    const waits: number[] = []

    for (const [revoking, other] of [
      [one, two],
      [two, one],
    ] as const) {
      const { id, plaintext } = await revoking.createKey(account.id)
      const status = async (gateway: TestGateway) =>
        (await gateway.live.get('/v1/account', plaintext)).status
      expect([await status(revoking), await status(other)]).toEqual([200, 200])

      await revoking.graphql('mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { id })
      const revokedMs = performance.now()
      expect(await status(revoking)).toBe(401)
      await vi.waitUntil(async () => (await status(other)) === 401, patience)
      waits.push(performance.now() - revokedMs)
    }

    const damage = await assessDamage(one, [])
    report(`two gateways, revoked after ${waits.map(Math.round).join(' and ')} ms`, 2, damage)
    await expectNoDamage(one, damage)
  })
})
