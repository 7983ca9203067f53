import { Writable } from 'node:stream'
import { pino } from 'pino'
import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { readConfig } from '../../../gateway/config/config.ts'
import { type OpenGraph, openGraph } from '../../../gateway/launch/supergraph/graph.ts'
import { startGateway } from '../../../gateway/processes/all-in-one.ts'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import type { InternalCaller, ServiceCaller } from '../../../schema/credentials/caller.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { asTestGateway, type TestGateway, variablesFor } from '../../support/gateway/gateway.ts'
import { type StripeStub, startStripeStub } from '../../support/stubs/stripe-stub.ts'
import { patience } from '../../support/time/patience.ts'

const secretKey = 'sk_test_that_nobody_may_read'
const webhookSecret = 'whsec_that_nobody_may_read'

let stripe: StripeStub
let database: TestDatabase
beforeAll(async () => {
  stripe = await startStripeStub()
  database = await createTestDatabase()
})
afterAll(async () => {
  await database.drop()
  await stripe.close()
})

interface LoggingGateway {
  readonly gateway: TestGateway
  /** All that it has logged. */
  readonly log: () => string
}

async function start(variables: Record<string, string>): Promise<LoggingGateway> {
  let text = ''
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk)
      done()
    },
  })
  const config = readConfig({ ...variablesFor(database), ...variables }, [])
  const started = await startGateway(config, loadCatalog(), pino({ level: 'trace' }, stream))
  return { gateway: asTestGateway(started, database, () => started.close()), log: () => text }
}

function startWithStripe(): Promise<LoggingGateway> {
  return start({
    PAYMENTS: 'stripe',
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_API_URL: stripe.url,
  })
}

async function storedMethod(live: TestGateway['live'], key: string, reference: string) {
  const { body } = await live.get('/v1/account', key)
  const [method] = await database.query<{ id: string }>(
    `INSERT INTO account.payment_method (id, account_id, environment, provider, reference, brand,
       last4, exp_month, exp_year)
     VALUES ($1, $2, 'live', 'stripe', $3, 'visa', '4242', 1, 2040)
     ON CONFLICT (account_id, environment, provider, reference) DO UPDATE SET brand = 'visa'
     RETURNING id`,
    [newId('pm'), Object(body).id, reference],
  )
  return method?.id
}

/** `method`: of the simulated provider, or what Stripe calls a card that it keeps for the account. */
async function buy({ live }: TestGateway, key: string, method: string) {
  const payment_method = method.startsWith('pm_') ? await storedMethod(live, key, method) : method
  const order = { package_id: 'pack_starter', payment_method }
  return Object((await live.post('/v1/billing/checkout', order, key)).body)
}

async function askAgain(id: string): Promise<void> {
  await database.query(
    `UPDATE account.payment SET created_at = now() - interval '1 min', ask_at = now()
     WHERE id = $1`,
    [id],
  )
}

/**
 * The answer of a gateway about readiness once it is ready. A database that stood still for two
 * seconds is looked at again.
 */
async function untilReady({ internal }: TestGateway) {
  return await vi.waitUntil(async () => {
    const answer = await internal.get('/ready')
    return answer.status === 200 && answer
  }, patience)
}

async function statusOf(id: string): Promise<string | undefined> {
  const [row] = await database.query<{ status: string }>(
    'SELECT status FROM account.payment WHERE id = $1',
    [id],
  )
  return row?.status
}

function notify({ live }: TestGateway, intent: object | undefined) {
  const event = { object: 'event', type: 'payment_intent.succeeded', data: { object: intent } }
  const payload = JSON.stringify(event)
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: webhookSecret })
  const headers = { 'stripe-signature': signature }
  return live.post('/v1/billing/notifications/stripe', payload, undefined, headers)
}

describe('a gateway with Stripe', () => {
  test('logs why a payment stays pending, was refused or is contradicted, and never logs a secret', async () => {
    const { gateway, log } = await startWithStripe()
    const { id: accountId, liveKey } = await gateway.createAccount()

    const declined = await buy(gateway, liveKey, 'pm_declined')
    const [intent] = stripe.intentsOf(declined.id)
    await notify(gateway, { ...intent, status: 'succeeded' })
    const refused = await buy(gateway, liveKey, 'pm_misconfigured')
    stripe.failNext(accountId, 'error-500', 'error-500')
    const failed = await buy(gateway, liveKey, 'pm_card')
    stripe.failNext(accountId, 'drop', 'drop')
    const dropped = await buy(gateway, liveKey, 'pm_card')

    await gateway.close()
    const lines = log()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const ofPayments = lines.filter(({ msg }) => String(msg).startsWith('The payment'))
    const warning = pino.levels.values.warn
    expect(ofPayments.map(({ level, msg }) => [level, msg])).toEqual([
      [
        warning,
        `The payment ${declined.id} has failed here, but stripe says that it has collected it.`,
      ],
      [
        warning,
        `The payment ${refused.id} was refused: StripeInvalidRequestError 400 parameter_unknown confirm`,
      ],
      [warning, `The payment ${failed.id} stays pending: StripeAPIError 500`],
      [
        warning,
        expect.stringMatching(`^The payment ${dropped.id} stays pending: StripeConnectionError .`),
      ],
    ])
    expect(log()).not.toContain('nobody_may_read')
  })

  test('leaves its pending payments to a later gateway with Stripe, and to no other provider', async () => {
    const first = await startWithStripe()
    const { liveKey } = await first.gateway.createAccount()
    const { id } = await buy(first.gateway, liveKey, 'pm_processing')
    await first.gateway.close()
    stripe.decide(id, { status: 'succeeded' })
    const [intent] = stripe.intentsOf(id)

    const without = await start({})
    await askAgain(id)

    const reason = `The payment ${id} stays pending: stripe is not configured.`
    await vi.waitUntil(() => without.log().includes(reason), patience)
    expect((await notify(without.gateway, intent)).status).toBe(404)
    expect(await statusOf(id)).toBe('pending')
    await without.gateway.close()

    const again = await startWithStripe()
    await askAgain(id)

    await vi.waitUntil(async () => (await statusOf(id)) === 'paid', patience)
    await again.gateway.close()
  })
})

describe('a gateway that changes to Stripe', () => {
  test('cancels payments of the simulated provider without credits, and knows none of its methods', async () => {
    const without = await start({})
    const { liveKey } = await without.gateway.createAccount()
    await buy(without.gateway, liveKey, 'simulated')
    const { id } = await buy(without.gateway, liveKey, 'simulated_declined')
    await database.query(
      `UPDATE account.payment SET status = 'pending', failure_reason = NULL, settled_at = NULL,
         ask_at = now() + interval '1 day' WHERE id = $1`,
      [id],
    )
    await without.gateway.close()

    const { gateway } = await startWithStripe()
    const order = { package_id: 'pack_starter', payment_method: 'simulated' }
    const { status } = await gateway.live.post('/v1/billing/checkout', order, liveKey)
    const metadata = { payment_id: id }
    const notified = await notify(gateway, { id: 'pi_0', status: 'succeeded', metadata })

    expect([status, notified.status]).toEqual([422, 200])
    expect(await statusOf(id)).toBe('pending')
    await askAgain(id)
    await vi.waitUntil(async () => (await statusOf(id)) === 'failed', patience)
    const entries = await database.query('SELECT FROM account.ledger_entry WHERE ref = $1', [id])
    expect(entries).toEqual([])
    expect(stripe.received.map(({ params }) => params['metadata[payment_id]'])).not.toContain(id)
    await gateway.close()
  })
})

describe('a gateway with PAYMENTS=simulated on a configured database', () => {
  test('warns in its log at every start, in its metrics and in the readiness answer', async () => {
    const warning =
      'Live payments are simulated (PAYMENTS=simulated): credits are given for nothing'
    for (let starts = 0; starts < 2; starts += 1) {
      const { gateway, log } = await start({})
      const metrics = await (await fetch(`${gateway.internal.url}/metrics`)).text()
      const ready = await untilReady(gateway)
      const open = await gateway.live.get('/v1/ready')
      await gateway.close()

      const warned = log()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .filter(({ level, msg }) => level === pino.levels.values.warn && msg === warning)
      expect(warned).toHaveLength(1)
      expect(metrics).toMatch(/^gateway_payments_simulated 1$/m)
      expect(ready.body).toEqual({ status: 'ok', payments: 'simulated' })
      expect(Object(open.body)).not.toHaveProperty('payments')
    }
  })

  test('that uses Stripe does not warn', async () => {
    const { gateway, log } = await startWithStripe()
    const metrics = await (await fetch(`${gateway.internal.url}/metrics`)).text()
    const ready = await untilReady(gateway)
    await gateway.close()

    expect(log()).not.toContain('simulated')
    expect(metrics).toMatch(/^gateway_payments_simulated 0$/m)
    expect(ready.body).toEqual({ status: 'ok', payments: 'stripe' })
  })
})

describe('a subgraph without a configured live provider', () => {
  const owner = { environment: 'live' } as const
  const base = { requestId: 'req_test', traceId: '', address: null } as const
  const admin: InternalCaller = {
    ...{ ...base, ...owner, kind: 'internal', role: 'admin', tokenId: 'tok_test' },
  }
  const service: ServiceCaller = { ...base, ...owner, kind: 'service' }
  const warnings: string[] = []
  let graph: OpenGraph
  beforeAll(async () => {
    graph = await openGraph({
      serviceUrl: database.serviceUrl,
      gatewaySecret: 'a secret for tests, long enough to pass',
      keyPrefix: 'svc',
      baseUrls: { live: 'http://live.test', sandbox: 'http://sandbox.test' },
      docsUrl: 'http://docs.test',
      billing: { period: 'P1M', lowCreditsThresholds: [] },
      oauth: {
        refreshGraceSeconds: 0,
        sessionHours: 12,
        stepUpMinutes: 30,
      },
      databaseTimeoutMs: 30_000,
      invalidate: () => {},
      warn: (message) => warnings.push(message),
    })
  })
  afterAll(() => graph.close())

  async function createAccount(): Promise<string> {
    const owner = { name: 'T', email: 't@example.com' }
    const input = { ...owner, subscriptionTier: 'pro_sub', credits: 7 } as const
    return Object(await graph.execute('CreateAccount', { input }, admin)).account.id
  }

  function stateOf(accountId: string) {
    return database.query(
      `SELECT b.balance::int, array(SELECT p.status || ' ' || coalesce(p.provider, 'nobody')
         FROM account.payment p WHERE p.account_id = $1) AS payments
       FROM account.balance b WHERE b.account_id = $1 AND b.environment = 'live'`,
      [accountId],
    )
  }

  test('answers a checkout with SERVICE_UNAVAILABLE, and starts nothing', async () => {
    const accountId = await createAccount()
    const key = { ...base, kind: 'account', accountId, keyId: 'key_x', scopes: ['*'] } as const
    const order = { package_id: 'pack_scale', payment_method: 'simulated' }

    const live = graph.execute('Checkout', order, { ...key, environment: 'live' })

    await expect(live).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 })
    expect(await stateOf(accountId)).toEqual([{ balance: 7, payments: [] }])
    const sandbox = await graph.execute('Checkout', order, { ...key, environment: 'sandbox' })
    expect(sandbox).toMatchObject({ status: 'paid' })
  })

  test.each(['subscription', 'auto_recharge'])(
    'leaves a payment of kind %s pending, without credits',
    async (kind) => {
      const accountId = await createAccount()
      if (kind === 'subscription') {
        await database.query(
          `UPDATE account.subscription SET anchor_at = now() - period,
             current_period_start = now() - period, current_period_end = now()
           WHERE account_id = $1`,
          [accountId],
        )
        await graph.execute('TurnSubscription', { accountId, ...owner }, service)
      } else {
        await database.query(
          `INSERT INTO account.auto_recharge (account_id, environment, enabled, threshold_credits,
             package_id) VALUES ($1, 'live', true, 100, 'pack_starter')`,
          [accountId],
        )
        await graph.execute('WatchBalance', { accountId, ...owner }, service)
      }
      const [payment] = await database.query<{ id: string }>(
        'SELECT id FROM account.payment WHERE account_id = $1',
        [accountId],
      )

      await graph.execute('CollectPayment', { id: payment?.id ?? '' }, service)

      expect(await stateOf(accountId)).toEqual([{ balance: 7, payments: ['pending nobody'] }])
      expect(warnings).toContain(
        `The payment ${payment?.id} stays pending: no payment provider is configured.`,
      )
    },
  )
})
