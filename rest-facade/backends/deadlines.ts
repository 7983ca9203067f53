import { type LinePlace, WaitingLine } from './waiting-line.ts'

/** When a call must be over. */
export class Deadline {
  isOver = false
  readonly #place: LinePlace<Deadline>
  /**
   * Called once when the deadline has passed. There is one function at a time: a call either waits or is
   * under way.
   */
  onOver: (() => void) | null = null
  readonly endsAtMs: number

  constructor(endsAtMs: number, line: WaitingLine<Deadline>) {
    this.endsAtMs = endsAtMs
    this.#place = line.join(this)
  }

  /** Ends the deadline, because its call is over. */
  end(): void {
    this.#place.leave()
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
  readonly timeoutMs: number
  /** Running deadlines, the oldest first: all of them last equally long, so the oldest ends first. */
  readonly #running = new WaitingLine<Deadline>()
  #timer: NodeJS.Timeout | null = null

  constructor(timeoutMs: number) {
    this.timeoutMs = timeoutMs
  }

  begin(): Deadline {
    const deadline = new Deadline(performance.now() + this.timeoutMs, this.#running)
    if (!this.#timer) this.#wakeIn(this.timeoutMs)
    return deadline
  }

  #wakeIn(ms: number): void {
    // Answers that arrived while this process was busy are in time, so they are read first.
    const wake = () => setImmediate(this.#pass)
    this.#timer = setTimeout(wake, Math.max(ms, grainMs)).unref()
  }

  readonly #pass = (): void => {
    this.#timer = null
    const nowMs = performance.now()
    for (let first = this.#running.first; first; first = this.#running.first) {
      if (first.endsAtMs > nowMs) {
        this.#wakeIn(first.endsAtMs - nowMs)
        return
      }
      first.end()
      first.isOver = true
      first.onOver?.()
    }
  }
}
