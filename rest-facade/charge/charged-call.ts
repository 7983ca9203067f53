import type { NextFunction, Response } from 'express'
import type { Logger } from 'pino'
import type { Operation } from '../../schema/catalog/operation.ts'
import { type Asker, asAsker } from '../../schema/process/tracing.ts'
import { creditsDue, readAnswer } from '../backends/backend-answer.ts'
import type { Backend, BackendRequest } from '../backends/backend-client.ts'
import type { CallingClient } from '../backends/calling-client.ts'
import type { Deadline, Deadlines } from '../backends/deadlines.ts'
import type { BackendAnswer } from '../backends/exchange.ts'
import { type Call, callOf, logFieldsOf } from '../http/call.ts'
import type { ApiError } from '../http/errors.ts'
import { inHandOf } from '../http/request-in-hand.ts'
import { isGone, onGone, send } from '../http/respond.ts'
import {
  answerHeld,
  countSettlement,
  creditHeaders,
  doubtOf,
  type HeldCallOptions,
  type HeldWork,
  holdOf,
  type Outcome,
  refundIfCharged,
  tooLate,
  unknownOutcome,
  withCredits,
} from './held-call.ts'
import type { Hold, Reserving, Settlement, Settling, Undecided } from './hold.ts'

/** What charged calls are answered with. */
export interface ChargeOptions extends HeldCallOptions {
  readonly backend: Backend
  readonly log: Logger
  /** How long callers wait for the charge of a success, and for the release of a failure. */
  readonly patience: { readonly settle: Deadlines; readonly release: Deadlines }
  /** Counts the time of a call that it does not spend at its module. */
  readonly addedSeconds: { observe(seconds: number): void }
}

/** What a charged call is made of, when its request has been read. */
export interface ReadCall {
  readonly operation: Operation
  readonly request: BackendRequest
  /** What a sandbox caller has asked for instead of the module's answer. */
  readonly simulated: ApiError | null
  /** The most that it can cost, and the most that it can count in budgets. */
  readonly held: Omit<HeldWork, 'work'>
  /** Lets the call leave its place at the module; does nothing the second time. */
  readonly leave: () => void
}

/**
 * One call of a product operation, from its hold to its answer: it is the row of both batches, and is told what
 * came of them. Reserve ► module ► settle ► answer (docs/credits.md §1 and §5).
 */
export class ChargedCall implements CallingClient, Reserving, Settling {
  queuedAtMs = 0
  asker: Asker = null
  credits = 0
  counted = 0
  readonly reservedAt = null
  readonly kept = null
  readonly hold: Hold
  readonly #of: ReadCall
  readonly #options: ChargeOptions
  readonly #res: Response
  readonly #call: Call
  readonly #next: NextFunction
  #sentMs = 0
  #elsewhereMs = 0
  #answer: BackendAnswer | null = null
  /** Why the call has failed; it is answered once its hold is released. */
  #failure: unknown = null
  #patience: Deadline | null = null
  /** Set when the call was answered before its outcome was known. */
  #late: PromiseWithResolvers<Settlement> | null = null

  constructor(of: ReadCall, options: ChargeOptions, res: Response, next: NextFunction) {
    this.#of = of
    this.#options = options
    this.#res = res
    this.#call = callOf(res)
    this.#next = next
    this.hold = holdOf(this.#call, of.held, options)
  }

  /** Answers the call. What a batch can do for many calls is done so; the rest is done for it alone. */
  run(): void {
    const { key } = this.#of.held
    if (key || this.#call.budgetOwners.length > 0) this.#runAlone()
    else this.#runTogether()
  }

  #runTogether(): void {
    try {
      const doubt = this.#doubt()
      if (doubt) throw doubt
      this.#options.ledger.begin(this)
    } catch (error) {
      this.#fail(error)
    }
  }

  isGone(): boolean {
    return isGone(this.#res)
  }

  onGone(leave: () => void): () => void {
    return onGone(this.#res, leave)
  }

  dispatched(): void {
    this.#call.isDispatched = true
  }

  undecided(why: Undecided): void {
    this.#runAlone(why)
  }

  failed(error: unknown): void {
    this.#patience?.end()
    if (this.#late) {
      this.#late.reject(error)
      return
    }
    // Nobody knows what a call whose settlement failed has cost, so the usage log must not say.
    if (this.#patience) {
      const late = this.#expectLate()
      this.#call.settling = late.promise
      late.reject(error)
    }
    this.#fail(error)
  }

  accepted(): void {
    // The reservation may have waited for seconds.
    const doubt = this.#doubt()
    if (doubt) this.#release(doubt)
    else this.#ask().then(this.#answered, this.#refused)
  }

  settled(settlement: Settlement): void {
    this.#patience?.end()
    countSettlement(this.#call, settlement, this.#options.metrics)
    if (this.#late) this.#late.resolve(settlement)
    else if (this.#failure !== null) this.#fail(withCredits(this.#failure, settlement))
    else if (settlement.outcome === 'expired') this.#fail(tooLate())
    else this.#deliver(settlement)
  }

  #deliver(settlement: Settlement): void {
    this.#call.creditsCharged = settlement.credits
    const { status, body } = this.#answer ?? nothing
    try {
      send(this.#res, status, body, creditHeaders(settlement.credits, settlement))
      this.#end()
    } catch (error) {
      this.#fail(error)
    }
  }

  #runAlone(undecided?: Undecided): void {
    const { held } = this.#of
    const work = () => this.#work()
    answerHeld(this.#res, { ...held, work, undecided, hold: this.hold }, this.#options).then(
      () => this.#end(),
      (error: unknown) => this.#fail(error),
    )
  }

  async #work(): Promise<Outcome> {
    return this.#outcomeOf(await this.#ask())
  }

  /** Asks the module; the settlement needs no place of it, and may take as long as the database does. */
  async #ask(): Promise<BackendAnswer> {
    const { request, simulated, leave } = this.#of
    if (simulated) throw simulated
    this.#sentMs = performance.now()
    inHandOf(this.#res)?.setElsewhere(true)
    try {
      return await this.#options.backend.send(request, this)
    } finally {
      this.#elsewhereMs = performance.now() - this.#sentMs
      // The request may have been answered meanwhile: then it is in no hand.
      inHandOf(this.#res)?.setElsewhere(false)
      leave()
    }
  }

  /** Throws the caller's error for an answer that is no success. */
  #outcomeOf(answer: BackendAnswer): Outcome {
    const { operation, held } = this.#of
    const parsed = readAnswer(operation, answer)
    const { counted = held.maximum } = held
    const { credits, isCapped } = creditsDue(operation, answer, parsed, counted)
    if (isCapped) {
      const seen = logFieldsOf(this.#call)
      this.#options.log.warn(seen, 'The backend module reported more credits than were held')
    }
    const { status, body } = answer
    return { status, headers: {}, body, credits: Math.min(credits, held.maximum), counted: credits }
  }

  readonly #answered = (answer: BackendAnswer): void => {
    try {
      const { credits, counted } = this.#outcomeOf(answer)
      this.credits = credits
      this.counted = counted ?? credits
    } catch (error) {
      this.#release(error)
      return
    }
    this.#answer = answer
    // The charge does not depend on whether the client is still there, because the module has delivered.
    this.#patience = this.#options.patience.settle.begin()
    this.#patience.onOver = () => asAsker(this.asker, () => this.#answerBeforeCharge())
    this.#options.ledger.end(this)
  }

  readonly #refused = (error: unknown): void => this.#release(error)

  /** Charges nothing, and answers with the failure. */
  #release(failure: unknown): void {
    this.#failure = failure
    this.#patience = this.#options.patience.release.begin()
    this.#patience.onOver = () => asAsker(this.asker, () => this.#answerBeforeRelease())
    this.#options.ledger.end(this)
  }

  /** Without a key the caller cannot ask again, so the answer is a failure, and a failure costs nothing. */
  #answerBeforeCharge(): void {
    const late = this.#expectLate()
    const { execute } = this.#options
    // Nobody gets it any more, and the outcome may take long.
    this.#answer = null
    this.#call.settling = late.promise.then((settlement) =>
      refundIfCharged(execute, this.hold, settlement),
    )
    this.#fail(unknownOutcome(null))
  }

  #answerBeforeRelease(): void {
    this.#call.settling = this.#expectLate().promise
    this.#fail(withCredits(this.#failure))
  }

  #expectLate(): PromiseWithResolvers<Settlement> {
    const late = Promise.withResolvers<Settlement>()
    // Whoever records the call learns of a failure, and nobody else.
    late.promise.catch(() => {})
    this.#late = late
    return late
  }

  #doubt(): unknown {
    return doubtOf(this.#of.held, this.#options.ledger)
  }

  #fail(error: unknown): void {
    this.#end()
    this.#next(error)
  }

  #end(): void {
    this.#of.leave()
    const allMs = performance.now() - this.#call.arrivedAtMs
    if (this.#elsewhereMs === 0) return
    this.#options.addedSeconds.observe((allMs - this.#elsewhereMs) / 1000)
    this.#elsewhereMs = 0
  }
}

const nothing = { status: 500, body: '' }
