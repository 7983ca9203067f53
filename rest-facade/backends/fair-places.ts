import { Line, type Standing } from './line.ts'

interface FairPlacesOptions {
  /** Calls that run at once. */
  readonly maxRunning: number
  /** Calls that wait beside them. */
  readonly maxWaiting: number
  /** The part of the running calls that one account may have. */
  readonly share: number
  /** Places, to run or to wait, that are kept for accounts that have no call here; 0 or more. */
  readonly reserve: number
}

interface Account {
  readonly id: string
  /** Calls that were let in and have not left. */
  inside: number
  running: number
  /** Each begins its call. */
  readonly waiting: Line<() => void>
  /** Where it stands among the accounts that may begin another call; null while it is not one of them. */
  turn: Standing | null
}

/**
 * The places of a backend module and the queue for them, so that no account keeps the others out. An account
 * has no more than its share of the places, also while nobody else wants them: a slow call would not give
 * its place back when somebody comes. The queue serves accounts in turn, and each in its own order.
 */
export class FairPlaces {
  readonly #maxRunning: number
  readonly #maxRunningOfOne: number
  readonly #maxInside: number
  readonly #reserve: number
  /** Only those that have a call here. */
  readonly #accounts = new Map<string, Account>()
  /** Who has a call that waits, and may have one more running. Somebody is there only while all places are taken. */
  readonly #turns = new Line<Account>()
  #inside = 0
  #running = 0

  constructor({ maxRunning, maxWaiting, share, reserve }: FairPlacesOptions) {
    this.#maxRunning = maxRunning
    this.#maxRunningOfOne = Math.max(1, Math.floor(maxRunning * share))
    this.#maxInside = maxRunning + maxWaiting
    this.#reserve = reserve
  }

  /** Who is remembered: those that have a call here, and nobody else. */
  get accountCount(): number {
    return this.#accounts.size
  }

  /** Whether anybody at all could be let in. */
  get hasRoom(): boolean {
    return this.#inside < this.#maxInside
  }

  /**
   * Whether one more call of this account may come in. One that has none here may while there is any room.
   * Any other may not have more calls inside than there is room left beside the reserve: one alone has half
   * of that, and however many take all they can, the reserve is left to those who come later.
   */
  hasRoomFor(accountId: string): boolean {
    const own = this.#accounts.get(accountId)?.inside ?? 0
    const room = this.#maxInside - this.#inside
    return own === 0 ? room > 0 : own < room - this.#reserve
  }

  /** Lets a call in, and returns what lets it out again; null when there is no room for it. */
  enter(accountId: string): (() => void) | null {
    if (!this.hasRoomFor(accountId)) return null
    const account = this.#accountOf(accountId)
    account.inside += 1
    this.#inside += 1
    return () => {
      account.inside -= 1
      this.#inside -= 1
      this.#forgetIfGone(account)
    }
  }

  /**
   * Does the work once there is a place. Only where it has to wait, `onTired` is called with what takes it
   * out of the queue again; it returns what ends that.
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

  /** Resolves when its call has begun. */
  #turnOf(
    account: Account,
    onTired: (leave: (reason: Error) => void) => () => void,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const standing = account.waiting.join(() => {
        stay()
        resolve()
      })
      const stay = onTired((reason) => {
        stay()
        standing.leave()
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

  /** Has an account stand among those whose turn will come exactly while it has a call to begin. */
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
    const account: Account = { id, inside: 0, running: 0, waiting: new Line(), turn: null }
    this.#accounts.set(id, account)
    return account
  }

  #forgetIfGone({ id, inside, running, waiting }: Account): void {
    if (inside === 0 && running === 0 && waiting.isEmpty) this.#accounts.delete(id)
  }
}
