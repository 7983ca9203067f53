export const maxUriLength = 2048

/**
 * RFC 3986 §2, with whole percent escapes only: characters that no parser reinterprets or removes.
 */
const uriText = /^(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[\da-f]{2})+$/i

interface UriParts {
  /** The scheme, in lower case. */
  readonly scheme: string
  /** The text between the two slashes and the path, as it is written; undefined without slashes. */
  readonly authority: string | undefined
  readonly query: URLSearchParams
}

/** The parts of an absolute URI, or null for any other text. */
export function partsOf(uri: string): UriParts | null {
  const [, scheme, rest] = /^([a-z][a-z\d+.-]*):(.+)$/i.exec(uri) ?? []
  if (!scheme || !rest || !uriText.test(uri) || !URL.canParse(uri)) return null
  const authority = /^\/\/([^/?#]*)/.exec(rest)?.[1]
  return { scheme: scheme.toLowerCase(), authority, query: new URL(uri).searchParams }
}

/**
 * The objection to an http or https URI, or null. A URL parser would accept more or fewer slashes
 * than two.
 */
export function webProblem({ scheme, authority }: UriParts): string | null {
  if (!authority) return 'must name a host'
  if (authority.includes('@')) return 'must not name a user'
  return scheme === 'https' || isLoopback(authority)
    ? null
    : 'must be https unless its host is localhost, 127.0.0.1 or [::1]'
}

/** Whether the host is a loopback address as RFC 8252 §7.3 and §8.3 write it, with any port. */
function isLoopback(authority: string): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d*)?$/i.test(authority)
}
