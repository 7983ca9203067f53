import { describe, expect, test } from 'vitest'
import { makePlan } from '../../../proof/histories/plan/make-plan.ts'

describe('the plan of a seed', () => {
  test('is the same for the same seed, and another one for another', () => {
    expect(makePlan(7, 10)).toEqual(makePlan(7, 10))
    expect(makePlan(8, 10).steps).not.toEqual(makePlan(7, 10).steps)
    expect(makePlan(8, 10).faults).not.toEqual(makePlan(7, 10).faults)
  })

  test('has everything that the model is there for', () => {
    const { steps, faults, behaviours } = makePlan(1, 10)
    const calls = steps.flatMap((step) => (step.kind === 'call' ? [step] : []))
    const postings = steps.flatMap((step) => (step.kind === 'posting' ? [step] : []))
    const keyed = calls.filter(({ key }) => key !== null)
    const byKey = Map.groupBy(keyed, ({ account, key }) => `${account} ${key}`)

    expect(new Set(steps.map(({ kind }) => kind))).toEqual(
      new Set([
        ...['call', 'read', 'posting', 'suspension', 'rotation', 'plan change'],
        ...['purchase', 'money back'],
      ]),
    )
    expect(new Set(postings.map(({ what }) => what))).toEqual(
      new Set(['grant', 'adjustment', 'refund']),
    )
    expect(postings.some(({ endsAfterMs }) => endsAfterMs !== null)).toBe(true)
    expect(calls.length - keyed.length).toBeGreaterThan(0)
    expect([...byKey.values()].some((same) => same.length > 1)).toBe(true)
    expect(
      [...byKey.values()].some((same) => new Set(same.map(({ request }) => request)).size > 1),
    ).toBe(true)
    expect(calls.every(({ request }) => behaviours.has(request))).toBe(true)
    expect(new Set(calls.map(({ environment }) => environment))).toEqual(
      new Set(['live', 'sandbox']),
    )
    const kinds = faults.map(({ kind }) => kind)
    expect(kinds).toEqual(
      expect.arrayContaining(['kill postgres', 'kill gateway', 'lose acknowledgements']),
    )
  })
})
