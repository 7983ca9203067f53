/** How long an answer is kept for a retry with the same idempotency key. */
export const storedAnswerSeconds = 24 * 3600
