import type { RequestHandler } from 'express'
import { coversScope } from '../../schema/scopes.ts'
import type { AccessTrail } from '../access-trail.ts'
import { callerOf, callOf } from '../call.ts'
import { ApiError } from '../errors.ts'

/** Refuses a key whose scopes do not cover the operation (spec, Authentication 6). */
export function requireScope(scope: string, trail: AccessTrail): RequestHandler {
  return function requireScope(_req, res, next) {
    const call = callOf(res)
    if (!coversScope(callerOf(call).scopes, scope)) {
      trail.note(call, 'FORBIDDEN')
      throw new ApiError('FORBIDDEN', `This API key lacks the scope ${scope}.`)
    }
    next()
  }
}
