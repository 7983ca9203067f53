import type { Logger } from 'pino'
import type { Operation } from '../../schema/catalog/operation.ts'
import type {
  Backend,
  BackendAnswer,
  BackendRequest,
  CallingClient,
  ModulePlace,
} from '../backends/backend.ts'
import { creditsDue, readAnswer } from '../backends/backend-answer.ts'
import type { Answering } from '../http/answering.ts'
import { type Call, logFieldsOf } from '../http/call.ts'
import { ApiError } from '../http/errors.ts'
import type { ChargeCounts } from './charge-counts.ts'
import type { Held, Outcome } from './held.ts'
import { HeldCall, type HeldCallOptions } from './held-call.ts'
import type { Shortage } from './shortages.ts'

/** What charged calls are answered with. */
export interface ChargeOptions extends HeldCallOptions {
  readonly backend: Backend
  readonly counts: ChargeCounts
  readonly log: Logger
  /** Counts the time of a call that it does not spend at its module. */
  readonly addedSeconds: { observe(seconds: number): void }
}

/** What a charged call is made of. */
export interface ChargeParts {
  readonly operation: Operation
  /** Null: its work is only to fail. */
  readonly request: BackendRequest | null
  /** What a sandbox caller has asked for instead of the module's answer, or what a repetition gets without one. */
  readonly simulated: ApiError | Shortage | null
  readonly held: Held
  /** The place of the call at the module. */
  readonly place: ModulePlace
}

/** One call of a product operation, whose work is that of its module. */
export class ChargedCall extends HeldCall implements CallingClient {
  readonly #of: ChargeParts
  readonly #options: ChargeOptions
  #sentMs = 0
  #elsewhereMs = 0

  constructor(of: ChargeParts, options: ChargeOptions, call: Call, answering: Answering) {
    super(of.held, options, call, answering)
    this.#of = of
    this.#options = options
  }

  isGone(): boolean {
    return this.answering.isGone()
  }

  onGone(leave: () => void): () => void {
    return this.answering.onGone(leave)
  }

  dispatched(): void {
    this.call.isDispatched = true
  }

  answered(answer: BackendAnswer): void {
    this.#isBack()
    try {
      this.worked(this.#outcomeOf(answer))
    } catch (error) {
      this.release(error)
    }
  }

  unanswered(error: unknown): void {
    this.#isBack()
    this.release(error)
  }

  protected override work(): void {
    const { request, simulated, place } = this.#of
    if (simulated instanceof ApiError) {
      this.release(simulated)
      return
    }
    if (simulated) {
      void this.explain(simulated).then((error) => this.release(error))
      return
    }
    if (!request) throw new Error('A call without a request has to fail.')
    this.#sentMs = performance.now()
    this.answering.setElsewhere(true)
    place.send(request, this)
  }

  protected override count(outcome: keyof ChargeCounts['outcomes'], credits: number): void {
    const { counts } = this.#options
    counts.outcomes[outcome].inc()
    if (credits > 0) counts.credits.inc(credits)
  }

  protected override end(): void {
    this.#of.place.leave()
    if (this.#elsewhereMs === 0) return
    const allMs = performance.now() - this.call.arrivedAtMs
    this.#options.addedSeconds.observe((allMs - this.#elsewhereMs) / 1000)
    this.#elsewhereMs = 0
  }

  /** The settlement needs no place at the module, and may take as long as the database does. */
  #isBack(): void {
    this.#elsewhereMs = performance.now() - this.#sentMs
    this.answering.setElsewhere(false)
    this.#of.place.leave()
  }

  /** Throws the caller's error for an answer that is no success. */
  #outcomeOf(answer: BackendAnswer): Outcome {
    const { operation, held } = this.#of
    const parsed = readAnswer(operation, answer)
    const { credits, isCapped } = creditsDue(operation, answer, parsed, held.counted)
    if (isCapped) {
      const seen = logFieldsOf(this.call)
      this.#options.log.warn(seen, 'The backend module reported more credits than were held')
    }
    const { status, body } = answer
    return { status, headers: {}, body, credits: Math.min(credits, held.maximum), counted: credits }
  }
}
