import type { NextFunction, Response } from 'express'
import { type Held, HeldCall, type HeldCallOptions, type Outcome } from './held-call.ts'

/** A free change with an idempotency key, whose work is an operation of the graph: it happens once. */
export class HeldChange extends HeldCall {
  readonly #work: () => Promise<Outcome>

  constructor(
    { key, isSecret, work }: Pick<Held, 'key' | 'isSecret'> & { work: () => Promise<Outcome> },
    options: HeldCallOptions,
    [res, next]: readonly [Response, NextFunction],
  ) {
    super({ maximum: 0, counted: 0, key, isSecret, isMetered: false }, options, res, next)
    this.#work = work
  }

  protected override work(): void {
    this.#work().then(
      (outcome) => this.worked(outcome),
      (error: unknown) => this.release(error),
    )
  }

  protected override end(): void {}

  /** A change is always free, and no charge. */
  protected override count(): void {}
}
