import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Hold } from '../../../rest-facade/charge/hold.ts'
import { accountBudgetOwner } from '../../../schema/vocabulary/budget-owners.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { sessionOfAllTenants } from '../../../subgraphs/shared/database/tenant.ts'
import { forgetHoldsOf, reserveApart } from '../../support/database/charge-batches.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { createAskedLedger } from '../../support/graph/asked-ledger.ts'
import { patience } from '../../support/time/patience.ts'

let graph: TestGraph
let locker: pg.Client
beforeAll(async () => {
  graph = await openTestGraph()
  locker = new pg.Client({
    connectionString: graph.database.ownerUrl,
    options: sessionOfAllTenants,
  })
  await locker.connect()
})
afterAll(async () => {
  await locker.end()
  await graph.close()
})

const call = '["proc_a","2026-01-02T03:04:05.000Z","POST","/t","test","",null,"key_a"]'
const answer = JSON.stringify({ status: 200, headers: {}, sealedFor: 'account' })

async function openAccounts(count: number): Promise<string[]> {
  const input = { name: 'Test', email: 'test@example.com', tier: 'STARTER', credits: 100 }
  const open = async () => Object(await graph.asAdmin('CreateAccount', { input })).account.id
  return Promise.all(Array.from({ length: count }, open))
}

/** A batch of 5 credits of each account; `keys` are one for each, or none. */
function batchOf(accountIds: readonly string[], keys: readonly string[] | null = null) {
  return {
    ...{ accountIds, keyHashes: keys },
    requestIds: accountIds.map(() => newId('req')),
    environments: accountIds.map(() => 'live'),
    credits: accountIds.map(() => 5),
    endpoints: accountIds.map(() => '/t'),
    calls: accountIds.map(() => call),
  }
}

function reserve(batch: ReturnType<typeof batchOf>, ttlSeconds = 60) {
  const claims = { requestHashes: batch.keyHashes, keyTtlSeconds: batch.keyHashes && 600 }
  return graph.asService('ReserveBatch', { batch: { ...batch, ...claims, ttlSeconds } })
}

function settle(batch: ReturnType<typeof batchOf>, isPatient = false) {
  const kept = (value: string) => batch.keyHashes?.map(() => value) ?? null
  const answers = { answers: kept(answer), bodies: kept('sealed') }
  return graph.asService('SettleBatch', { batch: { ...batch, ...answers, isPatient } })
}

function reserveCarefully(accountId: string, keyHash: string | null, credits = 5) {
  return reserveApart(graph, [{ accountId, keyHash, credits }], { isPatient: true })
}

const lockBalances = 'SELECT FROM account.balance WHERE account_id = ANY ($1) FOR UPDATE'

async function count(sql: string, values: unknown[]): Promise<number> {
  const [row] = await graph.database.query<{ count: number }>(sql, values)
  return row?.count ?? 0
}

describe('a balance that another transaction keeps', () => {
  test('leaves room for the statements of others while many of them are settled patiently', async () => {
    const free = await openAccounts(3)
    const accounts = await openAccounts(8)
    const batch = batchOf(accounts)
    await reserve(batch)
    await locker.query('BEGIN')
    await locker.query(lockBalances, [accounts])

    const settling = settle(batch, true)
    const others = await Promise.all(free.map((id) => reserveCarefully(id, null)))
    await locker.query('COMMIT')

    for (const other of others) expect(other).toMatchObject([{ verdict: 'accepted' }])
    const { outcomes } = Object(await settling)
    if (outcomes.includes('locked')) await settle(batch, true)
    const charges = `SELECT count(*)::int FROM account.ledger_entry
      WHERE account_id = ANY ($1) AND kind = 'charge'`
    expect(await count(charges, [accounts])).toBe(8)
  })

  test('makes a patient settlement wait for a second at most, which then does nothing', async () => {
    const accounts = await openAccounts(1)
    const batch = batchOf(accounts)
    await reserve(batch)
    await locker.query('BEGIN')
    await locker.query(lockBalances, [accounts])

    const settled = await settle(batch, true)
    await locker.query('COMMIT')

    expect(settled).toEqual({
      outcomes: ['locked'],
      credits: [0],
      available: [0],
      budgetRemaining: null,
    })
    expect(await settle(batch, true)).toEqual({
      outcomes: ['captured'],
      credits: [5],
      available: [95],
      budgetRemaining: null,
    })
  })
})

describe('requests whose hold was lost in a crash, of a balance that another transaction keeps', () => {
  const outcomesOf = (settled: unknown): string[] => Object(settled).outcomes
  const charged = (accounts: readonly string[]) =>
    count(
      `SELECT count(*)::int FROM account.ledger_entry
       WHERE account_id = ANY ($1) AND kind = 'charge'`,
      [accounts],
    )

  test.each([false, true])(
    'hold back no others of their batch, and are charged once when it is free; with keys: %s',
    async (isKeyed) => {
      const [locked = '', other = ''] = await openAccounts(2)
      const owners = [other, locked, other, locked]
      const batch = batchOf(owners, isKeyed ? owners.map(() => newId('key')) : null)
      await reserve(batch)
      await forgetHoldsOf(graph, batch)
      await locker.query('BEGIN')
      await locker.query(lockBalances, [[locked]])

      const settled = [await settle(batch), await settle(batch), await settle(batch, true)]
      const chargedMeanwhile = await charged([locked, other])
      await locker.query('COMMIT')

      for (const one of settled) {
        expect(outcomesOf(one)).toEqual(['captured', 'locked', 'captured', 'locked'])
      }
      expect(chargedMeanwhile).toBe(2)
      expect(outcomesOf(await settle(batch, true))).toEqual(Array(4).fill('captured'))
      expect(outcomesOf(await settle(batch, true))).toEqual(Array(4).fill('captured'))
      expect(await charged([locked, other])).toBe(4)
    },
  )

  test('the same with budgets, where each is settled alone', async () => {
    const [locked = '', other = ''] = await openAccounts(2)
    const spending = {
      ...batchOf([locked, other, locked, other]),
      spenders: Array(4).fill([accountBudgetOwner]),
      reservedAts: Array(4).fill(new Date().toISOString()),
    }
    await locker.query('BEGIN')
    await locker.query(lockBalances, [[locked]])

    const settled = [await settle(spending), await settle(spending, true)]
    await locker.query('COMMIT')

    for (const one of settled) {
      expect(outcomesOf(one)).toEqual(['locked', 'captured', 'locked', 'captured'])
    }
    expect(outcomesOf(await settle(spending, true))).toEqual(Array(4).fill('captured'))
    expect(await charged([locked, other])).toBe(4)
  })
})

describe('requests that must be judged one by one, beside one whose balance is locked', () => {
  function holdOf(
    accountId: string,
    credits: number,
    keyHash: string,
    requestHash = keyHash,
  ): Hold {
    return {
      ...{ requestId: newId('req'), accountId, environment: 'live', credits, ttlSeconds: 60 },
      ...{ endpoint: '/t', call, budgetOwners: null },
      idempotency: { keyHash, requestHash, ttlSeconds: 600 },
    }
  }

  test('402s and replays are answered meanwhile, also those of the locked account, and its calls when its balance is free', async () => {
    const [locked = '', other = '', poor = ''] = await openAccounts(3)
    const first = batchOf([locked, other], ['again of the locked', 'again of another'])
    await reserve(first)
    await settle(first)
    const ledger = createAskedLedger(graph.as, { databaseTimeoutMs: 30_000 })
    // The second ledger is that of another process, because all requests of an account in one batch are
    // judged together.
    const beside = createAskedLedger(graph.as, { databaseTimeoutMs: 30_000 })
    await locker.query('BEGIN')
    await locker.query(lockBalances, [[locked]])

    const waiting = [
      beside.reserve(holdOf(locked, 5, 'a new one of the locked')),
      beside.reserve(holdOf(locked, 5, 'again of the locked', 'another request')),
    ]
    const others = await Promise.all([
      ledger.reserve(holdOf(poor, 101, 'too dear')),
      ledger.reserve(holdOf(other, 5, 'again of another')),
      ledger.reserve(holdOf(locked, 5, 'again of the locked')),
      reserveCarefully(locked, null, 96),
    ]).finally(() => locker.query('COMMIT'))

    const replay = { verdict: 'replay', available: 95, answer: JSON.parse(answer), body: 'sealed' }
    const refusal = { verdict: 'insufficient', available: 95 }
    expect(others).toMatchObject([{ ...refusal, available: 100 }, replay, replay, [refusal]])
    expect(await Promise.all(waiting)).toMatchObject([
      { verdict: 'accepted' },
      { verdict: 'mismatch' },
    ])
  })

  test('a batch apart: what needs no lock is answered beside an account that waits for its balance', async () => {
    const [locked = '', poor = ''] = await openAccounts(2)
    const items = [
      { accountId: locked, credits: 5 },
      { accountId: poor, credits: 101 },
    ]
    await locker.query('BEGIN')
    await locker.query(lockBalances, [[locked]])

    const reserved = await reserveApart(graph, items).finally(() => locker.query('COMMIT'))

    expect(reserved).toMatchObject([
      { verdict: 'locked', available: 0 },
      { verdict: 'insufficient', available: 100 },
    ])
  })

  test('a batch apart: of the locked account nothing is held and no key claimed, and its answer says so', async () => {
    const accounts = await openAccounts(1)
    const [locked = ''] = accounts
    const claims = 'SELECT count(*)::int FROM account.idempotency_key WHERE account_id = ANY ($1)'
    const holds = 'SELECT count(*)::int FROM account.hold WHERE account_id = ANY ($1)'
    await locker.query('BEGIN')
    await locker.query(lockBalances, [accounts])

    const reserved = await reserveCarefully(locked, 'locked').finally(() => locker.query('COMMIT'))
    const counts = [await count(claims, [accounts]), await count(holds, [accounts])]

    expect(reserved).toMatchObject([{ verdict: 'locked', available: 0 }])
    expect(counts).toEqual([0, 0])
    expect(await reserveCarefully(locked, 'locked')).toMatchObject([
      { verdict: 'accepted', available: 95 },
    ])
  })
})

test('a table that is locked: nothing is held, and the result of each item says so', async () => {
  const accounts = await openAccounts(20)
  const keys = accounts.map((_, index) => `table ${index}`)
  const batch = batchOf(accounts, keys)
  await locker.query('BEGIN')
  await locker.query('LOCK TABLE account.hold IN ACCESS EXCLUSIVE MODE')

  const [reserved, carefully] = await Promise.all([
    reserve(batch),
    reserveCarefully(accounts[0] ?? '', null, 101),
  ])
  await locker.query('COMMIT')

  expect(Object(reserved).verdicts).toEqual(accounts.map(() => 'locked'))
  expect(carefully).toMatchObject([{ verdict: 'locked', available: 0 }])
  const holds = 'SELECT count(*)::int FROM account.hold WHERE request_id = ANY ($1)'
  expect(await count(holds, [batch.requestIds])).toBe(0)
  const claims = 'SELECT count(*)::int FROM account.idempotency_key WHERE key_hash = ANY ($1)'
  expect(await count(claims, [keys])).toBe(0)
})

/**
 * The balances are locked in their order: while the first is waited for, the second is free, and its key
 * can be claimed anew as soon as the hold has run out.
 */
test('a hold that runs out while its settlement waits for another balance: one charge for the key', async () => {
  const accounts = (await openAccounts(2)).sort()
  const [first = '', second = ''] = accounts
  const batch = batchOf(accounts, ['late first', 'late second'])
  await reserve(batch, 2)
  const isOver = `SELECT count(*)::int FROM account.hold
    WHERE request_id = $1 AND expires_at > clock_timestamp() + make_interval(secs => $2)`
  await locker.query('BEGIN')
  await locker.query(lockBalances, [[first]])
  const until = (seconds: number) =>
    vi.waitUntil(async () => (await count(isOver, [batch.requestIds[1], seconds])) === 0, {
      ...patience,
      interval: 1,
    })

  await until(0.03)
  const settling = settle(batch)
  await until(0)
  let [{ verdict }] = Object(await reserveCarefully(second, 'late second'))
  await locker.query('COMMIT')
  // A settlement that stands still has the second balance for longer than a reservation waits.
  while (verdict === 'locked') [{ verdict }] = Object(await reserveCarefully(second, 'late second'))

  const { outcomes } = Object(await settling)
  // The first of the two has the key: either the retry holds, or the first request is charged.
  expect(outcomes[1] === 'captured').toBe(verdict !== 'accepted')
  const charges = `SELECT count(*)::int FROM account.ledger_entry
    WHERE account_id = $1 AND kind = 'charge'`
  expect(await count(charges, [second])).toBe(outcomes[1] === 'captured' ? 1 : 0)
})
