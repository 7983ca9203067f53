import type {
  BodyOf,
  ReserveBatchInput,
  SettleBatchInput,
} from '../../schema/generated/operations.ts'
import { layerOf } from '../../schema/vocabulary/budget-owners.ts'
import type { BudgetDetail } from '../../schema/vocabulary/error-codes.ts'
import { type Hold, type Reservation, type Settle, type Settlement, storedAnswer } from './hold.ts'

/** The members that only `ReserveApart` asks for are missing in other batches. */
type ReservationBatch = BodyOf<'ReserveBatch'> & Partial<BodyOf<'ReserveApart'>>
type RefusingBudget = NonNullable<ReservationBatch['refusing']>[number][number]

/**
 * How the statement judges a batch of holds. `isApart`: each hold by itself. `isPatient`: it also tries
 * balances that were locked a moment ago.
 */
export interface Judging {
  readonly isApart?: boolean
  readonly isPatient?: boolean
}

export function reserveBatchOf(
  holds: readonly Hold[],
  { isApart = false, isPatient = false }: Judging = {},
): ReserveBatchInput {
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
export function readReservationBatch(
  batch: ReservationBatch,
): (Reservation | 'again' | 'locked')[] {
  return batch.verdicts.map((verdict, index) => {
    if (verdict === 'again' || verdict === 'locked') return verdict
    const refusing = batch.refusing?.[index] ?? []
    const answer = batch.answers?.[index] ?? null
    return {
      verdict,
      available: batch.available[index] ?? 0,
      answer: answer && storedAnswer.parse(answer),
      body: batch.bodies?.[index] ?? null,
      reservedAt: batch.reservedAts?.[index] ?? null,
      budgetRemaining: batch.budgetRemaining?.[index] ?? null,
      refusing: refusing.length > 0 ? refusing.map(toDetail) : null,
    }
  })
}

export function settleBatchOf(items: readonly Settle[], isPatient: boolean): SettleBatchInput {
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
export function readSettlementBatch({
  outcomes,
  credits,
  available,
  budgetRemaining,
}: BodyOf<'SettleBatch'>): (Settlement | 'locked')[] {
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
