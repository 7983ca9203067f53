import { timingSafeEqual } from 'node:crypto'
import type { RequestHandler } from 'express'
import { bearerOf } from '../../rest-facade/http/authorization.ts'
import { ApiError } from '../../rest-facade/http/errors.ts'
import { sha256 } from '../../schema/credentials/secrets.ts'

/** Lets only callers with the token read metrics. Without a configured token, everybody may. */
export function requireMetricsToken(expected: string | null): RequestHandler {
  return function requireMetricsToken(req, _res, next) {
    if (expected === null) return next()
    const bearer = bearerOf(req)
    if (bearer === undefined) {
      return next(new ApiError('AUTHENTICATION_REQUIRED', 'Send the token for metrics.'))
    }
    if (isSame(bearer, expected)) return next()
    next(new ApiError('INVALID_API_KEY', 'This token is not valid.'))
  }
}

/** Whether two tokens are equal. It compares their hashes, because these have equal lengths. */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(a)), Buffer.from(sha256(b)))
}
