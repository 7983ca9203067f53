import type { Headers } from './respond.ts'

/** A route or product operation that will end (docs, versioning). Dates are `YYYY-MM-DD`, their midnight in UTC. */
export interface Deprecation {
  /** From then on nobody should begin to use it. */
  readonly since: string
  /** From then on it may be gone. */
  readonly sunset: string
  /** What takes its place, as a path: `/v1/account`. */
  readonly successor?: string
  /** Why, in a sentence. */
  readonly reason: string
}

/** What versioning promises: whoever learns of it on the first day has so long. */
const noticeMonths = 6

/** The first day on which what is deprecated since then may be gone, as `YYYY-MM-DD`. */
function earliestSunset(since: string): string {
  const date = new Date(since)
  const day = date.getUTCDate()
  date.setUTCMonth(date.getUTCMonth() + noticeMonths)
  // A month without such a day has run over into the next: 31 August becomes 1 March, not 28 February.
  if (date.getUTCDate() !== day) date.setUTCDate(1)
  return date.toISOString().slice(0, 10)
}

/** What is wrong with it; null: nothing. Both tables are held to it. */
export function deprecationProblem({
  since,
  sunset,
}: Pick<Deprecation, 'since' | 'sunset'>): string | null {
  const earliest = earliestSunset(since)
  if (sunset >= earliest) return null
  return `must be ${earliest} or later, ${noticeMonths} months after since`
}

/** What every answer of it says: RFC 9745, RFC 8594, and RFC 5829 for what takes its place. */
export function deprecationHeaders(
  { since, sunset, successor }: Deprecation,
  docsUrl: string,
): Headers {
  const links = [
    `<${docsUrl}/versioning>; rel="deprecation"; type="text/html"`,
    ...(successor === undefined ? [] : [`<${successor}>; rel="successor-version"`]),
  ]
  return {
    Deprecation: `@${Date.parse(since) / 1000}`,
    Sunset: new Date(sunset).toUTCString(),
    Link: links.join(', '),
  }
}
