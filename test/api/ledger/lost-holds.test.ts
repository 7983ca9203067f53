import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Batch,
  batchOf,
  chargesOn,
  forgetHoldsOf,
  request,
  reserveApart,
} from '../../support/database/charge-batches.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'

let graph: TestGraph
beforeAll(async () => {
  graph = await openTestGraph()
})
afterAll(async () => {
  expect(await graph.asAdmin('AuditLedger')).toMatchObject({ drifts: [] })
  await graph.close()
})
const { openAccount, reserve, settle, stateOf, runOut } = chargesOn(() => graph)

const forgetHolds = (batch: Batch) => forgetHoldsOf(graph, batch)

describe('a settlement whose hold is gone', () => {
  test('charges once if the balance covers it, when the hold was lost', async () => {
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
        budgetRemaining: null,
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

    expect(before).toEqual({
      outcomes: ['expired'],
      credits: [0],
      available: [95],
      budgetRemaining: null,
    })
    const [requestId] = batch.requestIds
    expect(expired).toEqual([{ requestId, accountId, environment: 'live', request }])
    expect(after).toEqual({
      outcomes: ['expired'],
      credits: [0],
      available: [100],
      budgetRemaining: null,
    })
    expect(again).toEqual({ verdicts: ['again'], available: [0] })
    const item = { ...(requestId && { requestId }), accountId, credits: 5 }
    expect(await reserveApart(graph, [item])).toMatchObject([{ verdict: 'running' }])
    expect(await stateOf(accountId)).toEqual({ balance: 100, held: 0, holds: 0, charges: [] })
  })

  test('charges nothing once its outcome has been asked for for more than half an hour', async () => {
    const accountId = await openAccount(100)
    const batch = batchOf([
      { accountId, credits: 5 },
      { accountId, credits: 6, keyHash: `late ${randomUUID()}` },
    ])
    await reserve(batch)
    await forgetHolds(batch)
    const stored = { answers: [null, '{"status":200}'], bodies: [null, '{}'] }

    const late = await settle(batch, { ...stored, waitedSeconds: 1801 })
    const before = await stateOf(accountId)
    const inTime = await settle(batch, { ...stored, waitedSeconds: 1800 })
    const again = await settle(batch, { ...stored, waitedSeconds: 3600 })

    expect(late).toMatchObject({ outcomes: ['expired', 'expired'], credits: [0, 0] })
    expect(before).toEqual({ balance: 100, held: 0, holds: 0, charges: [] })
    expect(inTime).toMatchObject({ outcomes: ['captured', 'captured'], credits: [5, 6] })
    expect(again).toMatchObject({ outcomes: ['captured', 'captured'], credits: [5, 6] })
    expect(await stateOf(accountId)).toEqual({ balance: 89, held: 0, holds: 0, charges: [5, 6] })
  })

  test('keeps the answer of a call that costs nothing, also while the balance is negative', async () => {
    const accountId = await openAccount(10)
    const batch = batchOf([{ accountId, credits: 0, keyHash: `free ${randomUUID()}` }])
    await reserve(batch)
    await forgetHolds(batch)
    const input = { accountId, credits: -15, reason: 'Test', idempotencyKey: accountId }
    await graph.asAdmin('AdjustCredits', { input: { ...input, allowNegative: true } })

    const settled = await settle(batch, { answers: ['{"status":200}'], bodies: ['{}'] })

    expect(settled).toMatchObject({ outcomes: ['voided'], credits: [0], available: [-5] })
    const rows = await graph.database.query(
      'SELECT answer FROM account.idempotency_key WHERE account_id = $1',
      [accountId],
    )
    expect(rows).toEqual([{ answer: { status: 200 } }])
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
      `UPDATE account.key_claim SET request_id = 'req_other'
       WHERE account_id = $1 AND key_hash LIKE 'taken%'`,
      [accountId],
    )
    await graph.database.query(
      `DELETE FROM account.key_claim WHERE account_id = $1 AND key_hash LIKE 'gone%'`,
      [accountId],
    )
    const stored = { answers: Array(3).fill('{"status":200}'), bodies: Array(3).fill('{}') }

    const settled = [await settle(batch, stored), await settle(batch, stored)]

    for (const one of settled) {
      expect(one).toEqual({
        outcomes: ['captured', 'expired', 'expired'],
        credits: [5, 0, 0],
        available: [95, 95, 95],
        budgetRemaining: null,
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

  test('forgets an expired hold after an hour', async () => {
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
