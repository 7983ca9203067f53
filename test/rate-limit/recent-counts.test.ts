import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  createRecentCounts,
  type RecentCounts,
} from '../../rest-facade/rate-limit/recent-counts.ts'

const startMs = 1_700_000_000_000

describe('recent counts', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: startMs })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  function addTimes(counts: RecentCounts, times: number): number {
    let count = 0
    for (let time = 0; time < times; time += 1) count = counts.add('a')
    return count
  }

  test('are kept apart', () => {
    const counts = createRecentCounts()

    expect([counts.add('a'), counts.add('a'), counts.add('b')]).toEqual([1, 2, 1])
    expect([counts.of('a'), counts.of('b'), counts.of('c')]).toEqual([2, 1, 0])
  })

  test('start again with the clock second, and are remembered through the next', () => {
    const counts = createRecentCounts()
    addTimes(counts, 7)

    vi.setSystemTime(startMs + 1000)
    expect(counts.of('a')).toBe(7)
    expect(addTimes(counts, 3)).toBe(3)
    expect(counts.of('a')).toBe(7)

    vi.setSystemTime(startMs + 2000)
    expect(counts.of('a')).toBe(3)

    vi.setSystemTime(startMs + 3000)
    expect(counts.of('a')).toBe(0)
  })

  test('are forgotten when nothing happened for two seconds', () => {
    const counts = createRecentCounts()
    addTimes(counts, 7)

    vi.setSystemTime(startMs + 2000)

    expect(counts.of('a')).toBe(0)
  })
})
