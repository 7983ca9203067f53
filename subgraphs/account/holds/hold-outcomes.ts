import { isLockTimeout } from '../../shared/database/wire-statements.ts'
import { BatchOutcome } from './hold-batch.type.ts'

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
 * The outcomes for items at these places of which nothing was done, because another transaction has the
 * balance.
 */
export function lockedAt(places: readonly number[]): Settled[] {
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
