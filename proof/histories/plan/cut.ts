import type { Plan } from './plan.ts'

/** A part of a plan: what is left of it when a failing seed is made smaller. */
export interface Cut {
  /** Places in the list of accounts: only these are asked. */
  readonly accounts: readonly number[]
  /** Places in the list of faults: only these are made. */
  readonly faults: readonly number[]
  /** The time after which nothing begins. */
  readonly untilMs: number
}

/** All of a plan. */
export function wholeOf({ accounts, faults, steps }: Plan): Cut {
  const untilMs = Math.max(...[...steps, ...faults].map(({ atMs }) => atMs))
  return { accounts: [...accounts.keys()], faults: [...faults.keys()], untilMs }
}

/** All accounts are made, so that each keeps its place. */
export function cutPlan(plan: Plan, { accounts, faults, untilMs }: Cut): Plan {
  return {
    ...plan,
    steps: plan.steps.filter((step) => accounts.includes(step.account) && step.atMs <= untilMs),
    faults: plan.faults.filter((fault, place) => faults.includes(place) && fault.atMs <= untilMs),
  }
}

/** The options of `npm run histories` that play this part again; empty for all of the plan. */
export function optionsOf(plan: Plan, cut: Cut): string {
  const whole = wholeOf(plan)
  const list = (name: 'accounts' | 'faults') =>
    cut[name].length < whole[name].length ? [`--${name} ${cut[name].join(',') || 'none'}`] : []
  const until = cut.untilMs < whole.untilMs ? [`--until ${cut.untilMs / 1000}`] : []
  return [...list('accounts'), ...list('faults'), ...until].join(' ')
}
