import { describe, expect, test } from 'vitest'
import { memoryRateLimiter } from '../../../rest-facade/rate-limit/memory-rate-limiter.ts'
import { openWindow, rateWindow } from '../../../rest-facade/rate-limit/rate-limiter.ts'
import { effectiveRps, SubscriptionTier, Tier } from '../../../subgraphs/account/prices/tiers.ts'

describe('the window of a clock second', () => {
  test.each([
    { count: 1, remaining: 9, isExceeded: false },
    { count: 10, remaining: 0, isExceeded: false },
    { count: 11, remaining: 0, isExceeded: true },
    { count: 1_000_000, remaining: 0, isExceeded: true },
  ])('has $remaining left after request $count of 10', ({ count, remaining, isExceeded }) => {
    expect(rateWindow(10, count, 1_700_000_000)).toEqual({
      limitRps: 10,
      remaining,
      resetAtSeconds: 1_700_000_001,
      isExceeded,
    })
  })

  test('has the whole limit left when the counter is unavailable', () => {
    expect(openWindow(25, 1_700_000_000)).toEqual({
      limitRps: 25,
      remaining: 25,
      resetAtSeconds: 1_700_000_001,
      isExceeded: false,
    })
  })
})

describe('the limiter of a process', () => {
  test('counts several requests at once', () => {
    const limit = memoryRateLimiter()

    expect(limit('account', 10, 10)).toMatchObject({ remaining: 0, isExceeded: false })
    expect(limit('another', 10, 11)).toMatchObject({ remaining: 0, isExceeded: true })
  })
})

describe('the effective limit', () => {
  const packs = {
    STARTER: 10,
    GROWTH: 10,
    PROFESSIONAL: 25,
    BUSINESS: 25,
    ENTERPRISE: 50,
    SCALE: 50,
  }
  const subscriptions = { pro_sub: 25, business_sub: 50, enterprise_sub: 100 }

  test.each(Object.values(Tier))('of %s alone is that of the package', (tier) => {
    expect(effectiveRps(tier, null)).toBe(packs[tier])
  })

  test.each(
    Object.values(Tier).flatMap((tier) =>
      Object.values(SubscriptionTier).map((subscription) => ({ tier, subscription })),
    ),
  )('of $tier with $subscription is the greater of both', ({ tier, subscription }) => {
    const expected = Math.max(packs[tier], subscriptions[subscription])

    expect(effectiveRps(tier, subscription)).toBe(expected)
  })

  test('knows every tier of the spec and no other', () => {
    expect(Object.values(Tier)).toEqual(Object.keys(packs))
    expect(Object.values(SubscriptionTier)).toEqual(Object.keys(subscriptions))
  })
})
