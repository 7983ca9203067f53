/** A breaker judges the calls of so many seconds. */
const judgedSeconds = 10

interface Counts {
  calls: number
  failures: number
}

/** The calls that ended in one second. */
interface Second {
  readonly startsAt: number
  readonly all: Counts
  readonly accounts: Map<string, Counts>
}

interface RecentCallsOptions {
  /** Fewer calls are not judged. */
  readonly minCalls: number
  /** A module fails for all only if so many calls fail beside those of any one account. */
  readonly minFailuresOfOthers: number
}

/**
 * How the calls of a module ended in the last ten seconds, for each account. Most failures are those
 * of the module, but an account may send only what it cannot answer: so no account alone decides
 * that the module fails.
 */
export class RecentCalls {
  readonly #options: RecentCallsOptions
  /** The judged seconds, the oldest first. */
  readonly #seconds: Second[] = []

  constructor(options: RecentCallsOptions) {
    this.#options = options
  }

  note(accountId: string, isFailure: boolean): void {
    const { all, accounts } = this.#now()
    let own = accounts.get(accountId)
    if (!own) {
      own = { calls: 0, failures: 0 }
      accounts.set(accountId, own)
    }
    for (const counts of [all, own]) {
      counts.calls += 1
      if (isFailure) counts.failures += 1
    }
  }

  /** Whether more than half of the calls of this account fail. */
  failFor(accountId: string): boolean {
    this.#forgetOld()
    const own = sum(this.#seconds.map(({ accounts }) => accounts.get(accountId)))
    return own.calls >= this.#options.minCalls && surplusOf(own) > 0
  }

  /** Whether more than half of all calls fail, also without those of any one account. */
  failForAll(): boolean {
    const { minCalls, minFailuresOfOthers } = this.#options
    this.#forgetOld()
    const all = sum(this.#seconds.map((second) => second.all))
    if (all.calls < minCalls || surplusOf(all) <= 0) return false
    for (const own of this.#byAccount().values()) {
      if (all.failures - own.failures < minFailuresOfOthers) return false
      if (surplusOf(all) <= surplusOf(own)) return false
    }
    return true
  }

  forget(): void {
    this.#seconds.length = 0
  }

  forgetAccount(accountId: string): void {
    for (const { all, accounts } of this.#seconds) {
      const own = accounts.get(accountId)
      if (!own) continue
      all.calls -= own.calls
      all.failures -= own.failures
      accounts.delete(accountId)
    }
  }

  #now(): Second {
    const startsAt = Math.floor(Date.now() / 1000)
    const last = this.#seconds.at(-1)
    // A clock that is set back prolongs the second.
    if (last && last.startsAt >= startsAt) return last
    this.#forgetOld()
    const second: Second = { startsAt, all: { calls: 0, failures: 0 }, accounts: new Map() }
    this.#seconds.push(second)
    return second
  }

  #forgetOld(): void {
    const since = Date.now() / 1000 - judgedSeconds
    const old = this.#seconds.findIndex(({ startsAt }) => startsAt > since)
    this.#seconds.splice(0, old === -1 ? this.#seconds.length : old)
  }

  #byAccount(): ReadonlyMap<string, Counts> {
    const found = new Map<string, Counts>()
    for (const { accounts } of this.#seconds) {
      for (const [id, counts] of accounts) found.set(id, sum([found.get(id), counts]))
    }
    return found
  }
}

function sum(parts: readonly (Counts | undefined)[]): Counts {
  const whole = { calls: 0, failures: 0 }
  for (const part of parts) {
    whole.calls += part?.calls ?? 0
    whole.failures += part?.failures ?? 0
  }
  return whole
}

/** By how many the failures exceed half of the calls. */
function surplusOf({ calls, failures }: Counts): number {
  return failures - calls / 2
}
