import { randomInt } from 'node:crypto'

/** The requests of each credential in about the last second: all, and those that were let in. */
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

const cells = 1024
const kept = 0.9
/**
 * Only the end is hashed: keys, signatures and passwords differ there, while the beginnings of
 * tokens may be equal.
 */
const tailLength = 32

/**
 * All admitted requests are divided equally among the credentials. A credential that asks for less
 * than its part leaves the rest to the others (max-min fairness). Each request is counted in two
 * rows of cells, and the lower count is used. So a credential that shares one cell with a busy one
 * is not taken for it (stochastic fair blue). Memory is bounded, whatever clients send.
 */
export function createFairShare(seed: number = randomInt(2 ** 32)): FairShare {
  const asked = createCounts()
  const had = createCounts()
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
      asked.fade(kept ** tenths)
      had.fade(kept ** tenths)
    },
  }
}

/** Counts by a hash. Each of the two rows uses another half of it. */
function createCounts() {
  const row = new Float64Array(cells)
  const other = new Float64Array(cells)
  const placeIn = (hash: number) => hash % cells
  const placeInOther = (hash: number) => (hash >>> 16) % cells
  return {
    row,
    add(hash: number): void {
      row[placeIn(hash)] = (row[placeIn(hash)] ?? 0) + 1
      other[placeInOther(hash)] = (other[placeInOther(hash)] ?? 0) + 1
    },
    of: (hash: number) => Math.min(row[placeIn(hash)] ?? 0, other[placeInOther(hash)] ?? 0),
    total: () => row.reduce((sum, count) => sum + count, 0),
    fade(part: number): void {
      for (const counts of [row, other]) {
        for (let cell = 0; cell < cells; cell += 1) {
          const left = (counts[cell] ?? 0) * part
          // Otherwise a credential would keep a share for ever.
          counts[cell] = left < 0.01 ? 0 : left
        }
      }
    },
  }
}

/**
 * The largest share with which all together get no more than `total`; Infinity if all get what they
 * ask for.
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

/** FNV-1a of the end of a text, mixed once more, so that the last characters change both halves. */
function hashOf(text: string, seed: number): number {
  let hash = seed ^ text.length
  for (let at = Math.max(0, text.length - tailLength); at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return (hash ^ (hash >>> 13)) >>> 0
}
