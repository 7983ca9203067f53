import type { Request } from 'express'
import { headerOf } from '../http/call.ts'
import { ApiError } from '../http/errors.ts'

/**
 * Refuses requests that a page of another site makes a browser send: the browser adds the cookie
 * for any page (docs/oauth-rules.md §4). The gateway's own pages send no referrer, so browsers send
 * their forms with `Origin: null`; the header `Sec-Fetch-Site`, which no page can set, then tells
 * the origin.
 */
export function requireFirstParty(req: Request, origins: ReadonlySet<string>): void {
  if (!isFirstParty(req, origins)) throw foreignPage
}

export function isFirstParty(req: Request, origins: ReadonlySet<string>): boolean {
  const isOwnPage = headerOf(req, 'sec-fetch-site') === 'same-origin'
  return isOwnPage || origins.has(headerOf(req, 'origin'))
}

export const foreignPage = new ApiError(
  'FORBIDDEN',
  'The session may not be used from the page of another origin.',
)
