import { type LinePlace, WaitingLine } from './waiting-line.ts'

interface FairPlacesOptions {
  /** Calls that run at once. */
  readonly maxRunning: number
  /** Calls that wait in addition. */
  readonly maxWaiting: number
  /** The largest share of the running calls that one account may have. */
  readonly share: number
  /** Places, running or waiting, that are kept for accounts without a call here; 0 or more. */
  readonly reserve: number
}

interface Account {
  readonly id: string
  /** Calls that have entered and not left. */
  inside: number
  running: number
  /** Each function begins its call. */
  readonly waiting: WaitingLine<() => void>
  /** The place of the account in the line of those that may begin another call; null outside that line. */
  turn: LinePlace | null
}

/**
 * The places of a backend module and the queue for them: no account keeps the others out. An
 * account never has more than its share of the places, even while the other places are free,
 * because a slow call would not release its place for another account. The queue serves the
 * accounts one after the other, and the calls of one account in their order.
 */
export class FairPlaces {
  readonly #maxRunning: number
  readonly #maxRunningOfOne: number
  readonly #maxInside: number
  readonly #reserve: number
  /** Only accounts with a call here. */
  readonly #accounts = new Map<string, Account>()
  /** Accounts with a waiting call that may begin it. Not empty only while all places are taken. */
  readonly #turns = new WaitingLine<Account>()
  #inside = 0
  #running = 0

  constructor({ maxRunning, maxWaiting, share, reserve }: FairPlacesOptions) {
    this.#maxRunning = maxRunning
    this.#maxRunningOfOne = Math.max(1, Math.floor(maxRunning * share))
    this.#maxInside = maxRunning + maxWaiting
    this.#reserve = reserve
  }

  /** The number of accounts with a call here; no others are kept in memory. */
  get accountCount(): number {
    return this.#accounts.size
  }

  /** Whether a call of any account could enter. */
  get hasRoom(): boolean {
    return this.#inside < this.#maxInside
  }

  /**
   * Whether one more call of this account may enter. An account without a call here may enter while
   * there is any room. Any other account may not have more calls inside than the free room less the
   * reserve: a single account gets half of it, and however many accounts take all they can, the
   * reserve stays free.
   */
  hasRoomFor(accountId: string): boolean {
    const own = this.#accounts.get(accountId)?.inside ?? 0
    const room = this.#maxInside - this.#inside
    return own === 0 ? room > 0 : own < room - this.#reserve
  }

  /**
   * Lets a call enter and returns a function that lets it leave, once; null when there is no room.
   */
  enter(accountId: string): (() => void) | null {
    if (!this.hasRoomFor(accountId)) return null
    const account = this.#accountOf(accountId)
    account.inside += 1
    this.#inside += 1
    let isInside = true
    return () => {
      if (!isInside) return
      isInside = false
      account.inside -= 1
      this.#inside -= 1
      this.#forgetIfGone(account)
    }
  }

  /**
   * Does the work once there is a place. If the work has to wait, `onTired` gets a function that
   * takes it out of the queue, and returns a function that ends this arrangement.
   */
  async run<Result>(
    accountId: string,
    work: () => Promise<Result>,
    onTired: (leave: (reason: Error) => void) => () => void,
  ): Promise<Result> {
    const account = this.#accountOf(accountId)
    if (this.#mayBegin(account)) this.#begin(account)
    else await this.#turnOf(account, onTired)
    try {
      return await work()
    } finally {
      this.#end(account)
    }
  }

  /** Resolves when the call has begun. */
  #turnOf(
    account: Account,
    onTired: (leave: (reason: Error) => void) => () => void,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const place = account.waiting.join(() => {
        stay()
        resolve()
      })
      const stay = onTired((reason) => {
        stay()
        place.leave()
        this.#lineUp(account)
        this.#forgetIfGone(account)
        reject(reason)
      })
      this.#lineUp(account)
    })
  }

  #mayBegin({ running }: Account): boolean {
    return this.#running < this.#maxRunning && running < this.#maxRunningOfOne
  }

  #begin(account: Account): void {
    account.running += 1
    this.#running += 1
  }

  #end(account: Account): void {
    account.running -= 1
    this.#running -= 1
    this.#lineUp(account)
    this.#forgetIfGone(account)
    const next = this.#turns.next()
    if (!next) return
    next.turn = null
    this.#begin(next)
    next.waiting.next()?.()
    this.#lineUp(next)
  }

  /** Keeps an account in the line exactly while it has a call that it may begin. */
  #lineUp(account: Account): void {
    const isDue = !account.waiting.isEmpty && account.running < this.#maxRunningOfOne
    if (isDue) account.turn ??= this.#turns.join(account)
    else if (account.turn) {
      account.turn.leave()
      account.turn = null
    }
  }

  #accountOf(id: string): Account {
    const known = this.#accounts.get(id)
    if (known) return known
    const account: Account = { id, inside: 0, running: 0, waiting: new WaitingLine(), turn: null }
    this.#accounts.set(id, account)
    return account
  }

  #forgetIfGone({ id, inside, running, waiting }: Account): void {
    if (inside === 0 && running === 0 && waiting.isEmpty) this.#accounts.delete(id)
  }
}
