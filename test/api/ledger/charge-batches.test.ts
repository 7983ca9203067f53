import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { reservePlain } from '../../../subgraphs/account/holds/hold-batch.statements.ts'
import { sessionOfAllTenants } from '../../../subgraphs/shared/database/tenant.ts'
import {
  batchOf,
  call,
  chargesOn,
  request,
  reserveApart,
} from '../../support/database/charge-batches.ts'
import { letCreditsExpire } from '../../support/database/expired-credits.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { patience } from '../../support/time/patience.ts'

let graph: TestGraph
beforeAll(async () => {
  graph = await openTestGraph()
})
afterAll(async () => {
  expect(await graph.asAdmin('AuditLedger')).toMatchObject({ drifts: [] })
  await graph.close()
})
const { openAccount, reserve, settle, stateOf, runOut } = chargesOn(() => graph)

describe('a batch of charges', () => {
  test('holds and charges one item of each account', async () => {
    const accounts = await Promise.all([openAccount(10), openAccount(20), openAccount(30)])
    const batch = batchOf(accounts.map((accountId) => ({ accountId, credits: 7 })))

    const reserved = await reserve(batch)
    const held = await Promise.all(accounts.map(stateOf))
    const settled = await settle({ ...batch, credits: [7, 3, 0] })

    const all = (word: string) => [word, word, word]
    expect(reserved).toEqual({ verdicts: all('accepted'), available: [3, 13, 23] })
    expect(held).toMatchObject(
      [10, 20, 30].map((balance) => ({ balance, held: 7, holds: 7, charges: [] })),
    )
    expect(settled).toEqual({
      outcomes: ['captured', 'captured', 'voided'],
      credits: [7, 3, 0],
      available: [3, 17, 30],
      budgetRemaining: null,
    })
    expect(await Promise.all(accounts.map(stateOf))).toEqual([
      { balance: 3, held: 0, holds: 0, charges: [7] },
      { balance: 17, held: 0, holds: 0, charges: [3] },
      { balance: 30, held: 0, holds: 0, charges: [] },
    ])
  })

  test('charges many items of an account in the order of their requests, chained with one hash', async () => {
    const [one, other] = [await openAccount(100), await openAccount(100)]
    const owners = [one, other, one, one, other]
    const batch = batchOf(owners.map((accountId, index) => ({ accountId, credits: index + 1 })))
    await reserve(batch)

    const settled = await settle({ ...batch, credits: [1, 2, 0, 9, 5] })

    expect(settled).toEqual({
      outcomes: ['captured', 'captured', 'voided', 'captured', 'captured'],
      credits: [1, 2, 0, 4, 5],
      available: [95, 93, 95, 95, 93],
      budgetRemaining: null,
    })
    expect(await stateOf(one)).toEqual({ balance: 95, held: 0, holds: 0, charges: [1, 4] })
    expect(await stateOf(other)).toEqual({ balance: 93, held: 0, holds: 0, charges: [2, 5] })
    const rows = await graph.database.query(
      `SELECT id, ref, description, call, request, hash IS NOT NULL AS has_hash
       FROM account.ledger_entry WHERE account_id = $1 AND kind = 'charge' ORDER BY seq`,
      [one],
    )
    const entry = { description: '/t', call, request: null }
    const [first = '', , , last = ''] = batch.requestIds
    expect(rows).toEqual([
      { ...entry, id: `led_${first.slice(4)}`, ref: first, has_hash: false },
      { ...entry, id: `led_${last.slice(4)}`, ref: last, has_hash: true },
    ])
  })

  test.each([
    { isKeyed: false, amounts: [1] },
    { isKeyed: false, amounts: [1, 2] },
    { isKeyed: true, amounts: [1] },
    { isKeyed: true, amounts: [1, 2] },
  ])(
    'does not count credits as available that expired after they were held, with keys $isKeyed, of $amounts credits',
    async ({ isKeyed, amounts }) => {
      const accountId = await openAccount(10)
      const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
      const gift = { accountId, credits: 20, reason: 'gift', expiresAt, idempotencyKey: 'gift' }
      await graph.asAdmin('GrantCredits', { input: gift })
      const batch = batchOf(
        amounts.map((credits) => ({
          ...{ accountId, credits },
          ...(isKeyed ? { keyHash: newId('key') } : {}),
        })),
      )
      await reserve(batch)
      await letCreditsExpire(graph.database, accountId)

      const repeated = await reserve(
        batch,
        isKeyed ? { keyHashes: null, requestHashes: null, keyTtlSeconds: null } : {},
      )
      const settled = await settle(batch)
      const again = await settle(batch)

      const of = <Value>(value: Value) => amounts.map(() => value)
      expect(repeated).toEqual({ verdicts: of('again'), available: of(0) })
      const charged = { outcomes: of('captured'), credits: amounts, available: of(10) }
      expect([settled, again]).toMatchObject([charged, charged])
    },
  )

  test.each([
    { isKeyed: false, accounts: 1 },
    { isKeyed: false, accounts: 6 },
    { isKeyed: true, accounts: 1 },
    { isKeyed: true, accounts: 6 },
  ])(
    'ends the holds of requests in any order, with keys $isKeyed, six items of $accounts accounts',
    async ({ isKeyed, accounts }) => {
      const ids = await Promise.all(Array.from({ length: accounts }, () => openAccount(100)))
      const inOrder = Array.from({ length: 6 }, () => newId('req'))
      const items = [4, 1, 5, 0, 3, 2].map((place, index) => ({
        accountId: ids[index % accounts] ?? '',
        credits: index + 1,
        requestId: inOrder[place],
        ...(isKeyed ? { keyHash: newId('key') } : {}),
      }))
      const batch = batchOf(items)
      const reserved = await reserve(batch)
      expect(Object(reserved).verdicts).toEqual(Array(6).fill('accepted'))

      const settled = await settle({ ...batch, credits: [1, 2, 3, 4, 5, 0] })

      expect(settled).toMatchObject({
        outcomes: [...Array(5).fill('captured'), 'voided'],
        credits: [1, 2, 3, 4, 5, 0],
      })
      for (const [index, id] of ids.entries()) {
        const { charges, ...state } = Object(await stateOf(id))
        const own = [1, 2, 3, 4, 5].filter((_, at) => at % accounts === index)
        expect(charges.toSorted()).toEqual(own)
        const sum = own.reduce((all, one) => all + one, 0)
        expect(state).toEqual({ balance: 100 - sum, held: 0, holds: 0 })
      }
    },
  )

  test('answers the same when a settlement is repeated, also beside the first', async () => {
    const accountId = await openAccount(100)
    const batch = batchOf([1, 2, 3].map((credits) => ({ accountId, credits })))
    await reserve(batch)

    // Where another one has the balance for more than 100 ms it is repeated, as the facade does.
    const settleInTurn = () =>
      vi.waitUntil(async () => {
        const result = await settle(batch)
        return Object(result).outcomes.includes('locked') ? null : result
      }, patience)
    const settled = await Promise.all(Array.from({ length: 5 }, settleInTurn))
    const again = await settle(batch, { isPatient: true })

    for (const { outcomes, credits } of [...settled, again].map(Object)) {
      expect([outcomes, credits]).toEqual([Array(3).fill('captured'), [1, 2, 3]])
    }
    expect(await stateOf(accountId)).toEqual({
      ...{ balance: 94, held: 0, holds: 0 },
      charges: [1, 2, 3],
    })
  })

  test('accepts a reservation again that holds already, and holds it once', async () => {
    const [one, other] = [await openAccount(12), await openAccount(10)]
    const batch = batchOf([
      { accountId: one, credits: 6 },
      { accountId: other, credits: 6 },
    ])
    await reserve(batch)
    const more = batchOf([
      { accountId: one, credits: 5, requestId: batch.requestIds[0] },
      { accountId: one, credits: 1 },
    ])

    const alone = batchOf([{ accountId: other, credits: 6, requestId: batch.requestIds[1] }])

    const again = [await reserve(more), await reserve(batch), await reserve(alone)]

    // Where the account has no room for the request a second time, only a batch that judges each item
    // finds the hold.
    expect(again).toEqual([
      { verdicts: ['accepted', 'again'], available: [6, 0] },
      { verdicts: ['accepted', 'accepted'], available: [6, 4] },
      { verdicts: ['again'], available: [0] },
    ])
    const items = [one, other].map((accountId, index) => ({
      ...{ requestId: batch.requestIds[index] ?? '', accountId, credits: 6 },
    }))
    expect(await reserveApart(graph, items)).toMatchObject([
      { verdict: 'accepted', available: 6 },
      { verdict: 'accepted', available: 4 },
    ])
    expect(await stateOf(one)).toMatchObject({ held: 6, holds: 6 })
    expect(await stateOf(other)).toMatchObject({ held: 6, holds: 6 })
    await settle({ ...batch, credits: [0, 0] })
  })

  test('leaves all items of an account that do not fit to a batch apart, and no others', async () => {
    const [poor, rich] = [await openAccount(5), await openAccount(50)]
    const items = [poor, rich, poor].map((accountId) => ({ accountId, credits: 4 }))
    const batch = batchOf(items)

    const reserved = await reserve(batch)

    expect(reserved).toEqual({
      verdicts: ['again', 'accepted', 'again'],
      available: [0, 46, 0],
    })
    expect(await stateOf(poor)).toMatchObject({ held: 0, holds: 0 })
    expect(await stateOf(rich)).toMatchObject({ held: 4, holds: 4 })
    await settle({ ...batch, credits: [0, 0, 0] })
  })

  test('leaves an account whose grant has just expired to a batch apart', async () => {
    const accountId = await openAccount(5)
    await graph.database.query(
      'UPDATE account.balance SET next_expiry_at = now() WHERE account_id = $1',
      [accountId],
    )

    const reserved = await reserve(batchOf([{ accountId, credits: 1 }]))

    expect(reserved).toEqual({ verdicts: ['again'], available: [0] })
  })

  test('leaves requests with budgets to a batch apart, and others pay nothing for them', async () => {
    const accountId = await openAccount(5)
    const batch = batchOf([
      { accountId, credits: 1 },
      { accountId, credits: 1 },
    ])

    const reserved = await reserve(batch, { spenders: [['bud_1'], []] })

    expect(reserved).toEqual({ verdicts: ['again', 'accepted'], available: [0, 4] })
    expect(reservePlain.text).not.toMatch(/spender|budget|reserved_at/)
    await settle({ ...batch, credits: [0, 0] })
  })

  test('refuses lists of different lengths, and does nothing', async () => {
    const accountId = await openAccount(5)
    const batch = { ...batchOf([{ accountId, credits: 1 }]), credits: [1, 1] }

    await expect(reserve(batch)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    await expect(settle(batch)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })

    expect(await stateOf(accountId)).toMatchObject({ held: 0, holds: 0 })
  })
})

describe('a batch with an account whose balance another transaction has locked', () => {
  async function whileLocked(accountId: string, work: () => Promise<void>): Promise<void> {
    const { ownerUrl } = graph.database
    const locker = new pg.Client({ connectionString: ownerUrl, options: sessionOfAllTenants })
    await locker.connect()
    try {
      await locker.query('BEGIN')
      await locker.query('SELECT FROM account.balance WHERE account_id = $1 FOR UPDATE', [
        accountId,
      ])
      await work()
    } finally {
      await locker.end()
    }
  }

  test('holds for all others, and leaves that account to a patient batch', async () => {
    const [locked, free] = [await openAccount(10), await openAccount(10)]
    const items = [locked, free].map((accountId) => ({ accountId, credits: 5 }))
    const batch = batchOf(items)

    await whileLocked(locked, async () => {
      expect(await reserve(batch)).toEqual({ verdicts: ['locked', 'accepted'], available: [0, 5] })
    })

    expect(await stateOf(locked)).toMatchObject({ held: 0, holds: 0 })
    await settle({ ...batch, credits: [0, 0] })
  })

  test.each([
    ['without keys', {}],
    ['with keys', { keyHash: 'locked' }],
  ])('settles all others %s, and that account at a patient attempt', async (_, key) => {
    const [locked, free] = [await openAccount(10), await openAccount(10)]
    const items = [locked, free, free].map((accountId, index) => ({
      ...{ accountId, credits: 2 },
      ...('keyHash' in key ? { keyHash: `${key.keyHash} ${index}` } : {}),
    }))
    const batch = batchOf(items)
    await reserve(batch)
    let patient: Promise<unknown> = Promise.resolve()

    await whileLocked(locked, async () => {
      expect(await settle(batch)).toEqual({
        outcomes: ['locked', 'captured', 'captured'],
        credits: [0, 2, 2],
        available: [0, 6, 6],
        budgetRemaining: null,
      })
      expect(await stateOf(free)).toMatchObject({ balance: 6, charges: [2, 2] })
      expect(await stateOf(locked)).toMatchObject({ balance: 10, held: 2, charges: [] })
      let isOver = true
      await vi.waitUntil(async () => {
        // On a loaded machine an attempt may be over before it was seen to wait: another one begins.
        if (isOver) {
          isOver = false
          patient = settle(batch, { isPatient: true }).finally(() => {
            isOver = true
          })
        }
        const waiting = await graph.database.query(
          `SELECT FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
        return waiting.length > 0
      }, patience)
    })

    // On a loaded machine its second may be over before the lock is.
    const { outcomes } = Object(await patient)
    expect(['captured', 'locked']).toContain(outcomes[0])
    expect(await settle(batch, { isPatient: true })).toEqual({
      outcomes: ['captured', 'captured', 'captured'],
      credits: [2, 2, 2],
      available: [8, 6, 6],
      budgetRemaining: null,
    })
    expect(await stateOf(locked)).toEqual({ balance: 8, held: 0, holds: 0, charges: [2] })
  })
})

describe('a hold of a batch apart', () => {
  test('is settled by a batch as any other, and expires with what it keeps', async () => {
    const accountId = await openAccount(100)
    const ids = Array.from({ length: 3 }, () => newId('req'))
    const items = ids.slice(0, 2).map((requestId) => ({ requestId, accountId, credits: 5 }))
    await reserveApart(graph, items)
    await reserve(batchOf(ids.slice(2).map((requestId) => ({ accountId, credits: 5, requestId }))))

    const settled = await settle(batchOf([{ accountId, credits: 5, requestId: ids[0] }]))
    const expired = await runOut({ requestIds: ids, credits: [] })

    expect(settled).toMatchObject({ outcomes: ['captured'], credits: [5] })
    expect(Object(expired).map((one: { request: object }) => one.request)).toEqual([
      request,
      request,
    ])
    expect(await stateOf(accountId)).toEqual({ balance: 95, held: 0, holds: 0, charges: [5] })
  })
})

test('a charge that crosses a level asks once for a look at the balance', async () => {
  const accountId = await openAccount(100)
  await graph.database.query(
    'UPDATE account.balance SET watch_below = 98, watch_above = NULL WHERE account_id = $1',
    [accountId],
  )
  const charge = async () => {
    const batch = batchOf([{ accountId, credits: 2 }])
    await reserve(batch)
    await settle(batch)
  }

  await charge()
  const [still] = await watched()
  await charge()
  await charge()

  async function watched() {
    return graph.database.query(
      `SELECT watch_below::int, (SELECT count(*)::int FROM jobs.job WHERE name = 'WatchBalance'
         AND data::text LIKE '%' || $1 || '%') AS jobs
       FROM account.balance WHERE account_id = $1 AND environment = 'live'`,
      [accountId],
    )
  }
  expect(still).toEqual({ watch_below: 98, jobs: Object(still).jobs })
  await vi.waitFor(async () => {
    expect(await watched()).toEqual([{ watch_below: null, jobs: Object(still).jobs + 1 }])
  }, patience)
})
