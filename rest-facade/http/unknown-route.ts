import type { RequestHandler } from 'express'
import { ApiError } from './errors.ts'

/** No route has this path. */
export const notFound: RequestHandler = function notFound(req) {
  throw new ApiError('NOT_FOUND', `Nothing is at ${req.path.slice(0, 200)}.`)
}

/** The path exists, the method does not. */
export function methodNotAllowed(methods: readonly string[]): RequestHandler {
  const allow = methods.join(', ')
  return function methodNotAllowed(req) {
    const message = `${req.method} is not possible here; ${allow} is.`
    throw new ApiError('METHOD_NOT_ALLOWED', message, { headers: { Allow: allow } })
  }
}
