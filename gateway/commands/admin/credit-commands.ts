import type { Config } from '../../config/config.ts'
import { type Act, execute, type Output, print } from './ask-database.ts'

interface GrantOptions extends Output, Pick<Act, 'by'> {
  readonly account: string
  readonly credits: number
  readonly reason: string
  readonly idempotencyKey: string
  readonly expiresAt?: string
  readonly priority?: number
}

export async function grantCredits(
  config: Config,
  { json, by, account: accountId, ...grant }: GrantOptions,
): Promise<void> {
  const { credits, reason, idempotencyKey, expiresAt, priority } = grant
  const input = { accountId, credits, reason, idempotencyKey, expiresAt, priority }
  print(await execute(config, 'GrantCredits', { input }, by), { json })
}

interface AdjustOptions extends GrantOptions {
  readonly allowNegative?: boolean
}

export async function adjustCredits(
  config: Config,
  { json, by, account: accountId, ...adjustment }: AdjustOptions,
): Promise<void> {
  const { credits, reason, idempotencyKey, allowNegative } = adjustment
  const input = { accountId, credits, reason, idempotencyKey, allowNegative }
  print(await execute(config, 'AdjustCredits', { input }, by), { json })
}

interface RefundOptions extends Output, Pick<Act, 'by'> {
  readonly account: string
  readonly request: string
  readonly reason: string
  readonly idempotencyKey: string
}

export async function refundCharge(
  config: Config,
  { json, by, account: accountId, request: requestId, reason, idempotencyKey }: RefundOptions,
): Promise<void> {
  const input = { accountId, requestId, reason, idempotencyKey }
  print(await execute(config, 'RefundCharge', { input }, by), { json })
}
