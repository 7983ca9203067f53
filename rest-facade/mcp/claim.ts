import type { Operation } from '../../schema/catalog/operation.ts'
import { sha256 } from '../../schema/credentials/secrets.ts'
import { canonicalJson } from '../charge/canonical-json.ts'
import {
  derivedPrefix,
  type IdempotencyKey,
  type IdempotencyOptions,
  idempotencyKey,
  isUsableKey,
  keyRule,
} from '../charge/idempotency.ts'
import { type Call, callerOf } from '../http/call.ts'
import { invalidRequest } from '../http/errors.ts'
import type { Params } from './protocol.ts'

/** For how long an equal call without a key of its own gets the first answer again. */
const replaySeconds = 60

/** The call of a priced tool, before its arguments are checked. */
interface ClaimedCall {
  readonly call: Call
  readonly tool: string
  /** Without `max_credits` and `idempotency_key`. */
  readonly input: Params
  /** The argument `idempotency_key`. */
  readonly ownKey: unknown
}

/**
 * What a call claims so that it is made once (docs/credits.md §5): the key that the caller chose, or one that follows
 * from the call. Throws INVALID_REQUEST for one that cannot be used.
 */
export function claimOf(
  { call, tool, input, ownKey }: ClaimedCall,
  operation: Operation,
  options: IdempotencyOptions,
): IdempotencyKey | null {
  if (operation.price.maximum === 0) return null
  const text = canonicalJson(input)
  const requestHash = sha256(`tool\n${tool}\n${text}`)
  if (ownKey !== undefined) {
    const place = { field: 'idempotency_key', in: 'body' } as const
    if (typeof ownKey !== 'string' || !isUsableKey(ownKey)) {
      throw invalidRequest([{ ...place, message: keyRule }])
    }
    return idempotencyKey({ key: ownKey, requestHash, place }, call, options)
  }
  // A replay would hide what a scenario shows.
  if (call.environment === 'sandbox') return null
  const { keyId, clientId } = callerOf(call)
  const key = derivedPrefix + JSON.stringify([keyId ?? clientId, call.endUser, requestHash])
  return idempotencyKey({ key, requestHash, answerSeconds: replaySeconds }, call, options)
}
