import type { Request } from 'express'
import { hostCookie, hostCookieOf } from '../../rest-facade/callers/host-cookie.ts'
import { isOAuthSecret } from '../../schema/credentials/oauth-secret-format.ts'

const operatorCookieName = '__Host-gw_operator'

/** Returns the secret of the operator's session; null without a cookie that has its form. */
export function readOperatorCookie(req: Request, keyPrefix: string): string | null {
  const value = hostCookieOf(req, operatorCookieName)
  return value !== null && isOAuthSecret(value, keyPrefix, 'ops') ? value : null
}

/** Returns the `Set-Cookie` value: the cookie ends with the browser or with the session. */
export function operatorCookie(secret: string): string {
  return hostCookie(operatorCookieName, secret)
}

export function endedOperatorCookie(): string {
  return hostCookie(operatorCookieName, null)
}
