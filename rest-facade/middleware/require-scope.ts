import type { RequestHandler } from 'express'
import { coversScope } from '../../schema/scopes.ts'
import { callerOf, callOf } from '../call.ts'
import { ApiError } from '../errors.ts'

/** Refuses a key whose scopes do not cover the operation (spec, Authentication 6). */
export function requireScope(scope: string): RequestHandler {
  return function requireScope(_req, res, next) {
    const { scopes } = callerOf(callOf(res))
    if (!coversScope(scopes, scope)) {
      throw new ApiError('FORBIDDEN', `This API key lacks the scope ${scope}.`)
    }
    next()
  }
}
