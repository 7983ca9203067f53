import { makeFaults } from './make-faults.ts'
import {
  type Behaviour,
  type CallStep,
  type Moment,
  type Plan,
  type PlannedAccount,
  type Role,
  type Step,
  soldPackage,
} from './plan.ts'
import { createRandom, type Random } from './random.ts'

const roles: readonly (readonly [role: Role, credits: number])[] = [
  ['rich', 100_000],
  ['rotated', 100_000],
  ['poor', 60],
  ['poor', 0],
  ['hot', 20_000],
  ['fickle', 50_000],
  ['thrifty', 100_000],
  ['buyer', 0],
  ['subscriber', 30],
  ['visitor', 100_000],
]

/** The single calls in one second. */
const callsPerSecond: Readonly<Record<Role, number>> = {
  ...{ rich: 8, poor: 7, hot: 2, fickle: 5, rotated: 8 },
  ...{ thrifty: 8, buyer: 6, subscriber: 6, visitor: 2 },
}
/** Somewhat less than what is charged. */
const budgetPerSecond = 20
const burstEveryMs = 1500
const mostHits = 25

/** More than a hold and a kept key last. A token of an administrator is refused by a clock further behind. */
const wrongClocksMs = [0, 0, -25_000, -3000, 3000, 240_000] as const
/** How many clocks one gateway has in turn; the list begins again at its end. */
const clockCount = 8

/** More than some changes of the plan cost, of which all the money goes back then. */
const changeCents = 20_000

/** Makes a plan, the same for the same arguments. A hard plan has faults of the machine too. */
// oxlint-disable-next-line max-lines-per-function -- its short functions draw from one sequence of random numbers, whose order is the plan.
export function makePlan(seed: number, seconds: number, isHard = false): Plan {
  const random = createRandom(seed)
  const accounts = roles.map(([role, credits]): PlannedAccount => {
    return { role, credits, budget: role === 'thrifty' ? budgetPerSecond * seconds : null }
  })
  const endMs = seconds * 1000
  const behaviours = new Map<string, Behaviour>()
  const steps: Step[] = []
  let ids = 0
  function newId(): string {
    ids += 1
    return `h${seed}-${ids}`
  }

  function add(account: number, atMs: number, call: Omit<CallStep, 'kind'>): void {
    const gateway = random.chance(0.5) ? 0 : 1
    steps.push({ id: newId(), account, gateway, atMs: Math.round(atMs), kind: 'call', ...call })
  }

  /** A call, and with a key sometimes its duplicates. */
  function addCall(account: number, atMs: number): void {
    const request = newId()
    const limit = random.chance(0.4) ? random.integer(1, mostHits) : null
    const key = random.chance(0.55) ? `key-${request}` : null
    const leaves = () => (random.chance(0.04) ? random.integer(1, 120) : null)
    const environment = random.chance(0.04) ? 'sandbox' : 'live'
    const isLate = accounts[account]?.role === 'rotated' && random.chance(0.1)
    behaviours.set(request, behaviourOf(random, limit))
    const call = { environment, key, request, limit, isLate } as const
    add(account, atMs, { ...call, leavesAfterMs: leaves() })
    if (key === null || environment === 'sandbox') return
    if (random.chance(0.25)) add(account, atMs, { ...call, leavesAfterMs: leaves() })
    while (random.chance(0.45)) {
      add(account, atMs + random.integer(5, 4000), { ...call, leavesAfterMs: leaves() })
    }
    if (random.chance(0.1)) {
      const other = newId()
      behaviours.set(other, behaviourOf(random, limit))
      const laterMs = random.chance(0.3) ? 0 : random.integer(5, 1500)
      add(account, atMs + laterMs, { ...call, request: other, leavesAfterMs: null })
    }
  }

  for (const [account, { role }] of accounts.entries()) {
    const calls = Math.round(callsPerSecond[role] * seconds)
    for (let count = 0; count < calls; count += 1) addCall(account, random.next() * endMs)
    if (role === 'hot') {
      for (let atMs = 500; atMs < endMs; atMs += burstEveryMs) {
        const size = random.integer(10, 30)
        for (let count = 0; count < size; count += 1) addCall(account, atMs)
      }
    }
    addReads(account, role)
    // The credits of a payment that comes back are taken where they are: the model does not know where.
    if (role === 'buyer') addPurchases(account)
    else if (role === 'subscriber') addPlanChanges(account)
    else addPostings(account, role)
    if (role === 'fickle') addSuspension(account)
    if (role === 'rotated' || role === 'visitor') addRotations(account)
  }

  function addReads(account: number, role: Role): void {
    for (let atMs = random.next() * 250; atMs < endMs; atMs += random.integer(60, 500)) {
      const sort = random.next()
      const what = sort < 0.7 ? 'balance' : sort < 0.85 ? 'usage' : 'ledger'
      const gateway = random.chance(0.5) ? 0 : 1
      const isLate = role === 'visitor' && random.chance(0.2)
      const moment = { atMs: Math.round(atMs), id: newId(), account, gateway } as const
      steps.push({ ...moment, kind: 'read', what, isLate })
    }
  }

  function addPostings(account: number, role: Role): void {
    const everyMs = role === 'poor' ? 700 : 2500
    for (let atMs = random.next() * everyMs; atMs < endMs; atMs += random.integer(200, everyMs)) {
      const moment = { atMs: Math.round(atMs), id: newId(), account, kind: 'posting' } as const
      const gateway = random.chance(0.5) ? 0 : 1
      const priority = random.pick([0, 50, 50, 100])
      const sort = random.next()
      if (sort < 0.35) {
        const callId = earlierCallOf(account, atMs)
        const refund = { what: 'refund', callId, priority, endsAfterMs: null } as const
        if (callId !== null) steps.push({ ...moment, ...refund, callId, gateway })
        continue
      }
      const endsAfterMs = sort < 0.75 ? random.integer(800, 4000) : null
      const credits = random.integer(5, 90)
      if (sort < 0.9) {
        steps.push({ ...moment, gateway, what: 'grant', credits, priority, endsAfterMs })
      } else {
        const signed = random.chance(0.5) ? credits : -credits
        const allowNegative = random.chance(0.5)
        const adjustment = { what: 'adjustment', credits: signed, allowNegative } as const
        steps.push({ ...moment, gateway, ...adjustment, priority, endsAfterMs: null })
      }
    }
  }

  /** One that began some time before, so that it may have been charged by then. */
  function earlierCallOf(account: number, atMs: number): string | null {
    const earlier = steps.filter(
      (step) => step.kind === 'call' && step.account === account && step.atMs < atMs - 300,
    )
    const [first, ...others] = earlier.slice(-20)
    return first ? random.pick([first, ...others]).id : null
  }

  function addSuspension(account: number): void {
    const change = { account, kind: 'suspension', gateway: random.chance(0.5) ? 0 : 1 } as const
    const suspendedMs = Math.round(endMs * 0.15)
    const againMs = Math.round(endMs * 0.9)
    steps.push({ ...change, id: newId(), atMs: suspendedMs, status: 'SUSPENDED' })
    steps.push({ ...change, id: newId(), atMs: againMs, status: 'ACTIVE' })
  }

  function addRotations(account: number): void {
    for (let atMs = random.integer(500, 2500); atMs < endMs; atMs += random.integer(1500, 6000)) {
      const gateway = random.chance(0.5) ? 0 : 1
      steps.push({ atMs, id: newId(), account, gateway, kind: 'rotation' })
    }
  }

  /** Adds purchases. Some money of most of them, or all of it, goes back once. */
  function addPurchases(account: number): void {
    for (let atMs = 200; atMs < endMs; atMs += random.integer(1000, 3500)) {
      const gateway = random.chance(0.5) ? 0 : 1
      const purchaseId = newId()
      steps.push({ atMs, id: purchaseId, account, gateway, kind: 'purchase' })
      addMoneyBack({ atMs, id: purchaseId, account, gateway }, soldPackage.cents)
    }
  }

  /** Adds, to most payments, that some of the money, or all of it, goes back once. */
  function addMoneyBack({ atMs, id: purchaseId, ...place }: Moment, mostCents: number): void {
    if (random.chance(0.3)) return
    const moment = { ...place, atMs: atMs + random.integer(300, 3000), id: newId() }
    const cents = random.chance(0.3) ? mostCents : random.integer(1, mostCents)
    const [hasFailed, copies] = [random.chance(0.25), random.integer(1, 3)]
    steps.push({ ...moment, kind: 'money back', purchaseId, cents, hasFailed, copies })
  }

  /** Adds changes of the plan, some at the same time through either gateway. */
  function addPlanChanges(account: number): void {
    for (let atMs = 300; atMs < endMs; atMs += random.integer(400, 2500)) {
      const copies = random.chance(0.3) ? 2 : 1
      for (let copy = 0; copy < copies; copy += 1) {
        const gateway = random.chance(0.5) ? 0 : 1
        const tier = random.pick(['pro_sub', 'business_sub', 'enterprise_sub'])
        const moment = { atMs, id: newId(), account, gateway } as const
        steps.push({ ...moment, kind: 'plan change', tier })
        addMoneyBack(moment, changeCents)
      }
    }
  }

  return {
    ...{ seed, seconds, accounts, behaviours },
    steps: steps.toSorted((a, b) => a.atMs - b.atMs),
    // Numbers of their own: another mix of steps leaves the faults as they are.
    faults: makeFaults(createRandom(seed ^ 0x5eed), endMs, isHard),
    isHard,
    clocksMs: makeClocks(createRandom(seed ^ 0xc10c), isHard),
  }
}

function makeClocks(random: Random, isHard: boolean): Plan['clocksMs'] {
  const clocks = () =>
    Array.from({ length: clockCount }, () => (isHard ? random.pick(wrongClocksMs) : 0))
  return [clocks(), clocks()]
}

function behaviourOf(random: Random, limit: number | null): Behaviour {
  const hits = random.integer(0, limit ?? 0)
  const sort = random.next()
  const used = limit !== null && random.chance(0.5) ? random.integer(0, mostHits + 10) : null
  const delayMs = random.chance(0.15) ? random.integer(50, 600) : random.integer(0, 15)
  const behaviour = { delayMs, used, hits }
  if (sort < 0.74) return { ...behaviour, statuses: [200] }
  if (sort < 0.84) return { ...behaviour, statuses: [random.pick([400, 404, 410, 409])] }
  if (sort < 0.92) return { ...behaviour, statuses: [random.pick([500, 503, 429, 302]), 200] }
  if (sort < 0.97) return { ...behaviour, statuses: ['break', 200] }
  // Longer than the gateway waits, and than a hold lasts.
  return { ...behaviour, statuses: [200], delayMs: random.pick([1500, 2600]) }
}
