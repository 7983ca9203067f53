import { isUnderWay } from '../charge/refusals.ts'
import type { Answering } from '../http/answering.ts'
import { ApiError, ClientGone } from '../http/errors.ts'
import type { Headers } from '../http/respond.ts'

/** What an equal call gets, unless its limit refuses it, that has waited in vain, or whose first call has failed. */
export const noAnswer = new ApiError(
  'IDEMPOTENCY_CONFLICT',
  'An equal call was in progress. It has failed, or it takes too long: call again.',
)

interface EqualCallOptions {
  /** How long the first call may take, in ms. */
  readonly patienceMs: number
  /** Asks for the stored answer once, as its caller is known then: see `repeatCall`. */
  readonly repeat: (answering: Answering) => unknown
  /** What is told where that call gives no answer. */
  readonly gone: ApiError
}

/** Who asks may do so no more: another call would be refused, too. */
const ofCaller: readonly number[] = [401, 403]

/** The pause before the first question, in ms, and the longest one. */
const firstPauseMs = 50
const longestPauseMs = 1000

/**
 * Whoever asked for a call that an equal one, of this process or another, may be making: then it waits for that one and
 * gets its answer. Meanwhile it has no place at the module, and holds nothing.
 */
export class EqualCall implements Answering {
  readonly #answering: Answering
  readonly #options: EqualCallOptions
  /** Set while it waits. */
  #untilMs: number | null = null
  #pauseMs = firstPauseMs
  #timer: NodeJS.Timeout | undefined
  #stopWatching: (() => void) | undefined

  constructor(answering: Answering, options: EqualCallOptions) {
    this.#answering = answering
    this.#options = options
  }

  isGone(): boolean {
    return this.#answering.isGone()
  }

  onGone(leave: () => void): () => void {
    return this.#answering.onGone(leave)
  }

  setElsewhere(isElsewhere: boolean): void {
    if (this.#untilMs === null) this.#answering.setElsewhere(isElsewhere)
  }

  answer(status: number, body: string | Buffer, headers: Headers): void {
    this.#end()
    this.#answering.answer(status, body, headers)
  }

  fail(error: unknown): void {
    const isWaiting = this.#untilMs !== null
    if (isUnderWay(error) && this.#mayWait()) {
      this.#waitOn()
      return
    }
    this.#end()
    // For what a new call would be refused now, a new call can learn.
    const isRefusal = error instanceof ApiError && error.status < 500 && !this.isGone()
    const isOfCaller = isRefusal && ofCaller.includes(error.status)
    this.#answering.fail(isWaiting && isRefusal && !isOfCaller ? this.#options.gone : error)
  }

  #mayWait(): boolean {
    if (this.#untilMs === null) {
      this.#untilMs = performance.now() + this.#options.patienceMs
      this.#answering.setElsewhere(true)
      this.#stopWatching = this.#answering.onGone(() => this.#leave())
    }
    return performance.now() < this.#untilMs
  }

  #waitOn(): void {
    if (this.isGone()) {
      this.fail(new ClientGone())
      return
    }
    this.#timer = setTimeout(() => this.#ask(), this.#pauseMs)
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs)
  }

  #ask(): void {
    this.#timer = undefined
    try {
      this.#options.repeat(this)
    } catch (error) {
      this.fail(error)
    }
  }

  /** A question that is under way ends by itself. */
  #leave(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.fail(new ClientGone())
  }

  #end(): void {
    this.#stopWatching?.()
    if (this.#untilMs !== null) this.#answering.setElsewhere(false)
  }
}
