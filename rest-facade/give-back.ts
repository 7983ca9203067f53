import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceCaller } from '../schema/caller.ts'
import { ApiError, isOutage } from './errors.ts'
import type { Execute } from './graph-client.ts'

const caller: ServiceCaller = { kind: 'service', environment: 'live', requestId: '', traceId: '' }

/** Refunds a charge whose caller was told that the call failed; tried until it is known to be done. */
export async function giveBack(
  execute: Execute,
  accountId: string,
  requestId: string,
): Promise<void> {
  const reason = 'The call was answered as failed'
  const input = { accountId, requestId, reason, idempotencyKey: `failed:${requestId}` }
  for (let pauseMs = 25; ; pauseMs = Math.min(pauseMs * 2, 1000)) {
    try {
      await execute('RefundCharge', { input }, caller)
      return
    } catch (error) {
      // An administrator was faster.
      if (error instanceof ApiError && error.code === 'CONFLICT') return
      if (!isOutage(error)) throw error
      await sleep(pauseMs)
    }
  }
}
