import type { Response } from 'express'
import { send } from '../http/respond.ts'
import type { Reservation } from './hold.ts'
import type { IdempotencyKey } from './idempotency.ts'
import { remainingHeaders } from './remaining-headers.ts'

/** The facts of the repeated call that a replay needs. */
interface Replayed {
  readonly key: IdempotencyKey | null
  /** Whether the answer has the headers about credits. */
  readonly isMetered: boolean
}

/** Sends the stored answer again, byte for byte; its `X-Credits-Charged` is the first one's. */
export function replayAnswer(
  res: Response,
  { key, isMetered }: Replayed,
  { answer, body, ...left }: Reservation,
): void {
  if (!key || !answer || body === null) throw new Error('A replay lacks its stored answer.')
  send(res, answer.status, key.openBody(answer, body), {
    ...answer.headers,
    ...(isMetered ? remainingHeaders(left) : {}),
    'Idempotent-Replayed': 'true',
  })
}
