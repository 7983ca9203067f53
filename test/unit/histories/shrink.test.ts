import { describe, expect, test } from 'vitest'
import { type Cut, cutPlan, optionsOf, wholeOf } from '../../../proof/histories/plan/cut.ts'
import { makePlan } from '../../../proof/histories/plan/make-plan.ts'
import { shrink } from '../../../proof/histories/shrink.ts'

const plan = makePlan(5, 20)
const whole = wholeOf(plan)

/** Fails while it has these faults and this account, and lasts so long. */
function failing(faults: readonly number[], account: number, needsMs: number) {
  const tried: Cut[] = []
  return {
    tried,
    fails: async (cut: Cut): Promise<boolean> => {
      tried.push(cut)
      const hasFaults = faults.every((fault) => cut.faults.includes(fault))
      return hasFaults && cut.accounts.includes(account) && cut.untilMs >= needsMs
    },
  }
}

describe('a failing plan', () => {
  test('shrinks to the faults and the account that it needs, in half the time until that is too short', async () => {
    const { fails } = failing([2, 9], 4, 4000)

    const small = await shrink(whole, { fails, tries: 1000 })

    const untilMs = Math.ceil(Math.ceil(whole.untilMs / 2) / 2)
    expect(small).toEqual({ faults: [2, 9], accounts: [4], untilMs })
    expect(optionsOf(plan, small)).toBe(`--accounts 4 --faults 2,9 --until ${untilMs / 1000}`)
  })

  test('that needs no fault has none', async () => {
    const { fails } = failing([], 0, 0)

    const small = await shrink(whole, { fails, tries: 1000 })

    expect(small).toMatchObject({ faults: [], accounts: [0] })
    expect(optionsOf(plan, small)).toBe(
      `--accounts 0 --faults none --until ${small.untilMs / 1000}`,
    )
  })

  test('is tried no more often than allowed, and what was found by then is kept', async () => {
    const { fails, tried } = failing([0], 1, 0)

    const small = await shrink(whole, { fails, tries: 3 })

    expect(tried).toHaveLength(3)
    const untilMs = [1, 2, 3].reduce((ms) => Math.ceil(ms / 2), whole.untilMs)
    expect(small).toEqual({ ...whole, untilMs })
  })

  test('without a smaller part that fails stays whole', async () => {
    expect(await shrink(whole, { fails: async () => false, tries: 1000 })).toEqual(whole)
    expect(optionsOf(plan, whole)).toBe('')
  })
})

describe('a part of a plan', () => {
  test('has the steps of its accounts and its faults, as long as it lasts', () => {
    const part = cutPlan(plan, { accounts: [1, 3], faults: [0, 1, 2], untilMs: 9000 })

    const asked = plan.steps.filter(({ account, atMs }) => [1, 3].includes(account) && atMs <= 9000)
    expect(part.steps).toEqual(asked)
    expect(part.faults).toEqual(plan.faults.slice(0, 3).filter(({ atMs }) => atMs <= 9000))
    expect(part.accounts).toEqual(plan.accounts)
    expect(cutPlan(plan, whole)).toEqual(plan)
  })
})
