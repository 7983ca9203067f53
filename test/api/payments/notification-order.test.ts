import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { chosen } from '../../support/extent/extent.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { type StripeStub, startStripeStub } from '../../support/stubs/stripe-stub.ts'
import { patience } from '../../support/time/patience.ts'

const secret = 'whsec_of_the_test'

let stripe: StripeStub
let gateway: TestGateway
let other: TestGateway
beforeAll(async () => {
  stripe = await startStripeStub()
  const variables = {
    PAYMENTS: 'stripe',
    STRIPE_SECRET_KEY: 'sk_test_of_the_test',
    STRIPE_WEBHOOK_SECRET: secret,
    STRIPE_API_URL: stripe.url,
  }
  gateway = await startTestGateway(variables)
  other = await startTestGateway(variables, { database: gateway.database })
})
afterAll(async () => {
  await expectExactBooks(gateway)
  await other.close()
  await gateway.close()
  await stripe.close()
})

/** The notifications about one paid page. Each is an object as Stripe sends it: nothing is expanded. */
const notifications = {
  /** `payment_intent.succeeded` */
  intent: (id: string) => ['payment_intent.succeeded', intentOf(id)],
  /** `checkout.session.completed` */
  session: (id: string) => ['checkout.session.completed', sessionOf(id)],
  /** `checkout.session.completed` of a bank that decides later. */
  unpaid: (id: string) => [
    'checkout.session.completed',
    { ...sessionOf(id), payment_status: 'unpaid' },
  ],
  /** `checkout.session.async_payment_succeeded` */
  decided: (id: string) => ['checkout.session.async_payment_succeeded', sessionOf(id)],
  /** `charge.succeeded`, to which the endpoint need not subscribe. */
  charge: (id: string) => [
    'charge.succeeded',
    { ...intentOf(id), id: 'ch_1', object: 'charge', payment_intent: intentOf(id).id },
  ],
} satisfies Record<string, (id: string) => [string, object]>
type Name = keyof typeof notifications

function intentOf(id: string): Record<string, unknown> {
  const { payment_intent: intent } = Object(stripe.sessionsOf(id)[0])
  return { ...intent, payment_method: Object(intent.payment_method).id }
}

function sessionOf(id: string): Record<string, unknown> {
  const session = Object(stripe.sessionsOf(id)[0])
  return { ...session, payment_intent: Object(session.payment_intent).id }
}

function send({ live }: Pick<TestGateway, 'live'>, type: string, object: object) {
  const event = { id: newId('evt'), object: 'event', api_version: Stripe.API_VERSION }
  const payload = JSON.stringify({ ...event, livemode: false, type, data: { object } })
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret })
  const headers = { 'stripe-signature': signature }
  return live.post('/v1/billing/notifications/stripe', payload, undefined, headers)
}

function tell(name: Name, id: string, to = gateway): Promise<TestResponse> {
  const [type, object] = notifications[name](id)
  return send(to, type, object)
}

const taken = { status: 200, body: { received: true } }

/** The id of a checkout of 1000 credits whose payer has paid on the page of Stripe. */
async function payOnPage({ liveKey }: TestAccount): Promise<string> {
  const order = { package_id: 'pack_starter' }
  const { status, body } = await gateway.live.post('/v1/billing/checkout', order, liveKey)
  expect([status, Object(body).status]).toEqual([201, 'requires_action'])
  stripe.payOnPage(Object(body).id)
  return Object(body).id
}

interface Method {
  readonly id: string
  readonly default: boolean
}

async function methodsOf({ liveKey }: Pick<TestAccount, 'liveKey'>): Promise<readonly Method[]> {
  const { status, body } = await gateway.live.get('/v1/billing/payment-methods', liveKey)
  expect(status).toBe(200)
  return Object(body).items
}

/** Everything that one paid page has as its effect. */
async function effectOf({ id: account, liveKey }: TestAccount, id: string): Promise<object> {
  const checkout = await gateway.live.get(`/v1/billing/checkouts/${id}`, liveKey)
  const [stored] = await gateway.database.query<object>(
    `SELECT p.payment_method AS paid_with, p.card, p.provider_reference AS intent,
       (SELECT r.payment_method FROM account.auto_recharge r
         WHERE r.account_id = $1 AND r.environment = 'live') AS recharged_with,
       array(SELECT m.reference FROM account.payment_method m WHERE m.account_id = $1) AS cards,
       array(SELECT delta::int FROM account.ledger_audit
         WHERE account_id = $1 AND kind = 'purchase' ORDER BY seq) AS purchases,
       (SELECT count(*)::int FROM account.invoice WHERE account_id = $1) AS invoices
     FROM account.payment p WHERE p.id = $2`,
    [account, id],
  )
  return { status: Object(checkout.body).status, ...stored, methods: await methodsOf({ liveKey }) }
}

function paidOnce(id: string): object {
  const { id: page } = Object(stripe.sessionsOf(id)[0])
  const card = `pm_of_${page}`
  return {
    ...{ status: 'paid', paid_with: card, recharged_with: card, cards: [card] },
    card: { brand: 'mastercard', last4: '4444', fingerprint: 'Xt5EWLLDS7FJjR1c' },
    ...{ intent: `pi_of_${page}`, purchases: [1000], invoices: 1 },
    methods: [
      {
        id: expect.stringMatching(/^pm_[0-9a-z]{26}$/),
        ...{ brand: 'mastercard', last4: '4444', exp_month: 7, exp_year: 2031, default: true },
        created_at: expect.stringMatching(/Z$/),
      },
    ],
  }
}

/** Every order of some of the names, with at least one that tells of the money. */
function ordersOf(names: readonly Name[]): Name[][] {
  const longer = (order: Name[]): Name[][] => [
    order,
    ...names.filter((name) => !order.includes(name)).flatMap((name) => longer([...order, name])),
  ]
  const tellsOfMoney = new Set<Name>(['intent', 'session', 'decided'])
  return longer([]).filter((order) => order.some((name) => tellsOfMoney.has(name)))
}

const orders = [
  ...ordersOf(['intent', 'session', 'charge']),
  ...ordersOf(['intent', 'unpaid', 'decided']),
]
const cases = orders.flatMap((order) => [order, order.flatMap((name) => [name, name])])

describe('POST /v1/billing/notifications/stripe of a paid page', () => {
  test.each(chosen('orders', cases, 4).map((order) => [order.join(', '), order] as const))(
    'told by %s: the card is stored once and is the default, and the credits come once',
    async (_, order) => {
      const account = await gateway.createAccount({ credits: 7 })
      const id = await payOnPage(account)

      for (const name of order) expect(await tell(name, id)).toMatchObject(taken)

      expect(await effectOf(account, id)).toEqual(paidOnce(id))
    },
  )

  test.each(chosen('at once', orders, 2).map((order) => [order.join(', '), order] as const))(
    'told by %s at once, twice to each of two gateways, has the same effect',
    async (_, order) => {
      const account = await gateway.createAccount({ credits: 7 })
      const id = await payOnPage(account)

      const told = order.flatMap((name) =>
        [gateway, other, gateway, other].map((to) => tell(name, id, to)),
      )
      for (const answer of await Promise.all(told)) expect(answer).toMatchObject(taken)

      expect(await effectOf(account, id)).toEqual(paidOnce(id))
    },
  )

  test('told by payment_intent.succeeded alone leaves a card that a recharge can use', async () => {
    const account = await gateway.createAccount({ credits: 0 })
    const id = await payOnPage(account)
    expect(await tell('intent', id)).toMatchObject(taken)

    const settings = { enabled: true, threshold_credits: 1000, package_id: 'pack_starter' }
    const { status } = await gateway.live.request('/v1/account/auto-recharge', {
      ...{ method: 'PATCH', key: account.liveKey, body: settings },
    })
    expect(status).toBe(200)
    const search = { query: 'director', limit: 5 }
    const call = await gateway.live.post('/v1/contacts/search', search, account.liveKey)
    expect(call.status).toBe(200)

    await vi.waitFor(async () => {
      const payments = await gateway.database.query(
        `SELECT status, failure_reason AS reason, payment_method AS method FROM account.payment
         WHERE account_id = $1 AND kind = 'auto_recharge'`,
        [account.id],
      )
      const method = `pm_of_${String(sessionOf(id).id)}`
      expect(payments).toEqual([{ status: 'paid', reason: null, method }])
    }, patience)
  })

  test('does not store again a card that its holder has removed', async () => {
    const account = await gateway.createAccount({ credits: 7 })
    await gateway.live.post('/v1/account/subscription/cancel', undefined, account.liveKey)
    const id = await payOnPage(account)
    expect(await tell('intent', id)).toMatchObject(taken)
    const [method] = await methodsOf(account)
    const path = `/v1/billing/payment-methods/${method?.id}`
    const removed = await gateway.live.request(path, { method: 'DELETE', key: account.liveKey })
    expect(removed.status).toBe(200)

    expect(await tell('session', id)).toMatchObject(taken)
    expect(await tell('intent', id)).toMatchObject(taken)

    expect(await methodsOf(account)).toEqual([])
  })

  test('of a page that stores a card only, or of a subscription, gives nothing', async () => {
    const account = await gateway.createAccount({ credits: 7 })
    const id = await payOnPage(account)
    for (const mode of ['setup', 'subscription']) {
      const session = { ...sessionOf(id), mode, payment_status: 'no_payment_required' }
      const page = { ...session, amount_total: null, payment_intent: null }
      expect(await send(gateway, 'checkout.session.completed', page)).toMatchObject(taken)
    }

    expect(await effectOf(account, id)).toMatchObject({ status: 'requires_action', purchases: [] })
  })
})

describe('a card that Stripe could not be asked for', () => {
  /** Each question has two attempts: about the intent, and about the page. */
  const outage = Array.from({ length: 4 }, () => 'error-500' as const)

  /** A paid page whose card is not known yet; the next job asks for it in a quarter of an hour. */
  async function payInOutage(account: TestAccount): Promise<string> {
    const id = await payOnPage(account)
    stripe.failNext(account.id, ...outage)
    expect(await tell('intent', id)).toMatchObject(taken)
    expect(await effectOf(account, id)).toMatchObject({ status: 'paid', purchases: [1000] })
    await vi.waitFor(async () => {
      const jobs = await gateway.database.query(
        `SELECT id FROM jobs.job WHERE name = 'KeepPaidCard' AND data->>'id' = $1
           AND start_after > now() + interval '14 minutes'`,
        [id],
      )
      expect(jobs).toHaveLength(1)
    }, patience)
    return id
  }

  async function askAgain(id: string): Promise<void> {
    await gateway.database.query(
      `UPDATE jobs.job SET start_after = now() WHERE name = 'KeepPaidCard' AND data->>'id' = $1
         AND state < 'active'`,
      [id],
    )
  }

  test('delays no credits while Stripe hangs, and is stored when Stripe answers', async () => {
    const account = await gateway.createAccount({ credits: 7 })
    const id = await payOnPage(account)
    stripe.failNext(account.id, 'hang')
    let isAnswered = false

    const told = tell('intent', id).finally(() => {
      isAnswered = true
    })
    await vi.waitFor(async () => {
      const effect = await effectOf(account, id)
      expect(effect).toMatchObject({ status: 'paid', purchases: [1000], invoices: 1, cards: [] })
    }, patience)
    const wasAnswered = isAnswered

    expect(await told).toMatchObject(taken)
    expect(wasAnswered).toBe(false)
    expect(await effectOf(account, id)).toEqual(paidOnce(id))
  })

  test('is stored by a job, and is the default', async () => {
    const account = await gateway.createAccount({ credits: 7 })
    const id = await payInOutage(account)
    expect(await methodsOf(account)).toEqual([])

    await askAgain(id)

    await vi.waitFor(
      async () => expect(await effectOf(account, id)).toEqual(paidOnce(id)),
      patience,
    )
  })

  test('is stored by the next notification', async () => {
    const account = await gateway.createAccount({ credits: 7 })
    const id = await payInOutage(account)

    expect(await tell('session', id)).toMatchObject(taken)

    expect(await effectOf(account, id)).toEqual(paidOnce(id))
  })

  test('does not become the default in place of one that was chosen later', async () => {
    const account = await gateway.createAccount({ credits: 7 })
    const first = await payInOutage(account)
    const second = await payOnPage(account)
    expect(await tell('session', second)).toMatchObject(taken)
    const [later] = await methodsOf(account)

    expect(await tell('session', first)).toMatchObject(taken)

    const methods = await methodsOf(account)
    expect(methods).toHaveLength(2)
    expect(methods.filter((method) => method.default)).toEqual([later])
  })

  test('is barred if its payment was disputed meanwhile', async () => {
    const account = await gateway.createAccount({ credits: 7 })
    const id = await payInOutage(account)
    const dispute = {
      ...{ id: `dp_of_${id}`, object: 'dispute', amount: 1000, currency: 'usd', metadata: {} },
      ...{ status: 'needs_response', payment_intent: intentOf(id).id },
    }
    expect(await send(gateway, 'charge.dispute.created', dispute)).toMatchObject(taken)

    expect(await tell('session', id)).toMatchObject(taken)

    const [method] = await methodsOf(account)
    const order = { package_id: 'pack_starter', payment_method: method?.id }
    const { status, body } = await gateway.live.post('/v1/billing/checkout', order, account.liveKey)
    const message = 'is barred, because a payment with it was disputed'
    expect([status, Object(body).error.details]).toEqual([
      422,
      [{ field: 'payment_method', in: 'body', message }],
    ])
  })
})

test('a refund or a dispute of a page that failed here is sent again until its payment is told', async () => {
  const account = await gateway.createAccount({ credits: 7 })
  const id = await payOnPage(account)
  const failed = { ...sessionOf(id), payment_status: 'unpaid' }
  const declined = await send(gateway, 'checkout.session.async_payment_failed', failed)
  expect(declined).toMatchObject(taken)
  const ofPayment = { currency: 'usd', metadata: {}, payment_intent: intentOf(id).id }
  const refund = { id: `re_of_${id}`, object: 'refund', amount: 1000, status: 'succeeded' }
  const dispute = { id: `dp_of_${id}`, object: 'dispute', amount: 1000, status: 'lost' }

  const early = [
    await send(gateway, 'refund.created', { ...refund, ...ofPayment }),
    await send(gateway, 'charge.dispute.closed', { ...dispute, ...ofPayment }),
  ]
  expect(early.map(({ status }) => status)).toEqual([503, 503])
  expect(await tell('intent', id)).toMatchObject(taken)
  expect(await send(gateway, 'refund.created', { ...refund, ...ofPayment })).toMatchObject(taken)

  const entries = await gateway.database.query(
    `SELECT kind, delta::int AS delta FROM account.ledger_audit WHERE account_id = $1 AND ref LIKE $2
       OR (account_id = $1 AND kind = 'clawback') ORDER BY seq`,
    [account.id, `${id}%`],
  )
  expect(entries).toEqual([
    { kind: 'purchase', delta: 1000 },
    { kind: 'clawback', delta: -1000 },
  ])
})
