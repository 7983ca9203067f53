import { LRUCache } from 'lru-cache'
import type { AccountCaller, ServiceCaller } from '../schema/caller.ts'
import type { ErrorCode, OAuthErrorCode } from '../schema/error-codes.ts'
import { newId } from '../schema/ids.ts'
import type { Call } from './call.ts'
import type { Execute } from './graph-client.ts'
import { clientBlock } from './rate-limit/client-block.ts'

/** Refused callers in the audit trail (promise S11): noted in memory, written in one batch now and then. */
export interface AccessTrail {
  /** Notes that a call was refused; above a rate of the same key or client only how many were. */
  readonly note: (call: Call, code: ErrorCode | OAuthErrorCode, resourceId?: string | null) => void
  /** Writes what was noted since the last time; what could not be written is kept for the next. */
  readonly write: () => Promise<void>
}

/** Of one key or one client address, each second: a flood must not fill the trail. */
const maxPerSecond = 20
/** So many keys and addresses are told apart; what those noted longest ago did is counted together. */
const maxBudgets = 1000
/** While the database is away. */
const maxKept = 1000
/** What the usage subgraph takes at once. */
const batchSize = 500

interface Refusal {
  readonly call: Call
  readonly code: ErrorCode | OAuthErrorCode
  readonly resourceId: string | null
}

/** What was refused since the last line, without a line of its own: how many, and the last of them. */
interface Left {
  left: number
  last: Refusal | null
}

interface Budget extends Left {
  second: number
  used: number
}

const caller: ServiceCaller = { kind: 'service', environment: 'live', requestId: '', traceId: '' }

export function createAccessTrail(execute: Execute): AccessTrail {
  let events: object[] = []
  const others: Left = { left: 0, last: null }
  const budgets = new LRUCache<string, Budget>({ max: maxBudgets, dispose: leaveToOthers })

  /** No account is told of what another's key did. */
  function leaveToOthers({ left, last }: Budget): void {
    if (!last) return
    others.left += left
    others.last = { ...last, call: { ...last.call, caller: null } }
  }

  /** Its own for each key, and for each client that has none: nobody's refusals hide another's. */
  function budgetOf({ caller, address, arrivedAt }: Call): Budget {
    const second = Math.floor(arrivedAt.getTime() / 1000)
    const name = caller ? actorIdOf(caller) : `address:${clientBlock(address)}`
    const budget = budgets.get(name) ?? { second, used: 0, left: 0, last: null }
    if (budget.second !== second) Object.assign(budget, { second, used: 0 })
    budgets.set(name, budget)
    return budget
  }

  function keep(refusal: Refusal, of: Left): void {
    events.push(toEvent(refusal, of.left))
    Object.assign(of, { left: 0, last: null })
  }

  /** A line for the last of those that have none, which says how many there were. False: there is no room. */
  function keepLeft(): boolean {
    for (const of of [...budgets.values(), others]) {
      if (!of.last) continue
      if (events.length >= maxKept) return false
      of.left -= 1
      keep(of.last, of)
    }
    return true
  }

  return {
    note(call, code, resourceId = null) {
      const budget = budgetOf(call)
      const refusal = { call, code, resourceId }
      budget.used += 1
      if (budget.used <= maxPerSecond && events.length < maxKept) return keep(refusal, budget)
      budget.left += 1
      budget.last = refusal
    },
    async write() {
      let isAllKept = keepLeft()
      while (events.length > 0) {
        const batch = events.slice(0, batchSize)
        await execute('RecordAuditEvents', { events: batch }, caller)
        events = events.slice(batch.length)
        // Once, or a flood would have us write as fast as it comes.
        if (!isAllKept) isAllKept = keepLeft()
      }
    },
  }
}

function actorIdOf({ clientId, keyId }: AccountCaller): string {
  return clientId ?? keyId ?? 'anonymous'
}

/** `left` are those of the same key or client before it that are not in the trail. */
function toEvent({ call, code, resourceId }: Refusal, left: number): object {
  const { caller: known, environment, arrivedAt, address, requestId, traceId } = call
  return {
    id: newId('aud'),
    accountId: known?.accountId ?? null,
    environment,
    occurredAt: arrivedAt.toISOString(),
    actorKind: known ? (known.clientId === undefined ? 'key' : 'oauth_client') : 'anonymous',
    actorId: known ? actorIdOf(known) : 'anonymous',
    action: known ? 'access.deny' : 'authentication.fail',
    resourceId,
    address,
    requestId,
    traceId,
    result: code,
    details: { method: call.method, endpoint: call.endpoint, not_recorded_before: left },
  }
}
