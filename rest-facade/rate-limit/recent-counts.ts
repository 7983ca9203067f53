import { currentSecond } from './rate-limiter.ts'

/** How often each of many did something lately; what is two seconds old is forgotten. */
export interface RecentCounts {
  /** Returns how often in this clock second. */
  add(key: string): number
  /** In this clock second, or in the one before if that was more. */
  of(key: string): number
}

export function createRecentCounts(): RecentCounts {
  let second = 0
  let current = new Map<string, number>()
  let previous = new Map<string, number>()

  function turn(): void {
    const now = currentSecond()
    if (now === second) return
    previous = now === second + 1 ? current : new Map()
    current = new Map()
    second = now
  }

  return {
    add(key) {
      turn()
      const count = (current.get(key) ?? 0) + 1
      current.set(key, count)
      return count
    },
    of(key) {
      turn()
      return Math.max(current.get(key) ?? 0, previous.get(key) ?? 0)
    },
  }
}
