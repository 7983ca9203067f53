import type { Request } from 'express'
import { headerOf } from '../http/call.ts'

const attributes = 'Path=/; HttpOnly; Secure; SameSite=Strict'

/**
 * Returns the value of a cookie; null without it. With the prefix `__Host-` in its name, browsers accept a
 * cookie only over a secure connection and for this host.
 */
export function hostCookieOf(req: Request, name: `__Host-${string}`): string | null {
  const start = `${name}=`
  const cookies = headerOf(req, 'cookie').split(/; */)
  return cookies.find((cookie) => cookie.startsWith(start))?.slice(start.length) ?? null
}

/** Returns a `Set-Cookie` value: the cookie ends with the browser. Null takes the cookie away. */
export function hostCookie(name: `__Host-${string}`, value: string | null): string {
  return value === null ? `${name}=; ${attributes}; Max-Age=0` : `${name}=${value}; ${attributes}`
}
