import type { Request } from 'express'
import type { Environment } from '../../schema/credentials/caller.ts'
import { isOAuthSecret } from '../../schema/credentials/oauth-secret-format.ts'
import { headerOf } from '../http/call.ts'

/**
 * The prefix has browsers accept it only over a secure connection and for this host alone. Cookies do not
 * tell ports apart, so each listener has a name of its own.
 */
export const sessionCookieNames: Readonly<Record<Environment, string>> = {
  live: '__Host-gw_session',
  sandbox: '__Host-gw_sandbox_session',
}

const attributes = 'Path=/; HttpOnly; Secure; SameSite=Strict'

/** The secret of the browser's session, or null when there is none that could be ours. */
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

/** As `Set-Cookie`: until the browser is closed, and no longer than the session. */
export function sessionCookie(environment: Environment, secret: string): string {
  return `${sessionCookieNames[environment]}=${secret}; ${attributes}`
}

export function endedSessionCookie(environment: Environment): string {
  return `${sessionCookieNames[environment]}=; ${attributes}; Max-Age=0`
}
