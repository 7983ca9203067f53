import { Writable } from 'node:stream'
import { pino } from 'pino'
import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startGateway } from '../../rest-facade/bin/all-in-one.ts'
import { readConfig } from '../../rest-facade/bin/config.ts'
import { loadCatalog } from '../../rest-facade/catalog/load-catalog.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { asTestGateway, type TestGateway, variablesFor } from '../support/gateway.ts'
import { patience } from '../support/patience.ts'
import { type StripeStub, startStripeStub } from '../support/stripe-stub.ts'

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
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_API_URL: stripe.url,
  })
}

async function buy({ live }: TestGateway, key: string, payment_method: string) {
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
  test('logs why a payment stays pending, was refused, or contradicts it; no secret ever', async () => {
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

  test('leaves its pending payments to a later one, and to no other provider', async () => {
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

    await vi.waitUntil(async () => (await statusOf(id)) === 'succeeded', patience)
    await again.gateway.close()
  })
})

describe('a gateway that gets Stripe', () => {
  test('leaves to the simulated provider what that was asked for, and not its methods', async () => {
    const without = await start({})
    const { liveKey } = await without.gateway.createAccount()
    await buy(without.gateway, liveKey, 'simulated')
    const { id } = await buy(without.gateway, liveKey, 'simulated_slow')
    await database.query(
      `UPDATE account.payment SET ask_at = now() + interval '1 day' WHERE id = $1`,
      [id],
    )
    await without.gateway.close()

    const { gateway } = await startWithStripe()
    const order = { package_id: 'pack_starter' }
    const { status } = await gateway.live.post('/v1/billing/checkout', order, liveKey)
    const metadata = { payment_id: id }
    const notified = await notify(gateway, { id: 'pi_0', status: 'succeeded', metadata })

    expect([status, notified.status]).toEqual([422, 200])
    expect(await statusOf(id)).toBe('pending')
    await askAgain(id)
    await vi.waitUntil(async () => (await statusOf(id)) === 'succeeded', patience)
    expect(stripe.received.map(({ params }) => params['metadata[payment_id]'])).not.toContain(id)
    await gateway.close()
  })
})
