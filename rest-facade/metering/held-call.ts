import type { Response } from 'express'
import type { Execute } from '../graph/graph-client.ts'
import { type Call, callerOf, callOf } from '../http/call.ts'
import { ApiError, invalidRequest, isOutage, unavailable } from '../http/errors.ts'
import { type Headers, send } from '../http/respond.ts'
import type { Metrics } from '../observability/metrics.ts'
import { within } from '../work/within.ts'
import type { IdempotencyKey } from './idempotency.ts'
import {
  type Ledger,
  type Reservation,
  releasePatienceMs,
  type Settlement,
  settlePatienceMs,
} from './ledger.ts'
import { refundFailedCall } from './refund-failed-call.ts'

/** What the work brought: sent to the caller, charged, and kept when the caller may ask again. */
export interface Outcome {
  readonly status: number
  readonly headers: Headers
  /** JSON. */
  readonly body: string
  /** What is due; never more than was held. */
  readonly credits: number
}

export interface HeldWork {
  /** The most that the work can cost: this much is held while it runs. */
  readonly maximum: number
  readonly key: IdempotencyKey | null
  /** Whether the body shows a secret once, so that no other key of the account sees it again. */
  readonly isSecret: boolean
  /** Whether the answer tells of credits. */
  readonly isMetered: boolean
  /** Throws when nothing came of it: then nothing is charged, and the key may be used again. */
  readonly work: () => Promise<Outcome>
}

interface HeldCallOptions {
  readonly execute: Execute
  readonly ledger: Ledger
  readonly holdTtlSeconds: number
  /** Which process this is, for those that clean up after it. */
  readonly processId: string
  readonly metrics: Metrics
}

/** Reserve ► work ► settle ► answer: charged once, answered the same however often it is sent (docs/credits.md §5). */
export async function answerHeld(
  res: Response,
  held: HeldWork,
  options: HeldCallOptions,
): Promise<void> {
  const reservation = await reserve(res, held, options)
  if (reservation.verdict === 'insufficient') noteCharge(res, held, options, 'refused')
  if (reservation.verdict === 'replay') {
    noteCharge(res, held, options, 'replayed')
    return replay(res, held, reservation, options)
  }
  refuse(held, reservation)
  const outcome = await run(res, held, options)
  const settlement = await settle(res, held, options, outcome)
  const call = callOf(res)
  call.creditsCharged = settlement.credits
  send(res, outcome.status, outcome.body, {
    ...outcome.headers,
    ...(held.isMetered ? creditHeaders(settlement.credits, settlement.available) : {}),
  })
}

function reserve(
  res: Response,
  { maximum, key }: HeldWork,
  { ledger, holdTtlSeconds, processId }: HeldCallOptions,
): Promise<Reservation> {
  const call = callOf(res)
  const { accountId, keyId } = callerOf(call)
  const { requestId, environment, method, endpoint, route, service, traceId, backendModule } = call
  const ts = call.arrivedAt.toISOString()
  return ledger.reserve({
    requestId,
    accountId,
    environment,
    credits: maximum,
    ttlSeconds: holdTtlSeconds,
    request: { ts, method, endpoint, route, service, traceId, backendModule, keyId, processId },
    idempotency: key?.claim ?? null,
  })
}

/** The stored answer again, byte for byte; its `X-Credits-Charged` is the first one's. */
async function replay(
  res: Response,
  { key, isMetered }: HeldWork,
  reservation: Reservation,
  { execute }: HeldCallOptions,
): Promise<void> {
  const { answer, body, available } = reservation
  if (!key || !answer || body === null) throw new Error('A replay lacks what it should repeat.')
  const opened = key.openBody(answer, body)
  if (!answer.isSealed) await sealLate(res, key, opened, execute)
  send(res, answer.status, opened, {
    ...answer.headers,
    ...(isMetered ? { 'X-Credits-Remaining': String(available) } : {}),
    'Idempotent-Replayed': 'true',
  })
}

/** What an older build has kept in the clear is sealed once it is read. */
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
  await execute('SealStoredAnswer', { input }, { kind: 'service', environment, requestId, traceId })
}

/** Throws unless the reservation holds what the work needs. */
function refuse(held: HeldWork, reservation: Reservation): void {
  const refusal = refusalOf(held, reservation)
  if (refusal) throw held.isMetered ? withCredits(refusal, reservation.available) : refusal
}

function refusalOf({ maximum }: HeldWork, { verdict, available }: Reservation): ApiError | null {
  switch (verdict) {
    case 'insufficient':
      return new ApiError(
        'INSUFFICIENT_CREDITS',
        `This request can cost ${maximum} credits; ${available} are available.`,
      )
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

async function run(res: Response, held: HeldWork, options: HeldCallOptions): Promise<Outcome> {
  try {
    return await held.work()
  } catch (error) {
    // Whoever has waited for a database that is away does not wait for it again. The work of a metered
    // call asks no database: what is away then is a backend module.
    const isDatabaseAway = isOutage(error) && !held.isMetered
    const patienceMs = isDatabaseAway ? releasePatienceMs / 4 : releasePatienceMs
    const settling = beginSettlement(res, held, options, null)
    const released = await within(patienceMs, settling)
    if (released) callOf(res).settling = null
    throw held.isMetered ? withCredits(error, released?.available) : error
  }
}

/** Charges what is due and keeps the answer. */
async function settle(
  res: Response,
  held: HeldWork,
  options: HeldCallOptions,
  outcome: Outcome,
): Promise<Settlement> {
  const { key } = held
  const call = callOf(res)
  const settling = beginSettlement(res, held, options, outcome)
  const settlement = await within(settlePatienceMs, settling)
  if (!settlement) {
    // Whoever cannot ask again is told of a failure, and a failure costs nothing.
    if (!key) call.settling = settling.then((late) => undo(late, options.execute, call))
    throw unavailable(
      key
        ? 'It is not known yet whether this was charged; the same idempotency key will tell.'
        : 'It is not known yet whether this was charged; if it was, that is given back.',
    )
  }
  call.settling = null
  if (settlement.outcome === 'expired' && (outcome.credits > 0 || key)) {
    throw new ApiError('BACKEND_TIMEOUT', 'The answer came too late to be charged and kept.')
  }
  return settlement
}

/** Until it is known what came of it, the call says so. Without an outcome releases the hold and the key. */
function beginSettlement(
  res: Response,
  held: HeldWork,
  options: HeldCallOptions,
  outcome: Outcome | null,
): Promise<Settlement> {
  const { key, isSecret, isMetered } = held
  const call = callOf(res)
  const { accountId } = callerOf(call)
  const { requestId, environment } = call
  // Whether anybody listens makes no difference: what the backend has done is done.
  const credits = outcome === null ? 0 : outcome.credits
  const isKept = outcome !== null && key !== null
  const sealedFor = isSecret ? 'caller' : 'account'
  const known = options.ledger.settle({
    requestId,
    accountId,
    environment,
    credits,
    keyHash: key?.claim.keyHash ?? null,
    answer: isKept
      ? {
          status: outcome.status,
          headers: {
            ...outcome.headers,
            ...(isMetered ? { 'X-Credits-Charged': String(outcome.credits) } : {}),
          },
          isSealed: true,
          sealedFor,
        }
      : null,
    body: isKept ? key.sealBody(outcome.body, sealedFor) : null,
  })
  // However late it is known.
  const settling = known.then((settled) => noteSettlement(res, held, options, settled))
  call.settling = settling
  return settling
}

/** Counts what became of a metered call; what is free anyway is no charge. */
function noteCharge(
  res: Response,
  { isMetered }: HeldWork,
  { metrics }: HeldCallOptions,
  outcome: 'captured' | 'released' | 'expired' | 'refused' | 'replayed',
): void {
  const { environment, service } = callOf(res)
  if (isMetered) metrics.charges.inc({ environment, service, outcome })
}

function noteSettlement(
  res: Response,
  held: HeldWork,
  options: HeldCallOptions,
  settlement: Settlement,
): Settlement {
  const { outcome, credits } = settlement
  noteCharge(res, held, options, outcome === 'voided' ? 'released' : outcome)
  if (credits > 0) options.metrics.creditsCharged.inc({ service: callOf(res).service }, credits)
  return settlement
}

async function undo(
  { credits }: Settlement,
  execute: Execute,
  call: Call,
): Promise<{ readonly credits: number }> {
  if (credits > 0) await refundFailedCall(execute, callerOf(call).accountId, call.requestId)
  return { credits: 0 }
}

/** What remains may not be known while the database is away. */
function creditHeaders(charged: number, remaining?: number): Headers {
  const known = { 'X-Credits-Charged': String(charged) }
  return remaining === undefined ? known : { ...known, 'X-Credits-Remaining': String(remaining) }
}

/** A failure costs nothing, and says so. */
function withCredits(error: unknown, available?: number): unknown {
  if (!(error instanceof ApiError)) return error
  const { code, status, message, details, cause } = error
  const headers = { ...error.headers, ...creditHeaders(0, available) }
  return new ApiError(code, message, { status, details, cause, headers })
}
