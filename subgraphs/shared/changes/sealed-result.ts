import { actorOfTool } from '../../../schema/credentials/caller.ts'
import { deriveKey, open, seal } from '../../../schema/credentials/secrets.ts'
import type { GraphContext } from '../graph/context.ts'
import { DomainError } from '../graph/errors.ts'

type Sealing = Pick<GraphContext, 'caller' | 'gatewaySecret'>

/**
 * Seals a result with the key that the facade has derived from the caller's credential and idempotency
 * key. Null for a caller without that key: then nobody sees the result again. `boundTo` names the row it
 * is stored in, so that no row can pass for another.
 */
export function sealResult(context: Sealing, json: string, boundTo: string): string | null {
  const key = replayKeyOf(context)
  return key && seal(key, json, boundOf(context, boundTo))
}

/** Throws IDEMPOTENCY_CONFLICT where the caller's credential is not the one that asked first. */
export function openResult<Result>(
  context: Sealing,
  sealed: string | null,
  boundTo: string,
): Result {
  if (sealed === null) throw unreadable()
  const key = replayKeyOf(context)
  const json = key && open(key, sealed, boundOf(context, boundTo))
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

/** An operator, or the token of a program, alone sees what the act has shown before. */
function replayKeyOf({ caller, gatewaySecret }: Sealing): Uint8Array | null {
  if (caller.kind === 'internal') return deriveKey(gatewaySecret, 'act-answer')
  const isKnown = caller.kind === 'account' && caller.replayKey !== undefined
  return isKnown ? Buffer.from(caller.replayKey, 'base64url') : null
}

function boundOf({ caller }: Sealing, boundTo: string): string {
  return caller.kind === 'internal' ? `${boundTo}/${actorOfTool(caller)}` : boundTo
}
