import { hasAtMost } from '../../../../schema/vocabulary/characters.ts'
import { maxUriLength, partsOf, webProblem } from './uri-parts.ts'

/**
 * RFC 8252 §7.1: a reversed domain name, which has an owner. `javascript`, `data` and `file` have
 * no dot.
 */
const privateUseScheme = /^[a-z][a-z\d+-]*(?:\.[a-z\d+-]+)+$/

const noSchemes: ReadonlySet<string> = new Set()

/** The parameters that an answer adds to the query (RFC 6749 §4.1.2, RFC 9207 §2). */
const answerNames = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri']

/**
 * The objection to a redirect URI at registration, or null (RFC 6749 §3.1.2, RFC 9700 §2.1). It
 * must be absolute, without fragment, user and wildcard. Its scheme must be https, or http on
 * loopback, or for a native app a private-use scheme, or one of `knownSchemes`.
 */
export function registeredRedirectUriProblem(
  uri: string,
  applicationType: 'web' | 'native' | 'spa',
  knownSchemes: ReadonlySet<string> = noSchemes,
): string | null {
  if (!hasAtMost(uri, maxUriLength)) return `must have at most ${maxUriLength} characters`
  const parts = partsOf(uri)
  if (!parts) return 'must be an absolute URI'
  if (uri.includes('#')) return 'must not have a fragment'
  if (uri.includes('*')) return 'must not have a wildcard'
  if (/\/(?:\.|%2e){1,2}(?=[/?]|$)/i.test(uri)) return 'must not have a path with . or .. in it'
  const reserved = answerNames.filter((name) => parts.query.has(name))
  if (reserved.length > 0) return `must not have ${reserved.join(', ')} in its query`
  const { scheme, authority } = parts
  if (scheme === 'https' || scheme === 'http') return webProblem(parts)
  if (applicationType !== 'native') return 'must be https, or http on a loopback host'
  if (authority?.includes('@')) return 'must not name a user'
  return privateUseScheme.test(scheme) || knownSchemes.has(scheme)
    ? null
    : 'must be https, http on a loopback host, or have a scheme like com.example.app'
}
