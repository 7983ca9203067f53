import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
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

    const [resumed] = await Promise.all([
      gateway.live.request(resumePath, { method: 'POST', key: liveKey }),
      gateway.live.request(resumePath, { method: 'POST', key: liveKey }),
      endPeriod(gateway, id),
    ])

    const [live] = await statesOf(gateway, id)
    expect([200, 409]).toContain(resumed.status)
    expect(['active', 'scheduled_to_cancel', 'canceled']).toContain(live?.status)
  })
})

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

  test('starts on the same day of each month, whatever the length of the one before', async () => {
    const [row] = await graph.database.query(
      `SELECT ('2026-01-31T00:00:00Z'::timestamptz + n * interval '1 month')::date::text AS day
       FROM (SELECT account.periods_begun('2026-01-31T00:00:00Z', '1 month',
         '2026-03-31T12:00:00Z') - 1 AS n) x`,
    )

    expect(row).toEqual({ day: '2026-03-31' })
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
})
