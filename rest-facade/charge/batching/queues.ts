import { asAsker } from '../../../schema/process/tracing.ts'
import type { BatchQueue, Queued } from './batch.ts'

/**
 * Usually one batch of each queue is under way, so that batches are large. A further one waits for
 * it for many times the duration of a commit, and not longer, because a batch that hangs must not
 * delay all others.
 */
export const oneByOne = {
  maxInFlight: 4,
  exclusiveMs: 50,
  maxWaiting: Number.POSITIVE_INFINITY,
}

/**
 * The settings of queues for locked balances: their statements are on a connection that all other statements
 * share, so there is one batch of each kind at a time.
 */
export const patiently = { maxInFlight: 1, maxWaiting: Number.POSITIVE_INFINITY }

type Batches = Pick<BatchQueue<never>, 'waiting' | 'batched'>

/** Several queues, counted as one. */
export function allOf(queues: readonly Batches[]): Batches {
  const sum = (count: (queue: Batches) => number) =>
    queues.reduce((total, queue) => total + count(queue), 0)
  return {
    waiting: () => sum((queue) => queue.waiting()),
    batched: () => ({
      batches: sum((queue) => queue.batched().batches),
      items: sum((queue) => queue.batched().items),
    }),
  }
}

/**
 * Tells one call of a batch. An error in telling it goes to the call itself, so that all other
 * calls are told.
 */
export function tellOne(call: Queued & { failed(error: unknown): void }, tell: () => void): void {
  try {
    asAsker(call.asker, tell)
  } catch (error) {
    asAsker(call.asker, () => call.failed(error))
  }
}
