import { z } from 'zod'
import type { Environment } from '../../schema/credentials/caller.ts'

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
  /** The ids of whatever budgets count for the call; null without one. */
  readonly spenders: readonly string[] | null
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
  readonly verdict: 'accepted' | 'insufficient' | 'replay' | 'running' | 'mismatch'
  /** The balance less open holds. */
  readonly available: number
  /** Both are set for a replay. */
  readonly answer: StoredAnswer | null
  readonly body: string | null
  /** ISO 8601: since when it counts in its budgets; null without one. */
  readonly reservedAt: string | null
}

/** What became of a hold. */
export interface Settlement {
  readonly outcome: 'captured' | 'voided' | 'expired'
  /** What was charged. */
  readonly credits: number
  /** The balance less open holds. */
  readonly available: number
}

/** The call as one line, as holds and charges keep it (`calls` of `ReserveBatchInput`). */
export function callLine({ processId, ts, method, route, ...rest }: HeldCall): string {
  const { service, traceId, backendModule, keyId } = rest
  return JSON.stringify([processId, ts, method, route, service, traceId, backendModule, keyId])
}

export function readCallLine(line: string): HeldCall {
  const [processId, ts, method, route, service, traceId, backendModule, keyId] = JSON.parse(line)
  return { processId, ts, method, route, service, traceId, backendModule, keyId }
}
