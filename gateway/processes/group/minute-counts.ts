import { LRUCache } from 'lru-cache'
import {
  createMinuteLimit,
  type MinuteLimit,
} from '../../../rest-facade/rate-limit/minute-limits.ts'
import { atMost } from '../../../schema/process/at-most.ts'

/** Counts, or only reads the count; resolves to the seconds to wait, or null. */
export type AskMinute = (asked: {
  readonly name: string
  readonly perMinute: number
  readonly key: string
  readonly isCounted: boolean
}) => Promise<number | null>

/** Counts the minutes of all workers in one place, the primary. */
export function createMinuteCounts(): AskMinute {
  const limits = new Map<string, MinuteLimit>()
  return async function countMinute({ name, perMinute, key, isCounted }) {
    const limit = limits.get(name) ?? createMinuteLimit(perMinute)
    limits.set(name, limit)
    return isCounted ? limit.count(key) : limit.waitOf(key)
  }
}

/** Refusals that a worker keeps for each limit. */
const maxRefused = 10_000

/** Counts for a worker: asks the primary, and keeps a refusal until its minute ends. */
export function createAskedMinute(name: string, perMinute: number, ask: AskMinute): MinuteLimit {
  const refusedUntilMs = new LRUCache<string, number>(atMost(maxRefused))

  async function waitFor(key: string, isCounted: boolean): Promise<number | null> {
    if (perMinute === 0) return null
    const leftMs = (refusedUntilMs.get(key) ?? 0) - performance.now()
    if (leftMs > 0) return Math.ceil(leftMs / 1000)
    const seconds = await ask({ name, perMinute, key, isCounted })
    if (seconds !== null) refusedUntilMs.set(key, performance.now() + seconds * 1000)
    return seconds
  }

  return {
    perMinute,
    count: (key) => waitFor(key, true),
    waitOf: (key) => waitFor(key, false),
  }
}
