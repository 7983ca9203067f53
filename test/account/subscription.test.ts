import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { AccountCaller } from '../../schema/caller.ts'
import { account as accountSubgraph } from '../../subgraphs/account/index.ts'
import { openDatabase } from '../../subgraphs/shared/database.ts'
import { createTestDatabase } from '../support/database.ts'
import { expectError } from '../support/error-envelope.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts'
import { openTestGraph, type TestGraph } from '../support/graph.ts'

let gateway: TestGateway
let graph: TestGraph
beforeAll(async () => {
  gateway = await startTestGateway()
  graph = await openTestGraph()
})
afterAll(() => Promise.all([gateway.close(), graph.close()]))

const cancelPath = '/v1/account/subscription/cancel'
const resumePath = '/v1/account/subscription/resume'

const active = {
  tier: 'enterprise_sub',
  status: 'active',
  current_period_start: expect.stringMatching(/Z$/),
  current_period_end: expect.stringMatching(/Z$/),
  cancel_at_period_end: false,
  canceled_at: null,
  monthly_credits: 120_000,
}
const scheduled = {
  ...active,
  status: 'scheduled_to_cancel',
  cancel_at_period_end: true,
  canceled_at: expect.stringMatching(/Z$/),
}

/** Makes the current period end a moment ago. */
function endPeriod({ database }: Pick<TestGateway, 'database'>, accountId: string) {
  return database.query(
    `UPDATE account.subscription SET anchor_at = now() - period,
       current_period_start = now() - period, current_period_end = now()
     WHERE account_id = $1`,
    [accountId],
  )
}

function statesOf({ database }: Pick<TestGateway, 'database'>, accountId: string) {
  return database.query<{ environment: string; status: string; subscription_tier: string | null }>(
    `SELECT s.environment, s.status, p.subscription_tier FROM account.subscription s
     JOIN account.plan p USING (account_id, environment)
     WHERE s.account_id = $1 ORDER BY s.environment`,
    [accountId],
  )
}

describe('POST /v1/account/subscription/cancel', () => {
  test('schedules the end for when the period ends, live only, and changes no limit', async () => {
    const { id, liveKey } = await gateway.createAccount()

    const response = await gateway.live.request(cancelPath, { method: 'POST', key: liveKey })

    expect(response.status).toBe(200)
    expect(response.body).toEqual(scheduled)
    expect(await statesOf(gateway, id)).toEqual([
      {
        environment: 'live',
        status: 'scheduled_to_cancel',
        subscription_tier: 'enterprise_sub',
      },
      { environment: 'sandbox', status: 'active', subscription_tier: 'enterprise_sub' },
    ])
    const { body } = await gateway.live.get('/v1/account', liveKey)
    expect(body).toMatchObject({ subscription_tier: 'enterprise_sub', rate_limit_rps: 100 })
  })

  test('is a conflict the second time, and changes nothing', async () => {
    const { liveKey } = await gateway.createAccount()
    const first = await gateway.live.request(cancelPath, { method: 'POST', key: liveKey })

    const again = await gateway.live.request(cancelPath, { method: 'POST', key: liveKey })

    const end = Object(first.body).current_period_end
    expectError(gateway, again, {
      status: 409,
      code: 'CONFLICT',
      message: `The subscription is scheduled to be cancelled at ${end} already.`,
    })
  })

  test('is a conflict without a subscription', async () => {
    const liveKey = await withoutSubscription()

    const response = await gateway.live.request(cancelPath, { method: 'POST', key: liveKey })

    expectError(gateway, response, {
      status: 409,
      code: 'CONFLICT',
      message: 'The subscription is missing: this account has none.',
    })
  })

  test('of twenty in parallel lets one succeed', async () => {
    const { liveKey } = await gateway.createAccount()

    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        gateway.live.request(cancelPath, { method: 'POST', key: liveKey }),
      ),
    )

    const counts = [200, 409].map(
      (wanted) => answers.filter(({ status }) => status === wanted).length,
    )
    expect(counts).toEqual([1, 19])
  })
})

function callerOf(accountId: string): AccountCaller {
  const environment = 'live'
  const of = { kind: 'account', accountId, environment, keyId: 'key_x', scopes: ['*'] } as const
  return { ...of, requestId: 'req_test', traceId: '' }
}

/** An account whose subscription was never there. */
async function withoutSubscription(): Promise<string> {
  const { createAccount } = Object(
    await gateway.graphql(
      `mutation ($input: CreateAccountInput!) { createAccount(input: $input) { liveKey } }`,
      { input: { name: 'Test', email: 'test@example.com' } },
    ),
  )
  return createAccount.liveKey
}

describe('POST /v1/account/subscription/resume', () => {
  test('takes a scheduled cancellation back', async () => {
    const { liveKey } = await gateway.createAccount()
    await gateway.live.request(cancelPath, { method: 'POST', key: liveKey })

    const response = await gateway.live.request(resumePath, { method: 'POST', key: liveKey })

    expect(response.status).toBe(200)
    expect(response.body).toEqual(active)
  })

  test('is a conflict when nothing is scheduled', async () => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.request(resumePath, { method: 'POST', key: liveKey })

    expectError(gateway, response, {
      status: 409,
      code: 'CONFLICT',
      message: 'The subscription is active: there is no cancellation to take back.',
    })
  })

  test('is a conflict once the period is over, also before the job has ended it', async () => {
    const { id, liveKey } = await gateway.createAccount()
    await gateway.live.request(cancelPath, { method: 'POST', key: liveKey })
    await endPeriod(gateway, id)

    const response = await gateway.live.request(resumePath, { method: 'POST', key: liveKey })

    expectError(gateway, response, {
      status: 409,
      code: 'CONFLICT',
      message: 'The subscription is cancelled.',
    })
  })

  test('racing with the end of the period leaves one of both, whole', async () => {
    const { id, liveKey } = await gateway.createAccount()
    await gateway.live.request(cancelPath, { method: 'POST', key: liveKey })

    const answers = await Promise.all([
      gateway.live.request(resumePath, { method: 'POST', key: liveKey }),
      gateway.live.request(resumePath, { method: 'POST', key: liveKey }),
      endPeriod(gateway, id).then(() => null),
    ])

    const resumed = answers.filter((answer) => answer?.status === 200)
    expect(resumed.length).toBeLessThanOrEqual(1)
    const outcome =
      resumed.length === 1
        ? { status: 'active', subscription_tier: 'enterprise_sub' }
        : { status: 'canceled', subscription_tier: null }
    await vi.waitFor(
      async () => {
        const [live] = await statesOf(gateway, id)
        expect(live).toEqual({ environment: 'live', ...outcome })
        const [due] = await gateway.database.query<{ count: number }>(
          `SELECT count(*)::int FROM account.subscription
           WHERE account_id = $1 AND status <> 'canceled' AND current_period_end <= now()`,
          [id],
        )
        expect(due).toEqual({ count: 0 })
      },
      { timeout: 60_000, interval: 100 },
    )
  })
})

/** Live, in this order. */
async function balancesOf(accountIds: readonly string[]): Promise<string[]> {
  const rows = await graph.database.query<{ balance: string }>(
    `SELECT balance FROM account.balance WHERE account_id = ANY ($1) AND environment = 'live'
     ORDER BY array_position($1, account_id)`,
    [accountIds],
  )
  return rows.map(({ balance }) => balance)
}

describe('the end of a period', () => {
  test('ends a cancelled subscription without anybody asking, and lowers the limit at once', async () => {
    const { id, liveKey } = await gateway.createAccount({ tier: 'STARTER' })
    await gateway.live.request(cancelPath, { method: 'POST', key: liveKey })
    await endPeriod(gateway, id)

    await vi.waitFor(
      async () => {
        const { body, headers } = await gateway.live.get('/v1/account', liveKey)
        expect(body).toMatchObject({ subscription_tier: null, rate_limit_rps: 10 })
        expect(headers.get('x-ratelimit-limit')).toBe('10')
      },
      { timeout: 30_000, interval: 200 },
    )

    const [live] = await statesOf(gateway, id)
    expect(live).toEqual({ environment: 'live', status: 'canceled', subscription_tier: null })
    const again = await gateway.live.request(cancelPath, { method: 'POST', key: liveKey })
    expectError(gateway, again, {
      status: 409,
      code: 'CONFLICT',
      message: 'The subscription is cancelled.',
    })
  })

  test('of 500 subscriptions is dealt with once each by two workers', async () => {
    const input = { name: 'T', email: 't@example.com', subscriptionTier: 'pro_sub', credits: 7 }
    const created: string[] = []
    for (let round = 0; round < 25; round += 1) {
      const accounts = await Promise.all(
        Array.from({ length: 10 }, () => graph.asAdmin('CreateAccount', { input })),
      )
      created.push(...accounts.map((one) => Object(one).account.id))
    }
    await graph.database.query(`UPDATE account.subscription SET status = 'scheduled_to_cancel',
      canceled_at = now() WHERE environment = 'sandbox'`)
    await graph.database.query(`UPDATE account.subscription SET anchor_at = now() - 3 * period,
      current_period_start = now() - 3 * period, current_period_end = now() - 2 * period`)
    async function work(): Promise<number> {
      let done = 0
      for (let idle = 0; idle < 2; ) {
        const turned = Number(await graph.asService('TurnSubscriptions', { limit: 20 }))
        done += turned
        idle = turned === 0 ? idle + 1 : 0
      }
      return done
    }

    const [one, other] = await Promise.all([work(), work()])

    expect(one + other).toBe(500)
    const [totals] = await graph.database.query(
      `SELECT count(*) FILTER (WHERE s.environment = 'live' AND s.status = 'active'
           AND s.current_period_start <= now() AND s.current_period_end > now())::int AS renewed,
         count(*) FILTER (WHERE s.environment = 'sandbox' AND s.status = 'canceled'
           AND p.subscription_tier IS NULL)::int AS ended,
         count(*) FILTER (WHERE s.environment = 'live' AND b.balance = 5007)::int AS granted
       FROM account.subscription s JOIN account.plan p USING (account_id, environment)
       JOIN account.balance b USING (account_id, environment)
       WHERE s.account_id = ANY ($1)`,
      [created],
    )
    expect(totals).toEqual({ renewed: 250, ended: 250, granted: 250 })
    const allowances = await graph.database.query(
      `SELECT count(*)::int AS entries, sum(credits)::int AS credits FROM account.ledger_entry
       WHERE kind = 'allowance'`,
    )
    expect(allowances).toEqual([{ entries: 250, credits: 1_250_000 }])
    expect(await graph.asAdmin('AuditLedger')).toMatchObject({ drifts: [] })
  })

  test('takes what is left of an allowance and grants the next', async () => {
    const input = { name: 'T', email: 't@example.com', subscriptionTier: 'pro_sub', credits: 7 }
    const { account } = Object(await graph.asAdmin('CreateAccount', { input }))
    await endPeriod(graph, account.id)
    await graph.asService('TurnSubscriptions', { limit: 500 })
    await graph.database.query(
      `UPDATE account.expiring_grant SET expires_at = now() WHERE account_id = $1`,
      [account.id],
    )
    await graph.database.query(
      `UPDATE account.balance SET next_expiry_at = now() WHERE account_id = $1`,
      [account.id],
    )
    await graph.asService('ExpireGrants', { limit: 500 })
    await endPeriod(graph, account.id)

    await graph.asService('TurnSubscriptions', { limit: 500 })

    const entries = await graph.database.query(
      `SELECT kind, credits::int, balance_after::int FROM account.ledger_entry
       WHERE account_id = $1 AND environment = 'live' ORDER BY seq`,
      [account.id],
    )
    expect(entries).toEqual([
      { kind: 'grant', credits: 7, balance_after: 7 },
      { kind: 'allowance', credits: 5000, balance_after: 5007 },
      { kind: 'expiry', credits: -5000, balance_after: 7 },
      { kind: 'allowance', credits: 5000, balance_after: 5007 },
    ])
  })

  test('of one that cannot be renewed stops no other', async () => {
    const input = { name: 'T', email: 't@example.com', subscriptionTier: 'pro_sub', credits: 7 }
    const credits = Number.MAX_SAFE_INTEGER
    const rich = Object(await graph.asAdmin('CreateAccount', { input: { ...input, credits } }))
    const other = Object(await graph.asAdmin('CreateAccount', { input }))
    await endPeriod(graph, rich.account.id)
    await endPeriod(graph, other.account.id)

    await expect(graph.asService('TurnSubscriptions', { limit: 500 })).rejects.toThrow('credits')

    expect(await balancesOf([rich.account.id, other.account.id])).toEqual([String(credits), '5007'])
    await graph.asAdmin('AdjustCredits', {
      input: { accountId: rich.account.id, credits: -5000, reason: 'T', idempotencyKey: 'room' },
    })
    expect(await graph.asService('TurnSubscriptions', { limit: 500 })).toBe(1)
    expect(await balancesOf([rich.account.id])).toEqual([String(credits)])
  })

  test('waits for one balance without keeping another', async () => {
    const input = { name: 'T', email: 't@example.com', subscriptionTier: 'pro_sub', credits: 7 }
    const one = Object(await graph.asAdmin('CreateAccount', { input })).account.id
    const busy = Object(await graph.asAdmin('CreateAccount', { input })).account.id
    await endPeriod(graph, one)
    await endPeriod(graph, busy)
    const client = new pg.Client({ connectionString: graph.database.ownerUrl })
    await client.connect()
    await client.query('BEGIN')
    await client.query('SELECT 1 FROM account.balance WHERE account_id = $1 FOR UPDATE', [busy])

    const turning = graph.asService('TurnSubscriptions', { limit: 500 })

    await vi.waitFor(async () => expect(await balancesOf([one])).toEqual(['5007']), 10_000)
    expect(await balancesOf([busy])).toEqual(['7'])
    await client.query('COMMIT')
    await client.end()
    expect(await turning).toBe(4)
    expect(await balancesOf([busy])).toEqual(['5007'])
  })

  test('has begun the next for who cancels then, before a job has dealt with it', async () => {
    const input = { name: 'T', email: 't@example.com', subscriptionTier: 'pro_sub', credits: 7 }
    const { account } = Object(await graph.asAdmin('CreateAccount', { input }))
    await endPeriod(graph, account.id)

    const canceled = await graph.as('CancelSubscription', {}, callerOf(account.id))

    expect(canceled).toMatchObject({ status: 'scheduled_to_cancel' })
    expect(Date.parse(Object(canceled).current_period_end)).toBeGreaterThan(Date.now())
    expect(await balancesOf([account.id])).toEqual(['5007'])
    await endPeriod(graph, account.id)
    await expect(graph.as('CancelSubscription', {}, callerOf(account.id))).rejects.toThrow(
      'The subscription is cancelled.',
    )
  })

  test.each([
    ['a month that ends earlier', '2026-01-31', '1 month', '2026-02-28', '2026-02-28'],
    ['the same day of the month after', '2026-01-31', '1 month', '2026-03-31', '2026-03-31'],
    ['a leap day', '2024-02-29', '1 year', '2028-03-01', '2028-02-29'],
    ['a year without one', '2024-02-29', '1 year', '2027-03-01', '2027-02-28'],
    ['twenty years of months', '2026-01-31', '1 month', '2046-03-30', '2046-02-28'],
    ['ten years of seconds', '2026-01-31', '1 s', '2036-01-31', '2036-01-31'],
  ])('knows which has begun: %s', async (_, anchor, period, at, start) => {
    const started = performance.now()

    const [row] = await graph.database.query(
      `SELECT ($1::timestamptz + n * $2::interval)::date::text AS start
       FROM (SELECT account.periods_begun($1, $2, $3) - 1 AS n) x`,
      [`${anchor}T00:00Z`, period, `${at}T00:00Z`],
    )

    expect(row).toEqual({ start })
    expect(performance.now() - started).toBeLessThan(500)
  })

  test('is in UTC, whatever the zone of the server', async () => {
    const database = await createTestDatabase()
    const [row] = await database.query<{ name: string }>('SELECT current_database() AS name')
    await database.query(`ALTER DATABASE ${row?.name} SET timezone = 'America/New_York'`)

    const url = database.serviceUrl
    const opened = await openDatabase(accountSubgraph, { url, poolSize: 1, warn: () => {} })

    const zone = { name: 'zone', text: `SELECT current_setting('timezone') AS zone` }
    expect(await opened.query(zone, [])).toEqual([{ zone: 'UTC' }])
    await opened.close()
    await database.drop()
  })
})

describe('updateAccount', () => {
  test('starts, changes and ends a subscription in both environments', async () => {
    const account: TestAccount = await gateway.createAccount({ subscriptionTier: 'pro_sub' })
    const update = (subscriptionTier: string | null) =>
      gateway.graphql(
        'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { subscriptionTier } }',
        { input: { id: account.id, subscriptionTier } },
      )

    await update('business_sub')

    const { body } = await gateway.live.request(cancelPath, {
      method: 'POST',
      key: account.liveKey,
    })
    expect(body).toEqual({ ...scheduled, tier: 'business_sub', monthly_credits: 25_000 })
    await update(null)
    const ended = { status: 'canceled', subscription_tier: null }
    expect(await statesOf(gateway, account.id)).toEqual([
      { environment: 'live', ...ended },
      { environment: 'sandbox', ...ended },
    ])
    await update('pro_sub')
    const anew = { status: 'active', subscription_tier: 'pro_sub' }
    expect(await statesOf(gateway, account.id)).toEqual([
      { environment: 'live', ...anew },
      { environment: 'sandbox', ...anew },
    ])
  })

  test('while the period ends leaves subscription and plan of one mind', async () => {
    const account: TestAccount = await gateway.createAccount({ subscriptionTier: 'pro_sub' })
    const client = new pg.Client({ connectionString: gateway.database.ownerUrl })
    await client.connect()
    await client.query('BEGIN')
    await client.query(
      `UPDATE account.subscription SET status = 'canceled', canceled_at = now()
       WHERE account_id = $1`,
      [account.id],
    )
    await client.query('UPDATE account.plan SET subscription_tier = NULL WHERE account_id = $1', [
      account.id,
    ])

    const updated = gateway.graphql(
      'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { id } }',
      { input: { id: account.id, subscriptionTier: 'pro_sub' } },
    )

    await vi.waitFor(async () => {
      const waiting = await gateway.database.query(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      )
      expect(waiting).toHaveLength(1)
    }, 10_000)
    await client.query('COMMIT')
    await client.end()
    await updated
    const anew = { status: 'active', subscription_tier: 'pro_sub' }
    expect(await statesOf(gateway, account.id)).toEqual([
      { environment: 'live', ...anew },
      { environment: 'sandbox', ...anew },
    ])
  })
})
