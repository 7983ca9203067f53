import { LRUCache } from 'lru-cache'
import { type AccountCaller, serviceCaller } from '../../schema/credentials/caller.ts'
import type { ErrorCode, OAuthErrorCode } from '../../schema/vocabulary/error-codes.ts'
import { newId } from '../../schema/vocabulary/ids.ts'
import type { Execute } from '../graph/graph-client.ts'
import type { Call } from '../http/call.ts'
import { type Allowance, createAllowance } from '../rate-limit/allowance.ts'
import { createAnonymousFailures } from './anonymous-failures.ts'

/**
 * Refused callers: those of an account are noted in memory and written into its audit trail, in one batch
 * now and then. Those that nobody knows are only counted: see `AnonymousFailures`.
 */
export interface AccessTrail {
  /** Notes that a call was refused; above a rate of the same key, or of all, only how many were. */
  readonly note: (call: Call, code: ErrorCode | OAuthErrorCode) => void
  /** Writes what was noted since the last time; what could not be written is kept for the next. */
  readonly write: () => Promise<void>
  /** The same for a process that leaves: also what would have had to wait for its line. */
  readonly writeAll: () => Promise<void>
}

/** Lines of one key, or of one app for one account: a flood must not fill the trail of its account. */
const ofOne = { atOnce: 20, perSecond: 1 }
/** Lines of all together: nor may many accounts fill the disk. */
const ofAll = { atOnce: 500, perSecond: 10 }
/** So many keys and apps are told apart; those noted longest ago are counted as nobody's. */
const maxActors = 1000
/** While the database is away. */
const maxKept = 1000
/** What the usage subgraph takes at once. */
const batchSize = 500

interface Refusal {
  readonly call: Call
  readonly caller: AccountCaller
  readonly code: ErrorCode | OAuthErrorCode
}

/** One key, or one app for one account: what of it was refused since its last line and has none of its own. */
interface Actor {
  readonly allowance: Allowance
  left: number
  /** The last of them. */
  last: Refusal | null
}

interface AccessTrailOptions {
  /** Of a clock that only goes forward. */
  readonly clockMs?: () => number
}

const writer = serviceCaller()

export function createAccessTrail(
  execute: Execute,
  { clockMs = () => performance.now() }: AccessTrailOptions = {},
): AccessTrail {
  let events: object[] = []
  const failures = createAnonymousFailures(execute)
  const lines = createAllowance({ ...ofAll, clockMs })
  const actors = new LRUCache<string, Actor>({ max: maxActors, dispose: leaveToNobody })

  /** No account is told of what another's key did. */
  function leaveToNobody({ left, last }: Actor): void {
    if (last) failures.note(last.call, last.code, left)
  }

  /** Each has its own: nobody's refusals hide another's. */
  function actorOf(caller: AccountCaller): Actor {
    const name = `${caller.accountId} ${actorIdOf(caller)}`
    const actor = actors.get(name) ?? {
      allowance: createAllowance({ ...ofOne, clockMs }),
      left: 0,
      last: null,
    }
    actors.set(name, actor)
    return actor
  }

  function keep(refusal: Refusal, actor: Actor): void {
    events.push(toEvent(refusal, actor.left))
    Object.assign(actor, { left: 0, last: null })
  }

  /** A line for the last of those that have none, which says how many there were. False: not for all. */
  function keepLeft(mayTake: () => boolean): boolean {
    // Whoever has been silent longest comes first: one that never stops does not take the lines of all.
    for (const actor of actors.rvalues()) {
      if (!actor?.last) continue
      if (events.length >= maxKept || !mayTake()) return false
      actor.left -= 1
      keep(actor.last, actor)
    }
    return true
  }

  async function writeLines(mayTake: () => boolean): Promise<void> {
    let isAllKept = keepLeft(mayTake)
    while (events.length > 0) {
      const batch = events.slice(0, batchSize)
      await execute('RecordAuditEvents', { events: batch }, writer)
      events = events.slice(batch.length)
      // Once, or a flood would have us write as fast as it comes.
      if (!isAllKept) isAllKept = keepLeft(mayTake)
    }
  }

  async function write(mayTake: () => boolean): Promise<void> {
    try {
      await writeLines(mayTake)
    } finally {
      await failures.write()
    }
  }

  return {
    note(call, code) {
      const { caller } = call
      if (!caller) return failures.note(call, code)
      const actor = actorOf(caller)
      const refusal = { call, caller, code }
      if (events.length < maxKept && actor.allowance.take() && lines.take()) {
        return keep(refusal, actor)
      }
      actor.left += 1
      actor.last = refusal
    },
    write: () => write(() => lines.take()),
    writeAll: () => write(() => true),
  }
}

function actorIdOf({ clientId, keyId }: AccountCaller): string {
  return clientId ?? keyId ?? ''
}

/** `left` are those of the same key or app before it that are not in the trail. */
function toEvent({ call, caller, code }: Refusal, left: number): object {
  const { environment, arrivedAt, address, requestId, traceId } = call
  return {
    id: newId('aud'),
    accountId: caller.accountId,
    environment,
    occurredAt: arrivedAt.toISOString(),
    actorKind: caller.clientId === undefined ? 'key' : 'oauth_client',
    actorId: actorIdOf(caller),
    action: 'access.deny',
    resourceId: null,
    address,
    requestId,
    traceId,
    result: code,
    details: { method: call.method, endpoint: call.endpoint, not_recorded_before: left },
  }
}
