import { parse } from 'graphql'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { AccountCaller, InternalCaller } from '../../../schema/credentials/caller.ts'
import { account as accountSubgraph } from '../../../subgraphs/account/index.ts'
import { openDatabase } from '../../../subgraphs/shared/database/database.ts'
import { sessionOfAllTenants } from '../../../subgraphs/shared/database/tenant.ts'
import { createTestDatabase } from '../../support/database/database.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { rounds } from '../../support/extent/extent.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
let graph: TestGraph
beforeAll(async () => {
  gateway = await startTestGateway()
  graph = await openTestGraph()
})
afterAll(() => Promise.all([gateway.close(), graph.close()]))

const admin: InternalCaller = {
  kind: 'internal',
  role: 'admin',
  tokenId: 'tok_test',
  environment: 'live',
  requestId: 'req_test',
  traceId: '',
  address: null,
}

/** Each account has a live and a sandbox subscription. */
const pairs = rounds('SUBSCRIPTION_PAIRS', { all: 20, nightly: 500 })

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
  test('schedules the end for the end of the period, live only, and changes no limit', async () => {
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

  test('lets one of twenty parallel calls succeed', async () => {
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
  return { ...of, requestId: 'req_test', traceId: '', address: null }
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
  test('withdraws a scheduled cancellation', async () => {
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

  test('is a conflict once the period is over, also before a job has ended the subscription', async () => {
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

  test('and the end of the period at the same time: one of both takes effect, completely', async () => {
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
      { ...patience, interval: 100 },
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

/** Asks about everything that is pending, as the job does. */
async function collectAll(accountId: string): Promise<void> {
  const payments = await graph.database.query<{ id: string }>(
    `UPDATE account.payment SET ask_at = now()
     WHERE account_id = $1 AND status = 'pending' RETURNING id`,
    [accountId],
  )
  for (const { id } of payments) await graph.asService('CollectPayment', { id })
}

describe('the end of a period', () => {
  test('ends a cancelled subscription by itself, and lowers the limit at once', async () => {
    const { id, liveKey } = await gateway.createAccount({ tier: 'STARTER' })
    await gateway.live.request(cancelPath, { method: 'POST', key: liveKey })
    await endPeriod(gateway, id)

    await vi.waitFor(
      async () => {
        const { body, headers } = await gateway.live.get('/v1/account', liveKey)
        expect(body).toMatchObject({ subscription_tier: null, rate_limit_rps: 10 })
        expect(headers.get('x-ratelimit-limit')).toBe('10')
      },
      { ...patience, interval: 200 },
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

  test(`processes ${2 * pairs} subscriptions once each with two workers`, async () => {
    const input = { name: 'T', email: 't@example.com', subscriptionTier: 'pro_sub', credits: 7 }
    const created: string[] = []
    for (let round = 0; round < pairs / 10; round += 1) {
      const accounts = await Promise.all(
        Array.from({ length: 10 }, () => graph.asAdmin('CreateAccount', { input })),
      )
      created.push(...accounts.map((one) => Object(one).account.id))
    }
    await graph.database.query(`UPDATE account.subscription SET status = 'scheduled_to_cancel',
      canceled_at = now() WHERE environment = 'sandbox'`)
    await graph.database.query(`UPDATE account.subscription SET anchor_at = now() - 3 * period,
      current_period_start = now() - 3 * period, current_period_end = now() - 2 * period`)
    const workers = await Promise.all([graph.startWorker(), graph.startWorker()])

    await vi.waitFor(async () => {
      const [row] = await graph.database.query(
        `SELECT count(*)::int AS due, (SELECT count(*)::int FROM account.payment
           WHERE status <> 'paid') AS unpaid
         FROM account.subscription
         WHERE status <> 'canceled' AND current_period_end <= now()`,
      )
      expect(row).toEqual({ due: 0, unpaid: 0 })
    }, patience)
    await Promise.all(workers.map((worker) => worker.stop()))

    const turns = await graph.database.query(
      `SELECT type, count(*)::int, count(DISTINCT account_id)::int AS accounts FROM account.event
       WHERE type LIKE 'subscription.%' GROUP BY type ORDER BY type`,
    )
    expect(turns).toEqual([
      { type: 'subscription.canceled', count: pairs, accounts: pairs },
      { type: 'subscription.renewed', count: pairs, accounts: pairs },
    ])
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
    expect(totals).toEqual({ renewed: pairs, ended: pairs, granted: pairs })
    const allowances = await graph.database.query(
      `SELECT count(*)::int AS entries, sum(credits)::int AS credits FROM account.ledger_entry
       WHERE kind = 'allowance'`,
    )
    expect(allowances).toEqual([{ entries: pairs, credits: pairs * 5000 }])
    expect(await graph.asAdmin('AuditLedger')).toMatchObject({ drifts: [] })
  })

  test('expires the rest of an allowance and grants the next', async () => {
    const input = { name: 'T', email: 't@example.com', subscriptionTier: 'pro_sub', credits: 7 }
    const { account } = Object(await graph.asAdmin('CreateAccount', { input }))
    const owner = { accountId: account.id, environment: 'live' }
    await endPeriod(graph, account.id)
    await graph.asService('TurnSubscription', owner)
    await collectAll(account.id)
    await graph.database.query(
      `UPDATE account.lot SET expires_at = now() WHERE account_id = $1 AND priority <= 100`,
      [account.id],
    )
    await graph.database.query(
      `UPDATE account.balance SET next_expiry_at = now() WHERE account_id = $1`,
      [account.id],
    )
    await graph.asService('ExpireGrants', owner)
    await endPeriod(graph, account.id)

    await graph.asService('TurnSubscription', owner)
    await collectAll(account.id)

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

  test('renews the others when one cannot be renewed, and tries that one again', async () => {
    const input = { name: 'T', email: 't@example.com', subscriptionTier: 'pro_sub', credits: 7 }
    const credits = Number.MAX_SAFE_INTEGER
    const rich = Object(await graph.asAdmin('CreateAccount', { input: { ...input, credits } }))
    const other = Object(await graph.asAdmin('CreateAccount', { input }))
    await endPeriod(graph, rich.account.id)
    await endPeriod(graph, other.account.id)
    const worker = await graph.startWorker()

    await vi.waitFor(
      async () => expect(await balancesOf([other.account.id])).toEqual(['5007']),
      patience,
    )

    expect(await balancesOf([rich.account.id])).toEqual([String(credits)])
    await graph.asAdmin('AdjustCredits', {
      input: { accountId: rich.account.id, credits: -5000, reason: 'T', idempotencyKey: 'room' },
    })
    await vi.waitFor(
      async () => expect(await balancesOf([rich.account.id])).toEqual([String(credits)]),
      patience,
    )
    await worker.stop()
  })

  test('waits for one locked balance without delaying others', async () => {
    const input = { name: 'T', email: 't@example.com', subscriptionTier: 'pro_sub', credits: 7 }
    const one = Object(await graph.asAdmin('CreateAccount', { input })).account.id
    const busy = Object(await graph.asAdmin('CreateAccount', { input })).account.id
    await endPeriod(graph, one)
    await endPeriod(graph, busy)
    const { ownerUrl } = graph.database
    const client = new pg.Client({ connectionString: ownerUrl, options: sessionOfAllTenants })
    await client.connect()
    await client.query('BEGIN')
    await client.query('SELECT 1 FROM account.balance WHERE account_id = $1 FOR UPDATE', [busy])

    const worker = await graph.startWorker()

    await vi.waitFor(async () => expect(await balancesOf([one])).toEqual(['5007']), patience)
    expect(await balancesOf([busy])).toEqual(['7'])
    await client.query('COMMIT')
    await client.end()
    await vi.waitFor(async () => expect(await balancesOf([busy])).toEqual(['5007']), patience)
    await worker.stop()
  })

  test('ends the subscription of a closed account, and grants nothing', async () => {
    const input = { name: 'T', email: 't@example.com', subscriptionTier: 'pro_sub', credits: 7 }
    const { id } = Object(await graph.asAdmin('CreateAccount', { input })).account
    await graph.database.query(`UPDATE account.account SET status = 'CLOSED' WHERE id = $1`, [id])
    await endPeriod(graph, id)

    await graph.asService('TurnSubscription', { accountId: id, environment: 'live' })

    const [live] = await statesOf(graph, id)
    expect(live).toEqual({ environment: 'live', status: 'canceled', subscription_tier: null })
    expect(await balancesOf([id])).toEqual(['7'])
  })

  test('starts the next one for a caller who cancels before the job has run', async () => {
    const input = { name: 'T', email: 't@example.com', subscriptionTier: 'pro_sub', credits: 7 }
    const { account } = Object(await graph.asAdmin('CreateAccount', { input }))
    await endPeriod(graph, account.id)

    const canceled = await graph.as('CancelSubscription', {}, callerOf(account.id))

    expect(canceled).toMatchObject({ status: 'scheduled_to_cancel' })
    expect(Date.parse(Object(canceled).current_period_end)).toBeGreaterThan(Date.now())
    await collectAll(account.id)
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
  ])('recognises the current period: %s', async (_, anchor, period, at, start) => {
    const [row] = await graph.database.query(
      `SELECT ($1::timestamptz + n * $2::interval)::date::text AS start
       FROM (SELECT account.periods_begun($1, $2, $3) - 1 AS n) x`,
      [`${anchor}T00:00Z`, period, `${at}T00:00Z`],
    )

    expect(row).toEqual({ start })
  })

  test('is in UTC, whatever the time zone of the server', async () => {
    const database = await createTestDatabase()
    const [row] = await database.query<{ name: string }>('SELECT current_database() AS name')
    await database.query(`ALTER DATABASE ${row?.name} SET timezone = 'America/New_York'`)

    const options = { url: database.serviceUrl, poolSize: 1, timeoutMs: 30_000, warn: () => {} }
    const opened = await openDatabase(accountSubgraph, options)

    const zone = { name: 'zone', text: `SELECT current_setting('timezone') AS zone` }
    expect(await opened.query(zone, [])).toEqual([{ zone: 'UTC' }])
    await opened.close()
    await database.drop()
  })
})

/** Newest first. */
function invoicesOf(accountId: string) {
  return gateway.database.query(
    `SELECT i.status, i.total_cents::int, i.credits::int, i.description, p.status AS payment,
       p.kind, p.failure_reason
     FROM account.invoice i JOIN account.payment p ON p.id = i.payment_id
     WHERE i.account_id = $1 AND i.environment = 'live' ORDER BY i.id DESC`,
    [accountId],
  )
}

describe('the invoice of a period', () => {
  const invoice = {
    total_cents: 3900,
    credits: 5000,
    description: expect.stringMatching(/^Pro subscription from \d{4}-\d\d-\d\d$/),
    kind: 'subscription',
  }

  test('is open when the period begins, and is paid by a job, once', async () => {
    const { id, liveKey } = await gateway.createAccount({ subscriptionTier: 'pro_sub' })
    await endPeriod(gateway, id)

    await vi.waitFor(async () => {
      expect(await invoicesOf(id)).toEqual([
        { ...invoice, status: 'paid', payment: 'paid', failure_reason: null },
      ])
    }, patience)

    const { status, body } = await gateway.live.get('/v1/billing/invoices', liveKey)
    expect(status).toBe(200)
    const { items, next_cursor } = Object(body)
    expect(items).toEqual([
      {
        id: expect.stringMatching(/^inv_/),
        number: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{8}-\d{4}-000001$/),
        type: 'invoice',
        status: 'paid',
        total_cents: 3900,
        tax_cents: 0,
        currency: 'USD',
        credits: 5000,
        description: invoice.description,
        pdf_url: expect.stringMatching(/\/v1\/billing\/invoices\/inv_\w+\.pdf$/),
        original_invoice_id: null,
        created_at: expect.stringMatching(/Z$/),
      },
    ])
    expect(next_cursor).toBeNull()
    const events = await gateway.database.query(
      `SELECT type FROM account.event WHERE account_id = $1 AND environment = 'live' ORDER BY id`,
      [id],
    )
    expect(events).toEqual([
      { type: 'invoice.created' },
      { type: 'subscription.renewed' },
      { type: 'credits.granted' },
      { type: 'invoice.paid' },
    ])
  })

  test('stays open and ends the subscription when it cannot be collected, until it is resumed', async () => {
    const { id, liveKey } = await gateway.createAccount({ subscriptionTier: 'pro_sub' })
    const pay = (method: string) =>
      gateway.database.query(
        `INSERT INTO account.auto_recharge AS r (account_id, environment, payment_method)
         VALUES ($1, 'live', $2) ON CONFLICT (account_id, environment)
         DO UPDATE SET payment_method = excluded.payment_method`,
        [id, method],
      )
    await pay('simulated_declined')
    await endPeriod(gateway, id)
    const declined = {
      ...invoice,
      status: 'open',
      payment: 'failed',
      failure_reason: 'The card was declined.',
    }

    await vi.waitFor(async () => expect(await invoicesOf(id)).toEqual([declined]), patience)

    const [live] = await statesOf(gateway, id)
    expect(live).toMatchObject({ status: 'scheduled_to_cancel', subscription_tier: 'pro_sub' })
    await pay('simulated')
    const resumed = await gateway.live.request(resumePath, { method: 'POST', key: liveKey })
    expect(resumed.status).toBe(200)
    await vi.waitFor(async () => {
      expect(await invoicesOf(id)).toEqual([
        { ...invoice, status: 'paid', payment: 'paid', failure_reason: null },
      ])
    }, patience)
    expect(await statesOf(gateway, id)).toMatchObject([{ status: 'active' }, {}])
  })
})

describe('an unpaid subscription', () => {
  const input = { name: 'T', email: 't@example.com', subscriptionTier: 'pro_sub', credits: 7 }

  async function createDebtor() {
    const { id } = Object(await graph.asAdmin('CreateAccount', { input })).account
    await graph.database.query(
      `INSERT INTO account.auto_recharge (account_id, environment, payment_method)
       VALUES ($1, 'live', 'simulated_declined')`,
      [id],
    )
    return { id, owner: { accountId: id, environment: 'live' } }
  }

  function allowancesOf(accountId: string) {
    return graph.database.query(
      `SELECT count(*)::int FROM account.ledger_entry WHERE account_id = $1 AND kind = 'allowance'`,
      [accountId],
    )
  }

  test('is granted no allowance, also when it is resumed just before the period ends', async () => {
    const { id, owner } = await createDebtor()
    await endPeriod(graph, id)
    await graph.asService('TurnSubscription', owner)
    await collectAll(id)
    expect(await statesOf(graph, id)).toMatchObject([{ status: 'scheduled_to_cancel' }, {}])
    await graph.as('ResumeSubscription', {}, callerOf(id))

    // The retried payment is still pending when the period is over.
    await graph.database.query(
      `UPDATE account.subscription SET current_period_end = current_period_start + interval '1 ms'
       WHERE account_id = $1 AND environment = 'live'`,
      [id],
    )
    await graph.asService('TurnSubscription', owner)

    const [live] = await statesOf(graph, id)
    expect(live).toEqual({ environment: 'live', status: 'canceled', subscription_tier: null })
    expect(await allowancesOf(id)).toEqual([{ count: 0 }])
  })

  test('does not end a subscription that started later, which does not owe its debt', async () => {
    const { id, owner } = await createDebtor()
    await endPeriod(graph, id)
    await graph.asService('TurnSubscription', owner)
    const update = parse(
      'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { id } }',
    )
    const variables = { input: { id, subscriptionTier: 'business_sub' } }
    expect(await graph.run(update, variables, admin)).toEqual({
      data: { updateAccount: { id } },
    })
    await collectAll(id)

    expect(await statesOf(graph, id)).toMatchObject([{ status: 'active' }, {}])
    await graph.as('CancelSubscription', {}, callerOf(id))
    await graph.as('ResumeSubscription', {}, callerOf(id))
    const payments = await graph.database.query(
      'SELECT package_id, status FROM account.payment WHERE account_id = $1',
      [id],
    )
    expect(payments).toEqual([{ package_id: 'pro_sub', status: 'failed' }])
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

  const updateTier = async (id: string, subscriptionTier: string, more: object = {}) => {
    const query =
      'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { id status } }'
    const variables = { input: { id, subscriptionTier, ...more } }
    const token = await gateway.internalToken('admin')
    const { status, body } = await gateway.internal.post('/graphql', { query, variables }, token)
    expect(status).toBe(200)
    const { data, errors } = Object(body)
    return {
      data,
      errors: errors?.map(({ message, extensions }: { message: string; extensions: object }) => [
        Object(extensions).code,
        message,
      ]),
    }
  }

  test('refuses the tier that a subscription has while its cancellation is scheduled, and names resumeSubscription', async () => {
    const account = await gateway.createAccount({ subscriptionTier: 'pro_sub' })
    const canceled = await gateway.live.post(cancelPath, undefined, account.liveKey)
    expect(canceled.status).toBe(200)
    const before = await statesOf(gateway, account.id)

    const refused = await updateTier(account.id, 'pro_sub', { status: 'SUSPENDED' })

    const end = Object(canceled.body).current_period_end
    expect(refused).toEqual({
      data: null,
      errors: [
        [
          'CONFLICT',
          `The subscription is scheduled to be cancelled at ${end} already: resumeSubscription takes that back.`,
        ],
      ],
    })
    expect(await statesOf(gateway, account.id)).toEqual(before)
    expect(await gateway.live.get('/v1/account', account.liveKey)).toMatchObject({ status: 200 })
    expect(await updateTier(account.id, 'business_sub')).toMatchObject({
      data: { updateAccount: {} },
    })
    const replaced = { status: 'active', subscription_tier: 'business_sub' }
    expect(await statesOf(gateway, account.id)).toMatchObject([replaced, replaced])
  })

  test('begins the subscription anew if its cancelled period is over, and in the sandbox before that', async () => {
    const over = await gateway.createAccount({ subscriptionTier: 'pro_sub' })
    const canceled = await gateway.live.post(cancelPath, undefined, over.liveKey)
    expect(canceled.status).toBe(200)
    const inSandbox = await gateway.createAccount({ subscriptionTier: 'pro_sub' })
    const { status } = await gateway.sandbox.post(cancelPath, undefined, inSandbox.sandboxKey)
    expect(status).toBe(200)
    // The period is moved to the moment in which it ends, before a job turns it.
    await gateway.database.query(
      `UPDATE account.subscription SET current_period_end = now()
       WHERE account_id = $1 AND environment = 'live'`,
      [over.id],
    )

    for (const { id } of [over, inSandbox]) {
      expect(await updateTier(id, 'pro_sub')).toMatchObject({ data: { updateAccount: {} } })
    }

    const anew = { status: 'active', subscription_tier: 'pro_sub' }
    for (const { id } of [over, inSandbox])
      expect(await statesOf(gateway, id)).toMatchObject([anew, anew])
    const stored = await gateway.database.query(
      `SELECT DISTINCT canceled_at, current_period_end > now() AS "isAhead" FROM account.subscription
       WHERE account_id = ANY ($1)`,
      [[over.id, inSandbox.id]],
    )
    expect(stored).toEqual([{ canceled_at: null, isAhead: true }])
  })

  test('keeps subscription and plan consistent while the period ends', async () => {
    const account: TestAccount = await gateway.createAccount({ subscriptionTier: 'pro_sub' })
    const { ownerUrl } = gateway.database
    const client = new pg.Client({ connectionString: ownerUrl, options: sessionOfAllTenants })
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
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()
           AND application_name LIKE 'credit-gateway account%'`,
      )
      expect(waiting.length).toBeGreaterThan(0)
    }, patience)
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
