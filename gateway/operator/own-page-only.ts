import type { RequestHandler } from 'express'
import { headerOf } from '../../rest-facade/http/call.ts'
import { ApiError } from '../../rest-facade/http/errors.ts'

/**
 * Refuses what a page of this origin has not surely sent. No page can set `Sec-Fetch-Site`, every browser that the
 * page supports sends it, and another port of the same host is `same-site`.
 */
export function ownPageOnly(baseUrl: string): RequestHandler {
  const { origin: own } = new URL(baseUrl)
  return function ownPageOnly(req, _res, next) {
    const isOfOwnPage = headerOf(req, 'sec-fetch-site') === 'same-origin'
    const { origin = own } = req.headers
    next(isOfOwnPage && origin === own ? undefined : foreignPage)
  }
}

const foreignPage = new ApiError('FORBIDDEN', 'Only the page of operators may ask this.')
