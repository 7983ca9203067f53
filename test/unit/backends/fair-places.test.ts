import { getEventListeners } from 'node:events'
import { setImmediate as settled } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FairPlaces } from '../../../rest-facade/backends/fair-places.ts'

const limits = { maxRunning: 8, maxWaiting: 16, share: 1 / 4, reserve: 4 }
/** One account has half of what is beside the reserve. */
const most = { running: 8, runningOfOne: 2, inside: 24, insideOfOne: 10 }

type State = 'waiting' | 'running' | 'over'

/** One call of an account, as its caller sees it. */
class Call {
  readonly account: string
  state: State = 'waiting'
  readonly #work = Promise.withResolvers<void>()
  readonly #abort = new AbortController()
  readonly #leave: () => void
  readonly outcome: Promise<unknown>

  constructor(places: FairPlaces, account: string, leave: () => void, began: (call: Call) => void) {
    this.account = account
    this.#leave = leave
    const work = () => {
      this.state = 'running'
      began(this)
      return this.#work.promise
    }
    const { signal } = this.#abort
    function onTired(leave: (reason: Error) => void): () => void {
      const gone = () => leave(new Error('gone'))
      signal.addEventListener('abort', gone)
      return () => signal.removeEventListener('abort', gone)
    }
    this.outcome = places.run(account, work, onTired).then(
      () => 'done',
      (error: unknown) => (error instanceof Error ? error.message : error),
    )
  }

  /** How many still want to hear that its caller has gone. */
  get listeners(): number {
    return getEventListeners(this.#abort.signal, 'abort').length
  }

  /** Ends it as its state allows: work that is done or fails, or a caller that no longer waits. */
  end(how: 'done' | 'failed'): void {
    if (this.state === 'waiting') this.#abort.abort()
    else if (how === 'done') this.#work.resolve()
    else this.#work.reject(new Error('failed'))
    this.state = 'over'
    this.#leave()
  }
}

/** Calls of several accounts for the same places. */
class Crowd {
  readonly places = new FairPlaces(limits)
  readonly calls: Call[] = []
  readonly began: Call[] = []

  /** Null when it is not let in. */
  call(account: string): Call | null {
    const leave = this.places.enter(account)
    if (!leave) return null
    const call = new Call(this.places, account, leave, (one) => this.began.push(one))
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
  // Nothing is kept of those that are gone.
  const present = accounts.filter((account) => crowd.inside(account) > 0)
  expect(crowd.places.accountCount).toBe(present.length)
  for (const call of crowd.calls) expect(call.listeners).toBe(call.state === 'waiting' ? 1 : 0)
}

describe('the places of a backend module', () => {
  test('never exceed their number or the share of one account, and are never idle while a call waits', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 120 }), async (steps) => {
        const crowd = new Crowd()
        for (const { kind, account, which, how } of steps) {
          if (kind === 'call') crowd.call(account)
          else {
            const open = crowd.calls.filter(({ state }) => state !== 'over')
            open[which % Math.max(1, open.length)]?.end(how)
          }
          await settled()
          expectFair(crowd)
        }
        while (crowd.inside() > 0) {
          for (const call of crowd.those('running')) call.end('done')
          await settled()
          expectFair(crowd)
        }

        const outcomes = await Promise.all(crowd.calls.map(({ outcome }) => outcome))
        // Nobody waits for ever, and nobody hears of anything else.
        expect(['done', 'failed', 'gone']).toEqual(expect.arrayContaining(outcomes))
        expect(outcomes.filter((outcome) => outcome !== 'gone')).toHaveLength(crowd.began.length)
      }),
      { numRuns: 300 },
    )
  })

  test('go to accounts in rotation, and within an account in order of arrival, also after some left the queue', async () => {
    const calling = fc.array(fc.constantFrom(...accounts), { minLength: 10, maxLength: 40 })
    const leaving = fc.array(fc.nat(30), { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(calling, leaving, async (callers, leavers) => {
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
          await settled()
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

  test('include one for a new account also behind accounts that take all they can get', async () => {
    const crowd = new Crowd()
    for (const account of ['a', 'b', 'c', 'd']) crowd.callTimes(account, 100)

    expect(crowd.inside('a')).toBe(most.insideOfOne)
    expect(crowd.places.hasRoomFor('a')).toBe(false)
    expect(crowd.places.hasRoomFor('e')).toBe(true)
    const [late] = crowd.callTimes('e', 1)
    crowd.those('running', 'a')[0]?.end('done')
    await settled()

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

  test('are left once, however often a call leaves', () => {
    const places = new FairPlaces({ maxRunning: 1, maxWaiting: 1, share: 1, reserve: 0 })
    const leave = places.enter('a')
    places.enter('b')

    leave?.()
    leave?.()

    expect(places.enter('c')).not.toBeNull()
    expect(places.enter('d')).toBeNull()
  })

  test('are divided also when there are few of them', async () => {
    const places = new FairPlaces({ maxRunning: 2, maxWaiting: 2, share: 1 / 4, reserve: 0 })

    expect(places.enter('a')).not.toBeNull()
    expect(places.enter('a')).not.toBeNull()
    expect(places.enter('a')).toBeNull()
    expect(places.enter('b')).not.toBeNull()
    expect(
      await places.run(
        'a',
        async () => 'done',
        () => () => {},
      ),
    ).toBe('done')
  })
})
