/**
 * Numbers of credentials, by a hash of each. The memory is bounded, whatever clients send. Each
 * credential is counted in two rows of cells, and the lower count is used. So a credential that
 * shares one cell with a busy one is not taken for it (stochastic fair blue).
 */
export interface CredentialCounts {
  /** The sums of the first row: about one for each credential. */
  readonly row: Readonly<Float64Array>
  add(hash: number, count?: number): void
  of(hash: number): number
  total(): number
  /** Multiplies all counts. */
  scale(factor: number): void
}

const cells = 1024
/** A smaller count is taken for 0: scaling alone would never make a count 0. */
const leastCount = 0.01
/**
 * The length of the end of a credential that is hashed: keys, signatures and passwords differ
 * there, while the beginnings of tokens may be equal.
 */
const tailLength = 32

export function createCredentialCounts(): CredentialCounts {
  const row = new Float64Array(cells)
  const other = new Float64Array(cells)
  // Each row uses another half of the hash.
  const placeIn = (hash: number) => hash % cells
  const placeInOther = (hash: number) => (hash >>> 16) % cells
  return {
    row,
    add(hash, count = 1) {
      row[placeIn(hash)] = (row[placeIn(hash)] ?? 0) + count
      other[placeInOther(hash)] = (other[placeInOther(hash)] ?? 0) + count
    },
    of: (hash) => Math.min(row[placeIn(hash)] ?? 0, other[placeInOther(hash)] ?? 0),
    total: () => row.reduce((sum, count) => sum + count, 0),
    scale(factor) {
      for (const counts of [row, other]) {
        for (let cell = 0; cell < cells; cell += 1) {
          const left = (counts[cell] ?? 0) * factor
          counts[cell] = left < leastCount ? 0 : left
        }
      }
    },
  }
}

/** FNV-1a of the end of a text, mixed once more, so that the last characters change both halves. */
export function hashOf(text: string, seed: number): number {
  let hash = seed ^ text.length
  for (let at = Math.max(0, text.length - tailLength); at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return (hash ^ (hash >>> 13)) >>> 0
}
