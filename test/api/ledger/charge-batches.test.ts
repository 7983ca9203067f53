import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { reservePlain } from '../../../subgraphs/account/holds/hold-batch.statements.ts'
import { everyonesSession } from '../../../subgraphs/shared/database/tenant.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { whileHeld } from '../../support/database/held-transaction.ts'
import { patience } from '../../support/time/patience.ts'

let graph: TestGraph
beforeAll(async () => {
  graph = await openTestGraph()
})
afterAll(async () => {
  expect(await graph.asAdmin('AuditLedger')).toMatchObject({ drifts: [] })
  await graph.close()
})

interface Item {
  readonly accountId: string
  readonly credits: number
  readonly requestId?: string
  readonly keyHash?: string
  readonly answer?: object | null
}

interface Batch {
  readonly requestIds: readonly string[]
  readonly credits: readonly number[]
}

const call = '["proc_a","2026-01-02T03:04:05.000Z","POST","/t","test","",null,"key_a"]'
const request = {
  ...{ endpoint: '/t', processId: 'proc_a', ts: '2026-01-02T03:04:05.000Z', method: 'POST' },
  ...{ route: '/t', service: 'test', traceId: '', backendModule: null, keyId: 'key_a' },
}

async function openAccount(credits: number): Promise<string> {
  const input = { name: 'Test', email: 'test@example.com', tier: 'STARTER', credits }
  const { account } = Object(await graph.asAdmin('CreateAccount', { input }))
  return account.id
}

function batchOf(items: readonly Item[]): Batch {
  return {
    requestIds: items.map(({ requestId }) => requestId ?? newId('req')),
    credits: items.map(({ credits }) => credits),
    ...{
      accountIds: items.map(({ accountId }) => accountId),
      environments: items.map(() => 'live'),
      endpoints: items.map(() => '/t'),
      calls: items.map(() => call),
      keyHashes: items.some(({ keyHash }) => keyHash) ? items.map(({ keyHash }) => keyHash) : null,
    },
  }
}

function reserve(batch: Batch, more: object = {}) {
  const keyed = 'keyHashes' in batch && batch.keyHashes
  const keys = keyed ? { requestHashes: keyed, keyTtlSeconds: 600 } : {}
  return graph.asService('ReserveBatch', { batch: { ...batch, ttlSeconds: 60, ...keys, ...more } })
}

function settle(batch: Batch, more: object = {}) {
  return graph.asService('SettleBatch', { batch: { ...batch, ...more } })
}

/** The balance, what is held by its own account and by the holds, and the charges in order. */
async function stateOf(accountId: string) {
  const [row] = await graph.database.query(
    `SELECT b.balance::int, b.held::int,
       (SELECT coalesce(sum(credits), 0)::int FROM account.hold h
         WHERE h.account_id = b.account_id) AS holds,
       array(SELECT -e.credits::int FROM account.ledger_entry e
         WHERE e.account_id = b.account_id AND e.kind = 'charge' ORDER BY e.seq) AS charges
     FROM account.balance b WHERE b.account_id = $1 AND b.environment = 'live'`,
    [accountId],
  )
  return row
}

/** As after a crash of PostgreSQL that forgot the last transactions. */
async function forgetHolds({ requestIds }: Batch): Promise<void> {
  await graph.database.query(
    `WITH gone AS (DELETE FROM account.hold WHERE request_id = ANY ($1) RETURNING *)
     UPDATE account.balance b SET held = b.held - g.credits
     FROM (SELECT account_id, environment, sum(credits) AS credits FROM gone
       GROUP BY account_id, environment) g
     WHERE b.account_id = g.account_id AND b.environment = g.environment`,
    [requestIds],
  )
}

async function runOut({ requestIds }: Batch): Promise<unknown> {
  await graph.database.query(
    "UPDATE account.hold SET expires_at = now() - interval '1 s' WHERE request_id = ANY ($1)",
    [requestIds],
  )
  return graph.asService('ExpireHolds', { limit: 100 })
}

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
    })
    expect(await Promise.all(accounts.map(stateOf))).toEqual([
      { balance: 3, held: 0, holds: 0, charges: [7] },
      { balance: 17, held: 0, holds: 0, charges: [3] },
      { balance: 30, held: 0, holds: 0, charges: [] },
    ])
  })

  test('charges many items of an account in their order, chained with one hash', async () => {
    const [one, other] = [await openAccount(100), await openAccount(100)]
    const owners = [one, other, one, one, other]
    const batch = batchOf(owners.map((accountId, index) => ({ accountId, credits: index + 1 })))
    await reserve(batch)

    const settled = await settle({ ...batch, credits: [1, 2, 0, 9, 5] })

    expect(settled).toEqual({
      outcomes: ['captured', 'captured', 'voided', 'captured', 'captured'],
      credits: [1, 2, 0, 4, 5],
      available: [95, 93, 95, 95, 93],
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

  test('answers the same when a settlement is repeated, also beside the first', async () => {
    const accountId = await openAccount(100)
    const batch = batchOf([1, 2, 3].map((credits) => ({ accountId, credits })))
    await reserve(batch)

    const settled = await Promise.all(Array.from({ length: 5 }, () => settle(batch)))
    const again = await settle(batch)

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

    // Of an account that has no room for it a second time, the careful way finds the hold.
    expect(again).toEqual([
      { verdicts: ['accepted', 'again'], available: [6, 0] },
      { verdicts: ['accepted', 'accepted'], available: [6, 4] },
      { verdicts: ['again'], available: [0] },
    ])
    const items = [one, other].map((accountId, index) => ({
      ...{ requestId: batch.requestIds[index], accountId, environment: 'live', credits: 6 },
      ...{ ttlSeconds: 60, request },
    }))
    expect(await graph.asService('ReserveCredits', { items })).toMatchObject([
      { verdict: 'accepted', available: 6 },
      { verdict: 'accepted', available: 4 },
    ])
    expect(await stateOf(one)).toMatchObject({ held: 6, holds: 6 })
    expect(await stateOf(other)).toMatchObject({ held: 6, holds: 6 })
    await settle({ ...batch, credits: [0, 0] })
  })

  test('leaves all items of an account to `reserveCredits` that do not fit, and no others', async () => {
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

  test('leaves an account to `reserveCredits` whose grant has just expired', async () => {
    const accountId = await openAccount(5)
    await graph.database.query(
      'UPDATE account.balance SET next_expiry_at = now() WHERE account_id = $1',
      [accountId],
    )

    const reserved = await reserve(batchOf([{ accountId, credits: 1 }]))

    expect(reserved).toEqual({ verdicts: ['again'], available: [0] })
  })

  test('leaves requests with budgets to `reserveCredits`, and others pay nothing for them', async () => {
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

describe('a batch with idempotency keys', () => {
  const answer = { status: 200, headers: {}, isSealed: true, sealedFor: 'account' }
  const kept = (count: number) => ({
    answers: Array(count).fill(JSON.stringify(answer)),
    bodies: Array(count).fill('sealed'),
  })

  function keysOf(accountId: string) {
    return graph.database.query(
      `SELECT key_hash, request_id, answer, body FROM account.idempotency_key
       WHERE account_id = $1 ORDER BY key_hash`,
      [accountId],
    )
  }

  test('claims keys with the holds, and keeps the answers with the charges', async () => {
    const [one, other] = [await openAccount(100), await openAccount(100)]
    const batch = batchOf([
      { accountId: one, credits: 5, keyHash: 'a' },
      { accountId: other, credits: 5, keyHash: 'a' },
      { accountId: other, credits: 5, keyHash: 'b' },
    ])

    const reserved = await reserve(batch)
    const claimed = await keysOf(other)
    const settled = await settle(batch, {
      answers: [JSON.stringify(answer), JSON.stringify(answer), null],
      bodies: ['sealed', 'sealed', null],
      credits: [5, 5, 0],
    })

    expect(reserved).toEqual({ verdicts: Array(3).fill('accepted'), available: [95, 90, 90] })
    const [, second, third] = batch.requestIds
    expect(claimed).toEqual([
      { key_hash: 'a', request_id: second, answer: null, body: null },
      { key_hash: 'b', request_id: third, answer: null, body: null },
    ])
    expect(settled).toMatchObject({ outcomes: ['captured', 'captured', 'voided'] })
    expect(await keysOf(other)).toEqual([
      { key_hash: 'a', request_id: second, answer, body: 'sealed' },
    ])
  })

  test('leaves known keys, and a key that comes twice, to `reserveCredits`', async () => {
    const [one, other] = [await openAccount(100), await openAccount(100)]
    const first = batchOf([{ accountId: one, credits: 5, keyHash: 'known' }])
    await reserve(first)
    const batch = batchOf([
      { accountId: one, credits: 5, keyHash: 'new' },
      { accountId: one, credits: 5, keyHash: 'known' },
      { accountId: other, credits: 5, keyHash: 'twice' },
      { accountId: other, credits: 5, keyHash: 'twice' },
    ])

    const reserved = await reserve(batch)

    expect(reserved).toEqual({
      verdicts: ['again', 'again', 'accepted', 'again'],
      available: [0, 0, 95, 0],
    })
    expect(await stateOf(one)).toMatchObject({ held: 5, holds: 5 })
    expect(await stateOf(other)).toMatchObject({ held: 5, holds: 5 })
  })

  test('does nothing when another request claims a key at the same moment', async () => {
    const [one, other] = [await openAccount(100), await openAccount(100)]
    const batch = batchOf([
      { accountId: one, credits: 5, keyHash: 'raced' },
      { accountId: other, credits: 5, keyHash: 'own' },
    ])
    const rival = `INSERT INTO account.idempotency_key
      (account_id, environment, key_hash, request_hash, request_id, lease_expires_at, expires_at)
      VALUES ($1, 'live', 'raced', 'x', 'req_rival', now() + interval '1 h', now() + interval '1 h')`

    const reserved = await whileHeld(graph.database, [rival, [one]], {
      started: () => reserve(batch),
      waiting: 1,
    })

    expect(reserved).toEqual({ verdicts: ['again', 'again'], available: [0, 0] })
    expect(await stateOf(one)).toMatchObject({ held: 0, holds: 0 })
    expect(await stateOf(other)).toMatchObject({ held: 0, holds: 0 })
    expect(await keysOf(other)).toEqual([])
  })

  test('charges each of 10,000 wishes once, with duplicates in and between batches', {
    timeout: 300_000,
  }, async () => {
    const accounts = await Promise.all(Array.from({ length: 20 }, () => openAccount(1_000_000)))
    const wishes = Array.from({ length: 5000 }, (_, index) => ({
      accountId: accounts[index % 20] ?? '',
      credits: 1 + (index % 3),
      keyHash: `wish ${index}`,
    }))
    // Each comes twice, in the same batch or in one beside it.
    const items = wishes.flatMap((wish, index) =>
      index % 2 === 0
        ? [
            [index, wish],
            [index, wish],
          ]
        : [
            [index, wish],
            [index + 90, wish],
          ],
    ) as [number, (typeof wishes)[number]][]
    items.sort(([a], [b]) => a - b)
    const batches = Array.from({ length: 100 }, (_, index) =>
      batchOf(items.slice(index * 100, index * 100 + 100).map(([, wish]) => wish)),
    )
    let accepted = 0
    const queue = [...batches]

    async function work(): Promise<void> {
      for (let batch = queue.shift(); batch; batch = queue.shift()) {
        const { verdicts } = Object(await reserve(batch))
        const held = pickOf(batch, (index) => verdicts[index] === 'accepted')
        const again = await reserveApart(pickOf(batch, (index) => verdicts[index] === 'again'))
        for (const one of [held, again]) {
          accepted += one.requestIds.length
          if (one.requestIds.length > 0) await settle(one, kept(one.requestIds.length))
        }
      }
    }
    await Promise.all([work(), work(), work(), work()])

    expect(accepted).toBe(5000)
    const [row] = await graph.database.query(
      `SELECT count(*)::int, -sum(credits)::int AS credits FROM account.ledger_entry
       WHERE kind = 'charge' AND account_id = ANY ($1)`,
      [accounts],
    )
    expect(row).toEqual({
      count: 5000,
      credits: wishes.reduce((sum, { credits }) => sum + credits, 0),
    })
    const held = await Promise.all(accounts.map(stateOf))
    expect(held).toMatchObject(accounts.map(() => ({ held: 0, holds: 0 })))
  })

  /** Item by item, as the facade does; what is accepted. */
  async function reserveApart(batch: Batch): Promise<Batch> {
    const { requestIds, credits, accountIds, keyHashes } = Object(batch)
    if (requestIds.length === 0) return batch
    const items = requestIds.map((requestId: string, index: number) => ({
      ...{ requestId, accountId: accountIds[index], environment: 'live', request },
      ...{ credits: credits[index], ttlSeconds: 60 },
      idempotency: {
        keyHash: keyHashes[index],
        requestHash: keyHashes[index],
        ttlSeconds: 600,
      },
    }))
    const answers = Object(await graph.asService('ReserveCredits', { items }))
    return pickOf(batch, (index) => answers[index].verdict === 'accepted')
  }

  function pickOf(batch: Batch, isPicked: (index: number) => boolean): Batch {
    const columns = Object.entries(batch).map(([name, list]) => [
      name,
      Array.isArray(list) ? list.filter((_, index) => isPicked(index)) : list,
    ])
    return Object.fromEntries(columns)
  }
})

test('a refused use of a key claims nothing: the same request is refused too, and another is judged', async () => {
  const account = await openAccount(10)
  const item = (credits: number, requestHash: string) => ({
    ...{ requestId: newId('req'), accountId: account, environment: 'live', credits },
    ...{
      ttlSeconds: 60,
      request,
      idempotency: { keyHash: 'refused', requestHash, ttlSeconds: 60 },
    },
  })
  const items = [item(11, 'dear'), item(11, 'dear'), item(4, 'cheap'), item(4, 'cheap')]

  const reserved = await graph.asService('ReserveCredits', { items })

  expect(reserved).toMatchObject([
    { verdict: 'insufficient', available: 10 },
    { verdict: 'insufficient', available: 10 },
    { verdict: 'accepted', available: 6 },
    { verdict: 'running' },
  ])
  expect(await stateOf(account)).toMatchObject({ balance: 10, held: 4, holds: 4 })
  await graph.asService('SettleBatch', {
    batch: { ...batchOf([{ accountId: account, credits: 0 }]), requestIds: [items[2]?.requestId] },
  })
})

describe('a batch with an account whose balance another transaction has locked', () => {
  async function whileLocked(accountId: string, work: () => Promise<void>): Promise<void> {
    const { ownerUrl } = graph.database
    const locker = new pg.Client({ connectionString: ownerUrl, options: everyonesSession })
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

  test('holds for all others, and leaves that account to `reserveCredits`', async () => {
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
      })
      expect(await stateOf(free)).toMatchObject({ balance: 6, charges: [2, 2] })
      expect(await stateOf(locked)).toMatchObject({ balance: 10, held: 2, charges: [] })
      patient = settle(batch, { isPatient: true })
    })

    expect(await patient).toEqual({
      outcomes: ['captured', 'captured', 'captured'],
      credits: [2, 2, 2],
      available: [8, 6, 6],
    })
    expect(await stateOf(locked)).toEqual({ balance: 8, held: 0, holds: 0, charges: [2] })
  })
})

describe('a settlement whose hold is gone', () => {
  test('charges once what the balance covers, where the hold was lost', async () => {
    const [rich, poor] = [await openAccount(100), await openAccount(4)]
    const batch = batchOf([
      { accountId: rich, credits: 5 },
      { accountId: poor, credits: 4 },
      { accountId: rich, credits: 6 },
    ])
    await reserve(batch)
    await forgetHolds(batch)
    await reserve(batchOf([{ accountId: poor, credits: 1 }]))

    const settled = [await settle(batch), await settle(batch)]

    for (const one of settled) {
      expect(one).toEqual({
        outcomes: ['captured', 'expired', 'captured'],
        credits: [5, 0, 6],
        available: expect.arrayContaining([3]),
      })
    }
    expect(await stateOf(rich)).toEqual({ balance: 89, held: 0, holds: 0, charges: [5, 6] })
    expect(await stateOf(poor)).toEqual({ balance: 4, held: 1, holds: 1, charges: [] })
  })

  test('charges nothing where the hold ran out, before and after the sweep', async () => {
    const accountId = await openAccount(100)
    const batch = batchOf([{ accountId, credits: 5 }])
    await reserve(batch)
    await graph.database.query(
      "UPDATE account.hold SET expires_at = now() - interval '1 s' WHERE account_id = $1",
      [accountId],
    )

    const before = await settle(batch)
    const expired = await runOut(batch)
    const after = await settle(batch)
    const again = await reserve(batch)

    expect(before).toEqual({ outcomes: ['expired'], credits: [0], available: [95] })
    const [requestId] = batch.requestIds
    expect(expired).toEqual([{ requestId, accountId, environment: 'live', request }])
    expect(after).toEqual({ outcomes: ['expired'], credits: [0], available: [100] })
    expect(again).toEqual({ verdicts: ['again'], available: [0] })
    const item = { requestId, accountId, environment: 'live', credits: 5, ttlSeconds: 60, request }
    expect(await graph.asService('ReserveCredits', { items: [item] })).toMatchObject([
      { verdict: 'running' },
    ])
    expect(await stateOf(accountId)).toEqual({ balance: 100, held: 0, holds: 0, charges: [] })
  })

  test('charges and keeps the answer of a key only while the key names the request', async () => {
    const accountId = await openAccount(100)
    const batch = batchOf([
      { accountId, credits: 5, keyHash: `own ${randomUUID()}` },
      { accountId, credits: 5, keyHash: `taken ${randomUUID()}` },
      { accountId, credits: 5, keyHash: `gone ${randomUUID()}` },
    ])
    await reserve(batch)
    await forgetHolds(batch)
    await graph.database.query(
      `UPDATE account.idempotency_key SET request_id = 'req_other'
       WHERE account_id = $1 AND key_hash LIKE 'taken%'`,
      [accountId],
    )
    await graph.database.query(
      `DELETE FROM account.idempotency_key WHERE account_id = $1 AND key_hash LIKE 'gone%'`,
      [accountId],
    )
    const stored = { answers: Array(3).fill('{"status":200}'), bodies: Array(3).fill('{}') }

    const settled = [await settle(batch, stored), await settle(batch, stored)]

    for (const one of settled) {
      expect(one).toEqual({
        outcomes: ['captured', 'expired', 'expired'],
        credits: [5, 0, 0],
        available: [95, 95, 95],
      })
    }
    const rows = await graph.database.query(
      `SELECT split_part(key_hash, ' ', 1) AS key, answer FROM account.idempotency_key
       WHERE account_id = $1 ORDER BY key_hash`,
      [accountId],
    )
    expect(rows).toEqual([
      { key: 'own', answer: { status: 200 } },
      { key: 'taken', answer: null },
    ])
    expect(await stateOf(accountId)).toEqual({ balance: 95, held: 0, holds: 0, charges: [5] })
  })

  test('forgets after an hour that a hold ran out', async () => {
    const accountId = await openAccount(100)
    const batch = batchOf([{ accountId, credits: 5 }])
    await reserve(batch)
    await runOut(batch)
    const known = () =>
      graph.database.query('SELECT FROM account.ended_hold WHERE account_id = $1', [accountId])
    expect(await known()).toHaveLength(1)
    await graph.database.query(
      "UPDATE account.ended_hold SET ended_at = now() - interval '61 min' WHERE account_id = $1",
      [accountId],
    )

    await graph.asService('ExpireHolds', { limit: 100 })

    expect(await known()).toEqual([])
  })
})

describe('beside the build before', () => {
  test('each form of a hold is settled and expired in the other one', async () => {
    const accountId = await openAccount(100)
    const ids = Array.from({ length: 4 }, () => newId('req'))
    const old = ids.slice(0, 2).map((requestId) => ({
      ...{ requestId, accountId, environment: 'live', credits: 5, ttlSeconds: 60, request },
    }))
    await graph.asService('ReserveCredits', { items: old })
    await reserve(batchOf(ids.slice(2).map((requestId) => ({ accountId, credits: 5, requestId }))))

    const byBatch = await settle(batchOf([{ accountId, credits: 5, requestId: ids[0] }]))
    const items = [{ requestId: ids[2], accountId, environment: 'live', credits: 5 }]
    const byItem = await graph.asService('SettleHolds', { items })
    const expired = await runOut({ requestIds: ids, credits: [] })

    expect(byBatch).toMatchObject({ outcomes: ['captured'], credits: [5] })
    expect(byItem).toMatchObject([{ outcome: 'captured', credits: 5 }])
    expect(Object(expired).map((one: { request: object }) => one.request)).toEqual([
      request,
      request,
    ])
    expect(await stateOf(accountId)).toEqual({ balance: 90, held: 0, holds: 0, charges: [5, 5] })
  })

  test('its verification reads the chain of both forms', async () => {
    const [row] = await graph.database.query(`
      SELECT count(*)::int AS entries, count(*) FILTER (WHERE run.hash IS NULL OR run.hash <> encode(
        sha256(decode(previous_hash, 'hex') || convert_to(content, 'UTF8')), 'hex'))::int AS drifts
      FROM (
        SELECT max(encode(hash, 'hex')) AS hash,
          lag(max(encode(hash, 'hex')), 1, '') OVER (PARTITION BY account_id, environment
            ORDER BY max(seq)) AS previous_hash,
          string_agg(account.entry_content(account_id, environment, seq, id, kind, credits,
            balance_after, description, ref, request, created_at), '' ORDER BY seq) AS content
        FROM (
          SELECT *, count(hash) OVER (PARTITION BY account_id, environment ORDER BY seq
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS run
          FROM account.ledger_entry
        ) e
        GROUP BY account_id, environment, run
      ) run`)

    expect(Object(row).entries).toBeGreaterThan(100)
    expect(Object(row).drifts).toBe(0)
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
