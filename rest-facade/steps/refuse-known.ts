import type { RefusedCallers } from '../callers/refused-callers.ts'
import type { Call } from '../http/call.ts'
import type { ApiError } from '../http/errors.ts'
import { type AnonymousLimit, countAddress, refusalOf } from './rate-limit.ts'

interface RefuseKnownOptions extends AnonymousLimit {
  readonly trail: Pick<RefusedCallers, 'note'>
}

/**
 * Refuses a caller whose secret is right, but who may not use it so. The caller is treated as anonymous and
 * counted by address: it must not use up the account's limit or, above the limit, fill its usage log.
 */
export async function refuseKnown(
  call: Call,
  refusal: ApiError,
  options: RefuseKnownOptions,
): Promise<ApiError> {
  options.trail.note(call, refusal.code)
  await countAddress(call, options)
  const tooMany = refusalOf(call)
  if (!tooMany) return refusal
  call.caller = null
  return tooMany
}
