import type { Response } from 'express'
import type { Execute } from '../graph/graph-client.ts'
import { type Call, callerOf, callOf, isOfSession } from '../http/call.ts'
import { ApiError, invalidRequest, isOutage, unavailable } from '../http/errors.ts'
import { type Headers, send } from '../http/respond.ts'
import type { CallMetrics } from '../metrics/call-metrics.ts'
import { orNullAfter } from './batching/or-null-after.ts'
import { budgetExceeded } from './budget-exceeded.ts'
import {
  callLine,
  type Hold,
  type Reservation,
  type Settle,
  type Settlement,
  type Undecided,
} from './hold.ts'
import type { IdempotencyKey } from './idempotency.ts'
import type { Ledger } from './ledger.ts'
import { refundFailedCall } from './refund-failed-call.ts'
import { type RemainingCredits, remainingHeaders } from './remaining-headers.ts'
import { replayAnswer } from './replay.ts'

/**
 * The result of the work: it is sent to the caller, charged, and stored if the caller may retry.
 */
export interface Outcome {
  readonly status: number
  readonly headers: Headers
  /** JSON, as text or in UTF-8. */
  readonly body: string | Buffer
  /** The price; never more than was held. */
  readonly credits: number
  /**
   * The credits that it counts in budgets, if they differ from the price: the sandbox charges
   * nothing.
   */
  readonly counted?: number
}

export interface HeldWork {
  /** The most that the work can cost: this much is held while it runs. */
  readonly maximum: number
  /** The most that it can count in budgets, where that is not `maximum`. */
  readonly counted?: number
  readonly key: IdempotencyKey | null
  /** Whether the body shows a secret once, so that no other key of the account sees it again. */
  readonly isSecret: boolean
  /** Whether the answer has the headers about credits. */
  readonly isMetered: boolean
  /** Its hold, if it is made already. */
  readonly hold?: Hold
  /** Why a batch has left its hold undecided; undefined when none was asked. */
  readonly undecided?: Undecided
  /** Throws if the work failed: then nothing is charged, and the key may be used again. */
  readonly work: () => Promise<Outcome>
}

export interface HeldCallOptions {
  readonly execute: Execute
  readonly ledger: Ledger
  readonly holdTtlSeconds: number
  /** Identifies this process, so that others can clean up after it. */
  readonly processId: string
  readonly metrics: CallMetrics
}

/** One held call in progress. */
interface Underway extends HeldCallOptions {
  readonly res: Response
  readonly call: Call
  readonly held: HeldWork
  readonly hold: Hold
  readonly reservedAt: string | null
}

/** Reserve ► work ► settle ► answer: charged once, answered the same however often it is sent (docs/credits.md §5). */
export async function answerHeld(
  res: Response,
  held: HeldWork,
  options: HeldCallOptions,
): Promise<void> {
  const call = callOf(res)
  const { hold = holdOf(call, held, options) } = held
  // A call with an idempotency key may be a repetition, whose answer is stored.
  if (!held.key) refuseInDoubt(held, options.ledger)
  const { ledger } = options
  const reservation = await (held.undecided
    ? ledger.reserveApart(hold, held.undecided)
    : ledger.reserve(hold))
  const { reservedAt } = reservation
  const underway: Underway = { ...options, res, call, held, hold, reservedAt }
  if (reservation.verdict === 'insufficient') countCharge(underway, 'refused')
  if (reservation.verdict === 'replay') {
    countCharge(underway, 'replayed')
    return replayAnswer(res, held, reservation)
  }
  refuse(held, reservation)
  const outcome = await run(underway)
  const settlement = await settle(underway, outcome)
  call.creditsCharged = settlement.credits
  send(res, outcome.status, outcome.body, {
    ...outcome.headers,
    ...(held.isMetered ? creditHeaders(settlement.credits, settlement) : {}),
  })
}

function refuseInDoubt(held: HeldWork, ledger: Ledger): void {
  const doubt = doubtOf(held, ledger)
  if (doubt) throw doubt
}

/**
 * The refusal of work that can cost something while charges are in doubt: what a module delivers then may never
 * be charged.
 */
export function doubtOf(
  { maximum, isMetered }: Pick<HeldWork, 'maximum' | 'isMetered'>,
  { inDoubt }: Ledger,
): unknown {
  const refusal = isMetered && maximum > 0 ? inDoubt.refusal() : null
  return refusal && withCredits(refusal)
}

export function holdOf(
  call: Call,
  { maximum, counted = maximum, key, isMetered }: Omit<HeldWork, 'work' | 'isSecret'>,
  { holdTtlSeconds, processId }: Pick<HeldCallOptions, 'holdTtlSeconds' | 'processId'>,
): Hold {
  const { accountId, keyId, clientId = null, externalId = null } = callerOf(call)
  const { requestId, environment, method, endpoint, route, service, traceId, backendModule } = call
  const ts = call.arrivedAt.toISOString()
  const work = { processId, ts, method, route, service, traceId, backendModule }
  return {
    requestId,
    accountId,
    environment,
    credits: maximum,
    ttlSeconds: holdTtlSeconds,
    endpoint,
    call: callLine({
      ...work,
      keyId,
      clientId,
      externalId,
      endUser: call.endUser,
      isSession: isOfSession(call),
    }),
    idempotency: key?.claim ?? null,
    // Only product calls count in budgets.
    budgetOwners: isMetered && call.budgetOwners.length > 0 ? call.budgetOwners : null,
    counted,
  }
}

/** Throws unless the reservation holds what the work needs. */
function refuse(held: HeldWork, reservation: Reservation): void {
  const refusal = refusalOf(held, reservation)
  if (refusal) throw held.isMetered ? withCredits(refusal, reservation) : refusal
}

function refusalOf(
  { maximum, counted = maximum }: HeldWork,
  reservation: Reservation,
): ApiError | null {
  const { verdict, available } = reservation
  switch (verdict) {
    case 'insufficient':
      return insufficientCredits(maximum, available)
    case 'exhausted':
      return budgetExceeded(counted, reservation.refusing ?? [])
    case 'running':
      return new ApiError(
        'IDEMPOTENCY_CONFLICT',
        'The first request with this idempotency key is still running.',
        { headers: { 'Retry-After': '1' } },
      )
    case 'mismatch': {
      const message = 'was used before for another request'
      return invalidRequest([{ field: 'Idempotency-Key', in: 'header', message }])
    }
    default:
      return null
  }
}

/** The refusal of a call that can cost more than is available. */
export function insufficientCredits(maximum: number, available: number): ApiError {
  const message = `This request can cost ${maximum} credits; ${available} are available.`
  return new ApiError('INSUFFICIENT_CREDITS', message)
}

async function run(underway: Underway): Promise<Outcome> {
  const { held, call, ledger } = underway
  try {
    // The reservation may have waited for seconds.
    refuseInDoubt(held, ledger)
    return await held.work()
  } catch (error) {
    // A caller that has already waited for an unavailable database does not wait for it again. The
    // work of a metered call asks no database: there the unavailable service is a backend module.
    const isDatabaseUnavailable = isOutage(error) && !held.isMetered
    const { releasePatienceMs } = ledger
    const patienceMs = isDatabaseUnavailable ? releasePatienceMs / 4 : releasePatienceMs
    const settling = beginSettlement(underway, null)
    const released = await orNullAfter(patienceMs, settling)
    if (released) call.settling = null
    throw held.isMetered ? withCredits(error, released ?? undefined) : error
  }
}

/** Charges the price and stores the answer. */
async function settle(underway: Underway, outcome: Outcome): Promise<Settlement> {
  const { call } = underway
  const { key } = underway.held
  const settling = beginSettlement(underway, outcome)
  const settlement = await orNullAfter(underway.ledger.settlePatienceMs, settling)
  if (!settlement) {
    // Without a key the caller cannot ask again, so the answer is a failure, and a failure costs
    // nothing.
    const { execute, hold } = underway
    if (!key) call.settling = settling.then((late) => refundIfCharged(execute, hold, late))
    throw unknownOutcome(key)
  }
  call.settling = null
  if (settlement.outcome === 'expired') throw tooLate()
  return settlement
}

/** The refusal of a call whose settlement takes too long. */
export function unknownOutcome(key: IdempotencyKey | null): ApiError {
  return unavailable(
    key
      ? 'The gateway does not know yet whether this call was charged. Send it again with the same idempotency key.'
      : 'The gateway does not know yet whether this call was charged. If it was, the charge is refunded.',
  )
}

/** The refusal of a call whose hold ran out before it was settled. */
export function tooLate(): ApiError {
  return new ApiError('BACKEND_TIMEOUT', 'The answer came too late to be charged and kept.')
}

/**
 * Begins the settlement, and notes it in the call until its result is known. Without an outcome it
 * releases the hold and the key.
 */
function beginSettlement(underway: Underway, outcome: Outcome | null): Promise<Settlement> {
  const { call, held, hold, reservedAt, ledger } = underway
  // The charge does not depend on whether the client is still there, because the backend has
  // delivered.
  const credits = outcome?.credits ?? 0
  const counted = outcome?.counted ?? credits
  const kept = outcome && keptOf(held, outcome)
  const known = ledger.settle({ hold, credits, counted, reservedAt, kept })
  // The settlement is counted even if its result comes late.
  const settling = known.then((settlement) => {
    if (held.isMetered) countSettlement(call, settlement, underway.metrics)
    return settlement
  })
  call.settling = settling
  return settling
}

/**
 * The answer that is stored for a retry; null without a key, because then no retry can ask for it.
 */
function keptOf({ key, isSecret, isMetered }: HeldWork, outcome: Outcome): Settle['kept'] {
  if (!key) return null
  const { status, body, credits } = outcome
  const sealedFor = isSecret ? 'caller' : 'account'
  const charged: Headers = isMetered ? { 'X-Credits-Charged': String(credits) } : {}
  const headers = { ...outcome.headers, ...charged }
  const answer = { status, headers, sealedFor } as const
  return { answer, body: key.sealBody(body.toString(), sealedFor) }
}

/** Counts the outcome of a metered call. Calls that are always free do not count as charges. */
function countCharge({ call, held, metrics }: Underway, outcome: 'refused' | 'replayed'): void {
  const { environment, service } = call
  if (held.isMetered) metrics.charges.inc({ environment, service, outcome })
}

/** Counts how a metered call ended. */
export function countSettlement(
  { environment, service }: Call,
  { outcome, credits }: Settlement,
  metrics: CallMetrics,
): void {
  const counted = outcome === 'voided' ? 'released' : outcome
  metrics.charges.inc({ environment, service, outcome: counted })
  if (credits > 0) metrics.creditsCharged.inc({ service }, credits)
}

/** Gives back what was charged for a call that was answered as a failure. */
export async function refundIfCharged(
  execute: Execute,
  hold: Hold,
  { credits }: Settlement,
): Promise<{ readonly credits: number }> {
  const countsInSandbox = hold.environment === 'sandbox' && hold.budgetOwners !== null
  if (credits > 0 || countsInSandbox) await refundFailedCall(execute, hold)
  return { credits: 0 }
}

/** The remaining credits may be unknown while the database is unavailable. */
export function creditHeaders(charged: number, left?: RemainingCredits): Headers {
  const known = { 'X-Credits-Charged': String(charged) }
  return left ? { ...known, ...remainingHeaders(left) } : known
}

/** A failure costs nothing, and says so. */
export function withCredits(error: unknown, left?: RemainingCredits): unknown {
  if (!(error instanceof ApiError)) return error
  const { code, status, message, details, cause } = error
  const headers = { ...error.headers, ...creditHeaders(0, left) }
  return new ApiError(code, message, { status, details, cause, headers })
}
