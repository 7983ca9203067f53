import { setTimeout as sleep } from 'node:timers/promises'
import { GraphQLError } from 'graphql'
import { serviceCaller } from '../../schema/credentials/caller.ts'
import { asAsker } from '../../schema/process/tracing.ts'
import type { Execute } from '../graph/graph-client.ts'
import { isOutage, NotBegun, unavailable } from '../http/errors.ts'
import {
  type BatchQueue,
  createBatcher,
  createQueue,
  inHalves,
  type Queue,
} from './batching/batch.ts'
import type {
  Hold,
  Reservation,
  Reserving,
  Settle,
  Settlement,
  Settling,
  Undecided,
} from './hold.ts'
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
  /** Judges a hold by itself that a batch has left undecided. */
  reserveApart(hold: Hold, undecided: Undecided): Promise<Reservation>
  settle(item: Settle): Promise<Settlement>
  /** Asks for the hold of a call without key and budgets. Throws SERVICE_UNAVAILABLE when too much is waiting. */
  begin(call: Reserving): void
  /** Settles the hold of a call without budgets. */
  end(call: Settling): void
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
  const inDoubt = createSettlementsInDoubt(databaseTimeoutMs * doubtShare)
  const reserve = createReserve(execute, {
    lockPatienceMs: databaseTimeoutMs * lockShare,
    onAccepted: () => {
      open += 1
    },
    onFailed(hold, error) {
      // Perhaps only the acknowledgement was lost. This releases credits and key now, before the
      // hold expires. If this fails too, the sweeper does it.
      if (mayStand(error)) release(hold)
    },
  })
  const settle = createSettle(execute, inDoubt, ({ isUnsure = false }) => {
    // This runs after the caller has continued, so that the recorder has its entry.
    if (!isUnsure) setImmediate(close)
  })
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
    settle.end({
      ...{ hold, credits: 0, reservedAt: null, kept: null, isUnsure: true },
      ...{ settled() {}, failed() {}, queuedAtMs: 0, asker: null },
    })
  }

  return {
    reserve: reserve.run,
    reserveApart: reserve.apart,
    settle: settle.run,
    begin: reserve.begin,
    end: settle.end,
    open: () => open,
    queues: { reserve, settle },
    inDoubt,
    settlePatienceMs: databaseTimeoutMs * settleShare,
    releasePatienceMs: databaseTimeoutMs * releaseShare,
    leastWaitMs: () => Math.max(reserve.leastWaitMs(), settle.leastWaitMs()),
    idle: () => (open === 0 ? Promise.resolve() : new Promise((resolve) => whenIdle.push(resolve))),
  }
}

interface ReserveOptions {
  readonly lockPatienceMs: number
  readonly onAccepted: () => void
  readonly onFailed: (hold: Hold, error: unknown) => void
}

/**
 * There are separate queues for calls without a key, calls with a key, calls that a batch could not accept,
 * calls with budgets, and calls of a locked balance. So one account without credits, one replayed key or one
 * slow commit delays no other account.
 */
function createReserve(execute: Execute, { lockPatienceMs, onAccepted, onFailed }: ReserveOptions) {
  /** Returns what tells the calls of their verdicts. */
  async function reserveAll(calls: readonly Reserving[]): Promise<() => void> {
    const holds = calls.map(({ hold }) => hold)
    const batch = reserveBatchOf(holds)
    const reserved = readReservationBatch(await execute('ReserveBatch', { batch }, caller))
    return () => {
      for (const [index, call] of calls.entries()) {
        const result = reserved[index] ?? 'again'
        const verdict = typeof result === 'object' ? result.verdict : result
        if (typeof result === 'object' && verdict === 'accepted') {
          onAccepted()
          tellOne(call, () => call.accepted(result.available))
        } else tellOne(call, () => call.undecided(verdict === 'locked' ? verdict : 'again'))
      }
    }
  }
  function fail(call: Reserving, error: unknown): void {
    asAsker(call.asker, () => onFailed(call.hold, error))
    tellOne(call, () => call.failed(error))
  }
  const reserveCalls = (calls: readonly Reserving[]) => inHalves(calls, reserveAll, fail)
  const reserveApart = (isPatient: boolean) => async (holds: readonly Hold[]) => {
    const batch = reserveBatchOf(holds, { isApart: true, isPatient })
    return readReservationBatch(await execute('ReserveApart', { batch }, caller))
  }
  const plain = createQueue(reserveCalls, { ...oneByOne, name: 'reserve' })
  const keyed = createQueue(reserveCalls, { ...oneByOne, name: 'reserve with keys' })
  const apart = createBatcher(reserveApart(false), { ...oneByOne, name: 'reserve apart' })
  const spending = createBatcher(reserveApart(false), { ...oneByOne, name: 'reserve with budgets' })
  const patient = createBatcher(reserveApart(true), { ...patiently, name: 'reserve locked' })
  const queue = inAll([plain, keyed, apart, spending, patient])

  function requireRoom(): void {
    if (queue.waiting() >= maxReserving) throw unavailable('Too many requests are waiting.')
  }

  function begin(call: Reserving): void {
    requireRoom()
    const kind = call.hold.idempotency ? keyed : plain
    kind.add(call)
  }

  /** The available credits of an accepted hold, or why it must be judged by itself. */
  function together(hold: Hold): Promise<number | Undecided> {
    const { promise, resolve, reject } = Promise.withResolvers<number | Undecided>()
    const outcome = { accepted: resolve, undecided: resolve, failed: reject }
    begin({ hold, ...outcome, queuedAtMs: 0, asker: null })
    return promise
  }

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

  async function judge(hold: Hold, undecided: Undecided): Promise<Reservation> {
    const queue = hold.budgetOwners ? spending : apart
    const result = undecided === 'locked' ? undecided : await queue(hold)
    return typeof result === 'object' ? result : untilFree(hold)
  }

  async function alone(hold: Hold, undecided: Undecided): Promise<Reservation> {
    try {
      const reservation = await judge(hold, undecided)
      if (reservation.verdict === 'accepted') onAccepted()
      return reservation
    } catch (error) {
      onFailed(hold, error)
      throw error
    }
  }

  return {
    ...queue,
    leastWaitMs: () => Math.max(plain.leastWaitMs(), keyed.leastWaitMs()),
    maxWaiting: maxReserving,
    begin,
    apart: alone,
    run: async (hold: Hold): Promise<Reservation> => {
      if (hold.budgetOwners) {
        requireRoom()
        return alone(hold, 'again')
      }
      const result = await together(hold)
      if (typeof result === 'string') return alone(hold, result)
      return { verdict: 'accepted', available: result, ...nothingKept }
    },
  }
}

const nothingKept = {
  ...{ answer: null, body: null, reservedAt: null },
  ...{ budgetRemaining: null, refusing: null },
}

/** Calls with budgets have a queue of their own, and so have calls of locked balances, which wait for them. */
function createSettle(
  execute: Execute,
  inDoubt: SettlementsInDoubt,
  onEnd: (call: Settling) => void,
) {
  /** Returns what tells the calls of their outcomes. */
  async function settleAll(calls: readonly Settling[]): Promise<() => void> {
    const settled = readSettlementBatch(
      await settleUntilKnown(execute, calls, { isPatient: false, inDoubt }),
    )
    return () => {
      for (const [index, call] of calls.entries()) {
        const result = settled[index] ?? 'locked'
        if (result === 'locked') asAsker(call.asker, () => void settleLocked(call))
        else tell(call, result)
      }
    }
  }
  async function settlePatiently(items: readonly Settling[]) {
    return readSettlementBatch(await settleUntilKnown(execute, items, { isPatient: true, inDoubt }))
  }
  function tell(call: Settling, settlement: Settlement): void {
    tellOne(call, () => call.settled(settlement))
    onEnd(call)
  }
  function fail(call: Settling, error: unknown): void {
    tellOne(call, () => call.failed(error))
    onEnd(call)
  }
  async function untilFree(call: Settling): Promise<Settlement> {
    let result = await patient(call)
    while (result === 'locked') result = await patient(call)
    return result
  }
  function settleLocked(call: Settling): Promise<void> {
    return untilFree(call).then(
      (settlement) => tell(call, settlement),
      (error: unknown) => fail(call, error),
    )
  }
  const settleCalls = (calls: readonly Settling[]) => inHalves(calls, settleAll, fail)
  // Delivered answers are charged whatever the length of the queue; only the admission of calls is
  // limited.
  const plain = createQueue(settleCalls, { ...oneByOne, name: 'settle' })
  const spending = createQueue(settleCalls, { ...oneByOne, name: 'settle with budgets' })
  const patient = createBatcher(settlePatiently, { ...patiently, name: 'settle locked' })
  const end = (call: Settling) => (call.hold.budgetOwners ? spending : plain).add(call)
  return {
    ...inAll([plain, spending, patient]),
    leastWaitMs: () => Math.max(plain.leastWaitMs(), spending.leastWaitMs()),
    maxWaiting: maxReleasing,
    end,
    run: (item: Settle): Promise<Settlement> => {
      const { promise, resolve, reject } = Promise.withResolvers<Settlement>()
      end({ ...item, settled: resolve, failed: reject, queuedAtMs: 0, asker: null })
      return promise
    },
  }
}

/** Tells one call of a batch. It learns also what goes wrong in it, so that all others are told. */
function tellOne(call: Reserving | Settling, tell: () => void): void {
  try {
    asAsker(call.asker, tell)
  } catch (error) {
    asAsker(call.asker, () => call.failed(error))
  }
}

type Batches = Pick<BatchQueue<never>, 'waiting' | 'batched'>

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
  items: readonly Settling[],
  { isPatient, inDoubt }: Sending,
): Promise<unknown> {
  const credits = items.reduce((sum, item) => sum + item.credits, 0)
  const beginDoubt = () => (credits > 0 ? inDoubt.begin(credits) : () => {})
  let endDoubt = isPatient ? null : beginDoubt()
  const settling = settleBatchOf(items, isPatient)
  const askedAtMs = Math.min(...items.map(({ queuedAtMs }) => queuedAtMs))
  try {
    for (let pauseMs = 25; ; pauseMs = Math.min(pauseMs * 2, 1000)) {
      try {
        const batch = { ...settling, waitedSeconds: secondsSince(askedAtMs) }
        return await execute('SettleBatch', { batch }, caller)
      } catch (error) {
        if (!isOutage(error)) throw error
        endDoubt ??= beginDoubt()
        await sleep(pauseMs)
      }
    }
  } finally {
    endDoubt?.()
  }
}

function secondsSince(ms: number): number {
  return Math.floor((performance.now() - ms) / 1000)
}
