/** A receiver that asks for a longer pause gets this one. */
const maxSeconds = 24 * 3600
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** RFC 9110 §10.2.3: seconds or a date. Returns 0 to 86,400; null if it is missing or invalid. */
export function retryAfterSeconds(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null
  const seconds = /^\d+$/.test(header) ? Number(header) : secondsUntil(header, now)
  if (Number.isNaN(seconds)) return null
  return Math.min(Math.max(seconds, 0), maxSeconds)
}

function secondsUntil(date: string, now: Date): number {
  if (!httpDate.test(date)) return Number.NaN
  return Math.ceil((Date.parse(date) - now.getTime()) / 1000)
}
