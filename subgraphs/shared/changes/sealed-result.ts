import type { Caller } from '../../../schema/credentials/caller.ts'
import { open, seal } from '../../../schema/credentials/secrets.ts'
import { DomainError } from '../graph/errors.ts'

/**
 * Seals a result with the key that the facade has derived from the caller's credential and idempotency
 * key. Null for a caller without that key: then nobody sees the result again. `boundTo` names the row it
 * is stored in, so that no row can pass for another.
 */
export function sealResult(caller: Caller, json: string, boundTo: string): string | null {
  const key = replayKeyOf(caller)
  return key && seal(key, json, boundTo)
}

/** Throws IDEMPOTENCY_CONFLICT where the caller's credential is not the one that asked first. */
export function openResult<Result>(caller: Caller, sealed: string | null, boundTo: string): Result {
  if (sealed === null) throw unreadable()
  const key = replayKeyOf(caller)
  const json = key && open(key, sealed, boundTo)
  if (json !== null) return JSON.parse(json)
  throw new DomainError(
    'IDEMPOTENCY_CONFLICT',
    'This idempotency key was used with another API key or cookie; only that one can see the answer again.',
  )
}

/** The error when the change was made, but its result cannot be shown to anybody. */
function unreadable(): DomainError {
  return new DomainError(
    'IDEMPOTENCY_CONFLICT',
    'The first request with this idempotency key was carried out; its answer can no longer be read.',
  )
}

function replayKeyOf(caller: Caller): Uint8Array | null {
  const isKnown = caller.kind === 'account' && caller.replayKey !== undefined
  return isKnown ? Buffer.from(caller.replayKey, 'base64url') : null
}
