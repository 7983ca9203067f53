import type { TestResponse } from './client.ts'

/** False where a client may simply try again: over the rate limit, or more calls under way than one account has places for. */
export function isAdmitted({ status, body }: TestResponse): boolean {
  const message = String(Object(Object(body).error).message)
  return status !== 429 && !(status === 503 && message.startsWith('Too many calls of this account'))
}
