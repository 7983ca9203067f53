import Stripe from 'stripe'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { returnsOf } from '../../support/gateway/payment-returns.ts'
import { storeMethod } from '../../support/payments/stored-method.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { type StripeStub, startStripeStub } from '../../support/stubs/stripe-stub.ts'
import { patience } from '../../support/time/patience.ts'

const webhookSecret = 'whsec_of_the_test'

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
afterEach(() => stripe.refundWith({ status: 'succeeded' }))
afterAll(async () => {
  await expectExactBooks(gateway)
  await gateway.close()
  await stripe.close()
})

interface Bought {
  readonly account: { readonly id: string; readonly liveKey: string }
  readonly paymentId: string
  /** `pi_…` */
  readonly intent: string
}

/** A package of 5000 credits for $45. */
async function buy(): Promise<Bought> {
  const account = await gateway.createAccount({ credits: 0 })
  const payment_method = await storeMethod(gateway, account, 'pm_card')
  const order = { package_id: 'pack_growth', payment_method }
  const { status, body } = await gateway.live.post('/v1/billing/checkout', order, account.liveKey)
  expect(status).toBe(201)
  const paymentId: string = Object(body).id
  return { account, paymentId, intent: String(stripe.intentsOf(paymentId)[0]?.id) }
}

/** Buys a package of 1000 credits for $10 with a card that is entered on the page. */
async function buyOnPage(account: TestAccount): Promise<Bought> {
  const order = { package_id: 'pack_starter' }
  const { status, body } = await gateway.live.post('/v1/billing/checkout', order, account.liveKey)
  expect([status, Object(body).status]).toEqual([201, 'requires_action'])
  const paymentId: string = Object(body).id
  stripe.payOnPage(paymentId)
  const [session] = stripe.sessionsOf(paymentId)
  const intent: string = Object(session?.payment_intent).id
  const completed = { ...session, payment_intent: intent }
  expect(await notify('checkout.session.completed', completed)).toMatchObject(taken)
  return { account, paymentId, intent }
}

/** Sends an event in the shape of the current version of the API. */
function notify(type: string, object: object): Promise<TestResponse> {
  const event = { id: 'evt_1', object: 'event', api_version: Stripe.API_VERSION, livemode: false }
  const payload = JSON.stringify({ ...event, type, data: { object } }, null, 2)
  const secret = webhookSecret
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret })
  const headers = { 'stripe-signature': signature }
  return gateway.live.post('/v1/billing/notifications/stripe', payload, undefined, headers)
}

/** The answer is the same for all, also for what is of another system or does not match. */
const taken = { status: 200, body: { received: true } }

let ids = 0
const newStripeId = (prefix: string) => `${prefix}_of_the_test_${++ids}`

function refundObject(
  intent: string,
  amount: number,
  id = newStripeId('re'),
  status = 'succeeded',
) {
  return {
    ...{ id, object: 'refund', amount, currency: 'usd', status, payment_intent: intent },
    ...{ charge: `ch_${intent}`, metadata: {}, reason: null },
  }
}

/** A charge has the metadata of its intent. */
function chargeObject({ account, paymentId, intent }: Bought, amount_refunded: number) {
  return {
    ...{ id: `ch_${intent}`, object: 'charge', amount: 4500, amount_refunded, currency: 'usd' },
    ...{ payment_intent: intent, refunded: amount_refunded === 4500 },
    customer: stripe.customersOf(account.id)[0],
    metadata: { payment_id: paymentId, account_id: account.id },
  }
}

function disputeObject(intent: string, status: string, amount = 4500) {
  return {
    ...{ id: `dp_${intent}`, object: 'dispute', amount, currency: 'usd', status },
    ...{ payment_intent: intent, charge: `ch_${intent}`, metadata: {}, reason: 'fraudulent' },
  }
}

interface Listed {
  readonly id: string
  readonly default?: boolean
}

describe('a refund at Stripe', () => {
  test('is found by its intent, and told in any order and number is one entry', async () => {
    const bought = await buy()
    const refund = refundObject(bought.intent, 900)

    const answers = [
      await notify('refund.updated', refund),
      await notify('refund.created', { ...refund, status: 'pending' }),
      await notify('charge.refunded', chargeObject(bought, 900)),
      await notify('charge.refund.updated', refund),
    ]

    for (const answer of answers) expect(answer).toMatchObject(taken)
    expect(await returnsOf(gateway, bought.account)).toEqual({
      balance: 4000,
      entries: [['clawback', -1000]],
    })
  })

  test('of which only the sum is told takes credits, and its own notification takes none again', async () => {
    const bought = await buy()
    const [one, two] = [refundObject(bought.intent, 900), refundObject(bought.intent, 1800)]

    expect(await notify('charge.refunded', chargeObject(bought, 2700))).toMatchObject(taken)
    expect(await notify('charge.refunded', chargeObject(bought, 900))).toMatchObject(taken)
    expect((await returnsOf(gateway, bought.account)).entries).toEqual([['clawback', -3000]])
    for (const refund of [one, two]) {
      expect(await notify('refund.created', refund)).toMatchObject(taken)
    }
    expect((await returnsOf(gateway, bought.account)).entries).toHaveLength(1)
    expect(await notify('refund.failed', { ...two, status: 'failed' })).toMatchObject(taken)

    expect((await returnsOf(gateway, bought.account)).entries).toEqual([
      ['clawback', -3000],
      ['reinstatement', 2000],
    ])
    const [payment] = await gateway.database.query(
      `SELECT refunded_cents::int AS refunded FROM account.payment WHERE id = $1`,
      [bought.paymentId],
    )
    expect(payment).toEqual({ refunded: 900 })
  })

  test("of another system's payment, or an unknown type, is ignored", async () => {
    const answers = [
      await notify('refund.created', refundObject('pi_of_another_system', 100)),
      await notify('charge.dispute.created', disputeObject('pi_of_another_system', 'lost')),
      await notify('payout.paid', { id: 'po_1', object: 'payout' }),
    ]

    for (const answer of answers) expect(answer).toMatchObject(taken)
  })

  test('is known by the provider before the id of the intent is stored here', async () => {
    const { account, paymentId, intent } = await buy()
    await gateway.database.query(
      'UPDATE account.payment SET provider_reference = NULL WHERE id = $1',
      [paymentId],
    )

    expect(await notify('refund.created', refundObject(intent, 4500))).toMatchObject(taken)

    expect((await returnsOf(gateway, account)).balance).toBe(0)
  })

  test("for another account's customer, or another intent, does not match", async () => {
    const bought = await buy()
    const other = await buy()

    const answers = [
      await notify('charge.refunded', {
        ...chargeObject(bought, 4500),
        customer: stripe.customersOf(other.account.id)[0],
      }),
      await notify('charge.refunded', {
        ...chargeObject(bought, 4500),
        payment_intent: other.intent,
      }),
      await notify('refund.created', {
        ...refundObject(bought.intent, 4500),
        metadata: { payment_id: newId('pay') },
      }),
    ]

    for (const answer of answers) expect(answer).toMatchObject(taken)
    for (const { account } of [bought, other]) {
      expect(await returnsOf(gateway, account)).toEqual({ balance: 5000, entries: [] })
    }
  })
})

describe('a dispute at Stripe', () => {
  test.each([
    ['warning_needs_response', 5000],
    ['needs_response', 5000],
    ['lost', 0],
  ])('with the status %s leaves %i credits', async (status, balance) => {
    const { account, intent } = await buy()

    const dispute = disputeObject(intent, status)
    expect(await notify('charge.dispute.updated', dispute)).toMatchObject(taken)

    expect((await returnsOf(gateway, account)).balance).toBe(balance)
  })

  test('takes credits when the funds are withdrawn, and gives them back when they return', async () => {
    const { account, intent } = await buy()
    const tell = async (type: string, status: string) =>
      expect(await notify(`charge.dispute.${type}`, disputeObject(intent, status))).toMatchObject(
        taken,
      )

    await tell('funds_withdrawn', 'needs_response')
    await tell('created', 'needs_response')
    expect((await returnsOf(gateway, account)).balance).toBe(0)
    await tell('closed', 'won')
    await tell('funds_reinstated', 'won')

    expect(await returnsOf(gateway, account)).toEqual({
      balance: 5000,
      entries: [
        ['clawback', -5000],
        ['reinstatement', 5000],
      ],
    })
  })
})

describe('the card of a payment that is disputed at Stripe', () => {
  test('is barred when it is entered again, under another id, until an operator lifts the block', async () => {
    const account = await gateway.createAccount({ credits: 0 })
    const { liveKey: key } = account
    const methods = '/v1/billing/payment-methods'
    const listed = async () => {
      const { status, body } = await gateway.live.get(methods, key)
      expect(status).toBe(200)
      return Object(body).items.map(({ id, default: isDefault }: Listed) => ({ id, isDefault }))
    }
    const makeDefault = ({ id }: Listed) =>
      gateway.live.post(`${methods}/${id}/default`, undefined, key)
    const buyWith = (payment_method: string) =>
      gateway.live.post('/v1/billing/checkout', { package_id: 'pack_starter', payment_method }, key)
    const { intent } = await buyOnPage(account)
    const dispute = disputeObject(intent, 'needs_response', 1000)
    expect(await notify('charge.dispute.created', dispute)).toMatchObject(taken)

    await buyOnPage(account)

    const [again, first] = await listed()
    expect([again.isDefault, first.isDefault]).toEqual([false, true])
    // The bar does not depend on the stored card that was disputed.
    const removed = await gateway.live.request(`${methods}/${first.id}`, { method: 'DELETE', key })
    expect(removed.status).toBe(200)
    const rule = 'is barred, because a payment with it was disputed'
    expectError(gateway, await makeDefault(again), {
      status: 409,
      code: 'CONFLICT',
      message: `This payment method ${rule}.`,
    })
    expectError(gateway, await buyWith(again.id), {
      ...{ status: 422, code: 'INVALID_REQUEST', message: `payment_method: ${rule}` },
      details: [{ field: 'payment_method', in: 'body', message: rule }],
    })
    expect((await buyWith(await storeMethod(gateway, account, 'pm_other'))).status).toBe(201)
    const input = { accountId: account.id, environment: 'LIVE', idempotencyKey: newId('led') }
    await gateway.graphql(
      'mutation ($input: LiftPaymentBlockInput!) { liftPaymentBlock(input: $input) { id } }',
      { input },
    )
    expect((await makeDefault(again)).status).toBe(200)
    expect((await buyWith(again.id)).status).toBe(201)
  })
})

describe('refundPayment with Stripe', () => {
  const query = `mutation ($input: RefundPaymentInput!) {
    result: refundPayment(input: $input) { id amountCents status } }`

  async function refund(paymentId: string, amountCents: number | null = null) {
    const input = { paymentId, amountCents, reason: 'Test', idempotencyKey: crypto.randomUUID() }
    return Object(await gateway.graphql(query, { input })).result
  }

  async function askAgain(id: string, age: string): Promise<void> {
    await gateway.database.query(
      `UPDATE account.payment_refund SET created_at = now() - $2::interval, ask_at = now()
       WHERE id = $1`,
      [id, age],
    )
  }

  test('asks once under the id of the refund, and takes credits at its confirmation', async () => {
    const { account, paymentId, intent } = await buy()

    const { id, status } = await refund(paymentId, 900)

    expect(status).toBe('succeeded')
    const asked = stripe.received.filter(
      ({ route, params }) => route === 'POST /v1/refunds' && params.payment_intent === intent,
    )
    expect(asked.map(({ params, headers }) => [params, headers['idempotency-key']])).toEqual([
      [
        {
          ...{ payment_intent: intent, amount: '900' },
          ...{ 'metadata[refund_id]': id, 'metadata[payment_id]': paymentId },
        },
        id,
      ],
    ])
    const [made = {}] = stripe.refundsOf(paymentId)
    expect(await notify('refund.created', made)).toMatchObject(taken)
    expect((await returnsOf(gateway, account)).entries).toEqual([['clawback', -1000]])
  })

  test('that stays pending is asked about again by a job', async () => {
    stripe.refundWith({ status: 'pending' })
    const { account, paymentId } = await buy()

    const { id, status } = await refund(paymentId)
    expect([status, await returnsOf(gateway, account)]).toEqual([
      'pending',
      { balance: 5000, entries: [] },
    ])
    for (const made of stripe.refundsOf(paymentId)) Object.assign(made, { status: 'succeeded' })
    await askAgain(id, '1 min')

    await vi.waitUntil(async () => (await returnsOf(gateway, account)).balance === 0, patience)
  })

  test('that Stripe had begun long ago is found again, and not begun twice', async () => {
    stripe.refundWith({ status: 'pending' })
    const { account, paymentId } = await buy()
    const { id } = await refund(paymentId)
    await gateway.database.query(
      'UPDATE account.payment_refund SET reference = NULL WHERE id = $1',
      [id],
    )
    for (const made of stripe.refundsOf(paymentId)) Object.assign(made, { status: 'succeeded' })

    await askAgain(id, '13 h')

    await vi.waitUntil(async () => (await returnsOf(gateway, account)).balance === 0, patience)
    expect(stripe.refundsOf(paymentId)).toHaveLength(1)
  })

  test('that Stripe refuses has failed, and its cents can be refunded again', async () => {
    stripe.refundWith({ error: 'charge_disputed' })
    const { account, paymentId } = await buy()

    expect(await refund(paymentId)).toMatchObject({ amountCents: 4500, status: 'failed' })
    stripe.refundWith({ status: 'succeeded' })
    expect(await refund(paymentId)).toMatchObject({ amountCents: 4500, status: 'succeeded' })

    expect((await returnsOf(gateway, account)).balance).toBe(0)
  })
})
