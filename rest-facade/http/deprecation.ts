import type { Deprecation } from '../../schema/catalog/deprecation.ts'
import type { Headers } from './respond.ts'

/** The headers of every answer: RFC 9745, RFC 8594, and RFC 5829 for the replacement. */
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
