import type { LedgerSum } from './digest.ts'

/** Adds up the sums of all pages of the ledger, exactly, because they may exceed 2⁵³. */
export interface LedgerTotals {
  add(sums: readonly LedgerSum[]): void
  /** The totals, in order of environment and kind. */
  list(): LedgerSum[]
}

export function createLedgerTotals(): LedgerTotals {
  const byKind = new Map<
    string,
    { environment: string; kind: string; entries: number; credits: bigint }
  >()
  return {
    add(sums) {
      for (const { environment, kind, entries, credits } of sums) {
        const name = `${environment} ${kind}`
        const sum = byKind.get(name) ?? { environment, kind, entries: 0, credits: 0n }
        sum.entries += entries
        sum.credits += BigInt(credits)
        byKind.set(name, sum)
      }
    },
    list: () =>
      [...byKind]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([, { credits, ...sum }]) => ({ ...sum, credits: String(credits) })),
  }
}
