import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { notifySimulated, taken } from '../../support/gateway/payment-returns.ts'
import {
  changePlan,
  passTime,
  payBy,
  planBooksOf,
  previewPlan,
  quoteFor,
} from '../../support/gateway/plans.ts'
import { press } from '../../support/payments/payer.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
  gateway.requireConformity()
})
afterAll(async () => {
  await expectExactBooks(gateway)
  await gateway.close()
})

const path = '/v1/account/subscription'
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

const onPro = () =>
  gateway.createAccount({ tier: 'STARTER', subscriptionTier: 'pro_sub', credits: 7 })

/** An account that never had a subscription. */
async function withoutPlan(): Promise<TestAccount> {
  const { createAccount } = Object(
    await gateway.graphql(
      `mutation ($input: CreateAccountInput!) {
        createAccount(input: $input) { account { id } liveKey sandboxKey }
      }`,
      { input: { name: 'Test', email: 'test@example.com', credits: 7 } },
    ),
  )
  const { account, liveKey, sandboxKey } = createAccount
  return { id: account.id, liveKey, sandboxKey }
}

const plans = [
  { tier: 'pro_sub', name: 'Pro', price_cents: 3900, monthly_credits: 5000, rate_limit_rps: 25 },
  {
    ...{ tier: 'business_sub', name: 'Business', price_cents: 14_900 },
    ...{ monthly_credits: 25_000, rate_limit_rps: 50 },
  },
  {
    ...{ tier: 'enterprise_sub', name: 'Enterprise', price_cents: 59_900 },
    ...{ monthly_credits: 120_000, rate_limit_rps: 100 },
  },
]

describe('GET /v1/billing/plans', () => {
  test('lists price, allowance and rate limit of each plan, and the plan of the account', async () => {
    const { liveKey } = await onPro()

    const { status, body } = await gateway.live.get('/v1/billing/plans', liveKey)

    expect(status).toBe(200)
    expect(body).toEqual({
      currency: 'USD',
      plans,
      subscription: {
        ...{ tier: 'pro_sub', status: 'active', monthly_credits: 5000 },
        ...{ current_period_start: instant, current_period_end: instant },
        ...{ cancel_at_period_end: false, canceled_at: null },
      },
      pending_change: null,
      contact_url: null,
    })
  })

  test('needs billing:read', async () => {
    const { id } = await onPro()
    const { plaintext } = await gateway.createKey(id, { scopes: ['account:read'] })

    const response = await gateway.live.get('/v1/billing/plans', plaintext)

    expectError(gateway, response, { status: 403, code: 'FORBIDDEN' })
  })
})

describe('POST /v1/account/subscription/preview', () => {
  test('shows the share of an upgrade that is left, rounded, and changes nothing', async () => {
    const account = await onPro()
    await passTime(gateway, account, '10 days 3 hours 7 minutes 11 seconds')
    const before = await planBooksOf(gateway, account)

    const { status, body } = await previewPlan(gateway, account, { tier: 'business_sub' })

    expect(status).toBe(200)
    const { seconds_left: left, period_seconds: whole, as_of: asOf, renews_at: end } = Object(body)
    expect(left).toBe(Math.floor((Date.parse(end) - Date.parse(asOf)) / 1000))
    expect(body).toEqual({
      ...{ kind: 'upgrade', tier: 'business_sub', from_tier: 'pro_sub', when: 'now' },
      ...{ effective_at: null, as_of: expect.stringMatching(/\.000Z$/) },
      ...{ seconds_left: left, period_seconds: whole },
      due_cents: Math.ceil((11_000 * left) / whole),
      ...{ tax_cents: 0, total_cents: Math.ceil((11_000 * left) / whole), currency: 'USD' },
      granted_credits: Math.floor((20_000 * left) / whole),
      ...{ renewal_cents: 14_900, renews_at: instant },
      ...{ monthly_credits: 25_000, rate_limit_rps: 50 },
      ...{ quote_id: expect.stringMatching(/^quo_/), quote_expires_at: instant },
    })
    expect(await planBooksOf(gateway, account)).toEqual(before)
  })

  test('of a start shows a whole period', async () => {
    const account = await withoutPlan()

    const { status, body } = await previewPlan(gateway, account, { tier: 'pro_sub' })

    expect(status).toBe(200)
    const { seconds_left, period_seconds } = Object(body)
    expect(seconds_left).toBe(period_seconds)
    expect(body).toMatchObject({
      ...{ kind: 'start', tier: 'pro_sub', from_tier: null, when: 'now' },
      ...{ due_cents: 3900, total_cents: 3900, granted_credits: 5000 },
    })
  })

  test('of a lower plan costs nothing, and names the end of the period', async () => {
    const account = await gateway.createAccount()

    const { status, body } = await previewPlan(gateway, account, { tier: 'pro_sub' })

    expect(status).toBe(200)
    const { renews_at: end } = Object(body)
    expect(body).toMatchObject({
      ...{ kind: 'downgrade', when: 'period_end', effective_at: end, due_cents: 0 },
      ...{ total_cents: 0, granted_credits: 0, renewal_cents: 3900, quote_id: null },
    })
  })

  test('shows tax and total by the billing details; a later change of them ends the quote', async () => {
    const account = await onPro()
    const { body } = await previewPlan(gateway, account, { tier: 'business_sub' })
    const { quote_id } = Object(body)
    const details = {
      name: 'Example',
      country: 'LU',
      address: { line1: '1 Street', city: 'Luxembourg', postal_code: 'L-1111' },
    }
    const changed = await gateway.live.request('/v1/billing/details', {
      ...{ method: 'PUT', body: details, key: account.liveKey },
    })
    expect(changed.status).toBe(200)

    const response = await gateway.live.post(
      ...([path, { tier: 'business_sub', quote_id }, account.liveKey] as const),
    )

    expectError(gateway, response, { status: 409, code: 'CONFLICT' })
  })

  test.each([
    [
      'a lower plan now',
      'pro_sub',
      'now',
      'must be period_end: a lower plan begins with the next period',
    ],
    [
      'a higher plan at the end of the period',
      'enterprise_sub',
      'period_end',
      'must be now: the plan rises once it is paid',
    ],
  ])('refuses %s with 422', async (_, tier, when, message) => {
    const account = await gateway.createAccount({ subscriptionTier: 'business_sub' })

    const preview = await previewPlan(gateway, account, { tier, when })
    const change = await gateway.live.post(path, { tier, when }, account.liveKey)

    for (const response of [preview, change]) {
      const details = [{ field: 'when', in: 'body', message } as const]
      expectError(gateway, response, {
        ...{ status: 422, code: 'INVALID_REQUEST', message: `when: ${message}`, details },
      })
    }
  })

  test('answers with an idempotency key too', async () => {
    const account = await onPro()
    const options = {
      ...{ method: 'POST', body: { tier: 'business_sub' }, key: account.liveKey },
      headers: { 'idempotency-key': 'preview' },
    }

    const first = await gateway.live.request(`${path}/preview`, options)
    const again = await gateway.live.request(`${path}/preview`, options)

    expect(first.status).toBe(200)
    expect(again.body).toEqual(first.body)
  })
})

describe('POST /v1/account/subscription', () => {
  test('raises the plan once it is paid: limit, credits, invoice, events', async () => {
    const account = await onPro()
    await passTime(gateway, account, '9 days')
    const { body: preview } = await previewPlan(gateway, account, { tier: 'business_sub' })
    const { quote_id, due_cents, granted_credits, renews_at } = Object(preview)

    const response = await gateway.live.post(
      ...([path, { tier: 'business_sub', when: 'now', quote_id }, account.liveKey] as const),
    )

    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      ...{ status: 'applied', kind: 'upgrade', tier: 'business_sub', from_tier: 'pro_sub' },
      ...{ effective_at: instant, payment_id: expect.stringMatching(/^pay_/), action_url: null },
      ...{ due_cents, tax_cents: 0, total_cents: due_cents, currency: 'USD', granted_credits },
      subscription: expect.objectContaining({
        tier: 'business_sub',
        current_period_end: renews_at,
      }),
    })
    const { body } = await gateway.live.get('/v1/account', account.liveKey)
    expect(body).toMatchObject({ subscription_tier: 'business_sub', rate_limit_rps: 50 })
    expect(await planBooksOf(gateway, account)).toEqual({
      ...{ tier: 'business_sub', next_tier: null, status: 'active', upgrades: 1 },
      ...{ subscription_tier: 'business_sub', balance: 7 + granted_credits },
      payments: [
        { kind: 'plan', status: 'paid', price_cents: due_cents, credits: granted_credits },
      ],
    })
    const lots = await gateway.database.query<{ expires_at: Date }>(
      `SELECT expires_at FROM account.lot WHERE account_id = $1 AND payment_id = $2`,
      [account.id, Object(response.body).payment_id],
    )
    expect(lots.map(({ expires_at }) => expires_at.toISOString())).toEqual([renews_at])
    const invoices = await gateway.live.get('/v1/billing/invoices', account.liveKey)
    expect(Object(invoices.body).items).toMatchObject([
      {
        ...{ status: 'paid', total_cents: due_cents, credits: granted_credits },
        description: expect.stringMatching(/^Upgrade from Pro to Business from \d{4}-\d\d-\d\d$/),
      },
    ])
    const events = await gateway.database.query(
      `SELECT type FROM account.event WHERE account_id = $1 AND environment = 'live' ORDER BY id`,
      [account.id],
    )
    expect(events.map((event) => Object(event).type)).toEqual([
      ...['subscription.changed', 'credits.granted', 'invoice.created', 'invoice.paid'],
    ])
  })

  test('starts a subscription, whose first period is paid and has its allowance', async () => {
    const account = await withoutPlan()

    const response = await changePlan(gateway, account, 'pro_sub')

    expect(response.status).toBe(200)
    expect(response.body).toMatchObject({
      ...{ status: 'applied', kind: 'start', from_tier: null, due_cents: 3900 },
      subscription: { tier: 'pro_sub', status: 'active' },
    })
    expect(await planBooksOf(gateway, account)).toMatchObject({
      ...{ tier: 'pro_sub', status: 'active', upgrades: 0, subscription_tier: 'pro_sub' },
      ...{ balance: 5007, payments: [{ kind: 'plan', status: 'paid', price_cents: 3900 }] },
    })
    const { body } = await gateway.live.get('/v1/account', account.liveKey)
    expect(body).toMatchObject({ subscription_tier: 'pro_sub', rate_limit_rps: 25 })
  })

  test('is a conflict for a start while a subscription runs or ends', async () => {
    const account = await withoutPlan()
    const quote_id = await quoteFor(gateway, account, 'pro_sub')
    const start = () => gateway.live.post(path, { tier: 'pro_sub', quote_id }, account.liveKey)
    expect(await start()).toMatchObject({ status: 200 })

    expectError(gateway, await start(), { status: 409, code: 'CONFLICT' })
    await gateway.live.request(`${path}/cancel`, { method: 'POST', key: account.liveKey })
    expectError(gateway, await start(), { status: 409, code: 'CONFLICT' })
    expect((await planBooksOf(gateway, account)).balance).toBe(5007)
  })

  test('needs a quote for a higher plan, of this account, plan and time', async () => {
    const [account, other] = [await onPro(), await onPro()]
    const foreign = await quoteFor(gateway, other, 'business_sub')
    const ofAnother = await quoteFor(gateway, account, 'enterprise_sub')
    const late = await quoteFor(gateway, account, 'business_sub')
    const order = (quote_id?: string) =>
      gateway.live.post(path, { tier: 'business_sub', quote_id }, account.liveKey)

    expectError(gateway, await order(), {
      ...{ status: 422, code: 'INVALID_REQUEST' },
      message: 'quote_id: is required: a preview has one',
      details: [{ field: 'quote_id', in: 'body', message: 'is required: a preview has one' }],
    })
    for (const quoteId of [foreign, ofAnother, `${late}x`, 'quo_x', 'x']) {
      expectError(gateway, await order(quoteId), { status: 409, code: 'CONFLICT' })
    }
    expect((await planBooksOf(gateway, account)).payments).toEqual([])
  })

  test('leaves everything as it is if the card is declined, and says so again to a retry', async () => {
    const account = await onPro()
    await payBy(gateway, account, 'simulated_declined')
    const before = await planBooksOf(gateway, account)
    const quote_id = await quoteFor(gateway, account, 'business_sub')
    const options = {
      ...{ method: 'POST', body: { tier: 'business_sub', quote_id }, key: account.liveKey },
      headers: { 'idempotency-key': 'declined' },
    }

    const first = await gateway.live.request(path, options)
    await payBy(gateway, account, 'simulated')
    const again = await gateway.live.request(path, options)

    for (const response of [first, again]) {
      expectError(gateway, response, {
        ...{ status: 402, code: 'PAYMENT_DECLINED' },
        message: 'The payment was not collected, and the plan is as it was. The card was declined.',
      })
    }
    expect(await planBooksOf(gateway, account)).toEqual({
      ...before,
      payments: [expect.objectContaining({ kind: 'plan', status: 'failed' })],
    })
    expect(await changePlan(gateway, account, 'business_sub')).toMatchObject({ status: 200 })
  })

  test('happens once for one idempotency key', async () => {
    const account = await onPro()
    const quote_id = await quoteFor(gateway, account, 'business_sub')
    const options = {
      ...{ method: 'POST', body: { tier: 'business_sub', quote_id }, key: account.liveKey },
      headers: { 'idempotency-key': 'once' },
    }

    const answers = await Promise.all(
      Array.from({ length: 5 }, () => gateway.live.request(path, options)),
    )

    const done = answers.filter(({ status }) => status === 200)
    expect(done.length).toBeGreaterThanOrEqual(1)
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true)
    expect(await planBooksOf(gateway, account)).toMatchObject({
      ...{ tier: 'business_sub', upgrades: 1, payments: [{ status: 'paid' }] },
    })
  })

  test('waits for a payment that has to be confirmed; another change is a conflict until then', async () => {
    const account = await onPro()
    await payBy(gateway, account, 'simulated_authenticate')

    const response = await changePlan(gateway, account, 'business_sub')

    expect(response.body).toMatchObject({
      ...{ status: 'pending_payment', effective_at: null, subscription: { tier: 'pro_sub' } },
      action_url: expect.stringContaining('/billing/simulated'),
    })
    const { payment_id, action_url } = Object(response.body)
    const { body } = await gateway.live.get('/v1/billing/plans', account.liveKey)
    expect(Object(body).pending_change).toEqual({
      ...{ status: 'pending_payment', tier: 'business_sub', effective_at: null },
      ...{ payment_id, action_url },
    })
    for (const tier of ['business_sub', 'enterprise_sub']) {
      expectError(gateway, await previewPlan(gateway, account, { tier }), {
        ...{ status: 409, code: 'CONFLICT' },
        message: 'A change of the plan waits for its payment.',
      })
    }
    await press(action_url, 'confirm')
    await vi.waitFor(async () => {
      expect(await planBooksOf(gateway, account)).toMatchObject({ tier: 'business_sub' })
    }, patience)
  })

  test('costs and grants nothing where the provider collects no such amount, and rises at once', async () => {
    const account = await onPro()
    const [period] = await gateway.database.query<{ rest: string }>(
      `SELECT (current_period_end - now() - interval '60 s')::text AS rest
       FROM account.subscription WHERE account_id = $1 AND environment = 'live'`,
      [account.id],
    )
    await passTime(gateway, account, period?.rest ?? '')
    const { body } = await previewPlan(gateway, account, { tier: 'business_sub' })
    const { quote_id, as_of } = Object(body)
    expect(body).toMatchObject({
      ...{ due_cents: 0, total_cents: 0, granted_credits: 0, effective_at: as_of },
    })

    const response = await gateway.live.post(
      ...([path, { tier: 'business_sub', quote_id }, account.liveKey] as const),
    )

    expect(response.body).toMatchObject({ status: 'applied', payment_id: null, due_cents: 0 })
    expect(await planBooksOf(gateway, account)).toMatchObject({
      ...{ tier: 'business_sub', upgrades: 1, balance: 7, payments: [] },
    })
  })

  test('lowers the plan with the next period, which costs the lower price', async () => {
    const account = await gateway.createAccount({ subscriptionTier: 'enterprise_sub', credits: 7 })
    const response = await changePlan(gateway, account, 'pro_sub')
    expect(response.body).toMatchObject({
      ...{ status: 'scheduled', kind: 'downgrade', payment_id: null },
      subscription: { tier: 'enterprise_sub', status: 'active' },
    })
    const { body } = await gateway.live.get('/v1/billing/plans', account.liveKey)
    expect(Object(body).pending_change).toMatchObject({ status: 'scheduled', tier: 'pro_sub' })

    await passTime(gateway, account, '31 days')
    await gateway.database.query(
      `UPDATE account.subscription SET current_period_end = now() WHERE account_id = $1
         AND environment = 'live' AND current_period_end > now()`,
      [account.id],
    )

    await vi.waitFor(async () => {
      expect(await planBooksOf(gateway, account)).toEqual({
        ...{ tier: 'pro_sub', next_tier: null, status: 'active', upgrades: 0 },
        ...{ subscription_tier: 'pro_sub', balance: 5007 },
        payments: [{ kind: 'subscription', status: 'paid', price_cents: 3900, credits: 5000 }],
      })
    }, patience)
  })

  test('a lower plan and a cancellation replace each other', async () => {
    const account = await gateway.createAccount({ subscriptionTier: 'enterprise_sub' })
    const cancel = () =>
      gateway.live.request(`${path}/cancel`, { method: 'POST', key: account.liveKey })
    await changePlan(gateway, account, 'business_sub')
    expect(await cancel()).toMatchObject({ status: 200 })
    expect(await planBooksOf(gateway, account)).toMatchObject({
      ...{ status: 'scheduled_to_cancel', next_tier: null },
    })

    expect(await changePlan(gateway, account, 'pro_sub')).toMatchObject({ status: 200 })

    expect(await planBooksOf(gateway, account)).toMatchObject({
      ...{ status: 'active', next_tier: 'pro_sub', tier: 'enterprise_sub' },
    })
    expect(await changePlan(gateway, account, 'business_sub')).toMatchObject({ status: 200 })
    expect(await planBooksOf(gateway, account)).toMatchObject({ next_tier: 'business_sub' })
  })

  test('keeps the present plan after all; a higher one is a conflict until then', async () => {
    const account = await gateway.createAccount({ subscriptionTier: 'business_sub' })
    await changePlan(gateway, account, 'pro_sub')
    const refused = await previewPlan(gateway, account, { tier: 'enterprise_sub' })
    expectError(gateway, refused, { status: 409, code: 'CONFLICT' })

    const kept = await changePlan(gateway, account, 'business_sub')

    expect(kept.body).toMatchObject({ status: 'applied', kind: 'keep' })
    expect(await planBooksOf(gateway, account)).toMatchObject({ next_tier: null })
    expectError(gateway, await changePlan(gateway, account, 'business_sub'), {
      ...{ status: 409, code: 'CONFLICT', message: 'This is the plan of the account.' },
    })
  })

  test('keeps the present plan at once, as its preview says, whatever time is asked for', async () => {
    for (const when of ['now', 'period_end', undefined]) {
      const account = await gateway.createAccount({ subscriptionTier: 'business_sub' })
      await changePlan(gateway, account, 'pro_sub')
      const order = { tier: 'business_sub', ...(when && { when }) }

      const { status, body: preview } = await previewPlan(gateway, account, order)
      const kept = await gateway.live.post(path, order, account.liveKey)

      expect(status).toBe(200)
      expect(preview).toMatchObject({
        ...{ kind: 'keep', when: 'now', effective_at: Object(preview).as_of, total_cents: 0 },
        quote_id: null,
      })
      expect(kept.status).toBe(200)
      expect(kept.body).toMatchObject({ status: 'applied', kind: 'keep', effective_at: instant })
      const { effective_at } = Object(kept.body)
      expect(Date.parse(effective_at)).toBeLessThan(Date.parse(Object(preview).renews_at))
    }
  })

  test('raises a plan at most three times in a period', async () => {
    const account = await onPro()
    for (const _ of [1, 2, 3]) {
      expect(await changePlan(gateway, account, 'business_sub')).toMatchObject({ status: 200 })
      // A longer price list would have a plan above.
      await gateway.database.query(
        `UPDATE account.subscription SET tier = 'pro_sub' WHERE account_id = $1`,
        [account.id],
      )
    }

    const fourth = await changePlan(gateway, account, 'business_sub')

    expectError(gateway, fourth, {
      ...{ status: 409, code: 'CONFLICT' },
      message: 'The plan has risen 3 times in this period: that is the most.',
    })
  })

  test('takes no payment for a period whose own is not paid', async () => {
    const account = await onPro()
    await payBy(gateway, account, 'simulated_authenticate')
    await gateway.database.query(
      `UPDATE account.subscription SET anchor_at = now() - period,
         current_period_start = now() - period, current_period_end = now()
       WHERE account_id = $1`,
      [account.id],
    )
    await vi.waitFor(async () => {
      expect((await planBooksOf(gateway, account)).payments).toMatchObject([
        { kind: 'subscription', status: 'requires_action' },
      ])
    }, patience)

    expectError(gateway, await changePlan(gateway, account, 'business_sub'), {
      ...{ status: 409, code: 'CONFLICT', message: 'The present period is not paid yet.' },
    })
  })

  test('is a conflict where plans are sold elsewhere, whose address the list of plans has', async () => {
    const contact = 'https://example.com/plans'
    const other = await startTestGateway({ PLANS_CONTACT_URL: contact })
    const account = await other.createAccount({ subscriptionTier: 'pro_sub' })

    const list = await other.live.get('/v1/billing/plans', account.liveKey)
    const preview = await previewPlan(other, account, { tier: 'business_sub' })
    const change = await changePlan(other, account, 'business_sub')

    expect(Object(list.body).contact_url).toBe(contact)
    for (const response of [preview, change]) {
      expectError(other, response, {
        ...{ status: 409, code: 'CONFLICT' },
        message: `Plans are not changed here: ask at ${contact}.`,
      })
    }
    await other.close()
  })

  test('is told by notifications in any order, doubled, once', async () => {
    const account = await onPro()
    await payBy(gateway, account, 'simulated_authenticate')
    const { body } = await changePlan(gateway, account, 'business_sub')
    const { payment_id, granted_credits } = Object(body)
    const success = { payment_id, outcome: { status: 'succeeded', method: 'simulated' } }

    const told = await Promise.all(
      Array.from({ length: 5 }, () => notifySimulated(gateway, success)),
    )
    await notifySimulated(gateway, {
      ...{ payment_id, outcome: { status: 'failed', reason: 'Late.' } },
    })

    for (const answer of told) expect(answer).toMatchObject(taken)
    expect(await planBooksOf(gateway, account)).toMatchObject({
      ...{ tier: 'business_sub', upgrades: 1, balance: 7 + granted_credits },
      payments: [{ status: 'paid' }],
    })
  })
})
