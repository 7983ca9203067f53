import { setTimeout as sleep } from 'node:timers/promises'
import { type Environment, serviceCaller } from '../../schema/credentials/caller.ts'
import { failedCallKeyPrefix } from '../../schema/vocabulary/failed-calls.ts'
import type { Execute } from '../graph/graph-client.ts'
import { ApiError, isOutage } from '../http/errors.ts'
import { createBatcher } from './batching/batch.ts'
import type { Hold, Settlement } from './hold.ts'

interface FailedCall {
  readonly accountId: string
  readonly environment: Environment
  readonly requestId: string
}

const caller = serviceCaller()

/** The queue of refunds of each graph. */
const queues = new WeakMap<Execute, (call: FailedCall) => Promise<true>>()

/**
 * Refunds a charge whose call was answered as failed. The sandbox charges nothing: there it refunds
 * the credits that the call counts in budgets. Retries until the refund is confirmed.
 */
export async function refundFailedCall(execute: Execute, call: FailedCall): Promise<void> {
  const queue = queues.get(execute) ?? createQueue(execute)
  queues.set(execute, queue)
  await queue(call)
}

/** Gives back what was charged for a call that was answered as a failure. */
export async function refundIfCharged(
  execute: Execute,
  hold: Hold,
  { credits }: Settlement,
): Promise<{ readonly credits: number }> {
  const countsInSandbox = hold.environment === 'sandbox' && hold.budgetOwners !== null
  if (credits > 0 || countsInSandbox) await refundFailedCall(execute, hold)
  return { credits: 0 }
}

/**
 * Nobody waits for a refund, and after an outage there may be hundreds. Two at once leave the
 * connections to the calls. Each comes from an admitted call, so admission limits the queue.
 */
function createQueue(execute: Execute): (call: FailedCall) => Promise<true> {
  const once = { maxItems: 1, maxInFlight: 2, maxWaiting: Number.POSITIVE_INFINITY }
  const options = { ...once, name: 'give back' }
  return createBatcher(async (calls: readonly FailedCall[]) => {
    for (const call of calls) await refund(execute, call)
    return calls.map(() => true as const)
  }, options)
}

async function refund(execute: Execute, failed: FailedCall): Promise<void> {
  for (let pauseMs = 25; ; pauseMs = Math.min(pauseMs * 2, 1000)) {
    try {
      return void (await sendRefund(execute, failed))
    } catch (error) {
      // An administrator has already refunded it.
      if (error instanceof ApiError && error.code === 'CONFLICT') return
      if (!isOutage(error)) throw error
      await sleep(pauseMs)
    }
  }
}

function sendRefund(
  execute: Execute,
  { accountId, environment, requestId }: FailedCall,
): Promise<unknown> {
  if (environment === 'sandbox') {
    return execute('RefundSpending', { accountId, environment, requestId }, caller)
  }
  const reason = 'The call was answered as failed'
  const idempotencyKey = `${failedCallKeyPrefix}${requestId}`
  return execute(
    'RefundCharge',
    { input: { accountId, requestId, reason, idempotencyKey } },
    caller,
  )
}
