import type { Operation } from '../../schema/catalog/operation.ts'
import { countedCredits } from '../../schema/vocabulary/counted-credits.ts'
import type { BudgetDetail } from '../../schema/vocabulary/error-codes.ts'
import { type Call, callerOf } from '../http/call.ts'
import { ApiError, unavailable } from '../http/errors.ts'
import { currentSecond } from '../rate-limit/rate-limiter.ts'
import { refusalOf } from '../steps/rate-limit.ts'
import type { scopeCheck } from '../steps/require-scope.ts'
import { type Shortage, unitCreditsOf } from './shortages.ts'

/** The refusal of a scenario in which the call does not get as far as its charge. */
export function earlyRefusal(
  scenario: string,
  call: Call,
  scopeRefusal: ReturnType<typeof scopeCheck>,
): ApiError | null {
  if (scenario === 'forbidden') return scopeRefusal({ ...callerOf(call), scopes: [] })
  if (scenario !== 'rate_limited') return null
  const window = { limitRps: call.rateLimitRps, resetAtSeconds: currentSecond() + 1 }
  call.rateWindow = { ...window, remaining: 0, isExceeded: true }
  return refusalOf(call) ?? null
}

/** The failure of a scenario that a charged call gets in place of its module's answer. */
export function lateFailure(
  scenario: string,
  operation: Operation,
  { call, maximum }: { readonly call: Call; readonly maximum: number },
): ApiError | Shortage | null {
  const unitCredits = unitCreditsOf(operation)
  switch (scenario) {
    case 'insufficient_credits': {
      const message = `This request can cost ${countedCredits(maximum)}; the scenario simulates an empty balance.`
      const empty = { available: 0, isOfBalance: true, refusing: [] }
      return { needed: maximum, ...empty, unitCredits, message }
    }
    case 'budget_exceeded': {
      const refusing = [spentBudget(maximum, call.arrivedAt)]
      return { needed: maximum, available: 0, isOfBalance: false, refusing, unitCredits }
    }
    case 'unavailable':
      return unavailable('The scenario simulates a gateway that cannot take the call.')
    case 'timeout':
      return new ApiError('BACKEND_TIMEOUT', `${operation.backendModule} did not answer in time.`)
    default:
      return null
  }
}

function spentBudget(needed: number, now: Date): BudgetDetail {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  return {
    of: 'account',
    period: 'day',
    limit_credits: 1000,
    used_credits: 1000,
    held_credits: 0,
    remaining_credits: 0,
    needed_credits: needed,
    resets_at: new Date(Date.UTC(year, month, day + 1)).toISOString(),
  }
}
