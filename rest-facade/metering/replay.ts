import type { Response } from 'express'
import { serviceCaller } from '../../schema/credentials/caller.ts'
import type { Execute } from '../graph/graph-client.ts'
import { callerOf, callOf } from '../http/call.ts'
import { send } from '../http/respond.ts'
import type { Reservation } from './hold.ts'
import type { IdempotencyKey } from './idempotency.ts'
import { leftHeaders } from './left-headers.ts'

/** The facts of the repeated call that a replay needs. */
interface Replayed {
  readonly key: IdempotencyKey | null
  /** Whether the answer has the headers about credits. */
  readonly isMetered: boolean
}

/** Sends the stored answer again, byte for byte; its `X-Credits-Charged` is the first one's. */
export async function replayAnswer(
  res: Response,
  { key, isMetered }: Replayed,
  { answer, body, ...left }: Reservation,
  execute: Execute,
): Promise<void> {
  if (!key || !answer || body === null) throw new Error('A replay lacks its stored answer.')
  const opened = key.openBody(answer, body)
  if (!answer.isSealed) await sealLate(res, key, opened, execute)
  send(res, answer.status, opened, {
    ...answer.headers,
    ...(isMetered ? leftHeaders(left) : {}),
    'Idempotent-Replayed': 'true',
  })
}

/** Seals an answer that an older build stored in the clear, when it is read. */
async function sealLate(
  res: Response,
  key: IdempotencyKey,
  body: string,
  execute: Execute,
): Promise<void> {
  const call = callOf(res)
  const { accountId } = callerOf(call)
  const { environment, requestId, traceId } = call
  const { keyHash } = key.claim
  const input = { accountId, environment, keyHash, body: key.sealBody(body, 'account') }
  const caller = serviceCaller({ environment, requestId, traceId })
  await execute('SealStoredAnswer', { input }, caller)
}
