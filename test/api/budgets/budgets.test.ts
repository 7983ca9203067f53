import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { setBudgetClock } from '../../support/database/budget-clock.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { rounds } from '../../support/extent/extent.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import type { TestClient, TestResponse } from '../../support/requests/client.ts'
import { patience } from '../../support/time/patience.ts'

let database: TestDatabase
let gateway: TestGateway
let other: TestGateway
beforeAll(async () => {
  database = await createTestDatabase()
  // Keys are believed for an hour: only a change that is announced can make a gateway forget one.
  const variables = { KEY_CACHE_SECONDS: '3600' }
  gateway = await startTestGateway(variables, { database })
  other = await startTestGateway(variables, { database })
})
afterAll(async () => {
  await gateway.close()
  await other.close()
  await database.drop()
})

/** Costs 5 credits. */
const reveal = { contact_id: 'con_0123456789' }

function call(key: string, client: TestClient = gateway.live): Promise<TestResponse> {
  return client.post('/v1/contacts/reveal', reveal, key)
}

function put(path: string, key: string, body: unknown): Promise<TestResponse> {
  return gateway.live.request(`/v1/account${path}`, { method: 'PUT', key, body })
}

function patchKey(id: string, key: string, body: unknown): Promise<TestResponse> {
  return gateway.live.request(`/v1/account/keys/${id}`, { method: 'PATCH', key, body })
}

interface Key {
  readonly id: string
  readonly plaintext: string
}

async function issue(key: string, more: object, client = gateway.live): Promise<Key> {
  const { status, body } = await client.post('/v1/account/keys', { name: 'Team', ...more }, key)
  expect({ status, body }).toMatchObject({ status: 201 })
  return Object(body)
}

function daily(limit: number) {
  return [{ period: 'day', limit_credits: limit }]
}

async function budgetsOf(key: string, id: string): Promise<unknown> {
  return Object((await gateway.live.get(`/v1/account/keys/${id}`, key)).body).budgets
}

async function drifts(): Promise<unknown> {
  const { ledgerAudit } = Object(await gateway.graphql('{ ledgerAudit { drifts { problem } } }'))
  return ledgerAudit.drifts
}

describe('a charged call of a key with a budget', () => {
  test('shows the credits left in the tightest budget, and is refused with 402 when that does not cover it', async () => {
    const { liveKey } = await gateway.createAccount()
    const { id, plaintext } = await issue(liveKey, {
      budgets: [...daily(7), { period: 'total', limit_credits: 100 }],
    })

    const first = await call(plaintext)
    const refused = await call(plaintext)
    const free = await call(liveKey)

    expect(first.status).toBe(200)
    expect(first.headers.get('x-budget-remaining')).toBe('2')
    const [day, total] = Object(await budgetsOf(liveKey, id))
    expect(day).toEqual({
      ...{ period: 'day', limit_credits: 7, used_credits: 5, held_credits: 0, enforce: true },
      ...{ remaining_credits: 2, resets_at: expect.stringMatching(/T00:00:00\.000Z$/) },
    })
    expect(total).toMatchObject({ used_credits: 5, remaining_credits: 95, resets_at: null })
    expectError(gateway, refused, {
      ...{ status: 402, code: 'BUDGET_EXCEEDED' },
      message: 'This request can cost 5 credits; the budget of the API key for the day has 2 left.',
      details: [
        {
          ...{ of: 'key', period: 'day', limit_credits: 7, used_credits: 5, held_credits: 0 },
          ...{ remaining_credits: 2, needed_credits: 5, resets_at: day.resets_at },
        },
      ],
    })
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      ...{ 'x-budget-remaining': '2', 'x-credits-charged': '0', 'x-credits-remaining': '995' },
    })
    expect(free.headers.get('x-budget-remaining')).toBeNull()
    expect(free.status).toBe(200)
  })

  test('is not counted again by a replay, which shows what is left now', async () => {
    const { liveKey } = await gateway.createAccount()
    const { plaintext } = await issue(liveKey, { budgets: daily(100) })
    const once = () =>
      gateway.live.post('/v1/contacts/reveal', reveal, plaintext, { 'idempotency-key': 'one' })
    await once()
    await call(plaintext)

    const replay = await once()

    expect(replay.status).toBe(200)
    expect(Object.fromEntries(replay.headers)).toMatchObject({
      ...{ 'idempotent-replayed': 'true', 'x-credits-charged': '5', 'x-budget-remaining': '90' },
    })
  })

  test('in the sandbox counts the price of the catalog', async () => {
    const { sandboxKey } = await gateway.createAccount()
    const { plaintext } = await issue(sandboxKey, { budgets: daily(7) }, gateway.sandbox)

    const answers = [await call(plaintext, gateway.sandbox), await call(plaintext, gateway.sandbox)]

    expect(answers.map(({ status }) => status)).toEqual([200, 402])
    expect(answers[0]?.headers.get('x-credits-charged')).toBe('0')
    expect(answers[0]?.headers.get('x-budget-remaining')).toBe('2')
  })

  test('is refused when the rows of its budget are missing', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const { plaintext } = await issue(liveKey, { budgets: daily(100) })
    await database.query('DELETE FROM account.budget WHERE account_id = $1', [id])

    await vi.waitFor(async () => expect((await call(plaintext)).status).toBe(401), patience)
  })
})

/** Each way to give 64 callers at once a budget of 100. */
const layers: [string, (key: string) => Promise<Key>][] = [
  ['of the key', (key) => issue(key, { budgets: daily(100) })],
  [
    'of the external id',
    async (key) => {
      await put('/external-ids/team/budgets', key, { budgets: daily(100) })
      return issue(key, { external_id: 'team' })
    },
  ],
  [
    'of the account',
    async (key) => {
      await put('/budgets', key, { budgets: daily(100) })
      return issue(key, {})
    },
  ],
  [
    'of all three, of different periods and limits',
    async (key) => {
      const budgets = [...daily(100), { period: 'total', limit_credits: 101 }]
      await put('/external-ids/team/budgets', key, {
        budgets: [{ period: 'week', limit_credits: 102 }],
      })
      await put('/budgets', key, { budgets: [{ period: 'month', limit_credits: 103 }] })
      return issue(key, { external_id: 'team', budgets })
    },
  ],
]

describe('64 callers at once over two gateways', () => {
  const roundCount = rounds('BUDGET_ROUNDS', { all: 1, nightly: 200 })

  async function deadlocks(): Promise<number> {
    const [row] = await database.query<{ count: number }>(
      `SELECT deadlocks::int AS count FROM pg_stat_database WHERE datname = current_database()`,
    )
    return row?.count ?? Number.NaN
  }

  /** A new account and a new key, which neither gateway knows yet. */
  async function spendAtOnce(open: (key: string) => Promise<Key>): Promise<number> {
    const { id, liveKey } = await gateway.createAccount({ credits: 100_000 })
    const { plaintext } = await open(liveKey)
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, index) =>
        call(plaintext, index % 2 === 0 ? gateway.live : other.live),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 402]))
    const [{ spent = 0 } = {}] = await database.query<{ spent?: number }>(
      `SELECT -sum(credits)::int AS spent FROM account.ledger_entry
       WHERE account_id = $1 AND kind = 'charge'`,
      [id],
    )
    return spent
  }

  test.each(layers)(
    'spend 100 credits of a budget of 100 %s, and no more',
    async (name, open) => {
      const before = await deadlocks()
      const sums: number[] = []
      for (let round = 0; round < roundCount; round += 1) sums.push(await spendAtOnce(open))

      const over = sums.filter((spent) => spent > 100).length
      const found = { over, least: Math.min(...sums), deadlocks: (await deadlocks()) - before }
      console.info(`A budget ${name}, ${roundCount} rounds: ${JSON.stringify(found)}`)
      // Each call costs 5 credits, so nothing of 100 is left.
      expect(found).toEqual({ over: 0, least: 100, deadlocks: 0 })
      expect(await drifts()).toEqual([])
    },
    60_000 + roundCount * 20_000,
  )
})

describe('PUT /v1/account/budgets', () => {
  test('replaces the budgets of the account, which GET shows', async () => {
    const { liveKey } = await gateway.createAccount()

    const changed = await put('/budgets', liveKey, {
      budgets: [{ period: 'total', limit_credits: 7, enforce: false }],
    })

    const budgets = [
      {
        ...{ period: 'total', limit_credits: 7, used_credits: 0, held_credits: 0 },
        ...{ remaining_credits: 7, resets_at: null, enforce: false },
      },
    ]
    expect(changed).toMatchObject({ status: 200, body: { budgets } })
    expect((await gateway.live.get('/v1/account/budgets', liveKey)).body).toEqual({ budgets })
    expect((await put('/budgets', liveKey, { budgets: [] })).body).toEqual({ budgets: [] })
  })

  test('is in force at once on this gateway, also for a key that it knows, and soon on others', async () => {
    const { liveKey } = await gateway.createAccount()
    expect([(await call(liveKey)).status, (await call(liveKey, other.live)).status]).toEqual([
      200, 200,
    ])

    await put('/budgets', liveKey, { budgets: daily(4) })

    expect((await call(liveKey)).status).toBe(402)
    await vi.waitFor(
      async () => expect((await call(liveKey, other.live)).status).toBe(402),
      patience,
    )
  })

  test('names each wrong member, and changes nothing', async () => {
    const { liveKey } = await gateway.createAccount()
    const budgets = [
      { period: 'year', limit_credits: 1 },
      { period: 'day', limit_credits: 0 },
      { period: 'week', limit_credits: 1.5 },
      { period: 'month', limit_credits: 2 ** 53, enforce: 'yes' },
    ]

    const refused = await put('/budgets', liveKey, { budgets, more: 1 })
    const lacking = await put('/budgets', liveKey, { budgets: [{ period: 'total' }] })
    const many = await put('/budgets', liveKey, { budgets: [...budgets, {}] })

    const fields = Object(refused.body).error.details.map(({ field }: { field: string }) => field)
    expect(refused.status).toBe(422)
    expect(fields.toSorted()).toEqual([
      ...['budgets.0.period', 'budgets.1.limit_credits', 'budgets.2.limit_credits'],
      ...['budgets.3.enforce', 'budgets.3.limit_credits', 'more'],
    ])
    expect(lacking).toMatchObject({
      ...{ status: 422, body: { error: { details: [{ field: 'budgets.0.limit_credits' }] } } },
    })
    expect(many).toMatchObject({
      ...{ status: 422, body: { error: { details: [{ field: 'budgets' }] } } },
    })
    const twice = await put('/budgets', liveKey, { budgets: [...daily(1), ...daily(2)] })
    expect(twice).toMatchObject({
      ...{ status: 422, body: { error: { details: [{ field: 'budgets.1.period' }] } } },
    })
    expect((await gateway.live.get('/v1/account/budgets', liveKey)).body).toEqual({ budgets: [] })
  })
})

describe('external ids', () => {
  test('share one counter among their keys, and are listed in pages with their keys and budgets', async () => {
    const { liveKey } = await gateway.createAccount()
    await put('/external-ids/b%3Ateam/budgets', liveKey, { budgets: daily(12) })
    await put('/external-ids/c/budgets', liveKey, { budgets: daily(1) })
    const keys = [
      await issue(liveKey, { external_id: 'b:team' }),
      await issue(liveKey, { external_id: 'b:team' }),
      await issue(liveKey, { external_id: 'a' }),
    ] as const

    const answers = []
    for (const { plaintext } of [keys[0], keys[1], keys[0]]) answers.push(await call(plaintext))

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 402])
    expect(Object(answers[2]?.body).error.details).toMatchObject([{ of: 'external_id' }])
    const list = (query: string) => gateway.live.get(`/v1/account/external-ids?${query}`, liveKey)
    await vi.waitFor(async () => {
      const { items } = Object((await list('limit=2')).body)
      expect(items[1].credits_this_month).toBe(10)
    }, patience)
    const first = Object((await list('limit=2')).body)
    const second = Object((await list(`limit=2&cursor=${first.next_cursor}`)).body)
    const [a, b] = first.items
    const unused = { credits_this_month: 0, last_used_at: null }
    expect(a).toEqual({ external_id: 'a', keys: 1, budgets: [], ...unused })
    expect(b).toMatchObject({ external_id: 'b:team', keys: 2, budgets: [{ used_credits: 10 }] })
    expect(second).toMatchObject({ items: [{ external_id: 'c', keys: 0 }], next_cursor: null })
    const { items: found } = Object((await list('q=TEAM')).body)
    expect(found).toEqual([b])
    expect((await list('q=external_id')).body).toEqual({ items: [], next_cursor: null })
    expect((await list('q=')).status).toBe(422)
  })

  test('are read one by one: with budgets, the credits of the month and the last use of a key', async () => {
    const { liveKey } = await gateway.createAccount()
    const { plaintext } = await issue(liveKey, { external_id: 'eu/team' })
    await put('/external-ids/eu%2Fteam/budgets', liveKey, { budgets: daily(12) })
    const read = async (id: string) => {
      const { status, body } = await gateway.live.get(`/v1/account/external-ids/${id}`, liveKey)
      expect(status).toBe(200)
      return Object(body)
    }
    expect((await call(plaintext)).status).toBe(200)

    await vi.waitFor(async () => {
      expect(await read('eu%2Fteam')).toEqual({
        ...{ external_id: 'eu/team', keys: 1, credits_this_month: 5 },
        last_used_at: expect.stringMatching(/^20.*Z$/),
        budgets: [expect.objectContaining({ period: 'day', limit_credits: 12, used_credits: 5 })],
      })
    }, patience)
    // Another account's external id looks like one that nothing has yet.
    const foreign = await gateway.createAccount()
    const { body } = await gateway.live.get('/v1/account/external-ids/eu%2Fteam', foreign.liveKey)
    expect(body).toEqual({
      ...{ external_id: 'eu/team', keys: 0, budgets: [], credits_this_month: 0 },
      last_used_at: null,
    })
  })

  test('of other accounts have their own counters', async () => {
    const accounts = [await gateway.createAccount(), await gateway.createAccount()]
    const [one, two] = accounts.map(({ liveKey }) => liveKey)
    await put('/external-ids/team/budgets', one ?? '', { budgets: daily(1) })

    const { plaintext } = await issue(two ?? '', { external_id: 'team' })

    expect((await call(plaintext)).status).toBe(200)
  })
})

describe('POST /v1/account/keys/{id}/budgets/{period}/reset', () => {
  const reset = (id: string, period: string, key: string) =>
    gateway.live.post(`/v1/account/keys/${id}/budgets/${period}/reset`, undefined, key)

  test('sets the use to 0, and leaves a line in the audit trail', async () => {
    const account = await gateway.createAccount()
    const { id, plaintext } = await issue(account.liveKey, { budgets: daily(5) })
    await call(plaintext)

    const answer = await reset(id, 'day', account.liveKey)

    expect(answer).toMatchObject({ status: 200, body: { id, budgets: [{ used_credits: 0 }] } })
    expect((await call(plaintext)).status).toBe(200)
    await vi.waitFor(async () => {
      const lines = await database.query(
        `SELECT action, resource_id, result, details FROM usage.audit_event
         WHERE account_id = $1 AND action = 'key.reset_budget'`,
        [account.id],
      )
      expect(lines).toEqual([
        {
          ...{ action: 'key.reset_budget', resource_id: id, result: 'succeeded' },
          details: { period: 'day' },
        },
      ])
    }, patience)
  })

  test('is refused without such a budget, for a key that has ended, and by a key with a budget', async () => {
    const { liveKey } = await gateway.createAccount()
    const stranger = await gateway.createAccount()
    const { id, plaintext } = await issue(liveKey, { budgets: daily(5) })

    const statuses = [
      (await reset(id, 'week', liveKey)).status,
      (await reset(id, 'day', stranger.liveKey)).status,
      (await reset(id, 'year', liveKey)).status,
      (await reset(id, 'day', plaintext)).status,
    ]
    await gateway.live.request(`/v1/account/keys/${id}`, { method: 'DELETE', key: liveKey })

    expect(statuses).toEqual([404, 404, 422, 403])
    expect((await reset(id, 'day', liveKey)).status).toBe(409)
  })
})

test('a rotated key and its successor share one counter, also in the grace period', async () => {
  const { liveKey } = await gateway.createAccount()
  const { id, plaintext } = await issue(liveKey, { budgets: daily(12) })
  await call(plaintext)
  const rotated = await gateway.live.post(
    `/v1/account/keys/${id}/rotate`,
    { grace_seconds: 3600 },
    liveKey,
  )
  const successor: Key = Object(rotated.body)

  const answers = [await call(successor.plaintext), await call(plaintext)]

  expect(answers.map(({ status }) => status)).toEqual([200, 402])
  expect(await budgetsOf(liveKey, successor.id)).toMatchObject([{ used_credits: 10 }])
  expect(await patchKey(id, liveKey, { budgets: [] })).toMatchObject({ status: 409 })
})

test('a refund of a charge comes back to the budget', async () => {
  const account = await gateway.createAccount()
  const { id, plaintext } = await issue(account.liveKey, { budgets: daily(5) })
  const requestId = (await call(plaintext)).headers.get('x-request-id')

  await gateway.graphql(
    `mutation ($input: RefundChargeInput!) { refundCharge(input: $input) { id } }`,
    { input: { accountId: account.id, requestId, reason: 'Test', idempotencyKey: 'refund' } },
  )

  expect(await budgetsOf(account.liveKey, id)).toMatchObject([{ used_credits: 0 }])
  expect((await call(plaintext)).status).toBe(200)
  expect(await drifts()).toEqual([])
})

test('a window begins at 0 by the clock of the database, also in answers', async () => {
  await setBudgetClock(database, '2027-12-31T23:59:59.000Z')
  const { liveKey } = await gateway.createAccount()
  const { id, plaintext } = await issue(liveKey, { budgets: daily(5) })
  expect((await call(plaintext)).status).toBe(200)
  expect((await call(plaintext)).status).toBe(402)

  await setBudgetClock(database, '2028-01-01T00:00:00.000Z')

  expect(await budgetsOf(liveKey, id)).toMatchObject([
    { used_credits: 0, resets_at: '2028-01-02T00:00:00.000Z' },
  ])
  expect((await call(plaintext)).status).toBe(200)
  await setBudgetClock(database, null)
})
