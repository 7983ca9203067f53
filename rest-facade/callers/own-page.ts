import type { Request } from 'express'
import { headerOf } from '../http/call.ts'
import { ApiError } from '../http/errors.ts'

/**
 * Refuses requests that no page of this listener has sent. Browsers say so in `Sec-Fetch-Site`, which no
 * page can set, and old ones only in `Origin`.
 */
export function requireOwnPage(req: Request, ownOrigin: string): void {
  const site = headerOf(req, 'sec-fetch-site')
  const isOwn = site === '' ? headerOf(req, 'origin') === ownOrigin : site === 'same-origin'
  if (!isOwn) throw foreignPage
}

const foreignPage = new ApiError('FORBIDDEN', 'Only a page of this gateway may ask this.')
