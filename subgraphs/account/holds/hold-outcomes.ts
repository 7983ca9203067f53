import { isLockTimeout } from '../../shared/database/wire-statements.ts'
import { BatchOutcome, type SettleBatchInput } from './hold-batch.type.ts'
import { rememberLocked } from './locked-owners.ts'

/** How a hold ended. */
export interface Settled {
  readonly outcome: BatchOutcome
  readonly credits: number
  readonly available: number
  /** The credits that the tightest budget has left, for a request with budgets. */
  readonly budgetRemaining?: number | null
}

export const lockedSettlement: Settled = { outcome: BatchOutcome.locked, credits: 0, available: 0 }

/**
 * Outcomes for items at these places: nothing was done, because another transaction has the balance. Batches
 * leave such balances out for a second.
 */
export function lockedAt(batch: SettleBatchInput, places: readonly number[]): Settled[] {
  rememberLocked(batch, places)
  const settlements: Settled[] = []
  for (const place of places) settlements[place] = lockedSettlement
  return settlements
}

/**
 * Whether another transaction has a lock, and did not give it up in time or waits for ours. Nothing was done
 * then.
 */
export function isLocked(error: unknown): boolean {
  return isLockTimeout(error) || hasCode(error, '40P01')
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
