import { setTimeout as sleep } from 'node:timers/promises'
import { GraphQLError } from 'graphql'
import { serviceCaller } from '../../schema/credentials/caller.ts'
import type { Execute } from '../graph/graph-client.ts'
import { isOutage, NotBegun, unavailable } from '../http/errors.ts'
import { type Batcher, createBatcher, type Queue } from './batching/batch.ts'
import type { Hold, Reservation, Settle, Settlement } from './hold.ts'
import {
  readReservationBatch,
  readSettlementBatch,
  reserveBatchOf,
  settleBatchOf,
} from './ledger-batches.ts'
import { createSettlementsInDoubt, type SettlementsInDoubt } from './settlements-in-doubt.ts'

/**
 * Reserves and settles credits for metered calls. Every settlement and every claim of a key is
 * durable; a hold without a key need not be, because a settlement carries all that a charge needs.
 */
export interface Ledger {
  reserve(hold: Hold): Promise<Reservation>
  settle(item: Settle): Promise<Settlement>
  /** Reservations that were accepted and are not settled yet. */
  readonly open: () => number
  /** Resolves once every accepted reservation was settled, and its caller has the result. */
  readonly idle: () => Promise<void>
  readonly queues: { readonly reserve: Queue; readonly settle: Queue }
  /** While these last, calls that can cost something must not be sent to a module. */
  readonly inDoubt: SettlementsInDoubt
  /**
   * The time that a caller waits for a settlement while the database is unavailable. The settlement
   * goes on afterwards.
   */
  readonly settlePatienceMs: number
  /**
   * The time that a caller waits for the release of a hold. It is shorter, because a failed call
   * costs nothing in any case.
   */
  readonly releasePatienceMs: number
  /** The longest of the least waits of its queues, in ms, without those of single accounts. */
  readonly leastWaitMs: () => number
}

const caller = serviceCaller()

/** If so many settlements wait, holds with an unknown reservation are left to the sweeper. */
const maxReleasing = 20_000

/**
 * Usually one batch of each kind is under way, so that batches are large. A further one waits for
 * it for many times the duration of a commit, and not longer, because a batch that hangs must not
 * delay all others.
 */
const oneByOne = { maxInFlight: 4, exclusiveMs: 50, maxWaiting: Number.POSITIVE_INFINITY }

/**
 * What waits for locked balances is on a connection that all other statements share. So there is one batch of
 * each kind.
 */
const patiently = { maxInFlight: 1, maxWaiting: Number.POSITIVE_INFINITY }

/** The pause between two attempts to reserve on a locked balance. */
const lockPauseMs = 100

/** The limit of all kinds together; further reservations are refused. */
const maxReserving = 20_000

interface LedgerOptions {
  /** How long to wait for the answer to a statement: DATABASE_TIMEOUT_MS. */
  readonly databaseTimeoutMs?: number
}

/** When a charge has been in doubt for this share of the time of a statement, new calls are refused. */
const doubtShare = 0.4
/** The rest of a statement's time is for the answer, because callers are promised one within that time. */
const settleShare = 0.9
const releaseShare = 0.2
/** A reservation is tried for this share on a locked balance. */
const lockShare = 0.8

export function createLedger(
  execute: Execute,
  { databaseTimeoutMs = 5000 }: LedgerOptions = {},
): Ledger {
  const reserve = createReserve(execute, databaseTimeoutMs * lockShare)
  const inDoubt = createSettlementsInDoubt(databaseTimeoutMs * doubtShare)
  const settle = createSettle(execute, inDoubt)
  let open = 0
  let whenIdle: (() => void)[] = []

  function close(): void {
    open -= 1
    if (open > 0) return
    for (const tell of whenIdle) tell()
    whenIdle = []
  }

  function release(hold: Hold): void {
    if (settle.waiting() >= maxReleasing) return
    settle.run({ hold, credits: 0, reservedAt: null, kept: null }).catch(() => {})
  }

  return {
    async reserve(hold) {
      try {
        const reservation = await reserve.run(hold)
        if (reservation.verdict === 'accepted') open += 1
        return reservation
      } catch (error) {
        // Perhaps only the acknowledgement was lost. This releases credits and key now, before the
        // hold expires. If this fails too, the sweeper does it.
        if (mayStand(error)) release(hold)
        throw error
      }
    },
    async settle(item) {
      try {
        return await settle.run(item)
      } finally {
        // This runs after the caller has continued, so that the recorder has its entry.
        setImmediate(close)
      }
    },
    open: () => open,
    queues: { reserve, settle },
    inDoubt,
    settlePatienceMs: databaseTimeoutMs * settleShare,
    releasePatienceMs: databaseTimeoutMs * releaseShare,
    leastWaitMs: () => Math.max(reserve.leastWaitMs(), settle.leastWaitMs()),
    idle: () => (open === 0 ? Promise.resolve() : new Promise((resolve) => whenIdle.push(resolve))),
  }
}

/**
 * There are separate queues for calls without a key, calls with a key, calls that a batch could not accept,
 * calls with budgets, and calls of a locked balance. So one account without credits, one replayed key or one
 * slow commit delays no other account.
 */
function createReserve(execute: Execute, lockPatienceMs: number) {
  async function reserveBatch(holds: readonly Hold[]) {
    const batch = reserveBatchOf(holds)
    return readReservationBatch(await execute('ReserveBatch', { batch }, caller))
  }
  const reserveApart = (isPatient: boolean) => async (holds: readonly Hold[]) => {
    const batch = reserveBatchOf(holds, { isApart: true, isPatient })
    return readReservationBatch(await execute('ReserveApart', { batch }, caller))
  }
  const plain = createBatcher(reserveBatch, { ...oneByOne, name: 'reserve' })
  const keyed = createBatcher(reserveBatch, { ...oneByOne, name: 'reserve with keys' })
  const apart = createBatcher(reserveApart(false), { ...oneByOne, name: 'reserve apart' })
  const spending = createBatcher(reserveApart(false), { ...oneByOne, name: 'reserve with budgets' })
  const patient = createBatcher(reserveApart(true), { ...patiently, name: 'reserve locked' })
  const queue = inAll([plain, keyed, apart, spending, patient])

  /** While the balance is locked nothing is reserved, so the caller may be refused. */
  async function untilFree(hold: Hold): Promise<Reservation> {
    for (const startedMs = performance.now(); ; ) {
      const result = await patient(hold)
      if (typeof result === 'object') return result
      if (performance.now() - startedMs > lockPatienceMs) {
        throw unavailable('The balance of the account is locked.')
      }
      await sleep(lockPauseMs)
    }
  }

  return {
    ...queue,
    leastWaitMs: () => Math.max(plain.leastWaitMs(), keyed.leastWaitMs()),
    maxWaiting: maxReserving,
    async run(hold: Hold): Promise<Reservation> {
      if (queue.waiting() >= maxReserving) throw unavailable('Too many requests are waiting.')
      const together = hold.idempotency ? keyed : plain
      let result = await (hold.budgetOwners ? spending(hold) : together(hold))
      if (result === 'again') result = await apart(hold)
      return typeof result === 'object' ? result : untilFree(hold)
    },
  }
}

/** Calls with budgets have a queue of their own, and so have calls of locked balances, which wait for them. */
function createSettle(execute: Execute, inDoubt: SettlementsInDoubt) {
  async function settleBatch(items: readonly Settle[]) {
    return readSettlementBatch(
      await settleUntilKnown(execute, items, { isPatient: false, inDoubt }),
    )
  }
  async function settlePatiently(items: readonly Settle[]) {
    return readSettlementBatch(await settleUntilKnown(execute, items, { isPatient: true, inDoubt }))
  }
  // Delivered answers are charged whatever the length of the queue; only the admission of calls is
  // limited.
  const plain = createBatcher(settleBatch, { ...oneByOne, name: 'settle' })
  const spending = createBatcher(settleBatch, { ...oneByOne, name: 'settle with budgets' })
  const patient = createBatcher(settlePatiently, { ...patiently, name: 'settle locked' })
  return {
    ...inAll([plain, spending, patient]),
    leastWaitMs: () => Math.max(plain.leastWaitMs(), spending.leastWaitMs()),
    maxWaiting: maxReleasing,
    async run(item: Settle): Promise<Settlement> {
      let result = await (item.hold.budgetOwners ? spending(item) : plain(item))
      while (result === 'locked') result = await patient(item)
      return result
    },
  }
}

type Batches = Pick<Batcher<never, unknown>, 'waiting' | 'batched'>

/** Several queues, counted as one. */
function inAll(queues: readonly Batches[]): Batches {
  const sum = (count: (queue: Batches) => number) =>
    queues.reduce((total, queue) => total + count(queue), 0)
  return {
    waiting: () => sum((queue) => queue.waiting()),
    batched: () => ({
      batches: sum((queue) => queue.batched().batches),
      items: sum((queue) => queue.batched().items),
    }),
  }
}

/** Whether a failed reservation may have been made nevertheless. A reservation is one statement. */
function mayStand(error: unknown): boolean {
  if (!(error instanceof Error) || !isOutage(error)) return false
  const { cause } = error
  if (cause === undefined || cause instanceof NotBegun) return false
  return !(cause instanceof GraphQLError && cause.extensions.isUnsent)
}

interface Sending {
  /** Whether the statement waits for locked balances, which is no doubt. */
  readonly isPatient: boolean
  readonly inDoubt: SettlementsInDoubt
}

/**
 * A settlement whose answer was lost may have been committed. Asking again is safe: the ledger tells
 * what happened.
 */
async function settleUntilKnown(
  execute: Execute,
  items: readonly Settle[],
  { isPatient, inDoubt }: Sending,
): Promise<unknown> {
  const credits = items.reduce((sum, item) => sum + item.credits, 0)
  const beginDoubt = () => (credits > 0 ? inDoubt.begin(credits) : () => {})
  let endDoubt = isPatient ? null : beginDoubt()
  let batch = settleBatchOf(items, isPatient)
  const startedMs = performance.now()
  try {
    for (let pauseMs = 25; ; pauseMs = Math.min(pauseMs * 2, 1000)) {
      try {
        return await execute('SettleBatch', { batch }, caller)
      } catch (error) {
        if (!isOutage(error)) throw error
        endDoubt ??= beginDoubt()
        await sleep(pauseMs)
        const waitedSeconds = Math.floor((performance.now() - startedMs) / 1000)
        batch = { ...batch, waitedSeconds }
      }
    }
  } finally {
    endDoubt?.()
  }
}
