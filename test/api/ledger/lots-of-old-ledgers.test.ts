import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'

/** Lots of ledgers that the builds before have written: without lots, with what they kept of grants. */
let graph: TestGraph
beforeAll(async () => {
  graph = await openTestGraph()
})
afterAll(() => graph.close())

async function openAccount(): Promise<string> {
  const input = { name: 'Test', email: 'test@example.com', tier: 'STARTER', credits: 0 }
  return Object(await graph.asAdmin('CreateAccount', { input })).account.id
}

interface OldEntry {
  readonly kind: string
  readonly credits: number
  readonly ref?: string
  /** The record of a grant that expires, as of that entry. */
  readonly kept?: { readonly remaining: number; readonly priority: number }
}

const expiresAt = '2099-01-01T00:00:00.000Z'

async function enter(accountId: string, entries: readonly OldEntry[]): Promise<void> {
  for (const { kind, credits, ref = newId('req'), kept } of entries) {
    const isCharge = kind === 'charge'
    await graph.database.query(
      `SELECT account.append_entry($1, 'live', $2, $3, 'Test', $4, $5, true)`,
      [accountId, isCharge ? 'adjustment' : kind, credits, ref, newId('led')],
    )
    if (!kept) continue
    await graph.database.query(
      `INSERT INTO account.expiring_grant
         (account_id, environment, seq, priority, expires_at, remaining)
       SELECT account_id, 'live', last_seq, $2, $3, $4 FROM account.balance
       WHERE account_id = $1 AND environment = 'live'`,
      [accountId, kept.priority, expiresAt, kept.remaining],
    )
    await graph.database.query(
      `UPDATE account.balance SET burnt_seq = last_seq
       WHERE account_id = $1 AND environment = 'live'`,
      [accountId],
    )
  }
}

function lotsOf(accountId: string) {
  return graph.database.query(
    `SELECT (lot).source, (lot).granted::int, credits_left::int AS left,
       (lot).payment_id AS payment, (lot).priority
     FROM account.lots_left($1, 'live', -1, '-infinity', 0, 100)`,
    [accountId],
  )
}

describe('a ledger from before there were lots', () => {
  test('has the rest of its expiring grants, and the newest of its other credits', async () => {
    const accountId = await openAccount()
    await enter(accountId, [
      { kind: 'grant', credits: 100 },
      { kind: 'purchase', credits: 50, ref: 'pay_old' },
      { kind: 'charge', credits: -120 },
      { kind: 'grant', credits: 40, kept: { remaining: 40, priority: 7 } },
      { kind: 'charge', credits: -25 },
      { kind: 'refund', credits: 10 },
    ])

    // 30 of the purchase were left, and the charge after that burned 25 of the grant.
    expect(await lotsOf(accountId)).toEqual([
      { source: 'grant', granted: 40, left: 15, payment: null, priority: 7 },
      { source: 'purchase', granted: 50, left: 30, payment: 'pay_old', priority: 101 },
      { source: 'refund', granted: 10, left: 10, payment: null, priority: 101 },
    ])
    expect(await graph.asAdmin('AuditLedger')).toMatchObject({ drifts: [] })
  })

  test('treats an expired grant by hand as expired, although its lot was not kept', async () => {
    const accountId = await openAccount()
    const ref = `internal:${accountId}`
    await enter(accountId, [
      { kind: 'purchase', credits: 50, ref: 'pay_older' },
      { kind: 'grant', credits: 20, ref },
      { kind: 'expiry', credits: -20, ref: 'expiry:3' },
      { kind: 'charge', credits: -10 },
    ])
    await graph.database.query(
      `INSERT INTO account.posting_key (account_id, environment, key, posting)
       VALUES ($1, 'live', $1, '{"expiresAt": "2020-01-01T00:00:00.000Z", "priority": 3}')`,
      [accountId],
    )

    expect(await lotsOf(accountId)).toEqual([
      { source: 'purchase', granted: 50, left: 40, payment: 'pay_older', priority: 101 },
    ])
    const [expired] = await graph.database.query(
      `SELECT remaining::int, expired::int, priority FROM account.lot
       WHERE account_id = $1 AND environment = 'live' AND source = 'grant'`,
      [accountId],
    )
    expect(expired).toEqual({ remaining: 0, expired: 20, priority: 3 })
  })

  test('is taken from, and written on, without having been read before', async () => {
    const accountId = await openAccount()
    await enter(accountId, [
      { kind: 'purchase', credits: 50, ref: 'pay_first' },
      { kind: 'purchase', credits: 50, ref: 'pay_second' },
      { kind: 'charge', credits: -20 },
    ])

    await graph.database.query(
      `SELECT account.claw_back($1, 'live', 'pay_second', 50, 'evt_1', 'Refund')`,
      [accountId],
    )

    expect(await lotsOf(accountId)).toEqual([
      { source: 'purchase', granted: 50, left: 30, payment: 'pay_first', priority: 101 },
    ])
    expect(await graph.asAdmin('AuditLedger')).toMatchObject({ drifts: [] })
  })

  test('also has a lot for a posting that was under way during the migration', async () => {
    const accountId = await openAccount()
    await enter(accountId, [{ kind: 'grant', credits: 10 }])
    expect(await lotsOf(accountId)).toHaveLength(1)
    // The functions before did not begin lots.
    await enter(accountId, [{ kind: 'purchase', credits: 5, ref: 'pay_late' }])

    await graph.asAdmin('GrantCredits', {
      input: { accountId, credits: 1, reason: 'Test', idempotencyKey: newId('led') },
    })

    expect(await lotsOf(accountId)).toMatchObject([
      { source: 'grant', left: 10 },
      { source: 'purchase', left: 5, payment: 'pay_late' },
      { source: 'grant', left: 1 },
    ])
    expect(await graph.asAdmin('AuditLedger')).toMatchObject({ drifts: [] })
  })
})
