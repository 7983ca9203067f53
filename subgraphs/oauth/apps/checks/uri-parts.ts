export const maxUriLength = 2048

/** RFC 3986 §2, whole percent escapes only: nothing that a parser takes for something else, or away. */
const uriText = /^(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[\da-f]{2})+$/i

interface UriParts {
  /** In lower case. */
  readonly scheme: string
  /** What stands between two slashes and the path, as it is written; undefined without them. */
  readonly authority: string | undefined
  readonly query: URLSearchParams
}

/** The parts of an absolute URI, or null for what is none. */
export function partsOf(uri: string): UriParts | null {
  const [, scheme, rest] = /^([a-z][a-z\d+.-]*):(.+)$/i.exec(uri) ?? []
  if (!scheme || !rest || !uriText.test(uri) || !URL.canParse(uri)) return null
  const authority = /^\/\/([^/?#]*)/.exec(rest)?.[1]
  return { scheme: scheme.toLowerCase(), authority, query: new URL(uri).searchParams }
}

/** What speaks against an http or https URI, or null. A URL parser would take more or fewer slashes for two. */
export function webProblem({ scheme, authority }: UriParts): string | null {
  if (!authority) return 'must name a host'
  if (authority.includes('@')) return 'must not name a user'
  return scheme === 'https' || isLoopback(authority)
    ? null
    : 'must be https unless its host is localhost, 127.0.0.1 or [::1]'
}

/** As RFC 8252 §7.3 and §8.3 write it, with any port. */
function isLoopback(authority: string): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d*)?$/i.test(authority)
}
