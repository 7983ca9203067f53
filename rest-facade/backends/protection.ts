import { LRUCache } from 'lru-cache'
import { atMost } from '../../schema/process/at-most.ts'
import { type ApiError, ClientGone, unavailable } from '../http/errors.ts'
import { shareOf } from '../rate-limit/share-of.ts'
import { type Admitted, Breaker } from './breaker.ts'
import type { Deadline } from './deadlines.ts'
import { FairPlaces, type PlacedAccount } from './fair-places.ts'
import { RecentCalls } from './recent-calls.ts'

/** A call to a module, which has entered and waits for its turn. */
export interface ProtectedCall {
  readonly account: PlacedAccount
  /** The call waits for its turn no longer than this. */
  readonly deadline: Deadline
  /** Calls the function when the client of the call leaves. Returns a function that ends this watch. */
  onGone(leave: () => void): () => void
  /** Begins the call, whose turn it is; it must `end` when its outcome is known. */
  begin(turn: Turn): void
  /** Tells the call that it gets no turn. */
  refuse(error: ApiError): void
}

/** The breakers for which a call tries whether calls succeed again. */
export interface Turn {
  readonly forAccount: Breaker | null
  readonly forAll: boolean
}

const usual: Turn = { forAccount: null, forAll: false }

/** The places of a module. One account leaves three quarters of the running calls to the others. */
const places = { maxRunning: 128, maxWaiting: 500, share: 1 / 4, reserve: 64 }
/** Calls that may be tried again at once, whatever share of all calls they are. */
const maxRetryCredit = 10
/**
 * A breaker looks at so many calls: more than half of them must fail. Failures of one account open its own
 * breaker only.
 */
const minCalls = 100
/**
 * The least number of failures of other accounts, in each process. A part of ten calls would be failures
 * that every module has now and then.
 */
const minFailuresOfOthers = 10
const openForMs = 1000
/**
 * The most breakers of accounts in memory. With one more, the breaker of the account that was
 * refused longest ago is forgotten.
 */
const maxAccounts = 10_000

/** The part of a module's limits that each process of a gateway has. */
export function limitsOf(processes = 1) {
  return {
    places: {
      ...places,
      maxRunning: shareOf(places.maxRunning, processes),
      maxWaiting: shareOf(places.maxWaiting, processes),
      reserve: shareOf(places.reserve, processes),
    },
    maxRetryCredit: shareOf(maxRetryCredit, processes),
    breaker: { minCalls: shareOf(minCalls, processes), minFailuresOfOthers },
  }
}

/** The breakers of the same modules in the other processes of a gateway. */
export interface BreakerPeers {
  /** Tells the others that the breaker of this process has opened or closed. */
  tell(module: string, isOpen: boolean): void
  /** Calls back when another process has opened a breaker, and when it is closed again. */
  watch(module: string, onChange: (isOpen: boolean) => void): void
}

export interface ProtectionOptions {
  /** The processes that divide the places of the module among them; 1 by default. */
  readonly processes?: number | undefined
  /** By default this process is the only one. */
  readonly peers?: BreakerPeers | undefined
}

/** Refuses calls to a module that keeps failing, and calls to a module whose queue is full. */
export class Protection {
  readonly #module: string
  readonly #peers: BreakerPeers | undefined
  readonly #places: FairPlaces
  readonly #recent: RecentCalls
  /** The breaker for all accounts. */
  readonly #breaker = new Breaker()
  /** The open breakers of single accounts. */
  readonly #ofAccounts = new LRUCache<string, Breaker>(atMost(maxAccounts))
  /** Whether another process refuses calls, and tries for all. */
  #isOpenElsewhere = false
  #isTold = false

  constructor(module: string, { processes = 1, peers }: ProtectionOptions = {}) {
    const limits = limitsOf(processes)
    this.#module = module
    this.#peers = peers
    this.#places = new FairPlaces(limits.places)
    this.#recent = new RecentCalls(limits.breaker)
    peers?.watch(module, (isOpenElsewhere) => {
      // The other process tries for all, also if the breaker of this process opened at the same moment.
      this.#isTold = false
      this.#isOpenElsewhere = isOpenElsewhere
      if (!isOpenElsewhere) this.#breaker.close()
    })
  }

  /** Whether calls are being refused because the module has been failing. */
  get isRefusing(): boolean {
    return this.#isOpenElsewhere || this.#breaker.isOpen
  }

  /**
   * Throws SERVICE_UNAVAILABLE when this account could not take a place; without an account, when
   * no account could.
   */
  requirePlace(accountId?: string): void {
    const { hasRoom } = this.#places
    if (accountId === undefined ? !hasRoom : !this.#places.hasRoomFor(accountId)) {
      throw this.#refusal()
    }
  }

  /** Takes a place for a call that is being prepared, which must `leave`. Throws SERVICE_UNAVAILABLE. */
  enter(accountId: string): PlacedAccount {
    const account = this.#places.enter(accountId)
    if (!account) throw this.#refusal()
    return account
  }

  leave(account: PlacedAccount): void {
    this.#places.leave(account)
  }

  /**
   * Begins a call when it is its turn. Refuses it with SERVICE_UNAVAILABLE when the module has been failing,
   * for all or for this account, or the deadline is over before that, and with ClientGone when the client
   * has left before that.
   */
  begin(call: ProtectedCall): void {
    if (this.#places.begin(call.account)) this.#admit(call)
    else this.#wait(call)
  }

  /** Judges by the outcome of a call that has begun; null: it says nothing about the module. */
  end({ account }: Pick<ProtectedCall, 'account'>, turn: Turn, isFailed: boolean | null): void {
    if (isFailed !== null) this.#judge(account.id, turn, isFailed)
    turn.forAccount?.tried()
    if (turn.forAll) this.#breaker.tried()
    this.#places.end(account)
  }

  #wait(call: ProtectedCall): void {
    const leaveQueue = this.#places.wait(call.account, () => {
      stay()
      this.#admit(call)
    })
    const stay = this.#watch(call, leaveQueue)
  }

  /** Refuses a call that waits when it has waited for too long; returns what ends that. */
  #watch(call: ProtectedCall, leave: () => void): () => void {
    function stay(): void {
      call.deadline.onOver = null
      ignore()
    }
    function refuse(error: ApiError): void {
      stay()
      leave()
      call.refuse(error)
    }
    call.deadline.onOver = () => refuse(unavailable(`${this.#module} has too many calls waiting.`))
    const ignore = call.onGone(() => refuse(new ClientGone()))
    return stay
  }

  /** Asks a breaker; a call that waits for the one that tries asks again, and may leave before that. */
  #ask(breaker: Breaker, call: ProtectedCall, again: () => void, leave = () => {}): Admitted {
    let isWaiting = true
    let stay = () => {}
    const admitted = breaker.ask(() => {
      if (!isWaiting) return
      stay()
      again()
    })
    if (admitted !== 'waits') return admitted
    stay = this.#watch(call, () => {
      isWaiting = false
      leave()
      this.#places.end(call.account)
    })
    return admitted
  }

  #admit(call: ProtectedCall): void {
    const { id } = call.account
    const own = this.#ofAccounts.size > 0 ? this.#ofAccounts.get(id) : undefined
    const admitted = own ? this.#ask(own, call, () => this.#admit(call)) : 'passes'
    if (admitted === 'waits') return
    if (admitted === 'refused') this.#refuse(call, `Calls of this account to ${this.#module} have`)
    else this.#admitForAll(call, admitted === 'tries' && own ? own : null)
  }

  #admitForAll(call: ProtectedCall, forAccount: Breaker | null): void {
    if (!this.isRefusing) {
      call.begin(forAccount ? { forAccount, forAll: false } : usual)
      return
    }
    const again = () => this.#admitForAll(call, forAccount)
    const admitted = this.#isOpenElsewhere
      ? 'refused'
      : this.#ask(this.#breaker, call, again, () => forAccount?.tried())
    if (admitted === 'waits') return
    if (admitted === 'refused') {
      forAccount?.tried()
      const internal = this.#isOpenElsewhere
        ? 'Another process of the gateway found it failing.'
        : undefined
      this.#refuse(call, `${this.#module} has`, internal)
    } else call.begin({ forAccount, forAll: admitted === 'tries' })
  }

  #refuse(call: ProtectedCall, who: string, internal?: string): void {
    this.#places.end(call.account)
    call.refuse(unavailable(`${who} been failing; try again in a second.`, { internal }))
  }

  #judge(accountId: string, { forAccount, forAll }: Turn, isFailed: boolean): void {
    this.#recent.note(accountId, isFailed)
    if (isFailed) {
      // The account is refused for twice as long, so that the next call that tries is of another
      // account, if another one asks.
      if (forAll) this.#openFor(accountId, 2 * openForMs)
      else if (forAccount || this.#recent.failFor(accountId)) this.#openFor(accountId, openForMs)
      if (forAll || (!this.#breaker.isOpen && this.#recent.failForAll())) this.#openForAll()
      return
    }
    if (forAccount) {
      forAccount.close()
      this.#ofAccounts.delete(accountId)
      this.#recent.forgetAccount(accountId)
    }
    if (forAll) this.#closeForAll()
  }

  #openFor(accountId: string, forMs: number): void {
    const breaker = this.#ofAccounts.get(accountId) ?? new Breaker()
    breaker.open(forMs)
    this.#ofAccounts.set(accountId, breaker)
  }

  /** A module that one process finds failing is refused by all, and only that process tries. */
  #openForAll(): void {
    this.#breaker.open(openForMs)
    if (this.#isTold || this.#isOpenElsewhere) return
    this.#isTold = true
    this.#peers?.tell(this.#module, true)
  }

  #closeForAll(): void {
    this.#recent.forget()
    this.#breaker.close()
    if (!this.#isTold) return
    this.#isTold = false
    this.#peers?.tell(this.#module, false)
  }

  #refusal(): ApiError {
    if (!this.#places.hasRoom) return unavailable(`${this.#module} has too many calls waiting.`)
    return unavailable(
      `Too many calls of this account wait for ${this.#module}; try again in a second.`,
    )
  }
}
