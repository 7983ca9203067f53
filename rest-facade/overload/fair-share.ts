import { randomInt } from 'node:crypto'

/** What each credential has asked for and got in about the last second. */
export interface FairShare {
  /** Notes a request, by its `Authorization` header; the result names the credential below. */
  ask(credential: string): number
  /** Notes that its request was let in. */
  letIn(asker: number): void
  /** Whether it has had more than its share. */
  hasHad(asker: number): boolean
  /** Forgets a tenth for each tenth of a second that has passed. */
  fade(tenths?: number): void
}

const cells = 1024
const kept = 0.9
/** A key, a signature and a password end with what no other has; tokens may begin alike. */
const tailLength = 32

/**
 * The share of a credential is what it asks for, but no more than an equal part of what is let in;
 * what the modest do not ask for is divided among the others (max-min fairness). Two rows of cells
 * count, and the lower count is right: a credential that meets a busy one in one of them is not
 * mistaken for it (stochastic fair blue). So memory is bounded, whatever clients send.
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

/** Counts by a hash, of which each row takes another half. */
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
          // Whoever asked long ago would otherwise have a share for ever.
          counts[cell] = left < 0.01 ? 0 : left
        }
      }
    },
  }
}

/**
 * The most that each may have so that all together have no more than `total`; Infinity if all may have
 * what they ask for.
 */
export function shareOf(total: number, asked: Readonly<ArrayLike<number>>): number {
  // Each round leaves to the others what those below the share of the round before do not ask for.
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

/** FNV-1a of the end of a text, stirred once more: its last characters must reach both halves. */
function hashOf(text: string, seed: number): number {
  let hash = seed ^ text.length
  for (let at = Math.max(0, text.length - tailLength); at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return (hash ^ (hash >>> 13)) >>> 0
}
