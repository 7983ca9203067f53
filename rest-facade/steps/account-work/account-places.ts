import type { Environment } from '../../../schema/credentials/caller.ts'
import { shareOf } from '../../rate-limit/share-of.ts'

/** Requests of an account that run at once. */
const maxRunning = 4
/** Requests of an account that wait in addition, in each environment. */
const maxWaiting = 16
/** The least line of a process, because all connections of a client may meet the same process. */
const leastWaiting = 4

/** Begins a request that has waited. */
type OnTurn = () => void

interface Account {
  running: number
  /** Requests that wait, in the order in which they came. */
  readonly waiting: Readonly<Record<Environment, Set<OnTurn>>>
}

/** Counts how many requests of each account run at once, and keeps those that wait for their turn. */
export class AccountPlaces {
  readonly #maxRunning: number
  readonly #maxWaiting: number
  /** Accounts with a request in this process, and no others. */
  readonly #accounts = new Map<string, Account>()

  /**
   * `processes`: how many processes divide the limits. Each of them has a line of its own, in which requests
   * take nothing from others.
   */
  constructor(processes: number) {
    this.#maxRunning = shareOf(maxRunning, processes)
    this.#maxWaiting = Math.max(leastWaiting, shareOf(maxWaiting, processes))
  }

  /** The number of accounts with a request here; no others are kept in memory. */
  get accountCount(): number {
    return this.#accounts.size
  }

  /** Takes a place if one is free. */
  begin(accountId: string): boolean {
    const account = this.#accounts.get(accountId) ?? this.#add(accountId)
    if (account.running >= this.#maxRunning) return false
    account.running += 1
    return true
  }

  /**
   * Waits for a place of an account that has none free. Returns a function that leaves the line, or
   * null when too many wait.
   */
  wait(accountId: string, environment: Environment, onTurn: OnTurn): (() => void) | null {
    const line = this.#accounts.get(accountId)?.waiting[environment]
    if (!line || line.size >= this.#maxWaiting) return null
    line.add(onTurn)
    return () => line.delete(onTurn)
  }

  /** Passes the place on to a waiting request, live before sandbox; without one, the place is free. */
  end(accountId: string): void {
    const account = this.#accounts.get(accountId)
    if (!account) return
    const { live, sandbox } = account.waiting
    const line = live.size > 0 ? live : sandbox
    const [next] = line
    if (next) {
      line.delete(next)
      next()
      return
    }
    account.running -= 1
    if (account.running === 0) this.#accounts.delete(accountId)
  }

  #add(accountId: string): Account {
    const account = { running: 0, waiting: { live: new Set<OnTurn>(), sandbox: new Set<OnTurn>() } }
    this.#accounts.set(accountId, account)
    return account
  }
}
