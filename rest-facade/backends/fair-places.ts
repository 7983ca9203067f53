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

/** An account with a call at the module. */
export interface PlacedAccount {
  readonly id: string
  /** Calls that have entered and not left. */
  inside: number
  running: number
  /** Each function begins its call. */
  readonly waiting: WaitingLine<() => void>
  /** The place of the account in the line of those that may begin another call; null outside that line. */
  turn: LinePlace<PlacedAccount> | null
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
  /** Accounts with a call at this module, and no others. */
  readonly #accounts = new Map<string, PlacedAccount>()
  /**
   * Accounts with a waiting call that may begin it. The line is not empty only while all places are
   * taken.
   */
  readonly #turns = new WaitingLine<PlacedAccount>()
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

  /** Lets a call enter, which must `leave`; null when there is no room. */
  enter(accountId: string): PlacedAccount | null {
    if (!this.hasRoomFor(accountId)) return null
    const account = this.#accountOf(accountId)
    account.inside += 1
    this.#inside += 1
    return account
  }

  leave(account: PlacedAccount): void {
    account.inside -= 1
    this.#inside -= 1
    this.#forgetIfGone(account)
  }

  /** Whether a call may begin now: then it must `end`. Otherwise it may `wait`. */
  begin(account: PlacedAccount): boolean {
    if (!this.#mayBegin(account)) return false
    this.#begin(account)
    return true
  }

  /**
   * Calls `onTurn` back when the call has begun. Returns a function that takes the call out of the
   * queue before that.
   */
  wait(account: PlacedAccount, onTurn: () => void): () => void {
    const place = account.waiting.join(onTurn)
    this.#lineUp(account)
    return () => {
      place.leave()
      this.#lineUp(account)
      this.#forgetIfGone(account)
    }
  }

  end(account: PlacedAccount): void {
    account.running -= 1
    this.#running -= 1
    this.#lineUp(account)
    this.#forgetIfGone(account)
    const next = this.#turns.next()
    if (!next) return
    next.turn = null
    this.#begin(next)
    const begin = next.waiting.next()
    this.#lineUp(next)
    begin?.()
  }

  #mayBegin({ running }: PlacedAccount): boolean {
    return this.#running < this.#maxRunning && running < this.#maxRunningOfOne
  }

  #begin(account: PlacedAccount): void {
    account.running += 1
    this.#running += 1
  }

  /** Keeps an account in the line exactly while it has a call that it may begin. */
  #lineUp(account: PlacedAccount): void {
    const isDue = !account.waiting.isEmpty && account.running < this.#maxRunningOfOne
    if (isDue) account.turn ??= this.#turns.join(account)
    else if (account.turn) {
      account.turn.leave()
      account.turn = null
    }
  }

  #accountOf(id: string): PlacedAccount {
    const known = this.#accounts.get(id)
    if (known) return known
    const account: PlacedAccount = {
      id,
      inside: 0,
      running: 0,
      waiting: new WaitingLine(),
      turn: null,
    }
    this.#accounts.set(id, account)
    return account
  }

  #forgetIfGone({ id, inside, running, waiting }: PlacedAccount): void {
    if (inside === 0 && running === 0 && waiting.isEmpty) this.#accounts.delete(id)
  }
}
