import type { RequestHandler } from 'express'
import type { RefusedCallers } from '../callers/refused-callers.ts'
import { callerOf, callOf } from '../http/call.ts'
import { ApiError } from '../http/errors.ts'

/**
 * Whether a key with budgets is refused. `other-keys`: the key may ask it for itself, as `key_id`
 * of the path.
 */
export type UncappedOnly = true | 'other-keys'

/**
 * Refuses a key that has budgets, also a repetition of what it asked for before it had some: it cannot
 * lift its cap.
 */
export function refuseCapped(
  what: UncappedOnly,
  { trail }: { readonly trail: RefusedCallers },
): RequestHandler {
  return function refuseCapped({ params }, res, next) {
    const call = callOf(res)
    const { keyId, isCapped = false } = callerOf(call)
    const isOwn = what === 'other-keys' && params.key_id === keyId
    if (!isCapped || isOwn) return next()
    trail.note(call, 'FORBIDDEN')
    next(hasBudgets)
  }
}

const hasBudgets = new ApiError('FORBIDDEN', 'This API key has budgets, so it may not do this.')
