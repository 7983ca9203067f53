/** When a call must be over. */
export class Deadline {
  isOver = false
  /** Called once when it is over. One function at a time: a call either waits or is under way. */
  onOver: (() => void) | null = null
  readonly endsAtMs: number

  constructor(timeoutMs: number) {
    this.endsAtMs = performance.now() + timeoutMs
  }
}

/** A deadline may be late by this much, so that one timer serves all that end close together. */
const grainMs = 10

/**
 * The deadlines of calls that all may take equally long, with one timer for all of them.
 * `AbortSignal.timeout` for each call would keep the whole request in memory until the time is over,
 * however soon the answer came.
 */
export class Deadlines {
  readonly #timeoutMs: number
  /** The oldest one first, because all of them last equally long. */
  readonly #standing = new Set<Deadline>()
  #timer: NodeJS.Timeout | null = null

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  begin(): Deadline {
    const deadline = new Deadline(this.#timeoutMs)
    this.#standing.add(deadline)
    if (!this.#timer) this.#wakeIn(this.#timeoutMs)
    return deadline
  }

  /** Forgets a deadline whose call is over. */
  end(deadline: Deadline): void {
    this.#standing.delete(deadline)
  }

  #wakeIn(ms: number): void {
    // Answers that arrived while this process was busy are in time, so they are read first.
    const wake = () => setImmediate(this.#pass)
    this.#timer = setTimeout(wake, Math.max(ms, grainMs)).unref()
  }

  readonly #pass = (): void => {
    this.#timer = null
    const nowMs = performance.now()
    for (const deadline of this.#standing) {
      if (deadline.endsAtMs > nowMs) {
        this.#wakeIn(deadline.endsAtMs - nowMs)
        return
      }
      this.#standing.delete(deadline)
      deadline.isOver = true
      deadline.onOver?.()
    }
  }
}
