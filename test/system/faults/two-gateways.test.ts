import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { rounds } from '../../support/extent/extent.ts'
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
  type Wish,
  wishCredits,
  wishesOf,
} from '../../support/load/load.ts'
import { callTool, resultOf } from '../../support/mcp/mcp.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { patience } from '../../support/time/patience.ts'

const keyedPairs = rounds('KEYED_PAIRS', { all: 200, nightly: 5000 })

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
      fulfilments.push({ account, key, body, charged: String(wishCredits), requestId: null })
    }

    const damage = await assessDamage(two, fulfilments)
    report('two gateways, one key', keys.length * 4, damage)
    expect(backend.effects() - effectsBefore).toBe(keys.length)
    expect(backend.requests() - requestsBefore).toBe(keys.length)
    const { body } = await two.live.get('/v1/account/credits', account.liveKey)
    expect(body).toMatchObject({ balance: 1000 - keys.length * wishCredits, held: 0 })
    await expectNoDamage(two, damage)
  })

  test('make a call of a tool without a key once, however many copies reach either', async () => {
    const [one, two] = gateways
    const account = await one.createAccount()
    const effectsBefore = backend.effects()
    const requestsBefore = backend.requests()
    const contacts = Array.from({ length: 20 }, (_, index) => `con_copy_${index}`)

    for (const contact_id of contacts) {
      const copies = await Promise.all(
        [one, two, one, two].map(async ({ live }) =>
          resultOf(
            await callTool(live, account.liveKey, 'contacts_reveal_contact', { contact_id }),
          ),
        ),
      )
      const said = copies.map(({ isError, _meta }) => [
        ...[isError, _meta.replayed, _meta.credits_charged],
      ])
      expect(new Set(copies.map(({ content }) => content[0].text)).size).toBe(1)
      expect(said.filter(([, isReplay]) => isReplay === true)).toEqual(
        Array(3).fill([false, true, 0]),
      )
      expect(said.filter(([, isReplay]) => isReplay === false)).toEqual([
        [false, false, wishCredits],
      ])
    }

    const damage = await assessDamage(two, [])
    report('two gateways, one derived claim', contacts.length * 4, damage)
    expect(backend.effects() - effectsBefore).toBe(contacts.length)
    expect(backend.requests() - requestsBefore).toBe(contacts.length)
    const { body } = await two.live.get('/v1/account/credits', account.liveKey)
    expect(body).toMatchObject({ balance: 1000 - contacts.length * wishCredits, held: 0 })
    await expectNoDamage(two, damage)
  })

  test(`run each of ${keyedPairs} keys once, whose two calls come at once to one of them or to both`, async () => {
    const [one, two] = gateways
    // An odd number, so that each account has pairs of every way.
    const owners = await Promise.all(Array.from({ length: 61 }, () => one.createAccount()))
    const effectsBefore = backend.effects()
    const requestsBefore = backend.requests()
    const ways = [
      [one, one],
      [one, two],
      [two, two],
      [two, one],
    ] as const
    let conflicts = 0

    /** The answer to a call, which is sent again while the other one of its key runs or the window is used up. */
    async function answered(gateway: TestGateway, { account, key }: Wish): Promise<TestResponse> {
      return vi.waitUntil(async () => {
        const answer = await reveal(gateway, account, { [idempotencyHeader]: key })
        if (answer.status === 409) conflicts += 1
        return [409, 429].includes(answer.status) ? null : answer
      }, patience)
    }

    const fulfilments: Fulfilment[] = []
    const unequal: unknown[] = []
    const pairs = [...wishesOf(owners, keyedPairs)].entries()
    async function work(): Promise<void> {
      for (const [index, wish] of pairs) {
        const [first = one, second = two] = ways[index % ways.length] ?? []
        const answers = await Promise.all([answered(first, wish), answered(second, wish)])
        const [body = '', ...others] = new Set(answers.map((answer) => JSON.stringify(answer.body)))
        const said = answers.map(({ status, headers }) => [
          status,
          headers.get('x-credits-charged'),
          headers.get('idempotent-replayed'),
        ])
        const replays = said.filter(([, , replayed]) => replayed === 'true')
        const isRight = said.every(([status, charged]) => status === 200 && charged === '5')
        if (!isRight || others.length > 0 || replays.length !== 1) {
          unequal.push({ ...wish, said, body, others })
        }
        fulfilments.push({ ...wish, body, charged: '5', requestId: null })
      }
    }
    await Promise.all(Array.from({ length: 64 }, work))

    const damage = await assessDamage(one, fulfilments)
    report(`two gateways, ${keyedPairs} keys twice, ${conflicts} conflicts`, keyedPairs, damage)
    expect(unequal).toEqual([])
    expect(conflicts).toBeGreaterThan(0)
    expect(new Set(fulfilments.map(({ body }) => body)).size).toBe(keyedPairs)
    expect(backend.effects() - effectsBefore).toBe(keyedPairs)
    expect(backend.requests() - requestsBefore).toBe(keyedPairs)
    const charges = await database.query(
      "SELECT DISTINCT ref FROM account.ledger_audit WHERE kind = 'charge' AND account_id = ANY ($1)",
      [owners.map(({ id }) => id)],
    )
    expect(charges).toHaveLength(keyedPairs)
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
