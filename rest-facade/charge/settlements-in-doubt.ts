import { type ApiError, unavailable } from '../http/errors.ts'

/** Charges that were sent to the ledger and whose outcome this process does not know yet. */
export interface SettlementsInDoubt {
  /** Notes that charges of so many credits were sent; the returned function ends the note. */
  begin(credits: number): () => void
  /** The error for new calls while the oldest charge has been in doubt for too long; else null. */
  refusal(): ApiError | null
  /** How long the oldest settlement has been in doubt; 0 without any. */
  readonly oldestSeconds: () => number
  readonly credits: () => number
}

/**
 * Keeps account of charges in doubt. `maxDoubtMs` is far more than a commit takes, and less than a
 * caller waits for a settlement.
 */
export function createSettlementsInDoubt(maxDoubtMs: number): SettlementsInDoubt {
  /** Settlements in doubt, in the order in which they were sent. */
  const noted = new Set<{ readonly sinceMs: number; readonly credits: number }>()

  function oldestMs(): number {
    for (const { sinceMs } of noted) return performance.now() - sinceMs
    return 0
  }

  return {
    begin(credits) {
      const note = { sinceMs: performance.now(), credits }
      noted.add(note)
      return () => void noted.delete(note)
    },
    refusal: () =>
      oldestMs() > maxDoubtMs
        ? unavailable('The outcome of earlier charges is not known.', {
            internal: `${noted.size} charges are in doubt, the oldest for ${Math.round(oldestMs())} ms.`,
          })
        : null,
    oldestSeconds: () => oldestMs() / 1000,
    credits() {
      let sum = 0
      for (const { credits } of noted) sum += credits
      return sum
    },
  }
}
