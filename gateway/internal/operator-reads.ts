import { LRUCache } from 'lru-cache'
import type { Execute } from '../../rest-facade/graph/graph-client.ts'
import { actorOfTool, type InternalCaller, serviceCaller } from '../../schema/credentials/caller.ts'
import { atMost } from '../../schema/process/at-most.ts'
import { idOfText } from '../../schema/vocabulary/ids.ts'

/** Writes that a person or a token of the internal listener has read accounts; durable when it resolves. */
export type RecordReads = (caller: InternalCaller, accountIds: readonly string[]) => Promise<void>

/** The most lines in one request, and the most that a process remembers to have written. */
const maxLines = 500
const maxRemembered = 50_000

/**
 * One line for each operator, account and hour (UTC), in the trail of the account. Its id is made of the three, and the
 * trail takes each id once: so neither another process nor a repetition writes a second one.
 */
export function createOperatorReads(execute: Execute): RecordReads {
  const written = new LRUCache<string, true>(atMost(maxRemembered))

  return async function recordReads(caller, accountIds) {
    const { environment, requestId, traceId, address, role } = caller
    const occurredAt = new Date().toISOString()
    const actorId = actorOfTool(caller)
    const lines = accountIds.map((accountId) => ({
      id: idOfText(
        'aud',
        JSON.stringify([actorId, accountId, environment, occurredAt.slice(0, 13)]),
      ),
      ...{
        accountId,
        environment,
        occurredAt,
        actorKind: 'internal' as const,
        actorId,
        actorRole: role,
      },
      ...{ action: 'account.looked_at', resourceId: accountId, result: 'succeeded', details: {} },
      ...{ address, requestId, traceId: traceId || null },
    }))
    const fresh = lines.filter(({ id }) => !written.has(id))
    for (let first = 0; first < fresh.length; first += maxLines) {
      const events = fresh.slice(first, first + maxLines)
      await execute('RecordAuditEvents', { events }, serviceCaller({ environment, requestId }))
      for (const { id } of events) written.set(id, true)
    }
  }
}
