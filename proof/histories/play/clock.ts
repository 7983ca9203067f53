import { setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds since 1970 with fractions; it never goes back. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now()
}

/** Resolves at that time, at once when it is over. */
export async function untilMs(atMs: number): Promise<void> {
  await sleep(Math.max(0, atMs - nowMs()))
}
