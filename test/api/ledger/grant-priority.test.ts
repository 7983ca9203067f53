import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { charge } from '../../support/database/charge-batches.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'

const dayMs = 86_400_000

describe('a grant that expires', () => {
  let graph: TestGraph
  beforeAll(async () => {
    graph = await openTestGraph()
  })
  afterAll(() => graph.close())

  async function openAccount(credits = 0): Promise<string> {
    const input = { name: 'Test', email: 'test@example.com', tier: 'STARTER', credits }
    const { account } = Object(await graph.asAdmin('CreateAccount', { input }))
    return account.id
  }

  function grant(accountId: string, options: object) {
    const input = {
      accountId,
      credits: 10,
      reason: 'Test',
      idempotencyKey: newId('led'),
      expiresAt: new Date(Date.now() + 5 * dayMs).toISOString(),
      ...options,
    }
    return graph.asAdmin('GrantCredits', { input })
  }

  function inDays(days: number): string {
    return new Date(Date.now() + days * dayMs).toISOString()
  }

  /**
   * PostgreSQL's clock counts: instead of waiting, all times are moved back; then expired grants
   * leave.
   */
  async function passDays(accountId: string, days: number): Promise<void> {
    await graph.database.query(
      `UPDATE account.lot SET expires_at = expires_at - make_interval(days => $2)
       WHERE account_id = $1`,
      [accountId, days],
    )
    await graph.database.query(
      `UPDATE account.balance SET next_expiry_at = next_expiry_at - make_interval(days => $2)
       WHERE account_id = $1`,
      [accountId, days],
    )
    await graph.asService('ExpireGrants', { accountId, environment: 'live' })
  }

  async function expiries(accountId: string): Promise<number[]> {
    const rows = await graph.database.query<{ credits: number }>(
      `SELECT credits::int FROM account.ledger_entry
       WHERE account_id = $1 AND kind = 'expiry' ORDER BY seq`,
      [accountId],
    )
    return rows.map(({ credits }) => credits)
  }

  test('is spent before one that expires sooner when its priority is lower', async () => {
    const accountId = await openAccount()
    await grant(accountId, { expiresAt: inDays(1), priority: 51 })
    await grant(accountId, { expiresAt: inDays(3) })

    await charge(graph, { accountId, credits: 7 })

    await passDays(accountId, 1)
    expect(await expiries(accountId)).toEqual([-10])
    await passDays(accountId, 2)
    expect(await expiries(accountId)).toEqual([-10, -3])
  })

  test('is spent by its expiry within its priority, and before credits that do not expire', async () => {
    const accountId = await openAccount(100)
    await grant(accountId, { expiresAt: inDays(3), priority: 50 })
    await grant(accountId, { expiresAt: inDays(1) })

    await charge(graph, { accountId, credits: 12 })

    await passDays(accountId, 1)
    expect(await expiries(accountId)).toEqual([])
    await passDays(accountId, 2)
    expect(await expiries(accountId)).toEqual([-8])
  })

  test.each([-1, 101])('refuses the priority %i', async (priority) => {
    const accountId = await openAccount()

    await expect(grant(accountId, { priority })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'priority: must be an integer from 0 to 100',
    })
  })

  test('is the only kind with a priority: credits that do not expire are spent last', async () => {
    const accountId = await openAccount()

    await expect(grant(accountId, { priority: 1, expiresAt: null })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'priority: is only for credits that expire',
    })
  })

  test('is another grant when its priority differs', async () => {
    const accountId = await openAccount()
    const asked = { idempotencyKey: 'once', expiresAt: inDays(1) }
    const first = await grant(accountId, asked)

    expect(await grant(accountId, { ...asked, priority: 50 })).toEqual(first)
    await expect(grant(accountId, { ...asked, priority: 51 })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    })
  })

  test('does not expire while less is left than is held, and then as far as it is not', async () => {
    const accountId = await openAccount(5)
    await grant(accountId, { expiresAt: inDays(1) })
    const hold = (credits: number) =>
      graph.database.query('UPDATE account.balance SET held = $2 WHERE account_id = $1', [
        accountId,
        credits,
      ])
    // More is held than is left, as after credits were taken back that a call had set aside.
    await hold(20)
    await passDays(accountId, 2)
    const whileShort = await expiries(accountId)

    await hold(8)
    await graph.asService('ExpireGrants', { accountId, environment: 'live' })

    expect(whileShort).toEqual([])
    expect(await expiries(accountId)).toEqual([-7])
  })

  test('is answered with its first entry when it is asked for again after its end', async () => {
    const accountId = await openAccount()
    const asked = { idempotencyKey: 'late', expiresAt: inDays(1) }
    const first = await grant(accountId, asked)
    const later = { ...asked, expiresAt: inDays(-1) }
    await passDays(accountId, 2)
    await graph.database.query(
      `UPDATE account.posting_key SET posting = posting || jsonb_build_object('expiresAt', $2::text)
       WHERE account_id = $1`,
      [accountId, later.expiresAt],
    )

    const again = await grant(accountId, later)

    expect(again).toEqual(first)
    expect(await expiries(accountId)).toEqual([-10])
  })

  test('is refused when it is new and its end has passed', async () => {
    const accountId = await openAccount(5)
    const over = { idempotencyKey: 'over', expiresAt: inDays(-1) }

    await expect(grant(accountId, over)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      details: [{ field: 'expiresAt', in: 'body', message: 'must be in the future' }],
    })

    expect(await grant(accountId, { ...over, expiresAt: inDays(1) })).toMatchObject({
      balance_after: 15,
    })
  })
})
