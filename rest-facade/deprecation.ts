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
