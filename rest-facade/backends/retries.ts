/** A tenth of the calls may be tried again, so that retries never double a sick module's load. */
const retryShare = 0.1

/** How many calls of a module may be tried again. */
export class Retries {
  readonly #max: number
  #left: number

  constructor(max: number) {
    this.#max = max
    this.#left = max
  }

  noteCall(): void {
    this.#left = Math.min(this.#max, this.#left + retryShare)
  }

  take(): boolean {
    if (this.#left < 1) return false
    this.#left -= 1
    return true
  }
}
