import { ConnectionError, GatewayError } from './errors.ts'

const firstBackoffMs = 500
const longestBackoffMs = 8000
/**
 * The statuses of codes that the documentation recommends to retry; proxies answer them without a
 * code.
 */
const passingStatuses: readonly number[] = [429, 500, 502, 503, 504]
/** RFC 9110 §9.2.2, as far as the gateway has them. A GET that costs credits also has a key. */
const idempotentMethods: readonly string[] = ['GET', 'DELETE']

/** Whether sending it again has no second effect: by its method, or by its idempotency key. */
export function isRepeatable(method: string, idempotencyKey: string | null): boolean {
  return idempotencyKey !== null || idempotentMethods.includes(method)
}

/** Whether the same call may succeed a little later. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionError) return true
  if (!(error instanceof GatewayError)) return false
  if (passingStatuses.includes(error.status)) return true
  // The first request still runs, so its answer will follow. Without Retry-After another API key owns
  // the answer, and the conflict is permanent.
  return error.code === 'IDEMPOTENCY_CONFLICT' && error.retryAfterSeconds !== null
}

/**
 * The wait before the next attempt: 0.5, 1, 2, 4, at most 8 seconds, or Retry-After if that is
 * longer. Jitter of up to half of the backoff is added, so that clients do not retry too early or
 * all at once.
 */
export function delayMs(error: unknown, tries: number, random: () => number): number {
  const backoffMs = Math.min(firstBackoffMs * 2 ** (tries - 1), longestBackoffMs)
  const seconds = error instanceof GatewayError ? error.retryAfterSeconds : null
  return Math.max((seconds ?? 0) * 1000, backoffMs) + (random() * backoffMs) / 2
}
