import { z } from 'zod'
import { layerOf } from '../../schema/vocabulary/budget-owners.ts'
import type { BudgetDetail } from '../../schema/vocabulary/error-codes.ts'
import {
  type Hold,
  type Reservation,
  readCallLine,
  type Settle,
  type Settlement,
  storedAnswer,
} from './hold.ts'

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

const reservations = z.array(
  z.object({
    verdict: z.enum([
      ...['accepted', 'insufficient', 'exhausted', 'replay', 'running', 'mismatch', 'locked'],
    ] as const),
    available: z.number(),
    answer: z.nullable(storedAnswer),
    body: z.nullable(z.string()),
    reservedAt: z.nullable(z.string()),
    budgetRemaining: z
      .number()
      .nullish()
      .transform((left) => left ?? null),
    refusing: z
      .array(refusingBudget.transform(toDetail))
      .nullish()
      .transform((all) => all ?? null),
  }),
)
const reservationBatch = z.object({
  verdicts: z.array(z.enum(['accepted', 'again', 'locked'])),
  available: z.array(z.number()),
})
const settlementBatch = z.object({
  outcomes: z.array(z.enum(['captured', 'voided', 'expired', 'locked'])),
  credits: z.array(z.number()),
  available: z.array(z.number()),
  budgetRemaining: z.nullish(z.array(z.nullable(z.number()))),
})

/** A `ReserveBatchInput`; either all holds claim a key or none does. None has budgets. */
export function reserveBatchOf(holds: readonly Hold[]): object {
  const [first] = holds
  const claims = first?.idempotency ? holds.flatMap(({ idempotency }) => idempotency ?? []) : null
  return {
    ...columnsOf(holds),
    credits: holds.map(({ credits }) => credits),
    ttlSeconds: first?.ttlSeconds ?? 0,
    keyHashes: claims?.map(({ keyHash }) => keyHash) ?? null,
    requestHashes: claims?.map(({ requestHash }) => requestHash) ?? null,
    keyTtlSeconds: first?.idempotency?.ttlSeconds ?? null,
    spenders: null,
    reservedAt: null,
  }
}

/**
 * Reservations in the order of the batch. A hold with another verdict than `accepted` must be judged by
 * `ReserveCredits`.
 */
export function readReservationBatch(result: unknown): (Reservation | 'again' | 'locked')[] {
  const { verdicts, available } = reservationBatch.parse(result)
  return verdicts.map((verdict, index) => {
    if (verdict !== 'accepted') return verdict
    return { verdict, available: available[index] ?? 0, ...nothingKept }
  })
}

const nothingKept = {
  ...{ answer: null, body: null, reservedAt: null },
  ...{ budgetRemaining: null, refusing: null },
}

/** A `ReserveCreditsInput`. */
export function carefulItemOf({ endpoint, call, budgetOwners, ...hold }: Hold): object {
  return { ...hold, spenders: budgetOwners, request: { endpoint, ...readCallLine(call) } }
}

/** Reservations in the order of the batch; `locked` for a hold that must be judged again. */
export function readReservations(result: unknown): (Reservation | 'locked')[] {
  return reservations
    .parse(result)
    .map(({ verdict, ...rest }) => (verdict === 'locked' ? verdict : { verdict, ...rest }))
}

/** A `SettleBatchInput`; either all holds have claimed a key or none has. */
export function settleBatchOf(items: readonly Settle[], isPatient: boolean): object {
  const holds = items.map(({ hold }) => hold)
  const isKeyed = holds[0]?.idempotency !== null
  const isSpending = holds.some(({ budgetOwners }) => budgetOwners)
  return {
    ...columnsOf(holds),
    credits: items.map(({ credits }) => credits),
    keyHashes: isKeyed ? holds.map(({ idempotency }) => idempotency?.keyHash ?? '') : null,
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
