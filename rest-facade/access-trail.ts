import type { ServiceCaller } from '../schema/caller.ts'
import type { ErrorCode } from '../schema/error-codes.ts'
import { newId } from '../schema/ids.ts'
import type { Call } from './call.ts'
import type { Execute } from './graph-client.ts'

/** Refused callers in the audit trail (promise S11): noted in memory, written in one batch now and then. */
export interface AccessTrail {
  /** Notes that a call was refused; above a rate only how many were. Costs nothing that could be felt. */
  readonly note: (call: Call, code: ErrorCode) => void
  /** Writes what was noted since the last time; what could not be written is kept for the next. */
  readonly write: () => Promise<void>
}

/** Of one process, each second: a flood must fill neither memory nor the trail. */
const maxPerSecond = 20
/** While the database is away. */
const maxKept = 1000
/** What the usage subgraph takes at once. */
const batchSize = 500

const caller: ServiceCaller = { kind: 'service', environment: 'live', requestId: '', traceId: '' }

export function createAccessTrail(execute: Execute): AccessTrail {
  let events: object[] = []
  let second = 0
  let inSecond = 0
  let left = 0

  return {
    note(call, code) {
      const now = Math.floor(call.arrivedAt.getTime() / 1000)
      if (now !== second) {
        second = now
        inSecond = 0
      }
      inSecond += 1
      if (inSecond > maxPerSecond || events.length >= maxKept) {
        left += 1
        return
      }
      events.push(toEvent(call, code, left))
      left = 0
    },
    async write() {
      while (events.length > 0) {
        const batch = events.slice(0, batchSize)
        await execute('RecordAuditEvents', { events: batch }, caller)
        events = events.slice(batch.length)
      }
    },
  }
}

/** `left` are those before it that are not in the trail. */
function toEvent(call: Call, code: ErrorCode, left: number): object {
  const { caller: known, environment, arrivedAt, address, requestId, traceId } = call
  return {
    id: newId('aud'),
    accountId: known?.accountId ?? null,
    environment,
    occurredAt: arrivedAt.toISOString(),
    actorKind: known ? 'key' : 'anonymous',
    actorId: known?.keyId ?? 'anonymous',
    action: known ? 'access.deny' : 'authentication.fail',
    resourceId: null,
    address,
    requestId,
    traceId,
    result: code,
    details: { method: call.method, endpoint: call.endpoint, not_recorded_before: left },
  }
}
