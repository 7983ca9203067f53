import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  isOfRoles,
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { patience } from '../../support/time/patience.ts'

let database: TestDatabase
let gateways: readonly [TestGateway, TestGateway]
let gateway: TestGateway
beforeAll(async () => {
  database = await createTestDatabase()
  gateways = [await startTestGateway({}, { database }), await startTestGateway({}, { database })]
  gateway = gateways[0]
})
afterAll(async () => {
  for (const one of gateways) await one.close()
  await database.drop()
})

const path = '/v1/billing/checkout'
const declined = { package_id: 'pack_starter', payment_method: 'simulated_declined' }
const good = { package_id: 'pack_starter', payment_method: 'simulated' }
const slow = { package_id: 'pack_starter', payment_method: 'simulated_slow' }
const reached = 'The limit of 5 declined payments an hour is reached.'
const couldBeExceeded =
  'The limit of 5 declined payments an hour could be exceeded: wait until the payments in progress are decided.'

interface Effect {
  readonly failed: number
  readonly pending: number
  readonly paid: number
  readonly purchased: number
}

async function effectOf({ id }: TestAccount, environment = 'live'): Promise<Effect | undefined> {
  const [row] = await database.query<Effect>(
    `SELECT count(*) FILTER (WHERE status = 'failed')::int AS failed,
       count(*) FILTER (WHERE status = 'pending')::int AS pending,
       count(*) FILTER (WHERE status = 'paid')::int AS paid,
       (SELECT count(*)::int FROM account.ledger_entry
         WHERE account_id = $1 AND environment = $2 AND kind = 'purchase') AS purchased
     FROM account.payment WHERE account_id = $1 AND environment = $2 AND kind = 'checkout'`,
    [id, environment],
  )
  return row
}

/** Five declines, one after the other. */
async function useUp(
  { live }: TestGateway,
  { liveKey }: TestAccount,
): Promise<readonly TestResponse[]> {
  const answers: TestResponse[] = []
  for (let count = 0; count < 5; count += 1) {
    const answer = await live.post(path, declined, liveKey)
    expect([answer.status, Object(answer.body).status]).toEqual([201, 'failed'])
    answers.push(answer)
  }
  return answers
}

function expectLimit(answer: TestResponse, message = reached, of = gateway): void {
  const error = { status: 429, code: 'RATE_LIMIT_EXCEEDED', page: 'rate-limits', message } as const
  expectError(of, answer, error)
  // The refusal is not one of the limit of requests.
  expect(Number(answer.headers.get('x-ratelimit-remaining'))).toBeGreaterThan(0)
}

const fiveDeclines = { failed: 5, pending: 0, paid: 0, purchased: 0 }

describe(`POST ${path} after declined payments`, () => {
  test('allows 5 of 60 sequential declined calls over two gateways, then answers 429 for any card', async () => {
    const account = await gateway.createAccount()
    await useUp(gateways[1], account)

    for (let count = 5; count < 60; count += 1) {
      const of = gateways[count % 2] ?? gateway
      const answer = await of.live.post(path, count % 3 ? declined : good, account.liveKey)
      expectLimit(answer, reached, of)
      const seconds = Number(answer.headers.get('retry-after'))
      expect(seconds).toBeGreaterThan(3000)
      expect(seconds).toBeLessThanOrEqual(3600)
    }

    expect(await effectOf(account)).toEqual(fiveDeclines)
  })

  test('allows at most 5 of 40 parallel declined calls over two gateways', async () => {
    const account = await gateway.createAccount()

    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (gateways[index % 2] ?? gateway).live.post(path, declined, account.liveKey),
      ),
    )

    // On a loaded machine the provider is heard after a caller has given up: 503, and decided
    // later.
    const effect = await vi.waitUntil(async () => {
      const now = await effectOf(account)
      return now?.pending === 0 ? now : null
    }, patience)
    expect(effect).toEqual({ ...fiveDeclines, failed: expect.any(Number) })
    expect(effect.failed).toBeGreaterThan(0)
    expect(effect.failed).toBeLessThanOrEqual(5)
    const answered = Map.groupBy(answers, ({ status }) => status)
    const [ended = [], refused = [], late = []] = [201, 429, 503].map((code) => answered.get(code))
    expect(ended.length).toBeLessThanOrEqual(effect.failed)
    expect(ended.length + refused.length + late.length).toBe(40)
    for (const { body, headers } of refused) {
      expect([reached, couldBeExceeded]).toContain(Object(body).error.message)
      const seconds = Number(headers.get('retry-after'))
      expect(seconds).toBeGreaterThanOrEqual(1)
      expect(seconds).toBeLessThanOrEqual(3600)
    }
  })

  test('says how long to wait: until the first of the five declines is an hour old', async () => {
    const account = await gateway.createAccount()
    const [first, second] = (await useUp(gateway, account)).map(({ body }) => Object(body).id)
    const age = (id: string, minutes: number) =>
      database.query(
        `UPDATE account.payment SET settled_at = now() - make_interval(mins => $2) WHERE id = $1`,
        [id, minutes],
      )
    await age(first, 50)
    await age(second, 20)

    const waits = await gateway.live.post(path, good, account.liveKey)
    await age(first, 61)
    const passes = await gateway.live.post(path, declined, account.liveKey)
    const again = await gateway.live.post(path, good, account.liveKey)

    expectLimit(waits)
    const seconds = Number(waits.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(300)
    expect(seconds).toBeLessThanOrEqual(600)
    expect([passes.status, Object(passes.body).status]).toEqual([201, 'failed'])
    expectLimit(again)
    const later = Number(again.headers.get('retry-after'))
    expect(later).toBeGreaterThan(2000)
    expect(later).toBeLessThanOrEqual(2400)
  })

  test('keeps its count after another key, a change of auto-recharge and a success', async () => {
    const account = await gateway.createAccount()
    const { plaintext } = await gateway.createKey(account.id)
    for (let count = 0; count < 4; count += 1) {
      await gateway.live.post(path, declined, account.liveKey)
    }
    const success = await gateway.live.post(path, good, account.liveKey)
    await gateway.live.post(path, declined, plaintext)
    const setUp = { enabled: true, threshold_credits: 1, package_id: 'pack_starter' }
    const changed = await gateway.live.request('/v1/account/auto-recharge', {
      method: 'PATCH',
      key: account.liveKey,
      body: setUp,
    })

    const answers = await Promise.all([
      gateway.live.post(path, good, account.liveKey),
      gateway.live.post(path, good, plaintext),
    ])

    expect([success.status, changed.status]).toEqual([201, 200])
    for (const answer of answers) expectLimit(answer)
    expect(await effectOf(account)).toEqual({ ...fiveDeclines, paid: 1, purchased: 1 })
  })

  test('counts no declines of the other environment, of another account or of auto-recharge', async () => {
    const account = await gateway.createAccount()
    const other = await gateway.createAccount()
    await useUp(gateway, account)
    for (let count = 0; count < 4; count += 1) {
      await gateway.live.post(path, declined, other.liveKey)
    }
    await database.query(
      `INSERT INTO account.payment (id, account_id, environment, kind, package_id, package_name, tier,
         credits, price_cents, total_cents, currency, payment_method, status, failure_reason, reference,
         settled_at, provider)
       SELECT 'pay_' || lpad(n::text, 26, '0'), account_id, environment, 'auto_recharge',
         package_id, package_name, tier, credits, price_cents, total_cents, currency, payment_method,
         status, failure_reason, 'recharge-' || n, settled_at, provider
       FROM generate_series(1, 20) n, (
         SELECT * FROM account.payment WHERE account_id = $1 LIMIT 1) p`,
      [other.id],
    )

    const answers = [
      await gateway.sandbox.post(path, good, account.sandboxKey),
      await gateway.live.post(path, good, other.liveKey),
    ]

    for (const { status, body } of answers) {
      expect([status, Object(body).status]).toEqual([201, 'paid'])
    }
    expectLimit(await gateway.live.post(path, good, account.liveKey))
  })

  test('counts undecided payments until they are decided, for a day at most', async () => {
    const account = await gateway.createAccount()
    const begun: string[] = []
    for (let count = 0; count < 5; count += 1) {
      const { body } = await gateway.live.post(path, slow, account.liveKey)
      begun.push(Object(body).id)
      // The payment stays undecided.
      await database.query(
        `UPDATE account.payment SET status = 'pending', settled_at = NULL, provider = 'stripe',
           ask_at = now() + interval '1 day' WHERE id = $1`,
        [Object(body).id],
      )
    }

    const waits = await gateway.live.post(path, good, account.liveKey)
    const age = (hours: number) =>
      database.query(
        'UPDATE account.payment SET created_at = now() - make_interval(hours => $2) WHERE id = $1',
        [begun[0], hours],
      )
    // The payments stay undecided, as while the provider is unavailable.
    await age(23)
    const stillWaits = await gateway.live.post(path, good, account.liveKey)
    await age(25)
    const passes = await gateway.live.post(path, good, account.liveKey)

    for (const answer of [waits, stillWaits]) {
      expectLimit(answer, couldBeExceeded)
      expect(answer.headers.get('retry-after')).toBe('5')
    }
    expect([passes.status, Object(passes.body).status]).toEqual([201, 'paid'])
  })

  test('answers the retry of an attempt that started before the limit', async () => {
    const account = await gateway.createAccount()
    const key = { 'idempotency-key': 'the first' }
    const first = await gateway.live.post(path, declined, account.liveKey, key)
    for (let count = 1; count < 5; count += 1) {
      await gateway.live.post(path, declined, account.liveKey)
    }
    // The claim is deleted, as when its process died before the answer was kept.
    await database.query('DELETE FROM account.key_claim WHERE account_id = $1', [account.id])

    const again = await gateway.live.post(path, declined, account.liveKey, key)

    expect([again.status, again.body]).toEqual([201, first.body])
    expectLimit(await gateway.live.post(path, good, account.liveKey))
  })

  // These are metrics of one process; each of its roles would have a part of them.
  test.skipIf(isOfRoles)('has a limit of its own in the metrics', async () => {
    const account = await gateway.createAccount()
    await useUp(gateway, account)

    expectLimit(await gateway.live.post(path, good, account.liveKey))

    const metrics = await (await fetch(`${gateway.internal.url}/metrics`)).text()
    expect(metrics).toMatch(
      /^gateway_rate_limited_total\{listener="live",limiter="declines"\} [1-9]/m,
    )
  })
})
