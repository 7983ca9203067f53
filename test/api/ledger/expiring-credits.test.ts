import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'

const dayMs = 86_400_000

let graph: TestGraph
beforeAll(async () => {
  graph = await openTestGraph()
})
afterAll(() => graph.close())

async function createAccount(): Promise<string> {
  const input = { name: 'T', email: 't@example.com', tier: 'STARTER', credits: 0 }
  return Object(await graph.asAdmin('CreateAccount', { input })).account.id
}

/** A grant that ends in so many days. */
async function grant(accountId: string, credits: number, days: number | null): Promise<void> {
  const expiresAt = days === null ? null : new Date(Date.now() + days * dayMs).toISOString()
  const idempotencyKey = crypto.randomUUID()
  const input = { accountId, credits, reason: 'Trial', expiresAt, idempotencyKey }
  await graph.asAdmin('GrantCredits', { input })
}

interface NoticeJob {
  readonly variables: Record<string, unknown>
  /** How long until the job runs. */
  readonly waitDays: number
}

function jobsOf(accountId: string): Promise<NoticeJob[]> {
  return graph.database.query<NoticeJob>(
    `SELECT data AS variables,
       round(extract(epoch FROM start_after - now()) / 86400)::int AS "waitDays"
     FROM jobs.job WHERE name = 'PublishExpiringCredits' AND data ->> 'accountId' = $1
     ORDER BY start_after`,
    [accountId],
  )
}

function eventsOf(accountId: string) {
  return graph.database.query(
    `SELECT data FROM account.event WHERE account_id = $1 AND type = 'credits.expiring'
     ORDER BY id`,
    [accountId],
  )
}

async function run(accountId: string): Promise<unknown[]> {
  const answers: unknown[] = []
  for (const { variables } of await jobsOf(accountId)) {
    answers.push(await graph.asService('PublishExpiringCredits', variables))
  }
  return answers
}

describe('credits that expire', () => {
  test.each([
    [40, [10, 33]],
    [20, [13]],
    [7, []],
    [3, []],
    [null, []],
  ])('in %s days are announced 30 and 7 days before, if they last longer', async (days, waits) => {
    const account = await createAccount()

    await grant(account, 100, days)

    expect((await jobsOf(account)).map(({ waitDays }) => waitDays)).toEqual(waits)
  })

  test('are announced with the rest of their lot, once for each notice', async () => {
    const account = await createAccount()
    await grant(account, 100, 40)
    const spend = { accountId: account, credits: -30, reason: 'T', idempotencyKey: 'spend' }
    await graph.asAdmin('AdjustCredits', { input: spend })

    const first = await run(account)
    const again = await run(account)

    // Both jobs ran early here, in their order.
    expect([first, again]).toEqual([
      [true, true],
      [false, false],
    ])
    const data = {
      ...{ lot_id: expect.stringMatching(/^lot_/), credits: 70 },
      expires_at: expect.stringMatching(/Z$/),
    }
    expect(await eventsOf(account)).toEqual([{ data }, { data }])
  })

  test('are not announced when their lot is empty or expired, or belongs to another account', async () => {
    const account = await createAccount()
    await grant(account, 100, 40)
    const [job] = await jobsOf(account)
    const stranger = await createAccount()
    const tell = (accountId: string) =>
      graph.asService('PublishExpiringCredits', { ...job?.variables, accountId })

    expect(await tell(stranger)).toBe(false)
    await graph.database.query(
      `UPDATE account.lot SET expires_at = now() WHERE account_id = $1 AND environment = 'live'`,
      [account],
    )
    expect(await tell(account)).toBe(false)
    await graph.database.query(
      `UPDATE account.lot SET expires_at = now() + interval '40 d'
       WHERE account_id = $1 AND environment = 'live'`,
      [account],
    )
    const spend = { accountId: account, credits: -100, reason: 'T', idempotencyKey: 'spend' }
    await graph.asAdmin('AdjustCredits', { input: spend })
    expect(await tell(account)).toBe(false)

    expect([await eventsOf(account), await eventsOf(stranger)]).toEqual([[], []])
  })
})
