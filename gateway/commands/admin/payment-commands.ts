import { createHash } from 'node:crypto'
import type { Config } from '../../config/config.ts'
import { type Act, execute, print } from './ask-database.ts'

interface RefundPaymentOptions extends Act {
  readonly cents?: number
  readonly reason: string
}

/** Stores the refund; a running gateway asks the provider for it. */
export async function refundPayment(
  config: Config,
  paymentId: string,
  { json, by, cents, reason, idempotencyKey }: RefundPaymentOptions,
): Promise<void> {
  const usualKey = createHash('sha256').update(JSON.stringify([paymentId, cents, reason]))
  const key = idempotencyKey ?? `command:${usualKey.digest('hex')}`
  const input = { paymentId, amountCents: cents, reason, idempotencyKey: key }
  print(await execute(config, 'RefundPayment', { input }, by), { json })
}
