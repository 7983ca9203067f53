import { type Call, callerOf, isOfSession } from '../http/call.ts'
import type { Headers } from '../http/respond.ts'
import { callLine, type Hold, type Settle } from './hold.ts'
import type { IdempotencyKey } from './idempotency.ts'

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
  /** The credits that the call counts in budgets, also in the sandbox, which charges nothing. */
  readonly counted: number
}

/** What is held for a call, and what may be seen of its answer. */
export interface Held {
  /** The most that the work can cost: this much is held while it runs. */
  readonly maximum: number
  /** The most that the call can count in budgets. */
  readonly counted: number
  readonly key: IdempotencyKey | null
  /** Whether the body shows a secret once, so that no other key of the account sees it again. */
  readonly isSecret: boolean
  /** Whether the answer has the headers about credits, and the call counts as a charge. */
  readonly isMetered: boolean
  /** The price of a unit, if the request says how many there may be. */
  readonly unitCredits?: number | null
}

/** What all holds of a process have in common. */
export interface HoldOrigin {
  readonly holdTtlSeconds: number
  /** Identifies this process, so that others can clean up after it. */
  readonly processId: string
}

/** The hold of a call, with all that its charge and its entry in the usage log need. */
export function holdOf(
  call: Call,
  { maximum, counted, key, isMetered }: Held,
  { holdTtlSeconds, processId }: HoldOrigin,
): Hold {
  const { accountId, keyId, clientId = null, externalId = null } = callerOf(call)
  const { requestId, environment, method, endpoint, route, service, traceId, backendModule } = call
  return {
    requestId,
    accountId,
    environment,
    credits: maximum,
    ttlSeconds: holdTtlSeconds,
    endpoint,
    call: callLine({
      processId,
      ts: call.arrivedAt.toISOString(),
      method,
      route,
      service,
      traceId,
      backendModule,
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

/**
 * The answer that is stored for a retry; null without a key, because then no retry can ask for it.
 */
export function keptOf({ key, isSecret, isMetered }: Held, outcome: Outcome): Settle['kept'] {
  if (!key) return null
  const { status, body, credits } = outcome
  const sealedFor = isSecret ? 'caller' : 'account'
  const charged: Headers = isMetered ? { 'X-Credits-Charged': String(credits) } : {}
  const headers = { ...outcome.headers, ...charged }
  const { answerSeconds: seconds } = key
  const answer = { status, headers, sealedFor, ...(seconds !== null && { seconds }) } as const
  return { answer, body: key.sealBody(body.toString(), sealedFor) }
}
