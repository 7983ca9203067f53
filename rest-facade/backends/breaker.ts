/** Whether a call may be made: it passes, it tries for others, it is refused, or it waits for one that tries. */
export type Admitted = 'passes' | 'tries' | 'refused' | 'waits'

/**
 * Refuses calls for a while after it was opened. Then one call tries whether calls succeed again, and those
 * that come meanwhile wait for its outcome.
 */
export class Breaker {
  #isOpen = false
  /** The time from which the breaker lets one call try, by the clock. */
  #refusesUntil = 0
  #isTried = false
  /** Calls that wait for the one that tries. */
  #waiting: (() => void)[] = []

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** `onTried` is called if the call waits: it may ask again then. */
  ask(onTried: () => void): Admitted {
    if (this.#isTried) {
      this.#waiting.push(onTried)
      return 'waits'
    }
    if (!this.#isOpen) return 'passes'
    if (Date.now() < this.#refusesUntil) return 'refused'
    this.#isTried = true
    return 'tries'
  }

  /** Refuses calls for so long from now on, or for longer if the breaker does so already. */
  open(forMs: number): void {
    this.#isOpen = true
    this.#refusesUntil = Math.max(this.#refusesUntil, Date.now() + forMs)
  }

  close(): void {
    this.#isOpen = false
    this.#refusesUntil = 0
  }

  /** The call that tries has ended, with or without an outcome. */
  tried(): void {
    this.#isTried = false
    const waiting = this.#waiting
    this.#waiting = []
    for (const askAgain of waiting) askAgain()
  }
}
