import type { Request } from 'express'
import type { Environment } from '../../schema/credentials/caller.ts'
import { isOAuthSecret } from '../../schema/credentials/oauth-secret-format.ts'
import { hostCookie, hostCookieOf } from './host-cookie.ts'

/** Names of session cookies. Cookies do not distinguish ports, so each listener has its own name. */
export const sessionCookieNames = {
  live: '__Host-gw_session',
  sandbox: '__Host-gw_sandbox_session',
} as const satisfies Readonly<Record<Environment, string>>

/** Returns the secret of the browser's session; null without a cookie that has its form. */
export function readSessionCookie(
  req: Request,
  environment: Environment,
  keyPrefix: string,
): string | null {
  const value = hostCookieOf(req, sessionCookieNames[environment])
  return value !== null && isOAuthSecret(value, keyPrefix, 'osn') ? value : null
}

/** Returns the `Set-Cookie` value: the cookie ends with the browser or with the session. */
export function sessionCookie(environment: Environment, secret: string): string {
  return hostCookie(sessionCookieNames[environment], secret)
}

export function endedSessionCookie(environment: Environment): string {
  return hostCookie(sessionCookieNames[environment], null)
}
