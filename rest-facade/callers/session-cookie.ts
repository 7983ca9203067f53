import type { Request } from 'express'
import type { Environment } from '../../schema/credentials/caller.ts'
import { isOAuthSecret } from '../../schema/credentials/oauth-secret-format.ts'
import { headerOf } from '../http/call.ts'

/**
 * Names of session cookies. With the prefix `__Host-`, browsers accept the cookie only over a secure
 * connection and for this host. Cookies do not distinguish ports, so each listener has its own name.
 */
export const sessionCookieNames: Readonly<Record<Environment, string>> = {
  live: '__Host-gw_session',
  sandbox: '__Host-gw_sandbox_session',
}

const attributes = 'Path=/; HttpOnly; Secure; SameSite=Strict'

/** Returns the secret of the browser's session; null without a cookie that has its form. */
export function readSessionCookie(
  req: Request,
  environment: Environment,
  keyPrefix: string,
): string | null {
  const start = `${sessionCookieNames[environment]}=`
  const cookies = headerOf(req, 'cookie').split(/; */)
  const value = cookies.find((cookie) => cookie.startsWith(start))?.slice(start.length)
  return value !== undefined && isOAuthSecret(value, keyPrefix, 'osn') ? value : null
}

/** Returns the `Set-Cookie` value: the cookie ends with the browser or with the session. */
export function sessionCookie(environment: Environment, secret: string): string {
  return `${sessionCookieNames[environment]}=${secret}; ${attributes}`
}

export function endedSessionCookie(environment: Environment): string {
  return `${sessionCookieNames[environment]}=; ${attributes}; Max-Age=0`
}
