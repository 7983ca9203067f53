import type { Clock } from '../../../sdk/src/index.ts'

/** Time that passes only by waiting, and a note of each wait. */
export interface FakeClock extends Clock {
  readonly waitsMs: readonly number[]
}

/** `random` is where in its range jitter falls, from 0 up to 1. */
export function createFakeClock({ random = 0 } = {}): FakeClock {
  const waitsMs: number[] = []
  const sum = () => waitsMs.reduce((total, ms) => total + ms, 0)
  return {
    waitsMs,
    now: sum,
    random: () => random,
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      waitsMs.push(ms)
    },
  }
}
