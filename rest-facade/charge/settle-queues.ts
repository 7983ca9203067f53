import { setTimeout as sleep } from 'node:timers/promises'
import { serviceCaller } from '../../schema/credentials/caller.ts'
import type { BodyOf } from '../../schema/generated/operations.ts'
import { asAsker } from '../../schema/process/tracing.ts'
import type { Execute } from '../graph/graph-client.ts'
import { isOutage } from '../http/errors.ts'
import { createQueue, inHalves, type Queue } from './batching/batch.ts'
import { allOf, oneByOne, patiently, tellOne } from './batching/queues.ts'
import type { Settling } from './hold.ts'
import { readSettlementBatch, settleBatchOf } from './ledger-batches.ts'
import type { SettlementsInDoubt } from './settlements-in-doubt.ts'

/** Settles the holds of calls, and tells each call what came of its hold. */
export interface SettleQueues extends Queue {
  readonly end: (call: Settling) => void
  /** The longer of the least waits of calls with budgets and calls without any, in ms. */
  readonly leastWaitMs: () => number
}

/** If so many settlements wait, holds with an unknown reservation are left to the sweeper. */
const maxReleasing = 20_000
const caller = serviceCaller()

/**
 * Calls with budgets have a queue of their own, and so have calls of locked balances, which wait for them.
 * Delivered answers are charged whatever the length of a queue; only the admission of calls is limited.
 */
export function createSettleQueues(
  execute: Execute,
  inDoubt: SettlementsInDoubt,
  onEnd: (call: Settling) => void,
): SettleQueues {
  /**
   * Settles a batch. Returns a function that tells the calls of their outcomes, or has them wait
   * for their balance.
   */
  async function settle(calls: readonly Settling[], isPatient: boolean): Promise<() => void> {
    const settled = readSettlementBatch(
      await settleUntilKnown(execute, calls, { isPatient, inDoubt }),
    )
    return () => {
      calls.forEach((call, index) => {
        const result = settled[index] ?? 'locked'
        if (result === 'locked') asAsker(call.asker, () => patient.add(call))
        else {
          tellOne(call, () => call.settled(result))
          onEnd(call)
        }
      })
    }
  }

  function fail(call: Settling, error: unknown): void {
    tellOne(call, () => call.failed(error))
    onEnd(call)
  }

  const settleAtOnce = (calls: readonly Settling[]) =>
    inHalves(calls, (some) => settle(some, false), fail)
  const settlePatiently = (calls: readonly Settling[]) =>
    inHalves(calls, (some) => settle(some, true), fail)
  const plain = createQueue(settleAtOnce, { ...oneByOne, name: 'settle' })
  const spending = createQueue(settleAtOnce, { ...oneByOne, name: 'settle with budgets' })
  const patient = createQueue(settlePatiently, { ...patiently, name: 'settle locked' })

  return {
    ...allOf([plain, spending, patient]),
    leastWaitMs: () => Math.max(plain.leastWaitMs(), spending.leastWaitMs()),
    maxWaiting: maxReleasing,
    end(call) {
      const queue = call.hold.budgetOwners ? spending : plain
      call.queuedAtMs = 0
      queue.add(call)
    },
  }
}

interface Sending {
  /** Whether the statement waits for locked balances: a settlement that waits so is not in doubt. */
  readonly isPatient: boolean
  readonly inDoubt: SettlementsInDoubt
}

/**
 * A settlement whose answer was lost may have been committed. Asking again is safe: the ledger tells
 * what happened.
 */
async function settleUntilKnown(
  execute: Execute,
  items: readonly Settling[],
  { isPatient, inDoubt }: Sending,
): Promise<BodyOf<'SettleBatch'>> {
  const credits = items.reduce((sum, item) => sum + item.credits, 0)
  const beginDoubt = () => (credits > 0 ? inDoubt.begin(credits) : () => {})
  let endDoubt = isPatient ? null : beginDoubt()
  const settling = settleBatchOf(items, isPatient)
  const askedAtMs = Math.min(...items.map(({ queuedAtMs }) => queuedAtMs))
  try {
    for (let pauseMs = 25; ; pauseMs = Math.min(pauseMs * 2, 1000)) {
      try {
        const batch = { ...settling, waitedSeconds: secondsSince(askedAtMs) }
        return await execute('SettleBatch', { batch }, caller)
      } catch (error) {
        if (!isOutage(error)) throw error
        endDoubt ??= beginDoubt()
        await sleep(pauseMs)
      }
    }
  } finally {
    endDoubt?.()
  }
}

function secondsSince(ms: number): number {
  return Math.floor((performance.now() - ms) / 1000)
}
