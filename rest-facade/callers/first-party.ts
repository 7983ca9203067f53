import type { Request } from 'express'
import { headerOf } from '../http/call.ts'
import { ApiError } from '../http/errors.ts'

/**
 * Refuses what another site's page has a browser send: a cookie goes along with it, whoever wrote the
 * page (docs/oauth-rules.md §4). Pages here send no referrer, so browsers write `Origin: null` in their forms;
 * where they come from then stands in `Sec-Fetch-Site`, which no page can set.
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
