import type { RequestHandler } from 'express'
import { ApiError } from './errors.ts'

/** Answers a path that no route has. */
export const notFound: RequestHandler = function notFound(req) {
  throw new ApiError('NOT_FOUND', `Nothing is at ${req.path.slice(0, 200)}.`)
}

/** Answers a path that has a route, but not with this method. */
export function methodNotAllowed(methods: readonly string[]): RequestHandler {
  const allow = methods.join(', ')
  return function methodNotAllowed(req) {
    const message = `${req.method} is not possible here; ${allow} is.`
    throw new ApiError('METHOD_NOT_ALLOWED', message, { headers: { Allow: allow } })
  }
}
