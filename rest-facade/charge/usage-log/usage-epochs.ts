import type { Logger } from 'pino'
import { serviceCaller } from '../../../schema/credentials/caller.ts'
import type { Execute } from '../../graph/graph-client.ts'
import { unavailable } from '../../http/errors.ts'
import type { UsageBatch } from './usage-batch.ts'

/** Records entries in epochs of this process, one after the other. */
export interface UsageEpochs {
  /** Records entries. Must not be called while another call runs. Throws if nothing was recorded. */
  readonly record: (batch: UsageBatch) => Promise<void>
  /**
   * Ends the open epoch. Resolves when its entries are in the sums, or when it is left to another
   * process.
   */
  readonly end: () => Promise<void>
}

interface Epoch {
  readonly id: number
  readonly timer: NodeJS.Timeout
  entries: number
}

const maxEntries = 50_000
const maxAgeMs = 60_000
const caller = serviceCaller()

export function createUsageEpochs(execute: Execute, log: Logger): UsageEpochs {
  let current: Epoch | null = null
  const ending = new Set<Promise<void>>()

  async function open(batch: UsageBatch): Promise<Epoch> {
    const oldest = {
      oldestRequestId: batch.requestIds.toSorted()[0] ?? '',
      oldestMs: Math.min(...batch.arrivedAtMs),
    }
    const id = await execute('OpenUsageEpoch', oldest, caller)
    const timer = setTimeout(() => current?.id === id && endCurrent(), maxAgeMs).unref()
    return { id, timer, entries: 0 }
  }

  /** Returns false when the epoch no longer takes entries. */
  async function recordIn(epoch: Epoch, batch: UsageBatch): Promise<boolean> {
    const isRecorded = await execute('RecordUsageBatch', { epoch: epoch.id, batch }, caller)
    if (!isRecorded) return false
    epoch.entries += batch.requestIds.length
    if (epoch.entries >= maxEntries && current === epoch) endCurrent()
    return true
  }

  function endCurrent(): void {
    if (!current) return
    const { id, timer } = current
    current = null
    clearTimeout(timer)
    const work = fold(id).finally(() => ending.delete(work))
    ending.add(work)
  }

  async function fold(epoch: number): Promise<void> {
    try {
      await execute('FoldUsageEpoch', { epoch }, caller)
    } catch (error) {
      log.warn({ err: error, epoch }, 'Could not add up usage; a sweep does so')
    }
  }

  return {
    async record(batch) {
      current ??= await open(batch)
      if (await recordIn(current, batch)) return
      // Another process has ended the epoch, because it took this process for dead.
      endCurrent()
      current = await open(batch)
      // The new epoch was ended at once, too: the entries are not recorded, and may be tried again.
      if (!(await recordIn(current, batch)))
        throw unavailable('A new epoch takes no usage entries.')
    },
    async end() {
      endCurrent()
      await Promise.all(ending)
    },
  }
}
