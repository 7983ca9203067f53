import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FairPlaces, type PlacedAccount } from '../../../rest-facade/backends/fair-places.ts'

const limits = { maxRunning: 8, maxWaiting: 16, share: 1 / 4, reserve: 4 }
/** One account has half of what is beside the reserve. */
const most = { running: 8, runningOfOne: 2, inside: 24, insideOfOne: 10 }

type State = 'waiting' | 'running' | 'over'

/** One call of an account, as its caller sees it. */
class Call {
  readonly account: string
  state: State = 'waiting'
  readonly #places: FairPlaces
  readonly #placed: PlacedAccount
  /** Takes it out of the queue; null when it has begun. */
  #giveUp: (() => void) | null = null
  outcome: 'done' | 'failed' | 'gone' | null = null

  constructor(places: FairPlaces, placed: PlacedAccount, began: (call: Call) => void) {
    this.account = placed.id
    this.#places = places
    this.#placed = placed
    const begin = () => {
      this.#giveUp = null
      this.state = 'running'
      began(this)
    }
    if (places.begin(placed)) begin()
    else this.#giveUp = places.wait(placed, begin)
  }

  /** Ends it as its state allows: work that is done or fails, or a caller that no longer waits. */
  end(how: 'done' | 'failed'): void {
    if (this.#giveUp) {
      this.#giveUp()
      this.outcome = 'gone'
    } else {
      this.#places.end(this.#placed)
      this.outcome = how
    }
    this.state = 'over'
    this.#places.leave(this.#placed)
  }
}

/** Calls of several accounts for the same places. */
class Crowd {
  readonly places = new FairPlaces(limits)
  readonly calls: Call[] = []
  readonly began: Call[] = []

  /** Null when it is not let in. */
  call(account: string): Call | null {
    const placed = this.places.enter(account)
    if (!placed) return null
    const call = new Call(this.places, placed, (one) => this.began.push(one))
    this.calls.push(call)
    return call
  }

  callTimes(account: string, times: number): Call[] {
    return Array.from({ length: times }, () => this.call(account)).filter((call) => call !== null)
  }

  those(state: State, account?: string): Call[] {
    return this.calls.filter(
      (call) => call.state === state && (account === undefined || call.account === account),
    )
  }

  inside(account?: string): number {
    return this.those('waiting', account).length + this.those('running', account).length
  }
}

const accounts = ['a', 'b', 'c', 'd', 'e', 'f']
const step = fc.record({
  kind: fc.constantFrom('call', 'call', 'call', 'end', 'end'),
  account: fc.constantFrom(...accounts),
  which: fc.nat(30),
  how: fc.constantFrom('done' as const, 'failed' as const),
})

/** Checks the rules that hold after every step, whatever came before. */
function expectFair(crowd: Crowd): void {
  const running = crowd.those('running').length
  expect(running).toBeLessThanOrEqual(most.running)
  expect(crowd.inside()).toBeLessThanOrEqual(most.inside)
  for (const account of accounts) {
    const own = crowd.those('running', account).length
    expect(own).toBeLessThanOrEqual(most.runningOfOne)
    expect(crowd.inside(account)).toBeLessThanOrEqual(most.insideOfOne)
    // No call waits for a place that it could have.
    if (own < most.runningOfOne && crowd.those('waiting', account).length > 0) {
      expect(running).toBe(most.running)
    }
    const free = most.inside - crowd.inside()
    const inside = crowd.inside(account)
    const mayEnter = inside === 0 ? free > 0 : inside < free - limits.reserve
    expect(crowd.places.hasRoomFor(account)).toBe(mayEnter)
  }
  expect(crowd.places.hasRoom).toBe(crowd.inside() < most.inside)
  // The places keep nothing of accounts that are gone.
  const present = accounts.filter((account) => crowd.inside(account) > 0)
  expect(crowd.places.accountCount).toBe(present.length)
}

describe('the places of a backend module', () => {
  test('never exceed their number or the share of one account, and are never idle while a call waits', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 120 }), (steps) => {
        const crowd = new Crowd()
        for (const { kind, account, which, how } of steps) {
          if (kind === 'call') crowd.call(account)
          else {
            const open = crowd.calls.filter(({ state }) => state !== 'over')
            open[which % Math.max(1, open.length)]?.end(how)
          }
          expectFair(crowd)
        }
        while (crowd.inside() > 0) {
          for (const call of crowd.those('running')) call.end('done')
          expectFair(crowd)
        }

        const outcomes = crowd.calls.map(({ outcome }) => outcome)
        // No call waits for ever.
        expect(outcomes).not.toContain(null)
        expect(outcomes.filter((outcome) => outcome !== 'gone')).toHaveLength(crowd.began.length)
      }),
      { numRuns: 300 },
    )
  })

  test('go to accounts in rotation, and within an account in order of arrival, also after some left the queue', () => {
    const calling = fc.array(fc.constantFrom(...accounts), { minLength: 10, maxLength: 40 })
    const leaving = fc.array(fc.nat(30), { maxLength: 5 })
    fc.assert(
      fc.property(calling, leaving, (callers, leavers) => {
        const crowd = new Crowd()
        // All places are taken by accounts that have nobody waiting.
        const first = ['w', 'x', 'y', 'z'].flatMap((account) => crowd.callTimes(account, 2))
        const waiting = callers.flatMap((account) => crowd.call(account) ?? [])
        for (const index of leavers) waiting[index]?.end('done')
        const stay = waiting.filter(({ state }) => state === 'waiting')
        crowd.began.length = 0

        // One place at a time is given back, and what begins is over at once.
        let running = first.shift()
        for (const _ of stay) {
          running?.end('done')
          running = crowd.those('running').find((call) => stay.includes(call)) ?? first.shift()
        }

        const rounds = accounts.map((account) => stay.filter((call) => call.account === account))
        const longest = Math.max(0, ...rounds.map(({ length }) => length))
        for (let round = 0; round < longest; round += 1) {
          const due = rounds.flatMap((calls) => calls[round] ?? [])
          const served = crowd.began.splice(0, due.length)
          expect(new Set(served)).toEqual(new Set(due))
        }
        expect(crowd.began).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  test('include one for a new account also behind accounts that take all they can get', () => {
    const crowd = new Crowd()
    for (const account of ['a', 'b', 'c', 'd']) crowd.callTimes(account, 100)

    expect(crowd.inside('a')).toBe(most.insideOfOne)
    expect(crowd.places.hasRoomFor('a')).toBe(false)
    expect(crowd.places.hasRoomFor('e')).toBe(true)
    const [late] = crowd.callTimes('e', 1)
    crowd.those('running', 'a')[0]?.end('done')

    // The first place that comes free, though many of the others have waited for longer.
    expect(late?.state).toBe('running')
  })

  test('are reserved for as many accounts without a call as configured, whatever other accounts take', () => {
    const crowd = new Crowd()
    // Several times, because an account that comes later makes room for nobody.
    for (const _ of [1, 2, 3]) {
      for (let account = 0; account < 5; account += 1) crowd.callTimes(`greedy ${account}`, 100)
    }

    const free = most.inside - crowd.inside()
    expect(free).toBe(limits.reserve)
    for (let account = 0; account < free; account += 1) {
      expect(crowd.callTimes(`new ${account}`, 3)).toHaveLength(1)
    }
    expect(crowd.places.hasRoom).toBe(false)
    expect(crowd.places.hasRoomFor('nobody yet')).toBe(false)
  })

  test('are divided also when there are few of them', () => {
    const places = new FairPlaces({ maxRunning: 2, maxWaiting: 2, share: 1 / 4, reserve: 0 })

    const [first, second] = [places.enter('a'), places.enter('a')]
    if (!first || !second) throw new Error('The places are not divided.')
    expect(places.enter('a')).toBeNull()
    expect(places.enter('b')).not.toBeNull()
    expect([places.begin(first), places.begin(second)]).toEqual([true, false])
  })
})
