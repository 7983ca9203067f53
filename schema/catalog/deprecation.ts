/** A route or product operation that will end. Dates are `YYYY-MM-DD` and mean midnight in UTC. */
export interface Deprecation {
  /** From this date on, new clients should not use it. */
  readonly since: string
  /** From this date on, it may be deleted. */
  readonly sunset: string
  /** The path of the replacement: `/v1/account`. */
  readonly successor?: string
  /** The reason, in one sentence. */
  readonly reason: string
}

/** The guide about versioning promises this notice to clients. */
const noticeMonths = 6

/** The first possible sunset of an operation that is deprecated since that day, as `YYYY-MM-DD`. */
function earliestSunset(since: string): string {
  const date = new Date(since)
  const day = date.getUTCDate()
  date.setUTCMonth(date.getUTCMonth() + noticeMonths)
  // A shorter month overflows into the next one: 31 August becomes 1 March, not 28 February.
  if (date.getUTCDate() !== day) date.setUTCDate(1)
  return date.toISOString().slice(0, 10)
}

/** The problem with the dates, or null. Rows of `routes/` and of the catalog are both checked. */
export function deprecationProblem({
  since,
  sunset,
}: Pick<Deprecation, 'since' | 'sunset'>): string | null {
  const earliest = earliestSunset(since)
  if (sunset >= earliest) return null
  return `must be ${earliest} or later, ${noticeMonths} months after since`
}
