import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { storeMethod } from '../../support/payments/stored-method.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { type StripeStub, startStripeStub } from '../../support/stubs/stripe-stub.ts'
import { patience } from '../../support/time/patience.ts'

const webhookSecret = 'whsec_of_the_test'
const intentsPath = 'POST /v1/payment_intents'

let stripe: StripeStub
let gateway: TestGateway
beforeAll(async () => {
  stripe = await startStripeStub()
  gateway = await startTestGateway({
    PAYMENTS: 'stripe',
    STRIPE_SECRET_KEY: 'sk_test_of_the_test',
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_API_URL: stripe.url,
  })
})
afterAll(async () => {
  await gateway.close()
  await stripe.close()
})

const succeeded = { status: 'paid', invoice_id: expect.stringMatching(/^inv_/) }
const pending = { status: 'pending', invoice_id: null, failure_reason: null }

/** One that Stripe knows, because it was declined there. */
async function createCustomer(): Promise<TestAccount> {
  const account = await gateway.createAccount()
  await buy(account, 'pm_declined')
  return account
}

/** A package of 1000 credits for $10, by way of the live listener. */
async function buy(account: TestAccount, reference?: string): Promise<TestResponse> {
  const payment_method = reference && (await storeMethod(gateway, account, reference))
  const body = { package_id: 'pack_starter', payment_method }
  return gateway.live.post('/v1/billing/checkout', body, account.liveKey)
}

async function buyPending(account: TestAccount, paymentMethod: string): Promise<string> {
  const { status, body } = await buy(account, paymentMethod)
  expect([status, body]).toEqual([201, expect.objectContaining(pending)])
  return Object(body).id
}

/** All that can show for a payment: what the account has, and what the payment says of itself. */
async function effectOf({ id }: TestAccount): Promise<object> {
  const [row] = await gateway.database.query<object>(
    `SELECT array(SELECT status FROM account.payment WHERE account_id = $1 ORDER BY id) AS payments,
       (SELECT count(*)::int FROM account.invoice WHERE account_id = $1) AS invoices,
       array(SELECT delta::int FROM account.ledger_audit
         WHERE account_id = $1 AND kind = 'purchase' ORDER BY seq) AS purchases`,
    [id],
  )
  return row ?? {}
}

const nothing = (status: string) => ({ payments: [status], invoices: 0, purchases: [] })
const oncePaid = { payments: ['paid'], invoices: 1, purchases: [1000] }

async function askAgain(paymentId: string, age = '1 min'): Promise<void> {
  await gateway.database.query(
    `UPDATE account.payment SET created_at = now() - $2::interval, ask_at = now() WHERE id = $1`,
    [paymentId, age],
  )
}

/** Stops the polling: only a notification can settle the payment. */
async function neverAsk(paymentId: string): Promise<void> {
  await gateway.database.query(
    `UPDATE account.payment SET ask_at = now() + interval '1 day' WHERE id = $1`,
    [paymentId],
  )
}

function untilEffect(account: TestAccount, effect: object): Promise<void> {
  return vi.waitFor(async () => expect(await effectOf(account)).toEqual(effect), patience)
}

function eventOf(type: string, intent: object): string {
  const event = { id: 'evt_1', object: 'event', api_version: Stripe.API_VERSION, livemode: false }
  return JSON.stringify({ ...event, type, data: { object: intent } }, null, 2)
}

const collected = { status: 'succeeded', amount_received: 1000 }

/** The event by which Stripe tells of the one intent that it has made for a payment. */
function succeededEvent(paymentId: string): string {
  const [intent = {}] = stripe.intentsOf(paymentId)
  return eventOf('payment_intent.succeeded', { ...intent, ...collected })
}

interface NotifyOptions {
  readonly secret?: string
  readonly timestamp?: number
  /** The signed body, if it differs from the sent one. */
  readonly signed?: string
}

function notify(payload: string, options: NotifyOptions = {}): Promise<TestResponse> {
  const { secret = webhookSecret, timestamp, signed = payload } = options
  const signature = Stripe.webhooks.generateTestHeaderString({ payload: signed, secret, timestamp })
  const headers = { 'stripe-signature': signature }
  return gateway.live.post('/v1/billing/notifications/stripe', payload, undefined, headers)
}

const taken = { status: 200, body: { received: true } }

describe('POST /v1/billing/checkout with Stripe', () => {
  test('collects with one intent for the customer of the account, and stores the id of the intent', async () => {
    const account = await gateway.createAccount()

    const { status, body } = await buy(account, 'pm_card')

    expect([status, body]).toEqual([201, expect.objectContaining(succeeded)])
    const { id } = Object(body)
    const [customer, ...others] = stripe.requestsOf(account.id, 'POST /v1/customers')
    expect([customer?.params, others]).toEqual([{ 'metadata[account_id]': account.id }, []])
    const [asked, ...again] = stripe.requestsOf(account.id, intentsPath)
    expect(again).toEqual([])
    expect(asked?.headers).toMatchObject({
      authorization: 'Bearer sk_test_of_the_test',
      'idempotency-key': id,
      'stripe-version': Stripe.API_VERSION,
    })
    const [stored] = await gateway.database.query<{ customer: string; intent: string }>(
      `SELECT c.reference AS customer, p.provider_reference AS intent, p.provider
       FROM account.payment p JOIN account.payment_customer c USING (account_id, provider)
       WHERE p.id = $1`,
      [id],
    )
    expect(stored).toEqual({
      customer: expect.stringMatching(/^cus_/),
      intent: stripe.intentsOf(id)[0]?.id,
      provider: 'stripe',
    })
    expect(asked?.params).toEqual({
      amount: '1000',
      currency: 'usd',
      customer: stored?.customer,
      payment_method: 'pm_card',
      confirm: 'true',
      'automatic_payment_methods[enabled]': 'true',
      'expand[0]': 'payment_method',
      return_url: expect.stringContaining(`/billing/return?checkout_id=${id}&expires=`),
      setup_future_usage: 'off_session',
      'metadata[payment_id]': id,
      'metadata[account_id]': account.id,
    })
    expect(await effectOf(account)).toEqual(oncePaid)
    await expectExactBooks(gateway)
  })

  test('takes only the stored payment methods of the account, and lists them', async () => {
    const account = await gateway.createAccount()
    const stranger = await gateway.createAccount()
    const foreign = await storeMethod(gateway, stranger, 'pm_foreign')
    const ask = (payment_method: string) => {
      const body = { package_id: 'pack_starter', payment_method }
      return gateway.live.post('/v1/billing/checkout', body, account.liveKey)
    }
    const refused = async (method: string, message: string) =>
      expectError(gateway, await ask(method), {
        status: 422,
        code: 'INVALID_REQUEST',
        message: `payment_method: ${message}`,
        details: [{ field: 'payment_method', in: 'body', message }],
      })

    for (const method of ['simulated', 'pm_card', foreign, newId('pm')]) {
      await refused(
        method,
        'must be a stored payment method, and none is stored: leave it out to pay on a page',
      )
    }
    const own = await storeMethod(gateway, account, 'pm_own')
    await refused(foreign, `must be one of ${own}`)

    expect(await effectOf(account)).toEqual({ payments: [], invoices: 0, purchases: [] })
    expect(stripe.requestsOf(account.id, intentsPath)).toEqual([])
  })

  test.each([
    ['pm_declined', 'Your card has insufficient funds.'],
    ['pm_authentication', 'The card needs its holder to confirm the payment: use another one.'],
    ['pm_missing', 'The payment method cannot be used.'],
    ['pm_misconfigured', 'The payment was refused.'],
  ])('by %s fails, adds nothing and saves nothing', async (method, failure_reason) => {
    const account = await gateway.createAccount()

    const { status, body } = await buy(account, method)

    const failed = { status: 'failed', invoice_id: null, failure_reason }
    expect([status, body]).toEqual([201, expect.objectContaining(failed)])
    expect(await effectOf(account)).toEqual(nothing('failed'))
    const [saved] = await gateway.database.query(
      'SELECT payment_method FROM account.auto_recharge WHERE account_id = $1',
      [account.id],
    )
    expect(saved).toBeUndefined()
  })

  test('by a slow payment method is looked up by the id of its intent, and settled once', async () => {
    const account = await gateway.createAccount()
    const id = await buyPending(account, 'pm_processing')
    stripe.decide(id, collected)

    await askAgain(id)

    await untilEffect(account, oncePaid)
    expect(stripe.requestsOf(account.id, intentsPath)).toHaveLength(1)
    const path = `GET /v1/payment_intents/${String(stripe.intentsOf(id)[0]?.id)}`
    expect(stripe.received.filter(({ route }) => route === path)).toHaveLength(1)
    await expectExactBooks(gateway)
  })

  test('whose answer was lost twice is collected once', async () => {
    const account = await createCustomer()
    // The library makes a second attempt by itself.
    stripe.failNext(account.id, 'lose-answer', 'lose-answer')
    const id = await buyPending(account, 'pm_card')

    await askAgain(id)

    await untilEffect(account, { ...oncePaid, payments: ['failed', 'paid'] })
    expect(stripe.intentsOf(id)).toHaveLength(1)
    const keys = stripe
      .requestsOf(account.id, intentsPath)
      .map(({ headers }) => headers['idempotency-key'])
    expect(keys.slice(1)).toEqual([id, id, id])
  })

  test.each([
    ['ends its connections', ['drop', 'drop']],
    ['fails', ['error-500', 'error-500']],
    // Ten seconds, and no answer to the second attempt.
    ['hangs', ['hang', 'drop']],
  ] as const)('is pending while Stripe %s, and collected afterwards', async (_, faults) => {
    const account = await createCustomer()
    stripe.failNext(account.id, ...faults)
    const id = await buyPending(account, 'pm_card')
    expect(await effectOf(account)).toMatchObject({ invoices: 0, purchases: [] })

    await askAgain(id)

    await untilEffect(account, { ...oncePaid, payments: ['failed', 'paid'] })
    expect(stripe.intentsOf(id)).toHaveLength(1)
  })

  test('creates no intent before the customer is stored, and one customer for an account', async () => {
    const account = await gateway.createAccount()
    stripe.failNext(account.id, 'lose-answer', 'lose-answer')
    const id = await buyPending(account, 'pm_card')
    expect(stripe.requestsOf(account.id, intentsPath)).toEqual([])

    await askAgain(id)

    await untilEffect(account, oncePaid)
    const [asked] = stripe.requestsOf(account.id, intentsPath)
    const customers = await gateway.database.query(
      'SELECT reference FROM account.payment_customer WHERE account_id = $1',
      [account.id],
    )
    expect(customers).toEqual([{ reference: asked?.params.customer }])
    expect(stripe.customersOf(account.id)).toEqual([asked?.params.customer])
  })

  test('looks for an intent before it collects again once Stripe may have dropped its idempotency key', async () => {
    const account = await gateway.createAccount()
    const id = await buyPending(account, 'pm_processing')
    stripe.decide(id, collected)
    await gateway.database.query(
      'UPDATE account.payment SET provider_reference = NULL WHERE id = $1',
      [id],
    )

    await askAgain(id, '13 hours')

    await untilEffect(account, oncePaid)
    expect(stripe.requestsOf(account.id, intentsPath)).toHaveLength(1)
  })

  test('collects a payment that never reached Stripe also that late', async () => {
    const account = await createCustomer()
    stripe.failNext(account.id, 'drop', 'drop')
    const id = await buyPending(account, 'pm_card')

    await askAgain(id, '25 hours')

    await untilEffect(account, { ...oncePaid, payments: ['failed', 'paid'] })
    expect(stripe.intentsOf(id)).toHaveLength(1)
  })

  test('in the sandbox is simulated', async () => {
    const account = await gateway.createAccount()

    const path = '/v1/billing/checkout'
    const body = { package_id: 'pack_starter', payment_method: 'simulated' }
    const response = await gateway.sandbox.post(path, body, account.sandboxKey)

    expect(response.body).toMatchObject(succeeded)
    expect(stripe.requestsOf(account.id, intentsPath)).toEqual([])
    expect(stripe.requestsOf(account.id, 'POST /v1/customers')).toEqual([])
  })
})

describe('auto-recharge with Stripe', () => {
  const setUp = { enabled: true, threshold_credits: 500, package_id: 'pack_starter' }
  const configure = ({ liveKey: key }: TestAccount) =>
    gateway.live.request('/v1/account/auto-recharge', { method: 'PATCH', key, body: setUp })

  async function recharging({ liveKey }: TestAccount, expected: object): Promise<void> {
    await vi.waitFor(async () => {
      const { body } = await gateway.live.get('/v1/account/billing', liveKey)
      expect(Object(body).auto_recharge).toMatchObject(expected)
    }, patience)
  }

  test('collects off session, by the method of the last checkout', async () => {
    const account = await gateway.createAccount({ credits: 10 })
    await buy(account, 'pm_card')
    await gateway.graphql(
      'mutation ($input: AdjustCreditsInput!) { adjustCredits(input: $input) { id } }',
      { input: { accountId: account.id, credits: -900, reason: 'Test', idempotencyKey: 'down' } },
    )

    await configure(account)

    const paid = { payments: ['paid', 'paid'], invoices: 2, purchases: [1000, 1000] }
    await untilEffect(account, paid)
    const [checkout, recharge] = stripe.requestsOf(account.id, intentsPath)
    const { setup_future_usage: _, return_url: __, ...kept } = checkout?.params ?? {}
    expect(recharge?.params).toEqual({
      ...kept,
      'automatic_payment_methods[allow_redirects]': 'never',
      error_on_requires_action: 'true',
      off_session: 'true',
      'metadata[payment_id]': expect.stringMatching(/^pay_/),
    })
    await recharging(account, { state: 'idle', failure_reason: null })
    await expectExactBooks(gateway)
  })

  test('cannot be turned on without a stored method, and says that it is missing', async () => {
    const account = await gateway.createAccount({ credits: 10 })

    const refused = await configure(account)
    const { body: before } = await gateway.live.get('/v1/account/billing', account.liveKey)
    await buy(account, 'pm_card')
    const { body: after } = await gateway.live.get('/v1/account/billing', account.liveKey)
    const on = await configure(account)

    const message = 'needs a stored payment method: buy with one first'
    expectError(gateway, refused, {
      ...{ status: 422, code: 'INVALID_REQUEST', message: `enabled: ${message}` },
      details: [{ field: 'enabled', in: 'body', message }],
    })
    expect(Object(before).auto_recharge).toEqual({
      ...{ enabled: false, threshold_credits: null, package_id: null, monthly_cap_cents: null },
      ...{ state: 'idle', last_recharge_at: null, failure_reason: null },
      missing: ['threshold_credits', 'package_id', 'payment_method'],
    })
    expect(Object(after).auto_recharge.missing).toEqual(['threshold_credits', 'package_id'])
    expect(on).toMatchObject({ status: 200, body: { enabled: true, missing: [] } })
  })

  test('can be set up and turned off without a stored method', async () => {
    const account = await gateway.createAccount({ credits: 10 })
    const { liveKey: key } = account
    const change = (body: object) =>
      gateway.live.request('/v1/account/auto-recharge', { method: 'PATCH', key, body })

    const prepared = await change({ ...setUp, enabled: false })
    await gateway.database.query(
      `UPDATE account.auto_recharge SET enabled = true, try_at = 'infinity' WHERE account_id = $1`,
      [account.id],
    )
    const kept = await change({ enabled: true })
    const capped = await change({ monthly_cap_cents: 5000 })
    const off = await change({ enabled: false })

    const missing = ['payment_method']
    expect(prepared).toMatchObject({ status: 200, body: { ...setUp, enabled: false, missing } })
    expect(kept.status).toBe(422)
    expect(capped).toMatchObject({ status: 200, body: { enabled: true, missing } })
    expect(off).toMatchObject({ status: 200, body: { enabled: false, missing } })
  })

  test('that was on without a stored method fails, without asking Stripe', async () => {
    const account = await gateway.createAccount({ credits: 10 })

    await gateway.database.query(
      `INSERT INTO account.auto_recharge (account_id, environment, enabled, threshold_credits,
         package_id) VALUES ($1, 'live', true, 500, 'pack_starter')`,
      [account.id],
    )

    await recharging(account, { failure_reason: 'No payment method is saved: buy with one first.' })
    const asked = stripe.received.map(({ params }) => params['metadata[account_id]'])
    expect(asked).not.toContain(account.id)
    expect(await effectOf(account)).toEqual(nothing('failed'))
  })
})

describe('POST /v1/billing/notifications/stripe', () => {
  test('adds one entry and one invoice when it is sent ten times in parallel', async () => {
    const account = await gateway.createAccount()
    const id = await buyPending(account, 'pm_processing')
    await neverAsk(id)

    const event = succeededEvent(id)
    const answers = await Promise.all(Array.from({ length: 10 }, () => notify(event)))

    for (const answer of answers) expect(answer).toMatchObject(taken)
    expect(await effectOf(account)).toEqual(oncePaid)
    await expectExactBooks(gateway)
  })

  test('stores the id of the intent, and leaves nothing in the usage log', async () => {
    const account = await createCustomer()
    stripe.failNext(account.id, 'lose-answer', 'lose-answer')
    const id = await buyPending(account, 'pm_card')
    await neverAsk(id)

    const answer = await notify(succeededEvent(id))

    expect(answer).toMatchObject(taken)
    expect(answer.headers.get('x-ratelimit-limit')).toBe('100000')
    const rows = await gateway.database.query(
      'SELECT status, provider_reference FROM account.payment WHERE id = $1',
      [id],
    )
    expect(rows).toEqual([{ status: 'paid', provider_reference: stripe.intentsOf(id)[0]?.id }])
    const { body } = await gateway.live.get('/v1/account/usage/log', account.liveKey)
    const endpoints = Object(body).items.map(({ endpoint }: { endpoint: string }) => endpoint)
    expect(endpoints).toEqual(['/v1/billing/checkout', '/v1/billing/checkout'])
  })

  test.each([
    ['payment_intent.payment_failed', 'requires_payment_method', 'Your card has expired.'],
    ['payment_intent.canceled', 'canceled', 'The payment was canceled.'],
  ])('of %s ends a pending payment, with the reason', async (type, status, reason) => {
    const account = await gateway.createAccount()
    const id = await buyPending(account, 'pm_processing')
    const [intent] = stripe.intentsOf(id)
    const last_payment_error = { type: 'card_error', message: 'Your card has expired.' }

    const answer = await notify(eventOf(type, { ...intent, status, last_payment_error }))

    expect(answer).toMatchObject(taken)
    expect(await effectOf(account)).toEqual(nothing('failed'))
    const rows = await gateway.database.query(
      'SELECT failure_reason FROM account.payment WHERE id = $1',
      [id],
    )
    expect(rows).toEqual([{ failure_reason: reason }])
  })

  test('changes nothing after the answer, when it is repeated or contradicts it', async () => {
    const account = await gateway.createAccount()
    const { body } = await buy(account, 'pm_card')
    const [intent] = stripe.intentsOf(Object(body).id)
    const failed = { ...intent, status: 'requires_payment_method' }

    const answers = [
      await notify(succeededEvent(Object(body).id)),
      await notify(eventOf('payment_intent.payment_failed', failed)),
      await notify(eventOf('payment_intent.canceled', { ...intent, status: 'canceled' })),
    ]

    for (const answer of answers) expect(answer).toMatchObject(taken)
    expect(await effectOf(account)).toEqual(oncePaid)
  })

  test('of success for a failed payment adds nothing', async () => {
    const account = await gateway.createAccount()
    const { body } = await buy(account, 'pm_declined')

    expect(await notify(succeededEvent(Object(body).id))).toMatchObject(taken)

    expect(await effectOf(account)).toEqual(nothing('failed'))
  })

  test('of an unrelated event is accepted, and changes nothing', async () => {
    const account = await gateway.createAccount()
    const id = await buyPending(account, 'pm_processing')
    await neverAsk(id)
    const [intent] = stripe.intentsOf(id)
    const done = { ...intent, ...collected }
    const type = 'payment_intent.succeeded'

    const answers = [
      await notify(eventOf(type, { ...done, metadata: { payment_id: newId('pay') } })),
      await notify(eventOf(type, { ...done, metadata: { payment_id: 'order 7' } })),
      await notify(eventOf(type, { ...done, metadata: {} })),
      await notify(eventOf('payment_intent.created', done)),
      await notify(eventOf('customer.created', done)),
    ]

    for (const answer of answers) expect(answer).toMatchObject(taken)
    expect(await effectOf(account)).toEqual(nothing('pending'))
  })

  test('with a foreign or an old signature is refused and changes nothing', async () => {
    const account = await gateway.createAccount()
    const id = await buyPending(account, 'pm_processing')
    await neverAsk(id)
    const event = succeededEvent(id)
    const nowSeconds = Math.floor(Date.now() / 1000)
    const path = '/v1/billing/notifications/stripe'
    const post = (signature: string) =>
      gateway.live.post(path, event, undefined, { 'stripe-signature': signature })

    const answers = [
      await notify(event, { signed: event.replace('requires', 'x').replace('evt_1', 'evt_2') }),
      await notify(`${event} `, { signed: event }),
      await notify(event, { secret: 'whsec_of_somebody_else' }),
      await notify(event, { timestamp: nowSeconds - 310 }),
      await post('t=1,v1=00'),
      await post('nonsense'),
      await gateway.live.post(path, event),
    ]

    for (const answer of answers) {
      const message = 'does not sign this body, or is older than 300 s'
      expectError(gateway, answer, {
        status: 422,
        code: 'INVALID_REQUEST',
        message: `Stripe-Signature: ${message}`,
        details: [{ field: 'Stripe-Signature', in: 'header', message }],
      })
    }
    expect(await effectOf(account)).toEqual(nothing('pending'))
    expect(await notify(event, { timestamp: Math.floor(Date.now() / 1000) - 290 })).toMatchObject(
      taken,
    )
    expect(await effectOf(account)).toEqual(oncePaid)
  })

  test('does not exist for a provider that collects nothing in that environment', async () => {
    const account = await gateway.createAccount()
    const id = await buyPending(account, 'pm_processing')
    const event = succeededEvent(id)
    const signature = Stripe.webhooks.generateTestHeaderString({
      payload: event,
      secret: webhookSecret,
    })
    const headers = { 'stripe-signature': signature }
    const path = '/v1/billing/notifications/'

    const answers = [
      await gateway.sandbox.post(`${path}stripe`, event, undefined, headers),
      await gateway.live.post(`${path}simulated`, event, undefined, headers),
      await gateway.live.post(`${path}Stripe`, event, undefined, headers),
    ]

    for (const answer of answers) {
      const message = 'No payment provider is there.'
      expectError(gateway, answer, { status: 404, code: 'NOT_FOUND', message })
    }
    expect(await effectOf(account)).toEqual(nothing('pending'))
  })
})
