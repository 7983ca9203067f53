import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import {
  type Batch,
  batchOf,
  chargesOn,
  reserveApart,
} from '../../support/database/charge-batches.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { whileHeld } from '../../support/database/held-transaction.ts'

let graph: TestGraph
beforeAll(async () => {
  graph = await openTestGraph()
})
afterAll(async () => {
  expect(await graph.asAdmin('AuditLedger')).toMatchObject({ drifts: [] })
  await graph.close()
})
const { openAccount, reserve, settle, stateOf } = chargesOn(() => graph)

describe('a batch with idempotency keys', () => {
  const answer = { status: 200, headers: {}, sealedFor: 'account' }
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

  test('claims a key whose time is over anew: its old answer is gone, and the new one is kept', async () => {
    const account = await openAccount(100)
    const item = { accountId: account, credits: 5, keyHash: 'again' }
    const first = batchOf([item])
    await reserve(first)
    await settle(first, kept(1))
    await graph.database.query(
      `UPDATE account.key_claim SET expires_at = now() - interval '1 s' WHERE account_id = $1`,
      [account],
    )

    const second = newId('req')
    const [reserved] = await reserveApart(graph, [{ ...item, requestId: second }])
    const claimed = await keysOf(account)
    const settled = await settle({ ...first, requestIds: [second] }, kept(1))

    expect(reserved).toMatchObject({ verdict: 'accepted' })
    expect(claimed).toEqual([{ key_hash: 'again', request_id: second, answer: null, body: null }])
    expect(settled).toMatchObject({ outcomes: ['captured'] })
    expect(await keysOf(account)).toEqual([
      { key_hash: 'again', request_id: second, answer, body: 'sealed' },
    ])
    const answers = 'SELECT request_id FROM account.key_answer WHERE account_id = $1'
    expect(await graph.database.query(answers, [account])).toEqual([{ request_id: second }])
  })

  test('may have requests without a key: they are held, charged and released as any other', async () => {
    const [one, other] = [await openAccount(100), await openAccount(100)]
    const batch = batchOf([
      { accountId: one, credits: 5 },
      { accountId: one, credits: 6, keyHash: 'mixed' },
      { accountId: other, credits: 7, keyHash: 'mixed' },
      { accountId: other, credits: 8 },
    ])

    const reserved = Object(await reserve(batch))
    const settled = await settle(batch, {
      answers: [null, JSON.stringify(answer), null, null],
      bodies: [null, 'sealed', null, null],
      credits: [5, 6, 0, 8],
    })

    expect(reserved.verdicts).toEqual(Array(4).fill('accepted'))
    expect(settled).toEqual({
      outcomes: ['captured', 'captured', 'voided', 'captured'],
      credits: [5, 6, 0, 8],
      available: [89, 89, 92, 92],
      budgetRemaining: null,
    })
    expect(await stateOf(one)).toEqual({ balance: 89, held: 0, holds: 0, charges: [5, 6] })
    expect(await stateOf(other)).toEqual({ balance: 92, held: 0, holds: 0, charges: [8] })
    expect(await keysOf(one)).toMatchObject([{ key_hash: 'mixed', answer, body: 'sealed' }])
    expect(await keysOf(other)).toEqual([])
  })

  test('leaves known keys, and a key that comes twice, to a batch apart', async () => {
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
    const rival = `INSERT INTO account.key_claim
      (account_id, environment, key_hash, request_hash, request_id, lease_expires_at, expires_at)
      VALUES ($1, 'live', 'raced', 'x', 'req_rival', now() + interval '1 h', now() + interval '1 h')`

    const [one, other] = [await openAccount(100), await openAccount(100)]
    const batch = batchOf([
      { accountId: one, credits: 5, keyHash: 'raced' },
      { accountId: other, credits: 5, keyHash: 'own' },
    ])
    const reserved = await whileHeld(graph.database, [rival, [one]], {
      started: () => reserve(batch),
      waiting: 1,
    })

    expect(reserved).toEqual({ verdicts: ['again', 'again'], available: [0, 0] })
    expect(await stateOf(one)).toMatchObject({ held: 0, holds: 0 })
    expect(await stateOf(other)).toMatchObject({ held: 0, holds: 0 })
    expect(await keysOf(other)).toEqual([])
  })

  test('charges each of 5,000 wishes once, of 10,000 calls with duplicates in and between batches', {
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
        const again = await reserveAgain(pickOf(batch, (index) => verdicts[index] !== 'accepted'))
        for (const one of [held, again]) {
          accepted += one.requestIds.length
          await settleAll(one)
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

  /** Repeats what finds the balance locked by another batch, as the facade does. */
  async function settleAll(batch: Batch): Promise<void> {
    let left = batch
    while (left.requestIds.length > 0) {
      const answers = kept(left.requestIds.length)
      const { outcomes } = Object(await settle(left, { ...answers, isPatient: left !== batch }))
      const isLocked = (index: number) => outcomes[index] === 'locked'
      const done = pickOf(left, (index) => !isLocked(index))
      expect(outcomes.filter((outcome: string) => outcome === 'captured')).toHaveLength(
        done.requestIds.length,
      )
      left = pickOf(left, isLocked)
    }
  }

  /** Item by item, and again where the balance is locked, as the facade does; what is accepted. */
  async function reserveAgain(batch: Batch): Promise<Batch> {
    const accepted = new Set<string>()
    for (let left = batch; left.requestIds.length > 0; ) {
      const { requestIds, credits, accountIds, keyHashes } = Object(left)
      const items = requestIds.map((requestId: string, index: number) => ({
        ...{ requestId, accountId: accountIds[index] },
        ...{ credits: credits[index], keyHash: keyHashes[index] },
      }))
      const answers = await reserveApart(graph, items, { isPatient: left !== batch })
      for (const [index, requestId] of left.requestIds.entries()) {
        if (answers[index]?.verdict === 'accepted') accepted.add(requestId)
      }
      left = pickOf(left, (index) => answers[index]?.verdict === 'locked')
    }
    return pickOf(batch, (index) => accepted.has(batch.requestIds[index] ?? ''))
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
    ...{ requestId: newId('req'), accountId: account, credits },
    ...{ keyHash: 'refused', requestHash },
  })
  const items = [item(11, 'dear'), item(11, 'dear'), item(4, 'cheap'), item(4, 'cheap')]

  const reserved = await reserveApart(graph, items)

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
