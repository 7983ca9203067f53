/** Counts the requests of strangers: all, and those of each client block that is known. */
export interface Strangers {
  add(block: string | null, more: 1 | -1): void
  count(): number
  of(block: string): number
}

/**
 * Counts the requests of strangers by client block. The counts have no more entries than there are
 * requests.
 */
export function createStrangers(): Strangers {
  const byBlock = new Map<string, number>()
  let all = 0
  return {
    add(block, more) {
      all += more
      if (block === null) return
      const count = (byBlock.get(block) ?? 0) + more
      if (count > 0) byBlock.set(block, count)
      else byBlock.delete(block)
    },
    count: () => all,
    of: (block) => byBlock.get(block) ?? 0,
  }
}
