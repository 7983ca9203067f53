import { type Asker, asAsker } from '../../schema/process/tracing.ts'
import type { Deadline } from '../backends/deadlines.ts'
import type { Answering } from '../http/answering.ts'
import { type Call, callerOf } from '../http/call.ts'
import { type ApiError, isOutage } from '../http/errors.ts'
import { readRefusing } from './balance.ts'
import type { ChargeCounts } from './charge-counts.ts'
import { creditHeaders, remainingHeaders, withCredits } from './credit-headers.ts'
import { type Held, type HoldOrigin, holdOf, keptOf, type Outcome } from './held.ts'
import type { Hold, Reservation, Reserving, Settle, Settlement, Settling } from './hold.ts'
import type { Ledger } from './ledger.ts'
import { refundIfCharged } from './refund-failed-call.ts'
import { refusalOf, tooLate, unknownOutcome } from './refusals.ts'
import { explainShortage, type Shortage, type ShortageOptions } from './shortages.ts'

export interface HeldCallOptions extends HoldOrigin, ShortageOptions {
  readonly ledger: Ledger
}

/**
 * A call from its hold to its answer: it is the row of both batches, and is told what came of them. Reserve ►
 * work ► settle ► answer: charged once, and answered the same however often it is sent (docs/credits.md §1
 * and §5).
 */
export abstract class HeldCall implements Reserving, Settling {
  queuedAtMs = 0
  asker: Asker = null
  credits = 0
  counted = 0
  reservedAt: string | null = null
  kept: Settle['kept'] = null
  readonly hold: Hold
  protected readonly call: Call
  protected readonly answering: Answering
  readonly #held: Held
  readonly #options: HeldCallOptions
  #outcome: Outcome | null = null
  /** Why the call has failed; it is answered once its hold is released. */
  #failure: unknown = null
  #patience: Deadline | null = null
  /** Set when the call was answered before its outcome was known. */
  #late: PromiseWithResolvers<Settlement> | null = null

  constructor(held: Held, options: HeldCallOptions, call: Call, answering: Answering) {
    this.#held = held
    this.#options = options
    this.call = call
    this.answering = answering
    this.hold = holdOf(this.call, held, options)
  }

  /** Begins the work. It ends with a call of `worked` or `release`; only the first one counts. */
  protected abstract work(): void

  /** The call was answered, or will be in this turn. */
  protected abstract end(): void

  /** Counts how the call ended. */
  protected abstract count(outcome: keyof ChargeCounts['outcomes'], credits: number): void

  run(): void {
    try {
      // A call with an idempotency key may be a repetition, whose answer is stored.
      const doubt = this.#held.key ? null : this.#doubt()
      if (doubt) throw doubt
      this.#options.ledger.begin(this)
    } catch (error) {
      this.#fail(error)
    }
  }

  reserved(reservation: Reservation): void {
    const { verdict } = reservation
    this.reservedAt = reservation.reservedAt
    if (verdict === 'accepted') this.#begin()
    else if (verdict === 'replay') this.#replay(reservation)
    else if (verdict === 'insufficient' || verdict === 'exhausted') {
      if (verdict === 'insufficient') this.count('refused', 0)
      this.end()
      void this.#explain(reservation).then((error) => this.#fail(error))
    } else {
      this.#fail(this.#withCredits(refusalOf(verdict, this.#held.key), reservation))
    }
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
      this.call.settling = late.promise
      late.reject(error)
    }
    this.#fail(error)
  }

  settled(settlement: Settlement): void {
    this.#patience?.end()
    const { outcome, credits } = settlement
    this.count(outcome === 'voided' ? 'released' : outcome, credits)
    if (this.#late) this.#late.resolve(settlement)
    else if (this.#outcome === null) this.#fail(this.#withCredits(this.#failure, settlement))
    else if (outcome === 'expired') this.#fail(tooLate())
    else this.#deliver(this.#outcome, settlement)
  }

  /** The 402 of a shortage. */
  protected explain(shortage: Shortage): Promise<ApiError> {
    return explainShortage(shortage, callerOf(this.call), this.#options)
  }

  async #explain(reservation: Reservation): Promise<unknown> {
    const { verdict, available, budgetRemaining } = reservation
    const { credits, counted = credits } = this.hold
    const isOfBalance = verdict === 'insufficient'
    const mayRefuse = isOfBalance && budgetRemaining !== null && budgetRemaining < counted
    const refusing = mayRefuse
      ? await readRefusing(this.call, counted, this.#options.execute)
      : (reservation.refusing ?? [])
    const { unitCredits = null } = this.#held
    const needed = isOfBalance ? credits : counted
    const error = await this.explain({ needed, available, isOfBalance, refusing, unitCredits })
    return this.#withCredits(error, reservation)
  }

  /** Charges the price and stores the answer, and then answers. */
  protected worked(outcome: Outcome): void {
    if (this.#patience) return
    try {
      this.kept = keptOf(this.#held, outcome)
    } catch (error) {
      this.release(error)
      return
    }
    this.#outcome = outcome
    this.credits = outcome.credits
    this.counted = outcome.counted
    const { patience } = this.#options.ledger
    // The charge does not depend on whether the client is still there, because the work is done.
    this.#patience = patience.settle.begin()
    this.#patience.onOver = () => asAsker(this.asker, () => this.#answerBeforeCharge())
    this.#options.ledger.end(this)
  }

  /** Charges nothing, frees the key, and answers with the failure. */
  protected release(failure: unknown): void {
    if (this.#patience) return
    this.#failure = failure
    const { release, releaseInOutage } = this.#options.ledger.patience
    // A caller that has already waited for an unavailable database does not wait for it again. The
    // work of a metered call asks no database: there the unavailable service is a backend module.
    const hasWaited = isOutage(failure) && !this.#held.isMetered
    this.#patience = (hasWaited ? releaseInOutage : release).begin()
    this.#patience.onOver = () => asAsker(this.asker, () => this.#answerBeforeRelease())
    this.#options.ledger.end(this)
  }

  #begin(): void {
    // The reservation may have waited for seconds, so charges may be in doubt by now.
    const doubt = this.#doubt()
    if (doubt) {
      this.release(doubt)
      return
    }
    try {
      this.work()
    } catch (error) {
      this.release(error)
    }
  }

  /** Sends the stored answer again, byte for byte; its `X-Credits-Charged` is the first one's. */
  #replay({ answer, body, ...left }: Reservation): void {
    this.count('replayed', 0)
    const { key, isMetered } = this.#held
    if (!key || !answer || body === null) throw new Error('A replay lacks its stored answer.')
    this.answering.answer(answer.status, key.openBody(answer, body), {
      ...answer.headers,
      ...(isMetered ? remainingHeaders(left) : {}),
      'Idempotent-Replayed': 'true',
    })
    this.end()
  }

  #deliver({ status, headers, body }: Outcome, settlement: Settlement): void {
    this.call.creditsCharged = settlement.credits
    const charged = this.#held.isMetered ? creditHeaders(settlement.credits, settlement) : {}
    try {
      this.answering.answer(status, body, { ...headers, ...charged })
      this.end()
    } catch (error) {
      this.#fail(error)
    }
  }

  /**
   * Answers before the charge is known. Without a key the caller cannot ask again, so the answer is a
   * failure, and a failure costs nothing.
   */
  #answerBeforeCharge(): void {
    const { execute } = this.#options
    const { key } = this.#held
    const { promise } = this.#expectLate()
    // Nobody gets the outcome any more, and the settlement may take long.
    this.#outcome = null
    this.call.settling = key
      ? promise
      : promise.then((settlement) => refundIfCharged(execute, this.hold, settlement))
    this.#fail(unknownOutcome(key))
  }

  #answerBeforeRelease(): void {
    this.call.settling = this.#expectLate().promise
    this.#fail(this.#withCredits(this.#failure))
  }

  #expectLate(): PromiseWithResolvers<Settlement> {
    const late = Promise.withResolvers<Settlement>()
    // The recorder of the call learns of a failure, and nobody else.
    late.promise.catch(() => {})
    this.#late = late
    return late
  }

  /**
   * The refusal of work that can cost something while charges are in doubt: what a module delivers then may
   * never be charged.
   */
  #doubt(): unknown {
    const { isMetered, maximum } = this.#held
    const refusal = isMetered && maximum > 0 ? this.#options.ledger.inDoubt.refusal() : null
    return refusal && withCredits(refusal)
  }

  #withCredits(error: unknown, left?: Parameters<typeof withCredits>[1]): unknown {
    return this.#held.isMetered ? withCredits(error, left) : error
  }

  #fail(error: unknown): void {
    this.end()
    this.answering.fail(error)
  }
}
