import type { RateWindow } from '../http/call.ts'

/**
 * Counts a request of `key` in the current clock second, or several at once. Never throws: it fails open
 * (docs/spec.md §8.3).
 */
export type RateLimiter = (
  key: string,
  limitRps: number,
  requests?: number,
) => RateWindow | Promise<RateWindow>

/** Requests that were counted. */
export interface Counted {
  /**
   * The time by the clock that tells the second, which need not be the clock of this process: Unix
   * milliseconds.
   */
  readonly count: number
  /** The time by the clock that the second is of, which need not be ours: Unix milliseconds. */
  readonly clockMs: number
}

/**
 * Counts with `count`, which returns null when nobody can, until the limit is exceeded. The window
 * then stays as it is until its second ends, so further requests cost neither a count nor a
 * question to Redis.
 */
export function countToLimit(
  count: (key: string, limitRps: number, requests: number) => Counted | Promise<Counted | null>,
): RateLimiter {
  const exceeded = new Map<string, RateWindow>()
  /**
   * The end of the second in `performance.now()`: the clock of this process may tell another second than the
   * one that counts.
   */
  let exceededUntil = Number.POSITIVE_INFINITY

  function countOn(
    key: string,
    limitRps: number,
    requests: number,
  ): RateWindow | Promise<RateWindow> {
    const askedAt = performance.now()
    const counted = count(key, limitRps, requests)
    if (!(counted instanceof Promise)) return windowOf(key, limitRps, counted, askedAt)
    return counted.then((late) => windowOf(key, limitRps, late, askedAt))
  }

  function windowOf(
    key: string,
    limitRps: number,
    counted: Counted | null,
    askedAt: number,
  ): RateWindow {
    if (counted === null) return openWindow(limitRps, currentSecond())
    const window = rateWindow(limitRps, counted.count, Math.floor(counted.clockMs / 1000))
    if (!window.isExceeded) return window
    exceeded.set(key, window)
    // The time is taken from the question, so the refusals end when the second ends or earlier, however
    // long the answer took. A refusal that ends too early costs one count.
    exceededUntil = Math.min(exceededUntil, askedAt + msLeft(counted.clockMs))
    return window
  }

  return function limit(key, limitRps, requests = 1) {
    if (performance.now() >= exceededUntil) {
      exceeded.clear()
      exceededUntil = Number.POSITIVE_INFINITY
    }
    const window = exceeded.get(key)
    return window?.limitRps === limitRps ? window : countOn(key, limitRps, requests)
  }
}

/** The milliseconds until the second of the clock ends. */
export function msLeft(clockMs: number): number {
  return 1000 - (clockMs % 1000)
}

/** The window after `count` requests in the second `nowSeconds`. */
export function rateWindow(limitRps: number, count: number, nowSeconds: number): RateWindow {
  return {
    limitRps,
    remaining: Math.max(0, limitRps - count),
    resetAtSeconds: nowSeconds + 1,
    isExceeded: count > limitRps,
  }
}

/** The window if no count is possible: the whole limit is left (docs/contract.md §3). */
export function openWindow(limitRps: number, nowSeconds: number): RateWindow {
  return rateWindow(limitRps, 0, nowSeconds)
}

export function currentSecond(): number {
  return Math.floor(Date.now() / 1000)
}
