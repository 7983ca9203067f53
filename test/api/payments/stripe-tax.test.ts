import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { storeMethod } from '../../support/payments/stored-method.ts'
import { type StripeStub, startStripeStub } from '../../support/stubs/stripe-stub.ts'
import { patience } from '../../support/time/patience.ts'

let stripe: StripeStub
let gateway: TestGateway
beforeAll(async () => {
  stripe = await startStripeStub()
  gateway = await startTestGateway({
    PAYMENTS: 'stripe',
    STRIPE_SECRET_KEY: 'sk_test_of_the_test',
    STRIPE_WEBHOOK_SECRET: 'whsec_of_the_test',
    STRIPE_API_URL: stripe.url,
    STRIPE_TAX: 'on',
  })
})
afterAll(async () => {
  await expectExactBooks(gateway)
  await gateway.close()
  await stripe.close()
})

let cities = 0

interface Buyer {
  readonly account: TestAccount
  /** No other buyer is there: it names the questions about the buyer. */
  readonly city: string
}

async function settle({ liveKey }: TestAccount, details: object): Promise<void> {
  const options = { method: 'PUT', key: liveKey, body: details }
  expect((await gateway.live.request('/v1/billing/details', options)).status).toBe(200)
}

function detailsIn(city: string, country = 'DE', tax_id = 'DE136695976') {
  const address = { line1: 'Unter den Linden 1', city, postal_code: '10117' }
  return { name: 'Acme GmbH', address, country, tax_id }
}

async function buyer(
  options: { country?: string; taxId?: string; city?: string } = {},
): Promise<Buyer> {
  cities += 1
  const { city = `Berlin ${cities}`, country, taxId } = options
  const account = await gateway.createAccount({ credits: 0, subscriptionTier: 'pro_sub' })
  await settle(account, detailsIn(city, country, taxId))
  return { account, city }
}

function buy({ liveKey }: TestAccount, payment_method?: string) {
  const order = { package_id: 'pack_starter', payment_method }
  return gateway.live.post('/v1/billing/checkout', order, liveKey)
}

async function invoicesOf({ liveKey }: TestAccount) {
  const { status, body } = await gateway.live.get('/v1/billing/invoices', liveKey)
  expect(status).toBe(200)
  return Object(body).items
}

const taxed = { price_cents: 1000, tax_cents: 190, total_cents: 1190 }
const untaxed = { price_cents: 1000, tax_cents: 0, total_cents: 1000 }

describe('STRIPE_TAX=on', () => {
  test('asks Stripe for the tax of a page, by the billing details; page and checkout have the total', async () => {
    const { account, city } = await buyer()

    const { status, body } = await buy(account)

    expect([status, body]).toEqual([201, expect.objectContaining(taxed)])
    const [asked, ...again] = stripe.taxQuotesOf(city)
    expect(again).toEqual([])
    expect(asked?.params).toEqual({
      currency: 'usd',
      'line_items[0][amount]': '1000',
      'line_items[0][reference]': 'credits',
      'line_items[0][tax_behavior]': 'exclusive',
      'customer_details[address][country]': 'DE',
      'customer_details[address][line1]': 'Unter den Linden 1',
      'customer_details[address][city]': city,
      'customer_details[address][postal_code]': '10117',
      'customer_details[address_source]': 'billing',
      'customer_details[tax_ids][0][type]': 'eu_vat',
      'customer_details[tax_ids][0][value]': 'DE136695976',
    })
    const [session] = stripe.sessionsOf(Object(body).id)
    expect(session).toMatchObject({ amount_total: 1190 })
  })

  test('collects the total by a stored card, names the quote to Stripe, and the invoice has the tax', async () => {
    const { account } = await buyer()
    const method = await storeMethod(gateway, account, 'pm_card')

    const { body } = await buy(account, method)

    expect(body).toMatchObject({ status: 'paid', ...taxed })
    const [intent] = stripe.requestsOf(account.id, 'POST /v1/payment_intents')
    expect(intent?.params).toMatchObject({
      amount: '1190',
      'hooks[inputs][tax][calculation]': expect.stringMatching(/^taxcalc_\d+$/),
    })
    expect(await invoicesOf(account)).toMatchObject([
      { status: 'paid', total_cents: 1190, tax_cents: 190 },
    ])
    const snapshots = await gateway.database.query(
      'SELECT tax FROM account.invoice WHERE account_id = $1',
      [account.id],
    )
    expect(snapshots).toEqual([
      {
        tax: {
          ...{ country: 'DE', ratePercent: 19, isReverseCharge: false, taxId: 'DE136695976' },
          quote: intent?.params['hooks[inputs][tax][calculation]'],
        },
      },
    ])
  })

  test('leaves the tax to a buyer of whom Stripe says so', async () => {
    const { account } = await buyer({ country: 'FR', taxId: 'FR40303265045' })
    const method = await storeMethod(gateway, account, 'pm_card')

    const { body } = await buy(account, method)

    expect(body).toMatchObject({ status: 'paid', ...untaxed })
    const snapshots = await gateway.database.query(
      `SELECT tax->>'isReverseCharge' AS reverse FROM account.invoice WHERE account_id = $1`,
      [account.id],
    )
    expect(snapshots).toEqual([{ reverse: 'true' }])
  })

  test('asks nothing without a country, and nothing in the sandbox: then there is no tax', async () => {
    const account = await gateway.createAccount({ credits: 0 })
    const before = stripe.received.filter(({ route }) => route.includes('/tax/')).length
    const { account: german, city } = await buyer()
    const order = { package_id: 'pack_starter', payment_method: 'simulated' }

    expect((await buy(account)).body).toMatchObject(untaxed)
    const sandbox = await gateway.sandbox.post('/v1/billing/checkout', order, german.sandboxKey)

    expect(sandbox).toMatchObject({ status: 201, body: untaxed })
    expect(stripe.taxQuotesOf(city)).toEqual([])
    expect(stripe.received.filter(({ route }) => route.includes('/tax/'))).toHaveLength(before)
  })

  test('begins nothing while Stripe does not answer', async () => {
    const { account } = await buyer({ city: 'Offline' })

    expectError(gateway, await buy(account), {
      status: 503,
      code: 'SERVICE_UNAVAILABLE',
      message: 'The tax cannot be computed at the moment. Nothing was bought.',
    })

    const list = await gateway.live.get('/v1/billing/checkouts', account.liveKey)
    expect(list.body).toEqual({ items: [], next_cursor: null })
  })

  test('taxes an address that Stripe cannot place by the price list', async () => {
    const { account } = await buyer({ city: 'Nowhere' })

    expect(await buy(account)).toMatchObject({ status: 201, body: untaxed })
  })

  const setUp = { enabled: true, threshold_credits: 500, package_id: 'pack_starter' }

  function recharge({ liveKey: key }: TestAccount, body: object) {
    return gateway.live.request('/v1/account/auto-recharge', { method: 'PATCH', key, body })
  }

  /** Waits for this balance, and this state of recharging. */
  async function recharged({ liveKey }: TestAccount, current_balance: number, state: object) {
    await vi.waitFor(
      async () => {
        const { body } = await gateway.live.get('/v1/account/billing', liveKey)
        expect(body).toMatchObject({ current_balance, auto_recharge: state })
      },
      { ...patience, interval: 200 },
    )
  }

  /** A buyer whose default is a card that Stripe keeps. */
  async function buyerWithCard(): Promise<Buyer> {
    const one = await buyer()
    await gateway.database.query(
      `INSERT INTO account.auto_recharge (account_id, environment, payment_method)
       VALUES ($1, 'live', 'pm_card')`,
      [one.account.id],
    )
    return one
  }

  test.each([1000, 1189])('refuses a cap of recharges that is below the total: %s', async (cap) => {
    const { account } = await buyerWithCard()
    const off = await recharge(account, { ...setUp, enabled: false, monthly_cap_cents: 1190 })
    expect(off.status).toBe(200)

    const refused = await recharge(account, { enabled: true, monthly_cap_cents: cap })

    const message = "must be at least 1190, the package's price with tax"
    expectError(gateway, refused, {
      ...{ status: 422, code: 'INVALID_REQUEST', message: `monthly_cap_cents: ${message}` },
      details: [{ field: 'monthly_cap_cents', in: 'body', message }],
    })
    const { body } = await gateway.live.get('/v1/account/billing', account.liveKey)
    expect(Object(body).auto_recharge).toEqual(off.body)
  })

  test('recharges within a cap that is the total', async () => {
    const { account } = await buyerWithCard()

    const on = await recharge(account, { ...setUp, monthly_cap_cents: 1190 })

    expect([on.status, Object(on.body).missing]).toEqual([200, []])
    await recharged(account, 1000, { state: 'idle', failure_reason: null })
    expect(await invoicesOf(account)).toMatchObject([{ total_cents: 1190, tax_cents: 190 }])
  })

  test('suspends recharging whose cap no longer covers the total, and says so', async () => {
    const { account, city } = await buyerWithCard()
    await settle(account, { ...detailsIn(city, 'FR', 'FR40303265045') })
    const on = { ...setUp, monthly_cap_cents: 1189 }
    expect((await recharge(account, { ...on, enabled: false })).status).toBe(200)
    await settle(account, detailsIn(city))
    await gateway.database.query(
      'UPDATE account.auto_recharge SET enabled = true WHERE account_id = $1',
      [account.id],
    )

    await recharged(account, 0, {
      state: 'suspended',
      failure_reason: 'The monthly cap is below the price of the package with tax.',
    })
    const raised = await recharge(account, { monthly_cap_cents: 1190 })

    expect(raised).toMatchObject({ status: 200, body: { state: 'idle', failure_reason: null } })
    await recharged(account, 1000, { state: 'idle', failure_reason: null })
    expect(await invoicesOf(account)).toMatchObject([{ total_cents: 1190 }])
  })

  test('counts in the forecast how many recharges the cap permits with tax, or without it while Stripe does not answer', async () => {
    const { account } = await buyerWithCard()
    const { id: accountId, liveKey } = account
    await gateway.graphql(
      'mutation ($input: GrantCreditsInput!) { grantCredits(input: $input) { id } }',
      { input: { accountId, credits: 5000, reason: 'Test', idempotencyKey: 'up' } },
    )
    const left = async () => {
      const { status, body } = await gateway.live.get('/v1/account/forecast', liveKey)
      expect(status).toBe(200)
      return Object(body).drivers.auto_recharge.left_this_month
    }

    expect((await recharge(account, { ...setUp, monthly_cap_cents: 3000 })).status).toBe(200)
    const taxed = await left()
    await settle(account, detailsIn('Offline'))
    const unknown = await left()

    expect([taxed, unknown]).toEqual([2, 3])
  })

  test('turns recharging off, and lowers a threshold, while Stripe does not answer', async () => {
    const { account } = await buyerWithCard()
    const on = { ...setUp, threshold_credits: 2, monthly_cap_cents: 1190 }
    const { id: accountId } = account
    const input = { accountId, credits: 5, reason: 'Test', idempotencyKey: 'up' }
    await gateway.graphql(
      'mutation ($input: GrantCreditsInput!) { grantCredits(input: $input) { id } }',
      { input },
    )
    expect((await recharge(account, on)).status).toBe(200)
    await settle(account, detailsIn('Offline'))

    const capped = await recharge(account, { monthly_cap_cents: 1200 })
    // What cannot leave the cap below the price asks for no tax.
    const lowered = await recharge(account, { enabled: true, threshold_credits: 1 })
    expect(lowered).toMatchObject({ status: 200, body: { threshold_credits: 1 } })
    const off = await recharge(account, { enabled: false })

    const message = 'The tax cannot be computed at the moment. Nothing was bought.'
    expectError(gateway, capped, { status: 503, code: 'SERVICE_UNAVAILABLE', message })
    expect(off).toMatchObject({ status: 200, body: { enabled: false, monthly_cap_cents: 1190 } })
  })

  test('is in the invoice of a renewal from its beginning, and is what its payment collects', async () => {
    const { account } = await buyer()
    await storeMethod(gateway, account, 'pm_card')
    await gateway.database.query(
      `INSERT INTO account.auto_recharge (account_id, environment, payment_method)
       VALUES ($1, 'live', 'pm_card')`,
      [account.id],
    )

    await gateway.database.query(
      `UPDATE account.subscription SET anchor_at = now() - period,
         current_period_start = now() - period, current_period_end = now()
       WHERE account_id = $1 AND environment = 'live'`,
      [account.id],
    )

    await vi.waitFor(async () => {
      expect(await invoicesOf(account)).toMatchObject([
        { status: 'paid', total_cents: 4641, tax_cents: 741 },
      ])
    }, patience)
    const [intent] = stripe.requestsOf(account.id, 'POST /v1/payment_intents')
    expect(intent?.params.amount).toBe('4641')
    const created = await gateway.database.query(
      `SELECT data->'total_cents' AS total, data->>'status' AS status FROM account.event
       WHERE account_id = $1 AND type = 'invoice.created'`,
      [account.id],
    )
    expect(created).toEqual([{ total: 4641, status: 'open' }])
  })

  test('waits with a renewal while Stripe does not answer, and renews afterwards', async () => {
    const { account } = await buyer({ city: 'Offline' })
    await gateway.database.query(
      `UPDATE account.subscription SET anchor_at = now() - period,
         current_period_start = now() - period, current_period_end = now()
       WHERE account_id = $1 AND environment = 'live'`,
      [account.id],
    )
    const asked = stripe.taxQuotesOf('Offline').length
    await vi.waitUntil(() => stripe.taxQuotesOf('Offline').length > asked, patience)
    expect(await invoicesOf(account)).toEqual([])

    await settle(account, detailsIn(`Berlin ${account.id}`))

    await vi.waitFor(async () => {
      // The next attempt is due in seconds.
      await gateway.database.query(
        `UPDATE jobs.job SET start_after = now()
         WHERE name = 'TurnSubscription' AND state = 'retry' AND data ->> 'accountId' = $1`,
        [account.id],
      )
      expect(await invoicesOf(account)).toMatchObject([{ total_cents: 4641, tax_cents: 741 }])
    }, patience)
  })
})
