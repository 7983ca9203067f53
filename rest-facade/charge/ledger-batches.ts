import { z } from 'zod'
import { layerOf } from '../../schema/vocabulary/budget-owners.ts'
import type { BudgetDetail } from '../../schema/vocabulary/error-codes.ts'
import { type Hold, type Reservation, type Settle, type Settlement, storedAnswer } from './hold.ts'

const refusingBudget = z.object({
  spender: z.string(),
  period: z.enum(['day', 'week', 'month', 'total']),
  limitCredits: z.number(),
  usedCredits: z.number(),
  heldCredits: z.number(),
  remainingCredits: z.number(),
  neededCredits: z.number(),
  resetsAt: z.nullable(z.string()),
})
type RefusingBudget = z.infer<typeof refusingBudget>

const nullable = <Value extends z.ZodType>(value: Value) => z.array(z.nullable(value))
const reservationBatch = z.object({
  verdicts: z.array(
    z.enum([
      ...(['accepted', 'insufficient', 'exhausted', 'replay', 'running'] as const),
      ...(['mismatch', 'again', 'locked'] as const),
    ]),
  ),
  available: z.array(z.number()),
  answers: nullable(storedAnswer).nullish(),
  bodies: nullable(z.string()).nullish(),
  reservedAts: nullable(z.string()).nullish(),
  budgetRemaining: nullable(z.number()).nullish(),
  refusing: z.array(z.array(refusingBudget.transform(toDetail))).nullish(),
})
const settlementBatch = z.object({
  outcomes: z.array(z.enum(['captured', 'voided', 'expired', 'locked'])),
  credits: z.array(z.number()),
  available: z.array(z.number()),
  budgetRemaining: z.nullish(z.array(z.nullable(z.number()))),
})

/**
 * How the statement judges a batch of holds. `isApart`: each hold by itself. `isPatient`: it also tries
 * balances that were locked a moment ago.
 */
export interface Judging {
  readonly isApart?: boolean
  readonly isPatient?: boolean
}

/** A `ReserveBatchInput`. */
export function reserveBatchOf(
  holds: readonly Hold[],
  { isApart = false, isPatient = false }: Judging = {},
): object {
  const claim = holds.find(({ idempotency }) => idempotency)?.idempotency
  const isSpending = holds.some(({ budgetOwners }) => budgetOwners)
  return {
    ...columnsOf(holds),
    credits: holds.map(({ credits }) => credits),
    ttlSeconds: holds[0]?.ttlSeconds ?? 0,
    keyHashes: claim ? holds.map(({ idempotency }) => idempotency?.keyHash ?? null) : null,
    requestHashes: claim ? holds.map(({ idempotency }) => idempotency?.requestHash ?? null) : null,
    keyTtlSeconds: claim?.ttlSeconds ?? null,
    spenders: isSpending ? holds.map(({ budgetOwners }) => budgetOwners ?? []) : null,
    counts: isSpending ? holds.map(({ counted, credits }) => counted ?? credits) : null,
    isApart,
    isPatient,
  }
}

/**
 * Reservations in the order of the batch. `again`: only a batch that judges each hold by itself can decide.
 * `locked`: another transaction has the balance.
 */
export function readReservationBatch(result: unknown): (Reservation | 'again' | 'locked')[] {
  const batch = reservationBatch.parse(result)
  return batch.verdicts.map((verdict, index) => {
    if (verdict === 'again' || verdict === 'locked') return verdict
    const refusing = batch.refusing?.[index] ?? []
    return {
      verdict,
      available: batch.available[index] ?? 0,
      answer: batch.answers?.[index] ?? null,
      body: batch.bodies?.[index] ?? null,
      reservedAt: batch.reservedAts?.[index] ?? null,
      budgetRemaining: batch.budgetRemaining?.[index] ?? null,
      refusing: refusing.length > 0 ? refusing : null,
    }
  })
}

/** A `SettleBatchInput`. */
export function settleBatchOf(items: readonly Settle[], isPatient: boolean): object {
  const holds = items.map(({ hold }) => hold)
  const isKeyed = holds.some(({ idempotency }) => idempotency)
  const isSpending = holds.some(({ budgetOwners }) => budgetOwners)
  return {
    ...columnsOf(holds),
    credits: items.map(({ credits }) => credits),
    keyHashes: isKeyed ? holds.map(({ idempotency }) => idempotency?.keyHash ?? null) : null,
    answers: isKeyed ? items.map(({ kept }) => kept && JSON.stringify(kept.answer)) : null,
    bodies: isKeyed ? items.map(({ kept }) => kept?.body ?? null) : null,
    spenders: isSpending ? holds.map(({ budgetOwners }) => budgetOwners ?? []) : null,
    reservedAts: isSpending
      ? items.map(({ reservedAt }) => reservedAt && new Date(reservedAt))
      : null,
    counts: isSpending ? items.map(({ counted, credits }) => counted ?? credits) : null,
    isPatient,
  }
}

/** Settlements in the order of the batch; `locked` for a hold that must be settled patiently. */
export function readSettlementBatch(result: unknown): (Settlement | 'locked')[] {
  const { outcomes, credits, available, budgetRemaining } = settlementBatch.parse(result)
  return outcomes.map((outcome, index) => {
    if (outcome === 'locked') return outcome
    return {
      outcome,
      credits: credits[index] ?? 0,
      available: available[index] ?? 0,
      budgetRemaining: budgetRemaining?.[index] ?? null,
    }
  })
}

/** The caller learns only the layer of the budget owner, because the id may not be the caller's own. */
function toDetail({ spender, ...refusal }: RefusingBudget): BudgetDetail {
  return {
    of: layerOf(spender),
    period: refusal.period,
    limit_credits: refusal.limitCredits,
    used_credits: refusal.usedCredits,
    held_credits: refusal.heldCredits,
    remaining_credits: refusal.remainingCredits,
    needed_credits: refusal.neededCredits,
    resets_at: refusal.resetsAt,
  }
}

function columnsOf(holds: readonly Hold[]) {
  return {
    requestIds: holds.map(({ requestId }) => requestId),
    accountIds: holds.map(({ accountId }) => accountId),
    environments: holds.map(({ environment }) => environment),
    endpoints: holds.map(({ endpoint }) => endpoint),
    calls: holds.map(({ call }) => call),
  }
}
