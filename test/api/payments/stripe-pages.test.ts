import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  isOfRoles,
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { type StripeStub, startStripeStub } from '../../support/stubs/stripe-stub.ts'
import { patience } from '../../support/time/patience.ts'

const secret = 'whsec_of_the_test'
const sessionsPath = 'POST /v1/checkout/sessions'

let stripe: StripeStub
let gateway: TestGateway
beforeAll(async () => {
  stripe = await startStripeStub()
  gateway = await startTestGateway({
    PAYMENTS: 'stripe',
    STRIPE_SECRET_KEY: 'sk_test_of_the_test',
    STRIPE_WEBHOOK_SECRET: secret,
    STRIPE_API_URL: stripe.url,
    RETURN_ORIGINS: 'https://shop.example',
  })
})
afterAll(async () => {
  await gateway.close()
  await stripe.close()
})

interface Begun {
  readonly id: string
  readonly action_url: string
}

/** A package of 1000 credits for $10, on Stripe's page unless a method is named. */
async function begin({ liveKey }: TestAccount, more: object = {}): Promise<Begun> {
  const body = { package_id: 'pack_starter', ...more }
  const answer = await gateway.live.post('/v1/billing/checkout', body, liveKey)
  expect([answer.status, Object(answer.body).status]).toEqual([201, 'requires_action'])
  return Object(answer.body)
}

async function checkoutOf({ liveKey }: TestAccount, id: string): Promise<object> {
  return Object((await gateway.live.get(`/v1/billing/checkouts/${id}`, liveKey)).body)
}

function until(account: TestAccount, id: string, expected: object): Promise<void> {
  return vi.waitFor(
    async () => expect(await checkoutOf(account, id)).toMatchObject(expected),
    patience,
  )
}

async function balanceOf({ liveKey }: TestAccount): Promise<number> {
  return Object((await gateway.live.get('/v1/account/credits', liveKey)).body).balance
}

/** Asks Stripe again, as when a minute has passed since the last question. */
async function ask(id: string, sql = ''): Promise<void> {
  await gateway.database.query(
    `UPDATE account.payment SET ask_at = now() ${sql} WHERE id = $1 AND settled_at IS NULL`,
    [id],
  )
}

const sessionOf = (id: string) => ({ ...stripe.sessionsOf(id)[0] })

/** A notification of Stripe, in the shape of the pinned version, as it leaves out what it could expand. */
function notify(type: string, object: object, more: object = {}): Promise<TestResponse> {
  const { payment_intent: intent } = Object(object)
  const sent = intent ? { ...object, payment_intent: Object(intent).id } : object
  const payload = JSON.stringify({
    ...{ id: `evt_${newId('evt')}`, object: 'event', api_version: '2026-10-28.endive' },
    ...{ livemode: false, type, data: { object: sent } },
    ...more,
  })
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret })
  const headers = { 'stripe-signature': signature }
  return gateway.live.post('/v1/billing/notifications/stripe', payload, undefined, headers)
}

const taken = { status: 200, body: { received: true } }
const paid = { status: 'paid', action_url: null, invoice_id: expect.stringMatching(/^inv_/) }

describe('POST /v1/billing/checkout on a page of Stripe', () => {
  test('opens a Checkout Session with the real amount, for the customer of the account', async () => {
    const account = await gateway.createAccount({ credits: 7 })

    const return_url = 'https://shop.example/thanks?session={CHECKOUT_SESSION_ID}'
    const { id, action_url } = await begin(account, { return_url })

    const [asked, ...again] = stripe.requestsOf(account.id, sessionsPath)
    expect(again).toEqual([])
    expect(asked?.headers).toMatchObject({
      'idempotency-key': `${id}/page`,
      'stripe-version': '2026-10-28.endive',
    })
    const [{ reference } = { reference: '' }] = await gateway.database.query<{
      reference: string
    }>('SELECT reference FROM account.payment_customer WHERE account_id = $1', [account.id])
    const back = `https://shop.example/thanks?session=%7BCHECKOUT_SESSION_ID%7D&checkout_id=${id}`
    expect(asked?.params).toEqual({
      mode: 'payment',
      customer: reference,
      client_reference_id: id,
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': 'usd',
      'line_items[0][price_data][unit_amount]': '1000',
      'line_items[0][price_data][product_data][name]': 'Starter package',
      'payment_intent_data[setup_future_usage]': 'off_session',
      'payment_intent_data[metadata][payment_id]': id,
      'payment_intent_data[metadata][account_id]': account.id,
      'metadata[payment_id]': id,
      'metadata[account_id]': account.id,
      success_url: back,
      cancel_url: back,
    })
    expect(action_url).toBe(sessionOf(id).url)
  })

  test('is paid once by ten notifications at once, and the card is stored as the default', async () => {
    const account = await gateway.createAccount({ credits: 7 })
    const { id } = await begin(account)
    stripe.payOnPage(id)

    const session = sessionOf(id)
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => notify('checkout.session.completed', session)),
    )

    for (const answer of answers) expect(answer).toMatchObject(taken)
    expect(await checkoutOf(account, id)).toMatchObject(paid)
    expect(await balanceOf(account)).toBe(1007)
    const { body } = await gateway.live.get('/v1/billing/payment-methods', account.liveKey)
    expect(Object(body).items).toEqual([
      {
        id: expect.stringMatching(/^pm_[0-9a-z]{26}$/),
        ...{ brand: 'mastercard', last4: '4444', exp_month: 7, exp_year: 2031, default: true },
        created_at: expect.stringMatching(/Z$/),
      },
    ])
    await expectExactBooks(gateway)
  })

  test('is paid though the notification was lost, because Stripe is asked', async () => {
    const account = await gateway.createAccount({ credits: 7 })
    const { id } = await begin(account)
    stripe.payOnPage(id)

    await ask(id)

    await until(account, id, paid)
    expect(await balanceOf(account)).toBe(1007)
  })

  test('is pending while the bank needs days, and paid or failed when it has decided', async () => {
    const account = await gateway.createAccount({ credits: 7 })
    const [first, second] = [await begin(account), await begin(account)]
    for (const { id } of [first, second]) {
      stripe.payOnPage(id, { payment_status: 'unpaid' })
      await notify('checkout.session.completed', sessionOf(id))
      expect(await checkoutOf(account, id)).toMatchObject({ status: 'pending', action_url: null })
    }

    stripe.payOnPage(first.id)
    await notify('checkout.session.async_payment_succeeded', sessionOf(first.id))
    await notify('checkout.session.async_payment_failed', sessionOf(second.id))

    expect(await checkoutOf(account, first.id)).toMatchObject(paid)
    expect(await checkoutOf(account, second.id)).toMatchObject({
      status: 'failed',
      failure_reason: 'The payment was declined.',
    })
    expect(await balanceOf(account)).toBe(1007)
  })

  test('stays open after a declined card, which counts once, whatever the order of the news', async () => {
    const account = await gateway.createAccount({ credits: 7 })
    const { id } = await begin(account)
    const { metadata } = sessionOf(id)
    const intent = (status: string, more: object = {}) => ({
      ...{ id: 'pi_on_page', object: 'payment_intent', status, metadata, currency: 'usd' },
      ...{ amount_received: status === 'succeeded' ? 1000 : 0, next_action: null, ...more },
    })
    const error = { type: 'card_error', code: 'card_declined', message: 'No.', charge: 'ch_1' }
    const declined = intent('requires_payment_method', { last_payment_error: error })

    await notify('payment_intent.payment_failed', declined)
    await notify('payment_intent.payment_failed', declined)
    expect(await checkoutOf(account, id)).toMatchObject({ status: 'requires_action' })
    await notify('payment_intent.succeeded', intent('succeeded'))
    await notify('payment_intent.payment_failed', declined)
    await notify('checkout.session.expired', { ...sessionOf(id), status: 'expired' })

    expect(await checkoutOf(account, id)).toMatchObject(paid)
    const declines = await gateway.database.query(
      'SELECT attempt FROM account.payment_decline WHERE payment_id = $1',
      [id],
    )
    expect(declines).toEqual([{ attempt: 'ch_1' }])
  })

  test('is closed after a day by our request, and paid if it was confirmed all the same', async () => {
    const account = await gateway.createAccount({ credits: 7 })
    const [expires, isPaid] = [await begin(account), await begin(account)]
    stripe.payOnPage(isPaid.id)

    for (const { id } of [expires, isPaid]) await ask(id, ', expires_at = now()')

    await until(account, expires.id, { status: 'expired', action_url: null, failure_reason: null })
    await until(account, isPaid.id, paid)
    expect(sessionOf(expires.id)).toMatchObject({ status: 'expired' })
    stripe.payOnPage(expires.id)
    await notify('checkout.session.completed', sessionOf(expires.id))
    expect(await checkoutOf(account, expires.id)).toMatchObject(paid)
    expect(await balanceOf(account)).toBe(2007)
    await expectExactBooks(gateway)
  })

  test('is pending while Stripe cannot be reached, and has its page afterwards, once', async () => {
    const account = await gateway.createAccount()
    await begin(account)
    stripe.failNext(account.id, 'lose-answer', 'lose-answer')
    const body = { package_id: 'pack_starter' }
    const answer = await gateway.live.post('/v1/billing/checkout', body, account.liveKey)
    const { id } = Object(answer.body)
    expect(answer.body).toMatchObject({ status: 'pending', action_url: null })

    await ask(id)

    await until(account, id, { status: 'requires_action', action_url: sessionOf(id).url })
    expect(stripe.sessionsOf(id)).toHaveLength(1)
  })
})

describe('POST /v1/billing/notifications/stripe', () => {
  test.each([
    ['another amount', { amount_total: 999 }],
    ['another currency', { currency: 'eur' }],
  ])('of %s gives no credits', async (_, changes) => {
    const account = await gateway.createAccount({ credits: 7 })
    const { id } = await begin(account)
    stripe.payOnPage(id, changes)

    expect(await notify('checkout.session.completed', sessionOf(id))).toMatchObject(taken)

    expect(await balanceOf(account)).toBe(7)
    expect(await checkoutOf(account, id)).toMatchObject({ status: 'requires_action' })
  })

  test('of the wrong livemode is refused, and changes nothing', async () => {
    const account = await gateway.createAccount({ credits: 7 })
    const { id } = await begin(account)
    stripe.payOnPage(id)

    const answer = await notify('checkout.session.completed', sessionOf(id), { livemode: true })

    const message = 'does not fit the key of this gateway: one is live, and the other a test'
    expectError(gateway, answer, {
      status: 422,
      code: 'INVALID_REQUEST',
      message: `livemode: ${message}`,
      details: [{ field: 'livemode', in: 'body', message }],
    })
    expect(await balanceOf(account)).toBe(7)
  })

  // These are metrics of one process; each of its roles would have a part of them.
  test.skipIf(isOfRoles)('of an unknown type is accepted, and counted', async () => {
    const account = await gateway.createAccount()
    const { id } = await begin(account)

    expect(await notify('checkout.session.renamed', sessionOf(id))).toMatchObject(taken)

    const metrics = await (await fetch(`${gateway.internal.url}/metrics`)).text()
    expect(metrics).toMatch(/^gateway_payment_notifications_total\{kind="other_type"\} [1-9]/m)
    expect(await checkoutOf(account, id)).toMatchObject({ status: 'requires_action' })
  })
})

describe('a stored card of Stripe that wants a confirmation', () => {
  async function store({ id }: TestAccount, reference: string): Promise<string> {
    const method = newId('pm')
    await gateway.database.query(
      `INSERT INTO account.payment_method (id, account_id, environment, provider, reference, brand,
         last4, exp_month, exp_year) VALUES ($1, $2, 'live', 'stripe', $3, 'visa', '3155', 1, 2040)`,
      [method, id, reference],
    )
    return method
  }

  test('leads the buyer to the page of the bank, and is paid once it is confirmed', async () => {
    const account = await gateway.createAccount({ credits: 7 })
    const payment_method = await store(account, 'pm_action')

    const { id, action_url } = await begin(account, { payment_method })

    expect(action_url).toBe('https://hooks.stripe.test/confirm')
    stripe.decide(id, { status: 'succeeded', amount_received: 1000, next_action: null })
    await ask(id)
    await until(account, id, paid)
    expect(await balanceOf(account)).toBe(1007)
  })

  test('is closed after a day: its intent is canceled', async () => {
    const account = await gateway.createAccount({ credits: 7 })
    const payment_method = await store(account, 'pm_action')
    const { id } = await begin(account, { payment_method })

    await ask(id, ', expires_at = now()')

    await until(account, id, { status: 'expired', action_url: null })
    expect(stripe.intentsOf(id)).toMatchObject([{ status: 'canceled' }])
  })

  test('in a recharge opens a page for its holder, and gives the credits once that is paid', async () => {
    const account = await gateway.createAccount({ credits: 10 })
    await store(account, 'pm_authentication')
    await gateway.database.query(
      `INSERT INTO account.auto_recharge (account_id, environment, enabled, threshold_credits,
         package_id, payment_method)
       VALUES ($1, 'live', true, 500, 'pack_starter', 'pm_authentication')`,
      [account.id],
    )
    const recharging = (state: string) =>
      vi.waitFor(async () => {
        const { body } = await gateway.live.get('/v1/account/billing', account.liveKey)
        expect(Object(body).auto_recharge.state).toBe(state)
      }, patience)
    await recharging('action_required')
    const [payment] = await gateway.database.query<{ id: string; url: string }>(
      'SELECT id, action_url AS url FROM account.payment WHERE account_id = $1',
      [account.id],
    )
    const id = payment?.id ?? ''
    expect(payment?.url).toBe(sessionOf(id).url)
    const [intent] = stripe.intentsOf(id)
    const events = await gateway.database.query(
      `SELECT data FROM account.event WHERE account_id = $1 AND type = 'payment.action_required'`,
      [account.id],
    )
    expect(events).toEqual([
      { data: { payment_id: id, action_url: payment?.url, expires_at: expect.any(String) } },
    ])

    // Stripe tells of the first attempt too, perhaps after the page was opened.
    await notify('payment_intent.payment_failed', { ...intent })
    await recharging('action_required')
    stripe.payOnPage(id)
    await notify('checkout.session.completed', sessionOf(id))

    await recharging('idle')
    expect(await balanceOf(account)).toBe(1010)
    expect(stripe.requestsOf(account.id, 'POST /v1/payment_intents')).toHaveLength(1)
    await expectExactBooks(gateway)
  })
})

describe('DELETE /v1/billing/payment-methods/{payment_method_id}', () => {
  test('makes Stripe forget the card', async () => {
    const account = await gateway.createAccount()
    await gateway.live.post('/v1/account/subscription/cancel', undefined, account.liveKey)
    const { id } = await begin(account)
    stripe.payOnPage(id)
    await notify('checkout.session.completed', sessionOf(id))
    const list = await gateway.live.get('/v1/billing/payment-methods', account.liveKey)
    const [method] = Object(list.body).items

    const path = `/v1/billing/payment-methods/${method.id}`
    const removed = await gateway.live.request(path, { method: 'DELETE', key: account.liveKey })

    expect([removed.status, removed.body]).toEqual([200, method])
    const detached = stripe.received.map(({ route }) => route)
    const card = `pm_of_${String(sessionOf(id).id)}`
    expect(detached).toContain(`POST /v1/payment_methods/${card}/detach`)
  })
})
