import { z } from 'zod'
import type { Environment } from '../../schema/credentials/caller.ts'
import type { BudgetDetail } from '../../schema/vocabulary/error-codes.ts'

/** Credits that are set aside for a call while it runs. */
export interface Hold {
  readonly requestId: string
  readonly accountId: string
  readonly environment: Environment
  /** The most that the call can cost. */
  readonly credits: number
  /** The same for all holds of a process. */
  readonly ttlSeconds: number
  /** Path of the request, without its query. */
  readonly endpoint: string
  /** What else the usage log must say, should this process die: see `callLine`. */
  readonly call: string
  readonly idempotency: IdempotencyClaim | null
  /** Whose budgets count for the call; null without one. */
  readonly spenders: readonly string[] | null
  /** The most that the call can count in them, where that is not its credits: the sandbox charges nothing. */
  readonly counted?: number
}

/** What a call is, beside its hold. */
export interface HeldCall {
  readonly processId: string
  /** The time of arrival: ISO 8601. */
  readonly ts: string
  readonly method: string
  /** The endpoint with its placeholders. */
  readonly route: string
  readonly service: string
  readonly traceId: string
  readonly backendModule: string
  readonly keyId: string | null
  readonly clientId?: string | null
  readonly externalId?: string | null
  readonly endUser?: string | null
  /** Whether its source is the session of a browser. */
  readonly isSession?: boolean
}

export interface IdempotencyClaim {
  readonly keyHash: string
  readonly requestHash: string
  /** The same for all claims of a process. */
  readonly ttlSeconds: number
}

/** How a hold ends. */
export interface Settle {
  readonly hold: Hold
  /** What to charge; 0 voids the hold. */
  readonly credits: number
  /** What it counts in budgets, where that is not its credits. */
  readonly counted?: number
  /** That of the reservation. */
  readonly reservedAt: string | null
  /** Kept for a retry; without it the key is free again. */
  readonly kept: { readonly answer: StoredAnswer; readonly body: string } | null
}

/** An answer that is kept for a retry: what a replay needs beside the body. */
export const storedAnswer = z.object({
  status: z.number(),
  headers: z.record(z.string(), z.string()),
  /** An older build sealed only those with a secret. */
  isSealed: z.boolean(),
  /** Who can open the body: the credential that asked, or each of the account. */
  sealedFor: z.enum(['caller', 'account']).default('caller'),
})

export type StoredAnswer = z.infer<typeof storedAnswer>
export type SealedFor = StoredAnswer['sealedFor']

/** What became of an attempt to set credits aside. */
export interface Reservation {
  readonly verdict: 'accepted' | 'insufficient' | 'exhausted' | 'replay' | 'running' | 'mismatch'
  /** The balance less open holds. */
  readonly available: number
  /** Both are set for a replay. */
  readonly answer: StoredAnswer | null
  readonly body: string | null
  /** ISO 8601: since when it counts in its budgets; null without one. */
  readonly reservedAt: string | null
  /** What the tightest budget has left; null without one. */
  readonly budgetRemaining: number | null
  /** The budgets that do not cover the call. */
  readonly refusing: readonly BudgetDetail[] | null
}

/** What became of a hold. */
export interface Settlement {
  readonly outcome: 'captured' | 'voided' | 'expired'
  /** What was charged. */
  readonly credits: number
  /** The balance less open holds. */
  readonly available: number
  /** What the tightest budget has left; null without one. */
  readonly budgetRemaining: number | null
}

/** The call as one line, as holds and charges keep it (`calls` of `ReserveBatchInput`). */
export function callLine({ processId, ts, method, route, ...rest }: HeldCall): string {
  const { service, traceId, backendModule, keyId } = rest
  const { clientId = null, externalId = null, endUser = null, isSession = false } = rest
  const asBefore = [processId, ts, method, route, service, traceId, backendModule, keyId]
  // A line is a part of each charge: what most calls do not have makes it no longer.
  const isLonger = clientId !== null || externalId !== null || endUser !== null
  if (isSession) return JSON.stringify([...asBefore, clientId, externalId, endUser, isSession])
  return JSON.stringify(isLonger ? [...asBefore, clientId, externalId, endUser] : asBefore)
}

/** Lines of the build before end with the key. */
export function readCallLine(line: string): HeldCall {
  const [processId, ts, method, route, service, traceId, backendModule, keyId, ...callers] =
    JSON.parse(line)
  const asBefore = { processId, ts, method, route, service, traceId, backendModule, keyId }
  if (callers.length === 0) return asBefore
  const [clientId, externalId, endUser, isSession = false] = callers
  return { ...asBefore, clientId, externalId, endUser, isSession }
}
