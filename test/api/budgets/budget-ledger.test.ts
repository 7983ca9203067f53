import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Hold, Reservation } from '../../../rest-facade/charge/hold.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { sessionOfAllTenants } from '../../../subgraphs/shared/database/tenant.ts'
import { setBudgetClock } from '../../support/database/budget-clock.ts'
import { call, chargesOn, reserveApart } from '../../support/database/charge-batches.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { type AskedLedger, createAskedLedger } from '../../support/graph/asked-ledger.ts'

let graph: TestGraph
let ledger: AskedLedger
beforeAll(async () => {
  graph = await openTestGraph()
  ledger = createAskedLedger(graph.as, { databaseTimeoutMs: 30_000 })
})
afterEach(() => setBudgetClock(graph.database, null))
afterAll(async () => {
  expect(await graph.asAdmin('AuditLedger')).toMatchObject({ drifts: [] })
  await graph.close()
})

const { openAccount } = chargesOn(() => graph)
const key = 'key:key_1'

interface Limit {
  readonly period: 'day' | 'week' | 'month' | 'total'
  readonly limitCredits: number
  readonly enforce?: boolean
}

function setBudgets(
  accountId: string,
  budgets: readonly Limit[],
  spender = key,
  environment = 'live',
) {
  return graph.asService('SetBudgets', { accountId, environment, spender, budgets })
}

async function budgetsOf(accountId: string, spender = key, environment = 'live') {
  const asked = { accountId, environment, spenders: [spender] }
  const [found] = (await graph.asService('ReadBudgets', asked)) as [{ budgets: unknown[] }?]
  return found?.budgets ?? []
}

async function accountWith(budgets: readonly Limit[], credits = 1000): Promise<string> {
  const accountId = await openAccount(credits)
  await setBudgets(accountId, budgets)
  return accountId
}

function holdOf(accountId: string, credits: number, more: Partial<Hold> = {}): Hold {
  return {
    ...{ requestId: newId('req'), accountId, environment: 'live', credits, ttlSeconds: 60 },
    ...{ endpoint: '/t', call, idempotency: null, budgetOwners: [key] },
    ...more,
  }
}

function settle(hold: Hold, { reservedAt }: Reservation, credits: number) {
  return ledger.settle({ hold, credits, reservedAt, kept: null })
}

async function charge(accountId: string, credits: number, more: Partial<Hold> = {}) {
  const hold = holdOf(accountId, credits, more)
  const reservation = await ledger.reserve(hold)
  if (reservation.verdict !== 'accepted') return reservation.verdict
  const { outcome } = await settle(hold, reservation, credits)
  return outcome
}

async function eventsOf(accountId: string): Promise<unknown[]> {
  const rows = await graph.database.query<{ data: unknown }>(
    `SELECT event -> 'data' AS data
     FROM jobs.job, jsonb_array_elements(data -> 'events') AS event
     WHERE name = 'PublishEvents' AND event ->> 'accountId' = $1
       AND event ->> 'type' = 'budget.threshold'
     ORDER BY event ->> 'id'`,
    [accountId],
  )
  return rows.map(({ data }) => data)
}

describe('a call with budgets', () => {
  test('holds credits in each of them, and the unused ones are released', async () => {
    const accountId = await accountWith([{ period: 'total', limitCredits: 100 }])
    const hold = holdOf(accountId, 60)

    const reservation = await ledger.reserve(hold)
    const held = await budgetsOf(accountId)
    const settlement = await settle(hold, reservation, 25)

    expect(reservation).toMatchObject({ verdict: 'accepted', budgetRemaining: 40, refusing: null })
    expect(held).toMatchObject([{ usedCredits: 0, heldCredits: 60, remainingCredits: 40 }])
    expect(settlement).toMatchObject({ outcome: 'captured', credits: 25, budgetRemaining: 75 })
    expect(await budgetsOf(accountId)).toEqual([
      {
        ...{ period: 'total', limitCredits: 100, usedCredits: 25, heldCredits: 0 },
        ...{ remainingCredits: 75, resetsAt: null, enforce: true },
      },
    ])
  })

  test('is refused by each budget that does not cover it, and holds nothing then', async () => {
    await setBudgetClock(graph.database, '2026-03-04T05:06:07.089Z')
    const accountId = await accountWith([
      { period: 'day', limitCredits: 10 },
      { period: 'month', limitCredits: 15 },
      { period: 'total', limitCredits: 1000 },
    ])
    expect(await charge(accountId, 8)).toBe('captured')

    const refused = await ledger.reserve(holdOf(accountId, 8))

    expect(refused).toMatchObject({ verdict: 'exhausted', available: 992, budgetRemaining: 2 })
    expect(refused.refusing).toEqual([
      {
        ...{ of: 'key', period: 'day', limit_credits: 10, used_credits: 8, held_credits: 0 },
        ...{ remaining_credits: 2, needed_credits: 8, resets_at: '2026-03-05T00:00:00.000Z' },
      },
      {
        ...{ of: 'key', period: 'month', limit_credits: 15, used_credits: 8, held_credits: 0 },
        ...{ remaining_credits: 7, needed_credits: 8, resets_at: '2026-04-01T00:00:00.000Z' },
      },
    ])
    expect(await budgetsOf(accountId)).toMatchObject([
      { usedCredits: 8, heldCredits: 0 },
      { usedCredits: 8, heldCredits: 0 },
      { usedCredits: 8, heldCredits: 0 },
    ])
    expect(await charge(accountId, 2)).toBe('captured')
  })

  test('is shown no expired credits when a budget refuses it, and nobody sees them again', async () => {
    const accountId = await accountWith([{ period: 'total', limitCredits: 10 }])
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
    const gift = { accountId, credits: 30, reason: 'gift', expiresAt, idempotencyKey: 'gift' }
    await graph.asAdmin('GrantCredits', { input: gift })
    for (const change of [
      "UPDATE account.lot SET expires_at = now() WHERE account_id = $1 AND expires_at < 'infinity'",
      "UPDATE account.balance SET next_expiry_at = now() WHERE account_id = $1 AND environment = 'live'",
    ]) {
      await graph.database.query(change, [accountId])
    }
    const idempotency = { keyHash: 'a', requestHash: 'b', ttlSeconds: 60 }

    const refused = await ledger.reserve(holdOf(accountId, 11, { idempotency }))
    const [seen] = await graph.database.query(
      `SELECT balance::int, held::int, (SELECT array_agg(kind || ' ' || credits ORDER BY seq)
         FROM account.ledger_entry e WHERE e.account_id = b.account_id AND environment = 'live') AS entries
       FROM account.balance b WHERE account_id = $1 AND environment = 'live'`,
      [accountId],
    )

    expect(refused).toMatchObject({ verdict: 'exhausted', available: 1000 })
    const entries = ['grant 1000', 'grant 30', 'expiry -30']
    expect(seen).toEqual({ balance: 1000, held: 0, entries })
  })

  test('is refused for its balance first, when the balance and a budget refuse', async () => {
    const accountId = await accountWith([{ period: 'total', limitCredits: 3 }], 4)

    expect(await ledger.reserve(holdOf(accountId, 5))).toMatchObject({
      ...{ verdict: 'insufficient', available: 4, refusing: null },
    })
  })

  test('leaves its credits to the next of its batch when a budget refuses it', async () => {
    const accountId = await openAccount(10)
    await setBudgets(accountId, [{ period: 'total', limitCredits: 1 }], 'key:poor')
    await setBudgets(accountId, [{ period: 'total', limitCredits: 10 }], 'key:rich')

    const reserved = await Promise.all([
      ledger.reserve(holdOf(accountId, 10, { budgetOwners: ['key:poor'] })),
      ledger.reserve(holdOf(accountId, 10, { budgetOwners: ['key:rich'] })),
    ])

    expect(reserved.map(({ verdict }) => verdict)).toEqual(['exhausted', 'accepted'])
  })

  test('takes up the idempotency key of another that a budget refused in the same batch', async () => {
    const accountId = await openAccount(10)
    await setBudgets(accountId, [{ period: 'total', limitCredits: 1 }], 'key:poor')
    await setBudgets(accountId, [{ period: 'total', limitCredits: 10 }], 'key:rich')
    const idempotency = { keyHash: 'one', requestHash: 'same', ttlSeconds: 600 }
    const holds = ['key:poor', 'key:rich'].map((spender) =>
      holdOf(accountId, 5, { budgetOwners: [spender], idempotency }),
    )

    const reserved = await Promise.all(holds.map((hold) => ledger.reserve(hold)))

    expect(reserved.map(({ verdict }) => verdict)).toEqual(['exhausted', 'accepted'])
    const [, hold] = holds
    const [, reservation] = reserved
    if (!hold || !reservation) throw new Error('Two were reserved.')
    expect(await settle(hold, reservation, 5)).toMatchObject({ outcome: 'captured' })
  })

  describe('while another transaction has the balance of another account', () => {
    /** Two accounts with a budget, and a transaction that has the balance of the first. */
    async function lockOne() {
      const daily = [{ period: 'day', limitCredits: 9 }] as const
      const [locked, free] = [await accountWith(daily), await accountWith(daily)]
      const holds = [holdOf(locked, 5), holdOf(free, 5)] as const
      const options = sessionOfAllTenants
      const locker = new pg.Client({ connectionString: graph.database.ownerUrl, options })
      await locker.connect()
      async function lock() {
        await locker.query('BEGIN')
        const text = 'SELECT FROM account.balance WHERE account_id = $1 FOR UPDATE'
        await locker.query(text, [locked])
      }
      async function release() {
        await locker.query('COMMIT')
        await locker.end()
      }
      return { locked, free, holds, lock, release }
    }

    test('is reserved, and so is that of the locked account when its balance is free', async () => {
      const { locked, free, holds, lock, release } = await lockOne()
      await lock()

      const reserving = holds.map((hold) => ledger.reserve(hold))
      const later = holdOf(locked, 4)
      expect(await reserving[1]).toMatchObject({ verdict: 'accepted', budgetRemaining: 4 })
      // By now the balance is known to be locked.
      reserving.push(ledger.reserve(later))
      expect(await charge(free, 4)).toBe('captured')
      await release()

      expect(await Promise.all(reserving)).toMatchObject([
        { verdict: 'accepted' },
        { verdict: 'accepted' },
        { verdict: 'accepted' },
      ])
      expect(await budgetsOf(locked)).toMatchObject([{ usedCredits: 0, heldCredits: 9 }])
    })

    test('learns that nothing was done, in a batch of the locked account alone', async () => {
      const { locked, lock, release } = await lockOne()
      await lock()

      const reserved = await reserveApart(graph, [
        { accountId: locked, credits: 5, spenders: [key] },
      ])
      await release()

      expect(reserved).toMatchObject([{ verdict: 'locked', available: 0, reservedAt: null }])
      expect(await budgetsOf(locked)).toMatchObject([{ usedCredits: 0, heldCredits: 0 }])
    })

    test('is settled', async () => {
      const { free, holds, lock, release } = await lockOne()
      const reserved = await Promise.all(holds.map((hold) => ledger.reserve(hold)))
      await lock()

      const settling = holds.map((hold, index) => {
        const reservedAt = reserved[index]?.reservedAt ?? null
        return ledger.settle({ hold, credits: 5, reservedAt, kept: null })
      })
      expect(await settling[1]).toMatchObject({ outcome: 'captured', budgetRemaining: 4 })
      expect(await budgetsOf(free)).toMatchObject([{ usedCredits: 5, heldCredits: 0 }])
      await release()

      expect(await settling[0]).toMatchObject({ outcome: 'captured', budgetRemaining: 4 })
    })
  })

  test('spends no more than its budgets have, whatever comes at once', async () => {
    const accountId = await accountWith([{ period: 'day', limitCredits: 100 }], 100_000)
    await setBudgets(accountId, [{ period: 'total', limitCredits: 99 }], 'external_id:team')
    await setBudgets(accountId, [{ period: 'month', limitCredits: 98 }], 'account')
    const spenders = [key, 'external_id:team', 'account']

    const outcomes = await Promise.all(
      Array.from({ length: 64 }, (_, index) =>
        charge(accountId, 1 + (index % 4), { budgetOwners: spenders }),
      ),
    )

    const counts = await Promise.all(spenders.map((spender) => budgetsOf(accountId, spender)))
    const used = counts.map((budgets) => Object(budgets[0]).usedCredits)
    expect(new Set(outcomes)).toEqual(new Set(['captured', 'exhausted']))
    expect(new Set(used).size).toBe(1)
    expect(used[0]).toBeGreaterThan(94)
    expect(used[0]).toBeLessThanOrEqual(98)
  })

  test('counts once, however often it is reserved and settled', async () => {
    const accountId = await accountWith([{ period: 'total', limitCredits: 10 }])
    const hold = holdOf(accountId, 10)

    const first = await ledger.reserve(hold)
    const again = await ledger.reserve(hold)
    const settlements = [await settle(hold, first, 7), await settle(hold, again, 7)]

    expect(again).toMatchObject({ verdict: 'accepted', reservedAt: first.reservedAt })
    expect(settlements).toMatchObject([
      { outcome: 'captured', credits: 7 },
      { outcome: 'captured', credits: 7 },
    ])
    expect(await budgetsOf(accountId)).toMatchObject([{ usedCredits: 7, heldCredits: 0 }])
  })

  test('releases what it holds when it runs out of time', async () => {
    const accountId = await accountWith([{ period: 'day', limitCredits: 10 }])
    const hold = holdOf(accountId, 10)
    const reservation = await ledger.reserve(hold)
    await graph.database.query(
      `UPDATE account.hold SET expires_at = now() - interval '1 s' WHERE request_id = $1`,
      [hold.requestId],
    )

    await graph.asService('ExpireHolds', { limit: 100 })

    expect(await budgetsOf(accountId)).toMatchObject([{ usedCredits: 0, heldCredits: 0 }])
    expect(await settle(hold, reservation, 5)).toMatchObject({ outcome: 'expired', credits: 0 })
    expect(await budgetsOf(accountId)).toMatchObject([{ usedCredits: 0, heldCredits: 0 }])
  })

  test('whose hold was lost in a crash is charged only if every budget still covers it', async () => {
    const accountId = await accountWith([{ period: 'total', limitCredits: 10 }])
    const holds = [holdOf(accountId, 6), holdOf(accountId, 4)] as const
    const reserved = [await ledger.reserve(holds[0]), await ledger.reserve(holds[1])] as const
    await graph.database.query(
      `UPDATE account.balance SET held = 0 WHERE account_id = '${accountId}'`,
    )
    await graph.database.query(`DELETE FROM account.hold WHERE account_id = '${accountId}'`)
    await graph.database.query(
      `UPDATE account.budget SET held = 0 WHERE account_id = '${accountId}'`,
    )
    expect(await charge(accountId, 5)).toBe('captured')

    expect(await settle(holds[0], reserved[0], 6)).toMatchObject({ outcome: 'expired', credits: 0 })
    expect(await settle(holds[1], reserved[1], 4)).toMatchObject({
      outcome: 'captured',
      credits: 4,
    })
    expect(await settle(holds[1], reserved[1], 4)).toMatchObject({
      outcome: 'captured',
      credits: 4,
    })
    expect(await budgetsOf(accountId)).toMatchObject([{ usedCredits: 9, heldCredits: 0 }])
  })

  test('gets a refund back in the window in which it was reserved, once', async () => {
    await setBudgetClock(graph.database, '2026-06-01T23:59:59.000Z')
    const accountId = await accountWith([
      { period: 'day', limitCredits: 10 },
      { period: 'total', limitCredits: 10 },
    ])
    const hold = holdOf(accountId, 4)
    await settle(hold, await ledger.reserve(hold), 4)
    await setBudgetClock(graph.database, '2026-06-02T00:00:01.000Z')
    expect(await charge(accountId, 3)).toBe('captured')
    const input = {
      accountId,
      requestId: hold.requestId,
      reason: 'Test',
      idempotencyKey: newId('req'),
    }

    await graph.asAdmin('RefundCharge', { input })
    await graph.asAdmin('RefundCharge', { input })

    expect(await budgetsOf(accountId)).toMatchObject([
      { period: 'day', usedCredits: 3 },
      { period: 'total', usedCredits: 3 },
    ])
  })

  test('in the sandbox counts the price though nothing is charged', async () => {
    const accountId = await openAccount(0)
    await setBudgets(accountId, [{ period: 'day', limitCredits: 10 }], key, 'sandbox')
    const hold = holdOf(accountId, 0, { environment: 'sandbox', counted: 6 })

    const { reservedAt } = await ledger.reserve(hold)
    const settlement = await ledger.settle({ hold, credits: 0, counted: 5, reservedAt, kept: null })

    expect(settlement).toMatchObject({ outcome: 'voided', credits: 0, budgetRemaining: 5 })
    expect(
      await ledger.reserve(holdOf(accountId, 0, { environment: 'sandbox', counted: 6 })),
    ).toMatchObject({ verdict: 'exhausted', budgetRemaining: 5 })
    expect(await budgetsOf(accountId, key, 'sandbox')).toMatchObject([
      { usedCredits: 5, heldCredits: 0 },
    ])
  })

  test('is not refused by a budget that is not enforced, which still counts the call', async () => {
    const accountId = await accountWith([{ period: 'total', limitCredits: 5, enforce: false }])

    const hold = holdOf(accountId, 8)
    const reservation = await ledger.reserve(hold)
    await settle(hold, reservation, 8)

    expect(reservation).toMatchObject({ verdict: 'accepted', budgetRemaining: -3 })
    expect(await budgetsOf(accountId)).toMatchObject([
      { usedCredits: 8, remainingCredits: -3, enforce: false },
    ])
  })
})

describe('a window', () => {
  test.each([
    ['day', '2026-03-29T00:59:59.999Z', '2026-03-30T00:00:00.000Z'],
    ['day', '2028-02-28T12:00:00.000Z', '2028-02-29T00:00:00.000Z'],
    ['day', '2028-02-29T12:00:00.000Z', '2028-03-01T00:00:00.000Z'],
    ['week', '2026-12-31T12:00:00.000Z', '2027-01-04T00:00:00.000Z'],
    ['week', '2027-01-03T23:59:59.900Z', '2027-01-04T00:00:00.000Z'],
    ['month', '2026-01-31T23:59:59.900Z', '2026-02-01T00:00:00.000Z'],
    ['month', '2027-02-01T00:00:00.000Z', '2027-03-01T00:00:00.000Z'],
    ['month', '2028-02-29T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
    ['month', '2026-04-30T12:00:00.000Z', '2026-05-01T00:00:00.000Z'],
  ] as const)('of a %s at %s ends at %s, and the next begins at 0', async (period, at, end) => {
    await setBudgetClock(graph.database, at)
    const accountId = await accountWith([{ period, limitCredits: 10 }])
    expect(await charge(accountId, 10)).toBe('captured')
    expect(await budgetsOf(accountId)).toMatchObject([{ usedCredits: 10, resetsAt: end }])
    const last = new Date(Date.parse(end) - 1).toISOString()
    await setBudgetClock(graph.database, last)
    expect(await charge(accountId, 1)).toBe('exhausted')

    await setBudgetClock(graph.database, end)

    expect(await budgetsOf(accountId)).toMatchObject([{ usedCredits: 0, heldCredits: 0 }])
    expect(await charge(accountId, 10)).toBe('captured')
    expect(await charge(accountId, 1)).toBe('exhausted')
  })

  test('counts a call that was reserved in it, also when the next has begun', async () => {
    await setBudgetClock(graph.database, '2026-07-01T23:59:59.990Z')
    const accountId = await accountWith([{ period: 'day', limitCredits: 10 }])
    const hold = holdOf(accountId, 10)
    const reservation = await ledger.reserve(hold)
    await setBudgetClock(graph.database, '2026-07-02T00:00:00.000Z')
    expect(await charge(accountId, 4)).toBe('captured')

    await settle(hold, reservation, 10)

    expect(await budgetsOf(accountId)).toMatchObject([{ usedCredits: 4, heldCredits: 0 }])
  })
})

describe('setting budgets', () => {
  test('keeps the use of a period that had a budget before, forgets a removed period, and begins a new one at 0', async () => {
    const accountId = await accountWith([
      { period: 'day', limitCredits: 10 },
      { period: 'total', limitCredits: 10 },
    ])
    await charge(accountId, 6)

    await setBudgets(accountId, [
      { period: 'day', limitCredits: 5 },
      { period: 'month', limitCredits: 50 },
    ])

    expect(await budgetsOf(accountId)).toMatchObject([
      { period: 'day', limitCredits: 5, usedCredits: 6, remainingCredits: -1 },
      { period: 'month', usedCredits: 0, remainingCredits: 50 },
    ])
    expect(await charge(accountId, 1)).toBe('exhausted')
    await setBudgets(accountId, [])
    expect(await budgetsOf(accountId)).toEqual([])
    expect(await charge(accountId, 1)).toBe('captured')
  })

  test('does not count a call that was under way when a budget was set or reset', async () => {
    const accountId = await accountWith([{ period: 'day', limitCredits: 100 }])
    const holds = [holdOf(accountId, 10), holdOf(accountId, 10)] as const
    const first = await ledger.reserve(holds[0])
    await setBudgets(accountId, [
      { period: 'day', limitCredits: 100 },
      { period: 'total', limitCredits: 100 },
    ])
    await settle(holds[0], first, 10)
    expect(await budgetsOf(accountId)).toMatchObject([{ usedCredits: 10 }, { usedCredits: 0 }])
    const second = await ledger.reserve(holds[1])

    const reset = await graph.asService('ResetBudget', {
      ...{ accountId, environment: 'live', spender: key, period: 'day' },
    })
    await settle(holds[1], second, 10)

    expect(reset).toMatchObject({ period: 'day', usedCredits: 0, heldCredits: 0 })
    expect(await budgetsOf(accountId)).toMatchObject([
      { period: 'day', usedCredits: 0, heldCredits: 0 },
      { period: 'total', usedCredits: 10, heldCredits: 0 },
    ])
  })

  test('names every wrong budget, and changes nothing then', async () => {
    const accountId = await accountWith([{ period: 'day', limitCredits: 10 }])

    const refused = setBudgets(accountId, [
      { period: 'week', limitCredits: 0 },
      { period: 'week', limitCredits: 5 },
    ])

    await expect(refused).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      details: [
        { field: 'budgets.0.limit_credits', in: 'body' },
        { field: 'budgets.1.period', in: 'body' },
      ],
    })
    expect(await budgetsOf(accountId)).toMatchObject([{ period: 'day' }])
  })
})

describe('budget.threshold', () => {
  test('comes once for each threshold in a window, ascending, with the use after the charge', async () => {
    await setBudgetClock(graph.database, '2026-08-01T12:00:00.000Z')
    const accountId = await accountWith([{ period: 'day', limitCredits: 10 }])
    for (const credits of [4, 5, 1]) await charge(accountId, credits)
    await setBudgetClock(graph.database, '2026-08-02T12:00:00.000Z')
    await charge(accountId, 5)

    const told = (percent: number, used: number, day: string) => ({
      ...{ key_id: 'key_a', client_id: null, external_id: null, period: 'day' },
      ...{ threshold_percent: percent, limit_credits: 10, used_credits: used },
      resets_at: `2026-08-${day}T00:00:00.000Z`,
    })
    expect(await eventsOf(accountId)).toEqual([
      told(50, 9, '02'),
      told(80, 9, '02'),
      told(100, 10, '02'),
      told(50, 5, '03'),
    ])
  })

  function total(limitCredits: number) {
    return [{ period: 'total', limitCredits, enforce: false } as const]
  }

  test('comes again when a raised limit is used that far', async () => {
    const accountId = await accountWith(total(10))
    await charge(accountId, 10)
    await setBudgets(accountId, total(20))
    for (const credits of [5, 1, 4]) await charge(accountId, credits)
    await setBudgets(accountId, total(100))
    for (const credits of [29, 1]) await charge(accountId, credits)

    expect(await eventsOf(accountId)).toMatchObject([
      { threshold_percent: 50, limit_credits: 10, used_credits: 10 },
      { threshold_percent: 80, limit_credits: 10, used_credits: 10 },
      { threshold_percent: 100, limit_credits: 10, used_credits: 10 },
      { threshold_percent: 80, limit_credits: 20, used_credits: 16 },
      { threshold_percent: 100, limit_credits: 20, used_credits: 20 },
      { threshold_percent: 50, limit_credits: 100, used_credits: 50 },
    ])
  })

  test('does not come again for a limit that is set anew without a change, also after a refund', async () => {
    const accountId = await accountWith(total(10))
    const hold = holdOf(accountId, 5)
    await settle(hold, await ledger.reserve(hold), 5)
    const input = { accountId, requestId: hold.requestId, reason: 'Test' }
    await graph.asAdmin('RefundCharge', { input: { ...input, idempotencyKey: newId('req') } })
    await setBudgets(accountId, total(10))
    await charge(accountId, 5)

    expect(await eventsOf(accountId)).toMatchObject([{ threshold_percent: 50, used_credits: 5 }])
  })

  test('comes with the next charge for what a lowered limit is already used', async () => {
    const accountId = await accountWith(total(100))
    await charge(accountId, 60)
    await setBudgets(accountId, total(70))
    await charge(accountId, 1)

    expect(await eventsOf(accountId)).toMatchObject([
      { threshold_percent: 50, limit_credits: 100, used_credits: 60 },
      { threshold_percent: 80, limit_credits: 70, used_credits: 61 },
    ])
  })

  test('names the spender of the budget', async () => {
    const accountId = await openAccount(100)
    const spenders = ['consent:app_1', 'external_id:team:1', 'account']
    for (const spender of spenders) {
      await setBudgets(accountId, [{ period: 'total', limitCredits: 2 }], spender)
    }

    await charge(accountId, 1, { budgetOwners: spenders })

    const none = { key_id: null, client_id: null, external_id: null, resets_at: null }
    expect(await eventsOf(accountId)).toMatchObject([
      { ...none, client_id: 'app_1' },
      { ...none, external_id: 'team:1' },
      none,
    ])
  })
})

test('gateway ledger verify recomputes what budgets have used and held', async () => {
  const other = await openTestGraph()
  const accountId = await chargesOn(() => other).openAccount(100)
  await other.asService('SetBudgets', {
    ...{ accountId, environment: 'live', spender: key },
    budgets: [{ period: 'day', limitCredits: 10 }],
  })
  await other.database.query(`UPDATE account.budget SET used = 3, held = 2`)

  const { drifts } = Object(await other.asAdmin('AuditLedger'))

  expect(drifts.map(({ problem }: { problem: string }) => problem)).toEqual([
    'the budget of key:key_1 for day says 3 used, charges say 0',
    'the budget of key:key_1 for day says 2 held, open holds say 0',
  ])
  await other.close()
})
