import {
  type CircuitBreakerPolicy,
  CircuitState,
  circuitBreaker,
  handleWhen,
  isBrokenCircuitError,
} from 'cockatiel'
import { ApiError, ClientGone, unavailable } from '../http/errors.ts'
import { shareOf } from '../rate-limit/share-of.ts'
import { AccountBreakers } from './account-breakers.ts'
import { type CallingClient, requirePresence } from './calling-client.ts'
import type { Deadline } from './deadlines.ts'
import { FairPlaces } from './fair-places.ts'
import { RecentCalls } from './recent-calls.ts'

/** How long a call waits for its turn: until its deadline, or until its client leaves. */
interface Waiting {
  readonly deadline: Deadline
  readonly client: CallingClient
}

/** The protection between calls and their module. */
export interface Protection {
  /**
   * Makes the call when it is its turn. Throws SERVICE_UNAVAILABLE when the module has been failing,
   * for all or for this account, or the deadline is over before that, and ClientGone when the client
   * has left before that.
   */
  readonly run: <Answer extends { readonly status: number }>(
    accountId: string,
    call: () => Promise<Answer>,
    waiting: Waiting,
  ) => Promise<Answer>
  /** See `Backend`. */
  readonly enter: (accountId: string) => () => void
  readonly requirePlace: (accountId?: string) => void
  readonly isRefusing: () => boolean
}

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
 * The least failures of other accounts, in each process: a part of ten would be failures that every module
 * has now and then.
 */
const minFailuresOfOthers = 10
const openForMs = 1000

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
  /** Calls back when the others have opened a breaker, and when it is closed again. */
  watch(module: string, onChange: (isOpen: boolean) => void): void
}

export interface ProtectionOptions {
  /** The processes that divide the places of the module among them; 1 by default. */
  readonly processes?: number
  /** By default this process is the only one. */
  readonly peers?: BreakerPeers
}

export const unprotected: Protection = {
  run: (_accountId, call) => call(),
  enter: () => () => {},
  requirePlace: () => {},
  isRefusing: () => false,
}

/** Refuses calls to a module that keeps failing, and calls to a module whose queue is full. */
export function protect(module: string, options: ProtectionOptions): Protection {
  const { processes = 1, peers } = options
  const limits = limitsOf(processes)
  const recent = new RecentCalls(limits.breaker)
  const accounts = new AccountBreakers()
  const circuit = createCircuit(recent)
  if (peers) joinPeers(circuit, module, peers)
  const fair = new FairPlaces(limits.places)

  /** Makes the call unless the breaker of its account is open, and judges by its outcome. */
  async function callOnce<Answer extends { readonly status: number }>(
    accountId: string,
    call: () => Promise<Answer>,
  ): Promise<Answer> {
    const turn = await accounts.begin(accountId)
    if (!turn) {
      throw unavailable(
        `Calls of this account to ${module} have been failing; try again in a second.`,
      )
    }
    try {
      return await circuit.execute(() => judged(accountId, call, turn.isProbe))
    } finally {
      turn.end()
    }
  }

  async function judged<Answer extends { readonly status: number }>(
    accountId: string,
    call: () => Promise<Answer>,
    isProbe: boolean,
  ): Promise<Answer> {
    const isProbeForAll = circuit.state === CircuitState.HalfOpen
    function note(isFailed: boolean): void {
      recent.note(accountId, isFailed)
      if (isFailed) {
        // Twice as long: the next call that tries is of another account, if another one asks.
        if (isProbeForAll) accounts.open(accountId, 2 * openForMs)
        else if (isProbe || recent.failFor(accountId)) accounts.open(accountId, openForMs)
      } else if (isProbe) {
        accounts.close(accountId)
        recent.forgetAccount(accountId)
      }
    }
    try {
      const answer = await call()
      note(isFailedAnswer(answer))
      return answer
    } catch (error) {
      if (isFailure(error)) note(true)
      throw error
    }
  }

  const run: Protection['run'] = async (accountId, call, { deadline, client }) => {
    // A client that has already left causes no further event.
    requirePresence(client)
    function begin() {
      requirePresence(client)
      return callOnce(accountId, call)
    }
    function onTired(leave: (reason: Error) => void): () => void {
      deadline.onOver = () => leave(unavailable(`${module} has too many calls waiting.`))
      const ignore = client.onGone(() => leave(new ClientGone()))
      return () => {
        deadline.onOver = null
        ignore()
      }
    }
    try {
      return await fair.run(accountId, begin, onTired)
    } catch (error) {
      if (error instanceof ApiError) throw error
      const reason = isBrokenCircuitError(error) ? 'has been failing' : 'has too many calls waiting'
      throw unavailable(`${module} ${reason}; try again in a second.`, { cause: error })
    }
  }

  function refusal(): ApiError {
    if (!fair.hasRoom) return unavailable(`${module} has too many calls waiting.`)
    return unavailable(`Too many calls of this account wait for ${module}; try again in a second.`)
  }

  function requirePlace(accountId?: string): void {
    if (accountId === undefined ? !fair.hasRoom : !fair.hasRoomFor(accountId)) throw refusal()
  }

  function enter(accountId: string): () => void {
    const leave = fair.enter(accountId)
    if (!leave) throw refusal()
    return leave
  }
  return { run, enter, requirePlace, isRefusing: () => circuit.state !== CircuitState.Closed }
}

const isFailure = (error: unknown) => error instanceof ApiError && !(error instanceof ClientGone)
const isFailedAnswer = (answer: unknown) => Object(answer).status >= 500

/** The breaker for all accounts. It judges by calls that were noted before their outcome reaches it. */
function createCircuit(recent: RecentCalls): CircuitBreakerPolicy {
  return circuitBreaker(handleWhen(isFailure).orWhenResult(isFailedAnswer), {
    halfOpenAfter: openForMs,
    breaker: {
      state: null,
      success(state) {
        if (state === CircuitState.HalfOpen) recent.forget()
      },
      failure: (state) => state !== CircuitState.Closed || recent.failForAll(),
    },
  })
}

/**
 * A module that one process finds failing is refused by all, and only that process tries whether it
 * works again.
 */
function joinPeers(circuit: CircuitBreakerPolicy, module: string, peers: BreakerPeers): void {
  let isolation: { dispose(): void } | null = null
  let isOpen = false
  circuit.onBreak((reason) => {
    if ('isolated' in reason || isOpen) return
    isOpen = true
    peers.tell(module, true)
  })
  circuit.onReset(() => {
    if (!isOpen) return
    isOpen = false
    peers.tell(module, false)
  })
  peers.watch(module, (isOpenElsewhere) => {
    // The other one probes, also if this breaker opened at the same moment.
    isOpen = false
    if (isOpenElsewhere) isolation ??= circuit.isolate()
    else {
      isolation?.dispose()
      isolation = null
    }
  })
}
