import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  buyPackage,
  disputeOf,
  notifySimulated,
  refundOf,
} from '../../support/gateway/payment-returns.ts'
import { changePlan } from '../../support/gateway/plans.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

const instant = expect.stringMatching(/Z$/)
const visa = { brand: 'visa', last4: '4242' }

describe('GET /v1/billing/payments', () => {
  test('lists payments of every source, newest first', async () => {
    const account = await gateway.createAccount({ subscriptionTier: 'pro_sub', credits: 5 })
    const { liveKey } = account
    const checkoutId = await buyPackage(gateway, account)
    const recharge = { enabled: true, threshold_credits: 5000, package_id: 'pack_growth' }
    const options = { method: 'PATCH', body: recharge, key: liveKey }
    expect(await gateway.live.request('/v1/account/auto-recharge', options)).toMatchObject({
      status: 200,
    })
    const list = async () =>
      Object((await gateway.live.get('/v1/billing/payments', liveKey)).body).items
    await vi.waitFor(async () => {
      expect(await list()).toMatchObject([{ source: 'recharge', status: 'paid' }, {}])
    }, patience)
    // After a clawback nothing is recharged before the next charge.
    await notifySimulated(gateway, refundOf(checkoutId, 250))
    const { body } = await changePlan(gateway, account, 'business_sub')
    const { payment_id: planId, total_cents: cents, granted_credits: credits } = Object(body)
    await gateway.database.query(
      `UPDATE account.subscription SET anchor_at = now() - period,
         current_period_start = now() - period, current_period_end = now()
       WHERE account_id = $1 AND environment = 'live'`,
      [account.id],
    )
    await vi.waitFor(async () => {
      expect(await list()).toMatchObject([{ source: 'renewal', status: 'paid' }, {}, {}, {}])
    }, patience)

    const items = await list()

    const paid = {
      ...{ status: 'paid', tax_cents: 0, refunded_cents: 0, currency: 'USD', card: visa },
      ...{ action_url: null, failure_reason: null, invoice_id: expect.stringMatching(/^inv_/) },
      ...{ created_at: instant, settled_at: instant, disputed: false },
    }
    const starter = {
      ...{ description: 'Starter package', credits: 1000, price_cents: 1000, total_cents: 1000 },
    }
    expect(items).toEqual([
      {
        ...{ ...paid, id: expect.stringMatching(/^pay_/), source: 'renewal', credits: 25_000 },
        ...{ description: 'Business subscription', price_cents: 14_900, total_cents: 14_900 },
      },
      {
        ...{ ...paid, id: planId, source: 'plan', description: 'Upgrade to Business' },
        ...{ credits, price_cents: cents, total_cents: cents },
      },
      {
        ...{ ...paid, id: expect.stringMatching(/^pay_/), source: 'recharge', credits: 5000 },
        ...{ description: 'Growth package', price_cents: 4500, total_cents: 4500 },
      },
      { ...paid, ...starter, id: checkoutId, source: 'checkout', refunded_cents: 250 },
    ])
    const one = await gateway.live.get(`/v1/billing/payments/${planId}`, liveKey)
    expect(one).toMatchObject({ status: 200, body: items[1] })
  })

  test('says whether a payment is disputed, until that is decided', async () => {
    const account = await gateway.createAccount()
    const id = await buyPackage(gateway, account)
    const isDisputed = async () => {
      const { body } = await gateway.live.get(`/v1/billing/payments/${id}`, account.liveKey)
      return Object(body).disputed
    }

    await notifySimulated(gateway, disputeOf(id, 1000, 'inquiry'))
    expect(await isDisputed()).toBe(true)
    await notifySimulated(gateway, disputeOf(id, 1000, 'won'))
    expect(await isDisputed()).toBe(false)
  })

  test("hides another account's payment behind NOT_FOUND", async () => {
    const [one, other] = [await gateway.createAccount(), await gateway.createAccount()]
    const paymentId = await buyPackage(gateway, other)

    const foreign = await gateway.live.get(`/v1/billing/payments/${paymentId}`, one.liveKey)
    const missing = await gateway.live.get(`/v1/billing/payments/${newId('pay')}`, one.liveKey)

    for (const response of [foreign, missing]) {
      expectError(gateway, response, {
        ...{ status: 404, code: 'NOT_FOUND', message: 'No payment has this id.' },
      })
    }
    const { body } = await gateway.live.get('/v1/billing/payments', one.liveKey)
    expect(body).toEqual({ items: [], next_cursor: null })
  })
})

describe('GET /v1/billing/checkout/preview', () => {
  test('shows price, tax and total, and buys nothing', async () => {
    const { liveKey } = await gateway.createAccount()

    const { status, body } = await gateway.live.get(
      '/v1/billing/checkout/preview?package_id=pack_growth',
      liveKey,
    )

    expect(status).toBe(200)
    expect(body).toEqual({
      ...{ package_id: 'pack_growth', name: 'Growth', credits: 5000, currency: 'USD' },
      ...{ price_cents: 4500, tax_cents: 0, total_cents: 4500 },
    })
    const payments = await gateway.live.get('/v1/billing/payments', liveKey)
    expect(Object(payments.body).items).toEqual([])
  })

  test('refuses a package that is not on sale', async () => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.get(
      '/v1/billing/checkout/preview?package_id=pack_none',
      liveKey,
    )

    const message = expect.stringMatching(/^must be one of pack_starter, /)
    expectError(gateway, response, {
      ...{ status: 422, code: 'INVALID_REQUEST' },
      details: [{ field: 'package_id', in: 'query', message }],
    })
  })
})

describe('GET /v1/billing/next-recharge', () => {
  const path = '/v1/billing/next-recharge'
  const none = {
    ...{ obstacle: 'off', below_credits: null, package_id: null, credits: null },
    ...{ price_cents: null, tax_cents: null, total_cents: null, currency: 'USD' },
    ...{ spent_cents: 0, monthly_cap_cents: null, earliest_at: null },
  }

  test('says that it is off', async () => {
    const { liveKey } = await gateway.createAccount()
    expect(await gateway.live.get(path, liveKey)).toMatchObject({ status: 200, body: none })
  })

  test('shows what it would buy, or why it would not', async () => {
    const account = await gateway.createAccount({ credits: 50_000 })
    await buyPackage(gateway, account)
    const set = (body: object) =>
      gateway.live.request('/v1/account/auto-recharge', {
        ...{ method: 'PATCH', body, key: account.liveKey },
      })
    await set({ enabled: true, threshold_credits: 100, package_id: 'pack_starter' })

    const { body } = await gateway.live.get(path, account.liveKey)
    expect(body).toEqual({
      ...none,
      ...{ obstacle: null, below_credits: 100, package_id: 'pack_starter', credits: 1000 },
      ...{ price_cents: 1000, total_cents: 1000, tax_cents: 0 },
    })

    await set({ monthly_cap_cents: 1500 })
    await gateway.database.query(
      `UPDATE account.payment SET kind = 'auto_recharge' WHERE account_id = $1`,
      [account.id],
    )
    expect(await gateway.live.get(path, account.liveKey)).toMatchObject({
      body: { obstacle: 'monthly_cap', spent_cents: 1000, monthly_cap_cents: 1500 },
    })
  })

  test('names a negative balance, with which nothing is bought', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 50_000 })
    const set = { enabled: true, threshold_credits: 100, package_id: 'pack_starter' }
    const on = await gateway.live.request('/v1/account/auto-recharge', {
      ...{ method: 'PATCH', body: set, key: liveKey },
    })
    const input = { accountId: id, credits: -50_001, reason: 'Taken back', idempotencyKey: 'back' }
    await gateway.graphql(
      'mutation ($input: AdjustCreditsInput!) { adjustCredits(input: $input) { id } }',
      { input: { ...input, allowNegative: true } },
    )

    const { body } = await gateway.live.get(path, liveKey)

    expect(on.status).toBe(200)
    expect(body).toEqual({
      ...none,
      ...{ obstacle: 'negative_balance', below_credits: 100, package_id: 'pack_starter' },
      ...{ credits: 1000, price_cents: 1000, total_cents: 1000, tax_cents: 0 },
    })
  })
})
