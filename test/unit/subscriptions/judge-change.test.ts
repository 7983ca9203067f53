import 'reflect-metadata'
import { describe, expect, test } from 'vitest'
import { SubscriptionTier } from '../../../subgraphs/account/prices/tiers.ts'
import { judgeChange } from '../../../subgraphs/account/subscriptions/plans/plan-state.service.ts'

const at = (day: number) => new Date(Date.UTC(2026, 0, day))

/** The state of an account whose subscription ends because its renewal was declined. */
const declined = {
  ...{ asOf: at(3), firstPeriodEnd: at(31), pending: null, isBlocked: false },
  subscription: {
    ...{ tier: SubscriptionTier.enterprise_sub, nextTier: null, upgrades: 0 },
    ...{ isEnding: true, isOver: false, isUnpaid: true, periodStart: at(1), periodEnd: at(31) },
  },
}

test('a lower plan does not take a cancellation back while the present period is unpaid', () => {
  const change = () => judgeChange(declined, { tier: SubscriptionTier.pro_sub })
  expect(change).toThrow('The present period is not paid yet: resume the subscription first.')
})

test('a lower plan takes a cancellation back once the present period is paid', () => {
  const paid = { ...declined, subscription: { ...declined.subscription, isUnpaid: false } }
  expect(judgeChange(paid, { tier: SubscriptionTier.pro_sub })).toBe('downgrade')
})

describe('while the subscription ends, a lower plan that was scheduled before', () => {
  const subscription = {
    ...{ ...declined.subscription, isUnpaid: false },
    nextTier: SubscriptionTier.pro_sub,
  }
  const state = { ...declined, subscription }

  test('is not withdrawn by keeping the present plan: the subscription must be resumed', () => {
    expect(() => judgeChange(state, { tier: subscription.tier })).toThrow(
      'The subscription of this plan ends at 2026-01-31T00:00:00.000Z: resume it.',
    )
  })

  test('may be chosen, which takes the cancellation back', () => {
    expect(judgeChange(state, { tier: SubscriptionTier.pro_sub })).toBe('downgrade')
  })
})
