import { LRUCache } from 'lru-cache'
import type { Environment } from '../../../schema/credentials/caller.ts'
import { atMost } from '../../../schema/process/at-most.ts'

/** An account saves up the time of so many seconds. */
const savedSeconds = 8
/** The sandbox may use half of the saved time, so that live always finds the rest. */
const savedSecondsOf: Readonly<Record<Environment, number>> = {
  live: savedSeconds,
  sandbox: savedSeconds / 2,
}
/** The most accounts in memory. With one more, the account that was idle for longest is forgotten. */
const maxAccounts = 100_000

/** The working time that accounts have used up. */
export interface TimeDebts {
  readonly add: (accountId: string, ms: number) => void
  /** Returns the whole seconds until the account has time left again; 0: it has some. */
  readonly waitOf: (accountId: string, environment: Environment) => number
}

/** `msPerSecond`: the time of an account in each second; 0: no limit. */
export function createTimeDebts(msPerSecond: number, now = () => performance.now()): TimeDebts {
  /** The time at which each account has saved up all that it can again. */
  const fullAt = new LRUCache<string, number>(atMost(maxAccounts))

  return {
    add(accountId, ms) {
      if (msPerSecond === 0) return
      const from = Math.max(now(), fullAt.get(accountId) ?? 0)
      fullAt.set(accountId, from + (ms * 1000) / msPerSecond)
    },
    waitOf(accountId, environment) {
      const until = fullAt.get(accountId)
      if (until === undefined) return 0
      const overMs = until - now() - savedSecondsOf[environment] * 1000
      return overMs <= 0 ? 0 : Math.ceil(overMs / 1000)
    },
  }
}
