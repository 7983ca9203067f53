import { z } from 'zod'
import type { Environment } from '../../schema/credentials/caller.ts'
import type { BudgetDetail } from '../../schema/vocabulary/error-codes.ts'
import type { Queued } from './batching/batch.ts'

/** Credits that are set aside for a call while it runs. */
export interface Hold {
  readonly requestId: string
  readonly accountId: string
  readonly environment: Environment
  /** The most that the call can cost. */
  readonly credits: number
  /** After how long an unsettled hold runs out. All holds of a process have the same time. */
  readonly ttlSeconds: number
  /** Path of the request, without its query. */
  readonly endpoint: string
  /** Further facts for the usage log, in case this process dies: see `callLine`. */
  readonly call: string
  readonly idempotency: IdempotencyClaim | null
  /** The owners of budgets that count for the call; null if there are none. */
  readonly budgetOwners: readonly string[] | null
  /**
   * The most that the call can count in its budgets, if it differs from its credits: the sandbox
   * charges nothing.
   */
  readonly counted?: number
}

/** The facts of a call, beside its hold. */
export interface HeldFacts {
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
  /** How long the key is remembered. All claims of a process have the same time. */
  readonly ttlSeconds: number
}

/** How a hold ends. */
export interface Settle {
  readonly hold: Hold
  /** The credits to charge; 0 voids the hold. */
  readonly credits: number
  /** The credits that the call counts in budgets, if they differ from its credits. */
  readonly counted?: number
  /** The time of the reservation. */
  readonly reservedAt: string | null
  /** Kept for a retry; without it the key is free again. */
  readonly kept: { readonly answer: StoredAnswer; readonly body: string } | null
}

/** A hold that is asked for; it learns what came of it. What its functions throw is told to `failed`. */
export interface Reserving extends Queued {
  readonly hold: Hold
  reserved(reservation: Reservation): void
  failed(error: unknown): void
}

/** The end of a hold, which learns what came of it. What its functions throw is told to `failed`. */
export interface Settling extends Queued, Settle {
  /** Whether nobody knows that the hold was accepted. */
  readonly isUnsure?: boolean
  settled(settlement: Settlement): void
  failed(error: unknown): void
}

/** A stored answer for a retry: everything that a replay needs beside the body. */
export const storedAnswer = z.object({
  status: z.number(),
  headers: z.record(z.string(), z.string()),
  /**
   * The credentials that can open the body: only the one that asked, or each one of the account.
   */
  sealedFor: z.enum(['caller', 'account']),
  /** For how long after it was stored it is repeated; without it, as long as its key is remembered. */
  seconds: z.int().optional(),
})

export type StoredAnswer = z.infer<typeof storedAnswer>
export type SealedFor = StoredAnswer['sealedFor']

/** The outcome of an attempt to hold credits. */
export interface Reservation {
  readonly verdict: 'accepted' | 'insufficient' | 'exhausted' | 'replay' | 'running' | 'mismatch'
  /** The balance less open holds and expired credits. */
  readonly available: number
  /** The stored answer and its sealed body; both are set for a replay. */
  readonly answer: StoredAnswer | null
  readonly body: string | null
  /** ISO 8601: the time since which the call counts in its budgets; null for a call without budgets. */
  readonly reservedAt: string | null
  /** The credits that the tightest budget has left; null for a call without budgets. */
  readonly budgetRemaining: number | null
  /** The budgets that do not cover the call. */
  readonly refusing: readonly BudgetDetail[] | null
}

/** The outcome of a hold. */
export interface Settlement {
  readonly outcome: 'captured' | 'voided' | 'expired'
  /** The charged credits. */
  readonly credits: number
  /** The balance less open holds and expired credits. */
  readonly available: number
  /** The credits that the tightest budget has left; null for a call without budgets. */
  readonly budgetRemaining: number | null
}

/** The call as one line, as holds and charges keep it (`calls` of `ReserveBatchInput`): JSON. */
export function callLine(call: HeldFacts): string {
  const { ts, traceId, keyId } = call
  const { clientId = null, externalId = null, endUser = null, isSession = false } = call
  const { before, between, after } = linePartsOf(call)
  const usual = `${before}${ts}${between}${traceId}${after}${keyId === null ? 'null' : `"${keyId}"`}`
  // Each charge contains its line, so facts that most calls do not have are left out.
  const isLonger = clientId !== null || externalId !== null || endUser !== null || isSession
  if (!isLonger) return `${usual}]`
  const further = JSON.stringify([clientId, externalId, endUser, ...(isSession ? [true] : [])])
  return `${usual},${further.slice(1)}`
}

/** What the lines of a route have in common: ids, and names without a character that JSON escapes. */
interface LineParts extends Pick<HeldFacts, 'processId' | 'method' | 'service' | 'backendModule'> {
  readonly before: string
  readonly between: string
  readonly after: string
}

/** The last parts of each route. */
const lineParts = new Map<string, LineParts>()

function linePartsOf({ processId, method, route, service, backendModule }: HeldFacts): LineParts {
  const known = lineParts.get(route)
  const isSame = known?.method === method && known.backendModule === backendModule
  if (isSame && known.processId === processId && known.service === service) return known
  const made = {
    ...{ processId, method, service, backendModule },
    before: `["${processId}","`,
    between: `","${method}","${route}","${service}","`,
    after: `","${backendModule}",`,
  }
  lineParts.set(route, made)
  return made
}
