import { randomInt } from 'node:crypto'
import { createCredentialCounts, hashOf } from './credential-counts.ts'

/**
 * Counts the requests of each credential in about the last second: all of them, and those that were
 * let in.
 */
export interface FairShare {
  /** Notes a request, by its `Authorization` header; the result names the credential below. */
  ask(credential: string): number
  /** Notes that a request of this credential was let in. */
  letIn(asker: number): void
  /** Whether this credential has had more than its share. */
  hasHad(asker: number): boolean
  /** Lowers all counts by a tenth for each tenth of a second that has passed. */
  fade(tenths?: number): void
}

const kept = 0.9

/**
 * All admitted requests are divided equally among the credentials. A credential that asks for less
 * than its part leaves the rest to the others (max-min fairness).
 */
export function createFairShare(seed: number = randomInt(2 ** 32)): FairShare {
  const asked = createCredentialCounts()
  const had = createCredentialCounts()
  let share = Number.POSITIVE_INFINITY
  return {
    ask(credential) {
      const asker = hashOf(credential, seed)
      asked.add(asker)
      return asker
    },
    letIn: (asker) => had.add(asker),
    hasHad: (asker) => had.of(asker) > share,
    fade(tenths = 1) {
      share = shareOf(had.total(), asked.row)
      asked.scale(kept ** tenths)
      had.scale(kept ** tenths)
    },
  }
}

/**
 * The largest share with which all credentials together get no more than `total`; Infinity if all
 * get what they ask for.
 */
export function shareOf(total: number, asked: Readonly<ArrayLike<number>>): number {
  // In each round, credentials below the share of the previous round leave the rest of their part
  // to the others.
  for (let share = 0; ; ) {
    let modest = 0
    let others = 0
    for (let cell = 0; cell < asked.length; cell += 1) {
      const own = asked[cell] ?? 0
      if (own > share) others += 1
      else modest += own
    }
    if (others === 0) return Number.POSITIVE_INFINITY
    const next = (total - modest) / others
    if (next <= share) return share
    share = next
  }
}
