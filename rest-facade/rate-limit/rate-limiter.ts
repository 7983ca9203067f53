/** Where a caller stands in the current second. */
export interface RateWindow {
  readonly limitRps: number
  /** Never below 0. */
  readonly remaining: number
  /** The next whole Unix second, when the count starts again. */
  readonly resetAtSeconds: number
  readonly isExceeded: boolean
}

/** Counts one request of `key` in the current clock second. Never throws: it fails open (spec, Limits 3). */
export type RateLimiter = (key: string, limitRps: number) => RateWindow | Promise<RateWindow>

/**
 * Counts with `count` until the limit is exceeded. The window then stays as it is until its second
 * ends, so whoever hammers on costs neither a count nor a question to Redis.
 */
export function countToLimit(
  count: (key: string, limitRps: number) => Promise<RateWindow>,
): RateLimiter {
  const exceeded = new Map<string, RateWindow>()
  let second = 0

  async function countOn(key: string, limitRps: number): Promise<RateWindow> {
    const window = await count(key, limitRps)
    if (window.isExceeded && window.resetAtSeconds === second + 1) exceeded.set(key, window)
    return window
  }

  return function limit(key, limitRps) {
    const now = currentSecond()
    if (now !== second) exceeded.clear()
    second = now
    const window = exceeded.get(key)
    return window?.limitRps === limitRps ? window : countOn(key, limitRps)
  }
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

/** What is said when nobody can count: all is left (contract §3). */
export function openWindow(limitRps: number, nowSeconds: number): RateWindow {
  return rateWindow(limitRps, 0, nowSeconds)
}

/**
 * The fixed window is the clock second, so the second is part of the key: the limiter library would
 * start a window at its first hit instead.
 */
export function windowKey(key: string, nowSeconds: number): string {
  return `${key}:${nowSeconds}`
}

export function currentSecond(): number {
  return Math.floor(Date.now() / 1000)
}
