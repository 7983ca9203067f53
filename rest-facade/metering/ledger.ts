import { setTimeout as sleep } from 'node:timers/promises'
import { GraphQLError } from 'graphql'
import { z } from 'zod'
import type { Environment, ServiceCaller } from '../../schema/credentials/caller.ts'
import type { Execute } from '../graph/graph-client.ts'
import { isOutage, NotBegun } from '../http/errors.ts'
import type { Queue } from '../observability/metrics.ts'
import { createGather } from '../work/batch.ts'

export interface Reserve {
  readonly requestId: string
  readonly accountId: string
  readonly environment: Environment
  /** The most that the call can cost. */
  readonly credits: number
  readonly ttlSeconds: number
  /** What the usage log must say, should this process die. */
  readonly request: Readonly<Record<string, unknown>>
  readonly idempotency: IdempotencyClaim | null
}

export interface IdempotencyClaim {
  readonly keyHash: string
  readonly requestHash: string
  readonly ttlSeconds: number
}

export interface Settle {
  readonly requestId: string
  readonly accountId: string
  readonly environment: Environment
  /** What to charge; 0 voids the hold. */
  readonly credits: number
  readonly keyHash: string | null
  /** Kept for a retry; without it the key is free again. */
  readonly answer: StoredAnswer | null
  readonly body: string | null
}

/** An answer that is kept for a retry: what a replay needs beside the body. */
const storedAnswer = z.object({
  status: z.number(),
  headers: z.record(z.string(), z.string()),
  /** An older build sealed only those with a secret. */
  isSealed: z.boolean(),
  /** Who can open the body: the credential that asked, or each of the account. */
  sealedFor: z.enum(['caller', 'account']).default('caller'),
})
const reservation = z.object({
  verdict: z.enum(['accepted', 'insufficient', 'replay', 'running', 'mismatch']),
  available: z.number(),
  answer: z.nullable(storedAnswer),
  body: z.nullable(z.string()),
})
const settlement = z.object({
  outcome: z.enum(['captured', 'voided', 'expired']),
  credits: z.number(),
  available: z.number(),
})

export type StoredAnswer = z.infer<typeof storedAnswer>
export type SealedFor = StoredAnswer['sealedFor']
export type Reservation = z.infer<typeof reservation>
export type Settlement = z.infer<typeof settlement>

/** Credits, as the metered call uses them: every answer is durable. */
export interface Ledger {
  reserve(item: Reserve): Promise<Reservation>
  settle(item: Settle): Promise<Settlement>
  /** Reservations that were accepted and are not settled yet. */
  readonly open: () => number
  /** Resolves once every reservation that was accepted has been settled, and its caller told. */
  readonly idle: () => Promise<void>
  readonly queues: { readonly reserve: Queue; readonly settle: Queue }
}

const caller: ServiceCaller = { kind: 'service', environment: 'live', requestId: '', traceId: '' }

/**
 * How long a caller waits for a settlement while the database is away; it goes on being tried. He is
 * promised an answer within five seconds.
 */
export const settlePatienceMs = 4500
/** And for the release of a hold: what failed costs nothing, whenever that is known. */
export const releasePatienceMs = 1000

/** Where so much waits to be settled, holds that nobody has heard of are left to the sweeper. */
const maxReleasing = 20_000

export function createLedger(execute: Execute): Ledger {
  const reserveAll = z.array(reservation)
  const settleAll = z.array(settlement)
  const reserve = createGather(
    async (items: readonly Reserve[]) =>
      reserveAll.parse(await execute('ReserveCredits', { items }, caller)),
    { name: 'reserve' },
  )
  const settle = createGather(
    async (items: readonly Settle[]) => settleAll.parse(await settleUntilKnown(execute, items)),
    // What a module has delivered is charged, however much waits: what is let in is limited before.
    { name: 'settle', maxWaiting: Number.POSITIVE_INFINITY },
  )
  let open = 0
  let whenIdle: (() => void)[] = []

  function close(): void {
    open -= 1
    if (open > 0) return
    for (const tell of whenIdle) tell()
    whenIdle = []
  }

  return {
    async reserve(item) {
      try {
        const reservation = await reserve(item)
        if (reservation.verdict === 'accepted') open += 1
        return reservation
      } catch (error) {
        // Its acknowledgement may be all that was lost: credits and key must not wait for the hold's
        // time to be over. If this fails too, the sweeper does it.
        if (mayStand(error)) release(item)
        throw error
      }
    },
    async settle(item) {
      try {
        return await settle(item)
      } finally {
        // After the caller has had its turn, and what it answers is in the recorder.
        setTimeout(close)
      }
    },
    open: () => open,
    queues: { reserve, settle: { maxWaiting: maxReleasing, waiting: settle.waiting } },
    idle: () => (open === 0 ? Promise.resolve() : new Promise((resolve) => whenIdle.push(resolve))),
  }

  function release({ requestId, accountId, environment, idempotency }: Reserve): void {
    if (settle.waiting() >= maxReleasing) return
    const keyHash = idempotency?.keyHash ?? null
    const hold = { requestId, accountId, environment, keyHash }
    settle({ ...hold, credits: 0, answer: null, body: null }).catch(() => {})
  }
}

/** Whether a reservation that failed may have been made all the same. It is one statement. */
function mayStand(error: unknown): boolean {
  if (!(error instanceof Error) || !isOutage(error)) return false
  const { cause } = error
  if (cause === undefined || cause instanceof NotBegun) return false
  return !(cause instanceof GraphQLError && cause.extensions.isUnsent)
}

/**
 * A settlement whose answer was lost may have been committed. Asking again is safe: the ledger tells
 * what happened.
 */
async function settleUntilKnown(execute: Execute, items: readonly Settle[]): Promise<unknown> {
  for (let pauseMs = 25; ; pauseMs = Math.min(pauseMs * 2, 1000)) {
    try {
      return await execute('SettleHolds', { items }, caller)
    } catch (error) {
      if (!isOutage(error)) throw error
      await sleep(pauseMs)
    }
  }
}
