import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  amountsOfUpgrade,
  type PlanTerms,
  shareLeft,
} from '../../../subgraphs/account/subscriptions/plans/plan-amounts.ts'

const terms = fc.record({
  priceCents: fc.integer({ min: 1, max: 10_000_000 }),
  monthlyCredits: fc.integer({ min: 1, max: 100_000_000 }),
})
const share = fc
  .record({ periodSeconds: fc.integer({ min: 1, max: 40_000_000 }), left: fc.nat() })
  .map(({ periodSeconds, left }) => ({ periodSeconds, secondsLeft: left % (periodSeconds + 1) }))

/** Plans of which each costs and brings as much as the one before, or more. */
const ladder = fc.array(terms, { minLength: 2, maxLength: 6 }).map((steps) => {
  const plans: PlanTerms[] = []
  for (const { priceCents, monthlyCredits } of steps) {
    const below = plans.at(-1) ?? { priceCents: 0, monthlyCredits: 0 }
    plans.push({
      priceCents: below.priceCents + priceCents,
      monthlyCredits: below.monthlyCredits + monthlyCredits,
    })
  }
  return plans
})

describe('the amounts of an upgrade', () => {
  test('are never negative, and never more than the whole difference', () => {
    fc.assert(
      fc.property(terms, terms, share, (from, to, left) => {
        const { dueCents, grantedCredits } = amountsOfUpgrade(from, to, left)
        expect(dueCents).toBeGreaterThanOrEqual(0)
        expect(grantedCredits).toBeGreaterThanOrEqual(0)
        expect(dueCents).toBeLessThanOrEqual(Math.max(0, to.priceCents - from.priceCents))
        const more = Math.max(0, to.monthlyCredits - from.monthlyCredits)
        expect(grantedCredits).toBeLessThanOrEqual(more)
      }),
    )
  })

  test('round the price up and the credits down, exactly', () => {
    fc.assert(
      fc.property(terms, terms, share, (from, to, { periodSeconds, secondsLeft }) => {
        const left = { periodSeconds, secondsLeft }
        const { dueCents, grantedCredits } = amountsOfUpgrade(from, to, left)
        const exact = (most: number) => BigInt(Math.max(0, most)) * BigInt(secondsLeft)
        const [cents, credits] = [
          exact(to.priceCents - from.priceCents),
          exact(to.monthlyCredits - from.monthlyCredits),
        ]
        const whole = BigInt(periodSeconds)
        expect(BigInt(dueCents) * whole - cents).toBeGreaterThanOrEqual(0n)
        expect(BigInt(dueCents) * whole - cents).toBeLessThan(whole)
        expect(credits - BigInt(grantedCredits) * whole).toBeGreaterThanOrEqual(0n)
        expect(credits - BigInt(grantedCredits) * whole).toBeLessThan(whole)
      }),
    )
  })

  test('of steps cost as much as one leap or more, and bring as much or less', () => {
    fc.assert(
      fc.property(ladder, share, (plans, left) => {
        const steps = plans
          .slice(1)
          .map((plan, index) => amountsOfUpgrade(plans[index] ?? plan, plan, left))
        const sum = (of: 'dueCents' | 'grantedCredits') =>
          steps.reduce((total, step) => total + step[of], 0)
        const [first, last] = [plans[0], plans.at(-1)]
        if (!first || !last) throw new Error('A ladder has two plans.')
        const leap = amountsOfUpgrade(first, last, left)
        expect(sum('dueCents')).toBeGreaterThanOrEqual(leap.dueCents)
        expect(sum('grantedCredits')).toBeLessThanOrEqual(leap.grantedCredits)
      }),
    )
  })

  test('later in the period cost no more and bring no more', () => {
    fc.assert(
      fc.property(terms, terms, share, fc.nat(), (from, to, left, later) => {
        const secondsLeft = Math.max(0, left.secondsLeft - later)
        const [now, then] = [
          amountsOfUpgrade(from, to, left),
          amountsOfUpgrade(from, to, { ...left, secondsLeft }),
        ]
        expect(then.dueCents).toBeLessThanOrEqual(now.dueCents)
        expect(then.grantedCredits).toBeLessThanOrEqual(now.grantedCredits)
      }),
    )
  })
})

describe('the share of a period', () => {
  test.each([
    ['begins as a whole', '2026-01-01T00:00:00.700Z', '2026-01-01T00:00:00Z', 31 * 86_400],
    ['is of whole seconds', '2026-01-01T00:00:00Z', '2026-01-31T23:59:59Z', 1],
    ['ends as nothing', '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z', 0],
    ['is nothing after the period', '2026-01-01T00:00:00Z', '2026-02-02T00:00:00Z', 0],
  ])('%s', (_, start, asOf, secondsLeft) => {
    const periodStart = new Date(start)
    const periodEnd = new Date(periodStart.getTime() + 31 * 86_400_000)
    expect(shareLeft({ periodStart, periodEnd, asOf: new Date(asOf) })).toEqual({
      secondsLeft,
      periodSeconds: 31 * 86_400,
    })
  })

  test('of a period below a second costs and brings nothing', () => {
    const periodStart = new Date('2026-01-01T00:00:00Z')
    const periodEnd = new Date('2026-01-01T00:00:00.500Z')
    const left = shareLeft({ periodStart, periodEnd, asOf: periodStart })
    const from = { priceCents: 0, monthlyCredits: 0 }
    expect(amountsOfUpgrade(from, { priceCents: 100, monthlyCredits: 100 }, left)).toEqual({
      dueCents: 0,
      grantedCredits: 0,
    })
  })
})
