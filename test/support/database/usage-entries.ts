import { GraphQLError } from 'graphql'
import { type CallEntry, usageBatchOf } from '../../../rest-facade/charge/usage-log/usage-batch.ts'
import { ApiError } from '../../../rest-facade/http/errors.ts'
import type { OperationName } from '../../../schema/generated/operations.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { patience } from '../time/patience.ts'
import type { TestGraph } from './graph.ts'
import { callerOf } from './planted-tenant.ts'

/** An entry of a call that was answered now, or when `more` says. */
export function usageEntryOf(accountId: string, more: Partial<CallEntry> = {}): CallEntry {
  const { arrivedAtMs = Date.now() } = more
  return {
    ...{ accountId, environment: 'live', requestId: newId('req', arrivedAtMs), arrivedAtMs },
    ...{
      method: 'GET',
      endpoint: '/v1/x',
      route: '/v1/x',
      service: 'seo',
      status: 200,
      credits: 3,
    },
    ...{ latencyMs: 7, traceId: '', backendModule: 'x', keyId: null },
    ...more,
  }
}

export type UsageGraph = Pick<TestGraph, 'as' | 'asService' | 'asAdmin'>

/**
 * Records entries as one process does. As the recorder of the gateway, it tries again when another batch
 * holds a lock for longer than the database waits.
 */
export function usageWriterOf(graph: UsageGraph) {
  async function untilUnlocked(operation: OperationName, variables: Record<string, unknown>) {
    const deadline = performance.now() + patience.timeout
    for (;;) {
      try {
        return await graph.asService(operation, variables)
      } catch (error) {
        const cause = error instanceof ApiError ? error.cause : undefined
        const isLocked = cause instanceof GraphQLError && cause.extensions.isLockTimeout === true
        if (!isLocked || performance.now() > deadline) throw error
      }
    }
  }

  return {
    async open(entries: readonly CallEntry[]): Promise<number> {
      const { requestIds, arrivedAtMs } = usageBatchOf(entries)
      const oldest = {
        oldestRequestId: requestIds.toSorted()[0],
        oldestMs: Math.min(...arrivedAtMs),
      }
      return Number(await graph.asService('OpenUsageEpoch', oldest))
    },
    /** Whether the epoch took them. */
    record: (epoch: number, entries: readonly CallEntry[]) =>
      untilUnlocked('RecordUsageBatch', { epoch, batch: usageBatchOf(entries) }),
    /** Records outside of epochs, as a process does for a dead one. */
    recordAtOnce: (entries: readonly CallEntry[]) =>
      untilUnlocked('RecordUsage', {
        entries: entries.map(({ arrivedAtMs, ...entry }) => ({
          ...entry,
          ts: new Date(arrivedAtMs).toISOString(),
        })),
      }),
    fold: (epoch: number) => graph.asService('FoldUsageEpoch', { epoch }),
  }
}

/** Requests and credits of the account in the last day, as its holder sees them. */
export async function usageShownTo(
  graph: UsageGraph,
  accountId: string,
): Promise<{ readonly requests: number; readonly credits: number }> {
  const variables = { interval: 'hour', group_by: 'service' } as const
  const series = Object(await graph.as('SummarizeUsage', variables, callerOf(accountId)))
  const items: readonly { requests: number; credits: number }[] = series.items
  return {
    requests: items.reduce((sum, item) => sum + item.requests, 0),
    credits: items.reduce((sum, item) => sum + item.credits, 0),
  }
}
