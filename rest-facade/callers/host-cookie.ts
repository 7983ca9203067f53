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

/**
 * Returns a `Set-Cookie` value: the cookie ends with the browser, or after `maxAgeSeconds`. A null value takes the cookie
 * away.
 */
export function hostCookie(
  name: `__Host-${string}`,
  value: string | null,
  maxAgeSeconds?: number,
): string {
  if (value === null) return `${name}=; ${attributes}; Max-Age=0`
  const end = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`
  return `${name}=${value}; ${attributes}${end}`
}
