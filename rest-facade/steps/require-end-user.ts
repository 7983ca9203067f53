import type { RequestHandler } from 'express'
import { callOf } from '../http/call.ts'
import { invalidRequest } from '../http/errors.ts'
import { endUserHeader, endUserRule, hasWrongEndUser } from '../http/fields/end-user.ts'

const refusal = [{ field: endUserHeader, in: 'header', message: endUserRule }] as const

/**
 * Refuses an end user that the usage log cannot have. A request of an anonymous caller passes,
 * because it leaves no entry.
 */
export const requireEndUser: RequestHandler = function requireEndUser(req, res, next) {
  const isWrong = hasWrongEndUser(req) && callOf(res).caller !== null
  next(isWrong ? invalidRequest(refusal) : undefined)
}
