import type { Client } from '../../apps/client.service.ts'
import { type Check, problem } from './check.ts'

/** Registered, character by character (RFC 9700 §2.1); of a native app on loopback any port (RFC 8252 §7.3). */
export const checkRedirectUri: Check = ({ redirectUri }, client) => {
  // The only registered URI is no default: an app must name its redirect URI (docs/oauth-rules.md
  // 22).
  if (redirectUri === '') return problem('redirect_uri', 'is required')
  const isAllowed = !client || isRegistered(redirectUri, client)
  return isAllowed ? [] : problem('redirect_uri', 'is not registered for this app')
}

function isRegistered(redirectUri: string, { redirectUris, applicationType }: Client): boolean {
  if (redirectUris.includes(redirectUri)) return true
  const withoutPort = applicationType === 'native' ? loopbackWithoutPort(redirectUri) : null
  return (
    withoutPort !== null && redirectUris.some((uri) => loopbackWithoutPort(uri) === withoutPort)
  )
}

const loopback = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::(\d{1,5}))?((?:[/?].*)?)$/

function isPort(port: number): boolean {
  return port >= 1 && port <= 65_535
}

/** Null unless the URI is http on a literal loopback address. */
function loopbackWithoutPort(uri: string): string | null {
  const [, origin, port, rest] = loopback.exec(uri) ?? []
  if (origin === undefined || !isPort(Number(port ?? 80))) return null
  return `${origin}${rest}`
}
