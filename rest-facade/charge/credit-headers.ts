import { ApiError } from '../http/errors.ts'
import type { Headers } from '../http/respond.ts'
import type { Settlement } from './hold.ts'

/** The credits that a caller has left after a call. */
export type RemainingCredits = Pick<Settlement, 'available' | 'budgetRemaining'>

/** A caller without budgets gets no header about budgets. */
export function remainingHeaders({ available, budgetRemaining }: RemainingCredits): Headers {
  const credits = { 'X-Credits-Remaining': String(available) }
  return budgetRemaining === null
    ? credits
    : { ...credits, 'X-Budget-Remaining': String(budgetRemaining) }
}

/** The remaining credits may be unknown while the database is unavailable. */
export function creditHeaders(charged: number, left?: RemainingCredits): Headers {
  const known = { 'X-Credits-Charged': String(charged) }
  return left ? { ...known, ...remainingHeaders(left) } : known
}

/** A failure costs nothing, and says so. */
export function withCredits(error: unknown, left?: RemainingCredits): unknown {
  if (!(error instanceof ApiError)) return error
  const { code, status, message, details, remedy, logged, cause, internal } = error
  const headers = { ...error.headers, ...creditHeaders(0, left) }
  return new ApiError(code, message, { status, details, remedy, logged, cause, internal, headers })
}
