import { RefusedUnsent } from './silence-watch.ts'

interface AccountTurnsOptions {
  /** The connections that all accounts together may use now. */
  readonly most: () => number
  /** How long a statement waits for a connection. */
  readonly patienceMs: number
  readonly apartMs?: number
}

/** The most statements that wait; a further one is refused. */
const maxWaiting = 1000

/** The error of a statement whose turn did not come. Its code is that of an address that does not answer. */
class NoTurn extends Error {
  override readonly name = 'NoTurn'
  readonly code = 'ETIMEDOUT'
}

/**
 * One account may use the connections divided by this, rounded up: with one alone, its second request would
 * wait behind a first one that waits for a lock.
 */
const accountsAtLeast = 3

/**
 * A further statement of an account begins when the one before has ended, or has run for so long: what takes
 * much processor time then has one processor, and what waits for a lock does not stop the rest.
 */
const usualApartMs = 250

/**
 * Lets the statements of single accounts have only some of the connections, and those of one account a
 * third of these, rounded up, which begin apart. The others wait: the accounts have their turns in rotation,
 * the statements of an account in their order.
 */
export class AccountTurns {
  readonly #most: () => number
  readonly #patienceMs: number
  readonly #apartMs: number
  /** Accounts with statements that run: their number, and when the last one began. */
  readonly #running = new Map<string, { readonly count: number; readonly begunAtMs: number }>()
  /** Statements that wait, by account, in the order of the turns. Each function begins its statement. */
  readonly #waiting = new Map<string, Set<() => void>>()
  #runningOfAll = 0
  #waitingOfAll = 0

  constructor({ most, patienceMs, apartMs = usualApartMs }: AccountTurnsOptions) {
    this.#most = most
    this.#patienceMs = patienceMs
    this.#apartMs = apartMs
  }

  /** The number of statements that wait. */
  get waiting(): number {
    return this.#waitingOfAll
  }

  /** Throws RefusedUnsent when no turn comes. */
  async run<Result>(account: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#mayBegin(account)) this.#begin(account)
    else await this.#turnOf(account)
    try {
      return await work()
    } finally {
      this.#end(account)
    }
  }

  #turnOf(account: string): Promise<void> {
    if (this.#waitingOfAll >= maxWaiting) {
      throw new RefusedUnsent(new NoTurn('Too many statements of accounts wait for a connection.'))
    }
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#leave(account, begin)
        reject(new RefusedUnsent(new NoTurn('No connection became free for the account in time.')))
      }, this.#patienceMs)
      const line = this.#waiting.get(account) ?? new Set()
      this.#waiting.set(account, line.add(begin))
      this.#waitingOfAll += 1
      this.#lookLater()
    })
  }

  #leave(account: string, begin: () => void): void {
    const line = this.#waiting.get(account)
    if (!line?.delete(begin)) return
    this.#waitingOfAll -= 1
    if (line.size === 0) this.#waiting.delete(account)
  }

  #mayBegin(account: string): boolean {
    const most = this.#most()
    const own = this.#running.get(account)
    if (this.#runningOfAll >= most) return false
    if (!own) return true
    const isApart = performance.now() - own.begunAtMs >= this.#apartMs
    return isApart && own.count < Math.ceil(most / accountsAtLeast)
  }

  #begin(account: string): void {
    const { count } = this.#running.get(account) ?? { count: 0 }
    this.#runningOfAll += 1
    this.#running.set(account, { count: count + 1, begunAtMs: performance.now() })
    if (this.#waiting.has(account)) this.#lookLater()
  }

  /** Begins the statements that wait only for time to pass. */
  #lookLater(): void {
    // A timer may come a millisecond early, and nothing would look again.
    setTimeout(() => this.#beginNext(), this.#apartMs + 1)
  }

  #end(account: string): void {
    const own = this.#running.get(account)
    this.#runningOfAll -= 1
    if (own && own.count > 1) this.#running.set(account, { ...own, count: own.count - 1 })
    else this.#running.delete(account)
    this.#beginNext()
  }

  #beginNext(): void {
    for (const [account, line] of this.#waiting) {
      if (!this.#mayBegin(account)) continue
      const [begin] = line
      if (!begin) continue
      this.#leave(account, begin)
      // The next turn of this account comes after the turns of all others.
      this.#waiting.delete(account)
      if (line.size > 0) this.#waiting.set(account, line)
      this.#begin(account)
      begin()
      return
    }
  }
}
