import { spending } from '../../schema/process/spent-time.ts'
import type { Answering } from '../http/answering.ts'
import type { Call } from '../http/call.ts'
import type { Held, Outcome } from './held.ts'
import { HeldCall, type HeldCallOptions } from './held-call.ts'

/** A free change with an idempotency key, whose work is an operation of the graph: it happens once. */
export class HeldChange extends HeldCall {
  readonly #work: () => Promise<Outcome>

  constructor(
    { key, isSecret, work }: Pick<Held, 'key' | 'isSecret'> & { work: () => Promise<Outcome> },
    options: HeldCallOptions,
    call: Call,
    answering: Answering,
  ) {
    super({ maximum: 0, counted: 0, key, isSecret, isMetered: false }, options, call, answering)
    this.#work = work
  }

  protected override work(): void {
    // The time of what follows belongs to this request, and not to the one whose batch called back.
    spending(this.call.spent, () => {
      this.#work().then(
        (outcome) => this.worked(outcome),
        (error: unknown) => this.release(error),
      )
    })
  }

  protected override end(): void {}

  /** A change is free, so it does not count as a charge. */
  protected override count(): void {}
}
