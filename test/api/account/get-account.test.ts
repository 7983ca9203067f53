import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createAccountOnTier } from '../../support/gateway/account-on-tier.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

const instant = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)

describe('GET /v1/account', () => {
  test('shows the stored state of the live account', async () => {
    const { id, liveKey } = await gateway.createAccount({ tier: 'GROWTH', credits: 1234 })

    const response = await gateway.live.get('/v1/account', liveKey)

    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      id,
      name: 'Test',
      email: 'test@example.com',
      tier: 'GROWTH',
      subscription_tier: 'enterprise_sub',
      balance: 1234,
      rate_limit_rps: 100,
      environment: 'live',
      created_at: instant,
    })
  })

  test('shows the sandbox copy with play credits, whatever the live balance', async () => {
    const { id, sandboxKey } = await gateway.createAccount({ tier: 'STARTER', credits: 0 })

    const response = await gateway.sandbox.get('/v1/account', sandboxKey)

    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      id,
      name: 'Test',
      email: 'test@example.com',
      tier: 'STARTER',
      subscription_tier: 'enterprise_sub',
      balance: 100_000,
      rate_limit_rps: 100,
      environment: 'sandbox',
      created_at: instant,
    })
  })

  test('keeps the live rate limit in the sandbox, whatever was bought or cancelled there for play money', async () => {
    const { id, liveKey, sandboxKey } = await gateway.createAccount({
      tier: 'STARTER',
      subscriptionTier: 'pro_sub',
    })
    const order = { package_id: 'pack_scale', payment_method: 'simulated' }
    const bought = await gateway.sandbox.post('/v1/billing/checkout', order, sandboxKey)
    const sandbox = { tier: 'SCALE', environment: 'sandbox', rate_limit_rps: 25 }

    const before = await gateway.sandbox.get('/v1/account', sandboxKey)
    await gateway.database.query(
      `UPDATE account.plan SET subscription_tier = NULL WHERE account_id = $1 AND environment = 'sandbox'`,
      [id],
    )
    await vi.waitFor(async () => {
      const after = await gateway.sandbox.get('/v1/account', sandboxKey)
      expect(after.body).toMatchObject({ ...sandbox, subscription_tier: null })
      expect(after.headers.get('x-ratelimit-limit')).toBe('25')
    }, patience)

    expect([bought.status, Object(bought.body).status]).toEqual([201, 'paid'])
    expect(before.body).toMatchObject({ ...sandbox, subscription_tier: 'pro_sub' })
    expect(before.headers.get('x-ratelimit-limit')).toBe('25')
    const live = await gateway.live.get('/v1/account', liveKey)
    expect(live.body).toMatchObject({ tier: 'STARTER', rate_limit_rps: 25 })
  })

  test('changes the rate limit of the sandbox when a package is bought live', async () => {
    const { id, liveKey, sandboxKey } = await gateway.createAccount({ tier: 'STARTER' })
    await gateway.database.query(
      'UPDATE account.plan SET subscription_tier = NULL WHERE account_id = $1',
      [id],
    )

    const order = { package_id: 'pack_scale', payment_method: 'simulated' }
    await gateway.live.post('/v1/billing/checkout', order, liveKey)

    await vi.waitFor(async () => {
      const { body, headers } = await gateway.sandbox.get('/v1/account', sandboxKey)
      expect(body).toMatchObject({ tier: 'STARTER', rate_limit_rps: 50 })
      expect(headers.get('x-ratelimit-limit')).toBe('50')
    }, patience)
  })

  test("never shows another account's figures", async () => {
    const [rich, poor] = await Promise.all([
      gateway.createAccount({ credits: 5000 }),
      gateway.createAccount({ credits: 7 }),
    ])

    const [ofRich, ofPoor] = await Promise.all([
      gateway.live.get('/v1/account', rich.liveKey, { 'x-account-id': poor.id }),
      gateway.live.get('/v1/account', poor.liveKey, { 'x-account-id': rich.id }),
    ])

    expect(ofRich.body).toMatchObject({ id: rich.id, balance: 5000 })
    expect(ofPoor.body).toMatchObject({ id: poor.id, balance: 7 })
  })

  test.each([
    { tier: 'STARTER', subscriptionTier: null, limit: 10 },
    { tier: 'PROFESSIONAL', subscriptionTier: null, limit: 25 },
    { tier: 'SCALE', subscriptionTier: null, limit: 50 },
    { tier: 'STARTER', subscriptionTier: 'pro_sub', limit: 25 },
    { tier: 'SCALE', subscriptionTier: 'pro_sub', limit: 50 },
    { tier: 'BUSINESS', subscriptionTier: 'business_sub', limit: 50 },
    { tier: 'ENTERPRISE', subscriptionTier: 'enterprise_sub', limit: 100 },
  ])(
    'limits $tier with subscription $subscriptionTier to $limit requests a second, in body and header',
    async ({ tier, subscriptionTier, limit }) => {
      const account = await createAccountOnTier(gateway, tier, subscriptionTier)

      const responses = [
        await gateway.live.get('/v1/account', account.liveKey),
        await gateway.sandbox.get('/v1/account', account.sandboxKey),
      ]

      for (const { body, headers } of responses) {
        expect(body).toMatchObject({
          tier,
          subscription_tier: subscriptionTier,
          rate_limit_rps: limit,
        })
        expect(headers.get('x-ratelimit-limit')).toBe(String(limit))
      }
    },
  )
})
