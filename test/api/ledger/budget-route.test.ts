import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Hold } from '../../../rest-facade/charge/hold.ts'
import type { Execute } from '../../../rest-facade/graph/graph-client.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import {
  reserveKeyed,
  reservePlain,
  settleLost,
  settlementOf,
} from '../../../subgraphs/account/holds/hold-batch.statements.ts'
import { call, chargesOn } from '../../support/database/charge-batches.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { createAskedLedger } from '../../support/graph/asked-ledger.ts'

let graph: TestGraph
beforeAll(async () => {
  graph = await openTestGraph()
})
afterAll(async () => {
  expect(await graph.asAdmin('AuditLedger')).toMatchObject({ drifts: [] })
  await graph.close()
})

const { openAccount } = chargesOn(() => graph)

function holdOf(accountId: string, more: Partial<Hold> = {}): Hold {
  return {
    ...{ requestId: newId('req'), accountId, environment: 'live', credits: 5, ttlSeconds: 60 },
    endpoint: '/t',
    ...{ call, idempotency: null, budgetOwners: null },
    ...more,
  }
}

const keyed = (keyHash: string) => ({
  idempotency: { keyHash, requestHash: keyHash, ttlSeconds: 600 },
})

/** A ledger of the facade, and the operations that it has run, with their variables. */
function openLedger() {
  const asked: { operation: string; variables: Record<string, unknown> }[] = []
  const execute: Execute = (operation, variables, caller) => {
    asked.push({ operation, variables: Object(variables) })
    return graph.as(operation, variables, caller)
  }
  return { ledger: createAskedLedger(execute, { databaseTimeoutMs: 30_000 }), asked }
}

function holdsOf(accountId: string) {
  return graph.database.query(
    `SELECT request_id, spenders, reserved_at FROM account.hold
     WHERE account_id = $1 ORDER BY request_id`,
    [accountId],
  )
}

describe('a call with budgets', () => {
  test.each([
    ['without a key', {}],
    ['with a key', keyed('budget')],
  ])(
    'has a way of its own %s: its hold says which budgets and since when, and its settlement too',
    async (_, key) => {
      const accountId = await openAccount(100)
      const { ledger, asked } = openLedger()
      const spenders = ['key_1', 'a "quoted" {team}, \\ and more']
      const hold = holdOf(accountId, { ...key, budgetOwners: spenders })

      const reservation = await ledger.reserve(hold)
      const held = await holdsOf(accountId)
      const { reservedAt } = reservation
      const settlement = await ledger.settle({ hold, credits: 3, reservedAt, kept: null })

      expect(reservation).toMatchObject({ verdict: 'accepted', available: 95 })
      const [{ now }] = (await graph.database.query('SELECT now()')) as [{ now: Date }]
      const instant = new Date(reservedAt ?? '')
      expect(Math.abs(now.getTime() - instant.getTime())).toBeLessThan(60_000)
      expect(held).toEqual([{ request_id: hold.requestId, spenders, reserved_at: instant }])
      expect(settlement).toEqual({
        ...{ outcome: 'captured', credits: 3, available: 97 },
        budgetRemaining: null,
      })
      expect(asked.map(({ operation }) => operation)).toEqual(['ReserveApart', 'SettleBatch'])
      expect(asked[1]?.variables.batch).toMatchObject({
        spenders: [spenders],
        reservedAts: [instant],
      })
      expect(await holdsOf(accountId)).toEqual([])
    },
  )

  test('shares no batch with calls that have none: those ask for nothing of budgets', async () => {
    // Batches of one balance may wait for each other, and would then be sent again.
    const accounts = await Promise.all(Array.from({ length: 5 }, () => openAccount(100)))
    const { ledger, asked } = openLedger()
    const kinds = [
      {},
      keyed('plain'),
      { budgetOwners: ['key_1'] },
      {},
      { budgetOwners: ['key_2', 'team'] },
    ]
    const holds = kinds.map((kind, index) => holdOf(accounts[index] ?? '', kind))

    const reserved = await Promise.all(holds.map((hold) => ledger.reserve(hold)))
    const held = await Promise.all(accounts.map(holdsOf))
    const settled = await Promise.all(
      holds.map((hold, index) =>
        ledger.settle({
          ...{ hold, credits: 5, kept: null },
          reservedAt: reserved[index]?.reservedAt ?? null,
        }),
      ),
    )

    expect(reserved.map(({ verdict }) => verdict)).toEqual(Array(5).fill('accepted'))
    expect(settled.map(({ outcome }) => outcome)).toEqual(Array(5).fill('captured'))
    const none = { spenders: null, reserved_at: null }
    const budgeted = [{ spenders: ['key_1'] }, { spenders: ['key_2', 'team'] }]
    expect(held).toMatchObject([[none], [none], [budgeted[0]], [none], [budgeted[1]]])
    const batches = asked.map(({ operation, variables: { batch } }) => [
      operation,
      Object(batch).requestIds.length,
      Object(batch).spenders,
    ])
    const spenders = [['key_1'], ['key_2', 'team']]
    expect(batches).toEqual([
      ['ReserveBatch', 2, null],
      ['ReserveBatch', 1, null],
      ['ReserveApart', 2, spenders],
      ['SettleBatch', 3, null],
      ['SettleBatch', 2, spenders],
    ])
  })

  test('counts since its first reservation when that is repeated', async () => {
    const accountId = await openAccount(100)
    const { ledger } = openLedger()
    const hold = holdOf(accountId, { budgetOwners: ['key_1'] })

    const first = await ledger.reserve(hold)
    const again = await ledger.reserve(hold)

    expect(again).toMatchObject({ verdict: 'accepted', reservedAt: first.reservedAt })
    expect(await holdsOf(accountId)).toHaveLength(1)
    await ledger.settle({ hold, credits: 0, reservedAt: first.reservedAt, kept: null })
  })

  test('is refused like others when the balance does not cover it', async () => {
    const accountId = await openAccount(4)
    const { ledger } = openLedger()

    const reservation = await ledger.reserve(holdOf(accountId, { budgetOwners: ['key_1'] }))

    expect(reservation).toMatchObject({ verdict: 'insufficient', available: 4, reservedAt: null })
    expect(await holdsOf(accountId)).toEqual([])
  })
})

test('no statement of a call without budgets reads or writes anything of budgets', () => {
  const flags = [true, false]
  const statements = [
    ...[reservePlain, reserveKeyed, settleLost],
    ...flags.flatMap((isOneOfEach) =>
      flags.map((isKeyed) => settlementOf({ isOneOfEach, isKeyed })),
    ),
  ]

  for (const { text } of statements) expect(text).not.toMatch(/spender|budget|reserved_at/)
})
