import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sessionSettings } from '../../../subgraphs/shared/database/sessions.ts'
import { batchOf, charge, chargesOn, reserveApart } from '../../support/database/charge-batches.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'

describe('the ledger in PostgreSQL', () => {
  let graph: TestGraph
  beforeAll(async () => {
    graph = await openTestGraph()
  })
  afterAll(() => graph.close())

  const { openAccount, reserve, settle } = chargesOn(() => graph)

  test.each([
    'UPDATE account.ledger_entry SET credits = 1',
    'DELETE FROM account.ledger_entry',
    'TRUNCATE account.ledger_entry',
  ])('does not let the service do it: %s', async (sql) => {
    const client = new pg.Client({
      connectionString: graph.database.serviceUrl,
      options: sessionSettings,
    })
    await client.connect()
    try {
      await expect(client.query(sql)).rejects.toMatchObject({ code: '42501' })
    } finally {
      await client.end()
    }
  })

  test('shows an auditor the live entries and the open holds, and nothing else', async () => {
    const accountId = await openAccount(100)
    const requestId = await charge(graph, { accountId, credits: 5 })

    const rows = await graph.database.query(
      `SELECT account_id, seq::int, kind, delta::int, ref FROM account.ledger_audit
       WHERE account_id = $1 ORDER BY seq`,
      [accountId],
    )

    expect(rows).toEqual([
      { account_id: accountId, seq: 1, kind: 'grant', delta: 100, ref: 'opening-balance' },
      { account_id: accountId, seq: 2, kind: 'charge', delta: -5, ref: requestId },
    ])
    const visible = await graph.database.query(
      `SELECT table_name, privilege_type FROM information_schema.role_table_grants
       WHERE grantee = 'gateway_auditor' ORDER BY table_name`,
    )
    expect(visible).toEqual([
      { table_name: 'ledger_audit', privilege_type: 'SELECT' },
      { table_name: 'open_holds', privilege_type: 'SELECT' },
    ])
  })

  test.each([
    ['a description', "UPDATE account.ledger_entry SET description = 'x' WHERE seq = 2", 'hash'],
    ['an amount', 'UPDATE account.ledger_entry SET credits = credits - 1 WHERE seq = 2', 'credits'],
    ['a time', "UPDATE account.ledger_entry SET created_at = created_at + interval '1 h'", 'hash'],
    [
      'an entry in the middle of a commit',
      "UPDATE account.ledger_entry SET description = 'x' WHERE seq = 5",
      'hash',
    ],
    ['the newest hash', 'UPDATE account.ledger_entry SET hash = NULL WHERE seq = 6', 'hash'],
    ['a missing entry', 'DELETE FROM account.ledger_entry WHERE seq = 2', 'follows'],
    ['the balance', 'UPDATE account.balance SET balance = balance + 1', 'balance'],
    ['a hold', 'UPDATE account.balance SET held = 1', 'held'],
  ])('reveals that %s was rewritten', async (_, sql, word) => {
    const tampered = await openTestGraph()
    try {
      const input = { name: 'Test', email: 'test@example.com', tier: 'STARTER', credits: 10 }
      const { account } = Object(await tampered.asAdmin('CreateAccount', { input }))
      for (const credits of [1, 2]) {
        const grant = {
          accountId: account.id,
          credits,
          reason: 'Test',
          idempotencyKey: `${credits}`,
        }
        await tampered.asAdmin('GrantCredits', { input: grant })
      }
      const accountId = account.id
      const charges = chargesOn(() => tampered)
      const batch = batchOf([1, 2, 3].map((credits) => ({ accountId, credits })))
      await charges.reserve(batch)
      await charges.settle(batch)
      expect(await tampered.asAdmin('AuditLedger')).toMatchObject({ entries: 7, drifts: [] })

      await tampered.database.query(sql)

      const { drifts } = Object(await tampered.asAdmin('AuditLedger'))
      const problems = drifts.map((drift: { problem: string }) => drift.problem).join('; ')
      expect(problems).toContain(word)
    } finally {
      await tampered.close()
    }
  })

  test('charges a whole batch in order, chained, with gapless numbers', async () => {
    const accounts = await Promise.all([openAccount(1000), openAccount(1000)])
    const batch = batchOf(
      Array.from({ length: 50 }, (_, index) => ({
        accountId: accounts[index % 2] ?? '',
        credits: index % 7,
      })),
    )

    await reserve(batch)
    await settle(batch)
    const again = await settle(batch)

    expect(again).toMatchObject({ credits: batch.credits })
    expect(await graph.asAdmin('AuditLedger')).toMatchObject({ drifts: [] })
  })

  test('charges nothing for a negative amount, and adds no credits', async () => {
    const accountId = await openAccount(100)
    const batch = batchOf([{ accountId, credits: 10 }])
    await reserve(batch)

    const settlement = await settle(batch, { credits: [-50] })

    expect(settlement).toMatchObject({ outcomes: ['voided'], credits: [0], available: [100] })
    expect(await graph.asAdmin('AuditLedger')).toMatchObject({ drifts: [] })
  })

  test('lets one impossible reservation of a batch fail alone', async () => {
    const accountId = await openAccount(10)
    const items = [50, 6, 5, 4].map((credits) => ({ accountId, credits }))

    const answers = await reserveApart(graph, items)

    expect(answers.map(({ verdict }) => verdict)).toEqual([
      'insufficient',
      'accepted',
      'insufficient',
      'accepted',
    ])
  })

  test('enters a grant once for each key, also when it is called in parallel', async () => {
    const accountId = await openAccount(0)
    const input = { accountId, credits: 7, reason: 'Test', idempotencyKey: 'parallel' }

    const grants = await Promise.all(
      Array.from({ length: 20 }, () => graph.asAdmin('GrantCredits', { input })),
    )

    expect(new Set(grants.map((grant) => Object(grant).id)).size).toBe(1)
    const [row] = await graph.database.query(
      "SELECT balance::int FROM account.balance WHERE account_id = $1 AND environment = 'live'",
      [accountId],
    )
    expect(row).toEqual({ balance: 7 })
  })

  test('refuses a balance below the held credits', async () => {
    const accountId = await openAccount(10)
    await reserveApart(graph, [{ accountId, credits: 6 }])
    const adjust = (credits: number) =>
      graph.asAdmin('AdjustCredits', {
        input: { accountId, credits, reason: 'Test', idempotencyKey: `${credits}` },
      })

    await expect(adjust(-5)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    expect(await adjust(-4)).toMatchObject({ kind: 'adjustment', credits: -4, balance_after: 6 })
  })
})
