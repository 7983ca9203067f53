import { countedCredits } from '../../schema/vocabulary/counted-credits.ts'
import type { BudgetDetail } from '../../schema/vocabulary/error-codes.ts'
import { ApiError, invalidRequest, unavailable } from '../http/errors.ts'
import type { Reservation } from './hold.ts'
import type { IdempotencyKey } from './idempotency.ts'

/** The refusal of a call whose idempotency key was not accepted. */
export function refusalOf(
  verdict: Exclude<Reservation['verdict'], 'insufficient' | 'exhausted'>,
  key: IdempotencyKey | null,
): ApiError {
  switch (verdict) {
    case 'running':
      return new ApiError(
        'IDEMPOTENCY_CONFLICT',
        'The first request with this idempotency key is still running.',
        { headers: { 'Retry-After': '1' } },
      )
    case 'mismatch': {
      const message = 'was used before for another request'
      return invalidRequest(key ? [{ ...key.place, message }] : [])
    }
    default:
      throw new Error(`A reservation that is ${verdict} was taken for a refusal.`)
  }
}

/** Whether a call was refused because an equal one is under way. */
export function isUnderWay(error: unknown): boolean {
  const isConflict = error instanceof ApiError && error.code === 'IDEMPOTENCY_CONFLICT'
  return isConflict && error.headers['Retry-After'] !== undefined
}

/** A 402 for a call that can cost more than its own `max_credits`. */
export function callLimitExceeded(
  needed: number,
  limit: number,
  unitCredits: number | null,
): ApiError {
  const budget: BudgetDetail = {
    ...{ of: 'max_credits', period: 'total', limit_credits: limit, used_credits: 0 },
    ...{ held_credits: 0, remaining_credits: limit, needed_credits: needed, resets_at: null },
  }
  const message = `This request can cost ${countedCredits(needed)}; max_credits permits ${limit}.`
  const logged = { layer: budget.of, limit }
  const units = unitCredits === null ? null : Math.floor(limit / unitCredits)
  const remedy = { needed, affordable_units: units, budget }
  return new ApiError('BUDGET_EXCEEDED', message, { details: [budget], remedy, logged })
}

/** The refusal of a call whose settlement takes too long. */
export function unknownOutcome(key: IdempotencyKey | null): ApiError {
  return unavailable(
    key
      ? `The gateway does not know yet whether this call was charged. Send it again with the same ${key.answerSeconds === null ? 'idempotency key' : 'arguments'}.`
      : 'The gateway does not know yet whether this call was charged. If it was, the charge is refunded.',
  )
}

/** The refusal of a call whose hold ran out before it was settled. */
export function tooLate(): ApiError {
  return new ApiError('BACKEND_TIMEOUT', 'The answer came too late to be charged and kept.')
}
