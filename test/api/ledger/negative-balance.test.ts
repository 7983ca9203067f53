import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { batchOf, chargesOn, reserveApart } from '../../support/database/charge-batches.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { patience } from '../../support/time/patience.ts'

const dayMs = 86_400_000

let graph: TestGraph
let gateway: TestGateway
beforeAll(async () => {
  graph = await openTestGraph()
  gateway = await startTestGateway({ LOW_CREDITS_THRESHOLDS: '100' })
})
afterAll(() => Promise.all([gateway.close(), graph.close()]))

const charges = chargesOn(() => graph)

function adjust(accountId: string, credits: number, more: object = { allowNegative: true }) {
  const input = { accountId, credits, reason: 'Test', idempotencyKey: newId('led'), ...more }
  return graph.asAdmin('AdjustCredits', { input })
}

function grant(accountId: string, credits: number, expiresAt?: string) {
  const input = { accountId, credits, reason: 'Test', idempotencyKey: newId('led'), expiresAt }
  return graph.asAdmin('GrantCredits', { input })
}

function reserveCarefully(accountId: string, credits: number) {
  return reserveApart(graph, [{ accountId, credits }])
}

/** PostgreSQL's clock counts: instead of waiting, all times are moved back; then what is over leaves. */
async function passDays(accountId: string): Promise<void> {
  for (const [table, column] of [
    ['lot', 'expires_at'],
    ['balance', 'next_expiry_at'],
  ]) {
    await graph.database.query(
      `UPDATE account.${table} SET ${column} = ${column} - interval '2 days' WHERE account_id = $1`,
      [accountId],
    )
  }
  await graph.asService('ExpireGrants', { accountId, environment: 'live' })
}

async function lotsOf(accountId: string) {
  return graph.database.query(
    `SELECT (lot).source, credits_left::int AS left
     FROM account.lots_left($1, 'live', -1, '-infinity', 0, 100)`,
    [accountId],
  )
}

async function expectNoDrifts(): Promise<void> {
  expect(await graph.asAdmin('AuditLedger')).toMatchObject({ drifts: [] })
}

describe('adjustCredits', () => {
  test('takes what is held, and the balance below 0, only with allowNegative', async () => {
    const accountId = await charges.openAccount(10)
    await charges.reserve(batchOf([{ accountId, credits: 6 }]))

    await expect(adjust(accountId, -5, {})).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    expect(await adjust(accountId, -5)).toMatchObject({ credits: -5, balance_after: 5 })
    expect(await adjust(accountId, -8)).toMatchObject({ credits: -8, balance_after: -3 })
    expect(await charges.stateOf(accountId)).toMatchObject({ balance: -3, held: 6 })
    await expectNoDrifts()
  })

  test('repeats the entry of its key, and refuses the key for one without allowNegative', async () => {
    const accountId = await charges.openAccount(10)
    const more = { idempotencyKey: 'once', allowNegative: true }

    const first = await adjust(accountId, -20, more)

    expect(await adjust(accountId, -20, more)).toEqual(first)
    await expect(adjust(accountId, -20, { ...more, allowNegative: false })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    })
  })
})

describe('while the balance is negative', () => {
  test('a priced hold is refused, a hold of 0 is granted, and what is available says how much is owed', async () => {
    const accountId = await charges.openAccount(10)
    await adjust(accountId, -14)

    expect(await reserveCarefully(accountId, 1)).toMatchObject([
      { verdict: 'insufficient', available: -4 },
    ])
    expect(await reserveCarefully(accountId, 0)).toMatchObject([
      { verdict: 'accepted', available: -4 },
    ])
    // A batch in columns leaves what needs a closer look to the other way.
    const batch = batchOf([{ accountId, credits: 0 }])
    expect(await charges.reserve(batch)).toMatchObject({ verdicts: ['again'] })
  })

  test('a hold under way is settled', async () => {
    const accountId = await charges.openAccount(10)
    const batch = batchOf([{ accountId, credits: 6 }])
    await charges.reserve(batch)
    await adjust(accountId, -9)

    expect(await charges.settle(batch)).toMatchObject({
      ...{ outcomes: ['captured'], credits: [6], available: [-5] },
    })
    expect(await charges.stateOf(accountId)).toMatchObject({ balance: -5, held: 0 })
    await expectNoDrifts()
  })

  test('nothing expires, and what the debt left of a grant expires afterwards', async () => {
    const accountId = await charges.openAccount(10)
    await grant(accountId, 20, new Date(Date.now() + dayMs).toISOString())
    await adjust(accountId, -35)
    await passDays(accountId)
    expect(await charges.stateOf(accountId)).toMatchObject({ balance: -5 })
    await grant(accountId, 12)
    expect(await lotsOf(accountId)).toEqual([{ source: 'grant', left: 7 }])
    await graph.asService('ExpireGrants', { accountId, environment: 'live' })
    expect(await charges.stateOf(accountId)).toMatchObject({ balance: 7 })
    await expectNoDrifts()
  })

  test('an expiry takes at most what is not held of a positive balance', async () => {
    const accountId = await charges.openAccount(0)
    await grant(accountId, 20, new Date(Date.now() + dayMs).toISOString())
    const batch = batchOf([{ accountId, credits: 15 }])
    await charges.reserve(batch)
    await adjust(accountId, -3)
    await passDays(accountId)
    expect(await charges.stateOf(accountId)).toMatchObject({ balance: 15, held: 15 })
    await adjust(accountId, -5)
    await graph.asService('ExpireGrants', { accountId, environment: 'live' })

    expect(await charges.stateOf(accountId)).toMatchObject({ balance: 10, held: 15 })
    await expectNoDrifts()
  })

  test('the allowance of a new period pays the debt first', async () => {
    const input = { name: 'T', email: 't@example.com', subscriptionTier: 'pro_sub', credits: 7 }
    const { account } = Object(await graph.asAdmin('CreateAccount', { input }))
    const owner = { accountId: account.id, environment: 'live' }
    await adjust(account.id, -107)
    await graph.database.query(
      `UPDATE account.subscription SET anchor_at = now() - period,
         current_period_start = now() - period, current_period_end = now() WHERE account_id = $1`,
      [account.id],
    )

    await graph.asService('TurnSubscription', owner)
    const payments = await graph.database.query<{ id: string }>(
      `UPDATE account.payment SET ask_at = now() WHERE account_id = $1 RETURNING id`,
      [account.id],
    )
    for (const { id } of payments) await graph.asService('CollectPayment', { id })

    expect(await charges.stateOf(account.id)).toMatchObject({ balance: 4900 })
    expect(await lotsOf(account.id)).toEqual([{ source: 'allowance', left: 4900 }])
    const [lot] = await graph.database.query(
      `SELECT payment_id FROM account.lot WHERE account_id = $1 AND source = 'allowance'`,
      [account.id],
    )
    expect(lot).toEqual({ payment_id: payments[0]?.id })
    await expectNoDrifts()
  })
})

async function balanceOf(key: string) {
  const { body, status } = await gateway.live.get('/v1/account/credits', key)
  expect(status).toBe(200)
  return body
}

function reveal(key: string) {
  return gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, key)
}

async function buy(key: string): Promise<string> {
  const wanted = { package_id: 'pack_starter', payment_method: 'simulated' }
  const { body, status } = await gateway.live.post('/v1/billing/checkout', wanted, key)
  expect(status).toBe(201)
  return Object(body).id
}

function takeBack(accountId: string, paymentId: string, credits: number) {
  return gateway.database.query(`SELECT account.claw_back($1, 'live', $2, $3, $4, 'Refund')`, [
    accountId,
    paymentId,
    credits,
    newId('evt'),
  ])
}

/** When everything that was crossed has been looked at. */
async function watched(accountId: string): Promise<void> {
  await vi.waitFor(async () => {
    const [row] = await gateway.database.query(
      `SELECT count(*)::int AS open FROM jobs.job
       WHERE name = 'WatchBalance' AND state < 'completed' AND data ->> 'accountId' = $1`,
      [accountId],
    )
    expect(row).toEqual({ open: 0 })
  }, patience)
}

function rechargesOf(accountId: string) {
  return gateway.database.query(
    `SELECT id FROM account.payment WHERE account_id = $1 AND kind = 'auto_recharge'`,
    [accountId],
  )
}

describe('an account whose payment came back', () => {
  test('is answered 402 for every priced call, and is served again once it has bought enough', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 10 })
    const paymentId = await buy(liveKey)
    await gateway.graphql(
      'mutation ($input: AdjustCreditsInput!) { adjustCredits(input: $input) { id } }',
      { input: { accountId: id, credits: -800, reason: 'Test', idempotencyKey: 'down' } },
    )
    await takeBack(id, paymentId, 1000)
    // Before anything else is bought.
    await watched(id)

    expect(await balanceOf(liveKey)).toMatchObject({ balance: -790, held: 0, available: -790 })
    expectError(gateway, await reveal(liveKey), { status: 402, code: 'INSUFFICIENT_CREDITS' })
    const free = await gateway.live.get('/v1/contacts/con_5f1e0c7a9b3d2e48', liveKey)
    expect([free.status, free.headers.get('x-credits-remaining')]).toEqual([200, '-790'])
    const { body } = await gateway.live.get('/v1/account/credits/lots', liveKey)
    expect(body).toEqual({ items: [], next_cursor: null })
    const newest = await gateway.live.get('/v1/account/credits/ledger?kind=clawback', liveKey)
    expect(newest.body).toMatchObject({ items: [{ kind: 'clawback', credits: -1000 }] })
    const second = await buy(liveKey)
    expect((await reveal(liveKey)).status).toBe(200)
    const lots = await gateway.live.get('/v1/account/credits/lots', liveKey)
    expect(lots.body).toMatchObject({
      items: [{ granted_credits: 1000, remaining_credits: 205, payment_id: second }],
    })
    await watched(id)
    const events = await gateway.database.query(
      `SELECT type, (data ->> 'balance')::int AS balance FROM account.event
       WHERE account_id = $1 AND type LIKE 'credits.%' AND type <> 'credits.granted' ORDER BY id`,
      [id],
    )
    expect(events).toMatchObject([{ type: 'credits.exhausted', balance: -790 }])
    await expectExactBooks(gateway)
  })

  test('is not recharged by the clawback, but by the next charge if the balance is positive', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 600 })
    const paymentId = await buy(liveKey)
    const settings = { enabled: true, threshold_credits: 900, package_id: 'pack_starter' }
    const setUp = { method: 'PATCH', key: liveKey, body: settings }
    expect((await gateway.live.request('/v1/account/auto-recharge', setUp)).status).toBe(200)
    await watched(id)

    await takeBack(id, paymentId, 1000)

    await watched(id)
    expect(await rechargesOf(id)).toEqual([])
    expect((await reveal(liveKey)).status).toBe(200)
    await vi.waitFor(async () => expect(await rechargesOf(id)).toHaveLength(1), patience)
  })

  test('is not recharged while the balance is negative, though a hold under way is charged', async () => {
    const accountId = await charges.openAccount(10)
    const owner = { accountId, environment: 'live' }
    const paymentId = newId('pay')
    await graph.database.query(
      `SELECT account.post_credits($1, 'live', 'purchase', 1000, 'Test', $2, $3, NULL, NULL, false)`,
      [accountId, paymentId, newId('led')],
    )
    await graph.database.query(
      `INSERT INTO account.auto_recharge
         (account_id, environment, enabled, threshold_credits, package_id, payment_method)
       VALUES ($1, 'live', true, 500, 'pack_starter', 'simulated_slow')`,
      [accountId],
    )
    const batch = batchOf([{ accountId, credits: 900 }])
    await charges.reserve(batch)
    await graph.asService('WatchBalance', owner)
    const payments = () =>
      graph.database.query('SELECT id FROM account.payment WHERE account_id = $1', [accountId])

    await graph.database.query(
      `SELECT account.claw_back($1, 'live', $2, 1000, 'evt_1', 'Dispute')`,
      [accountId, paymentId],
    )
    await graph.asService('WatchBalance', owner)
    await charges.settle(batch)
    await graph.asService('WatchBalance', owner)
    expect(await payments()).toEqual([])

    await grant(accountId, 900)
    await graph.asService('WatchBalance', owner)
    expect(await charges.stateOf(accountId)).toMatchObject({ balance: 10 })
    expect(await payments()).toHaveLength(1)
  })
})
