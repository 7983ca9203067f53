import { GraphQLError } from 'graphql'
import { serviceCaller } from '../../schema/credentials/caller.ts'
import { asAsker } from '../../schema/process/tracing.ts'
import type { Execute } from '../graph/graph-client.ts'
import { isOutage, NotBegun, unavailable } from '../http/errors.ts'
import { createQueue, inHalves, type Queue } from './batching/batch.ts'
import { allOf, oneByOne, patiently, tellOne } from './batching/queues.ts'
import type { Hold, Reserving } from './hold.ts'
import { type Judging, readReservationBatch, reserveBatchOf } from './ledger-batches.ts'

/** Makes the holds of calls, and tells each call what came of its hold. */
export interface ReserveQueues extends Queue {
  /** Throws SERVICE_UNAVAILABLE when too much is waiting. */
  readonly begin: (call: Reserving) => void
  /** The longer of the least waits of calls with a key and calls without one, in ms. */
  readonly leastWaitMs: () => number
}

interface ReserveOptions {
  /**
   * How long a call of a locked balance is tried from its arrival in these queues; it is tried at
   * least once.
   */
  readonly lockPatienceMs: number
  readonly onAccepted: () => void
  /** Is called if nobody knows whether the hold stands. */
  readonly onUnknown: (hold: Hold) => void
}

/** The limit of all queues together; further reservations are refused. */
const maxReserving = 20_000
/** The pause between two attempts to reserve on a locked balance. */
const lockPauseMs = 100
const caller = serviceCaller()

/**
 * There are separate queues for calls without a key, calls with a key, calls that a batch could not accept,
 * calls with budgets, and calls of a locked balance. So one account without credits, one replayed key or one
 * slow commit delays no other account.
 */
export function createReserveQueues(execute: Execute, options: ReserveOptions): ReserveQueues {
  const { lockPatienceMs, onAccepted, onUnknown } = options

  /**
   * Reserves a batch. Returns a function that tells the calls of their verdicts, or has them wait
   * for another batch.
   */
  async function reserve(
    operation: 'ReserveBatch' | 'ReserveApart',
    calls: readonly Reserving[],
    judging: Judging,
  ): Promise<() => void> {
    const batch = reserveBatchOf(
      calls.map(({ hold }) => hold),
      judging,
    )
    const reserved = readReservationBatch(await execute(operation, { batch }, caller))
    return () => {
      calls.forEach((call, index) => {
        const result = reserved[index] ?? 'again'
        if (typeof result === 'object' && (judging.isApart || result.verdict === 'accepted')) {
          if (result.verdict === 'accepted') onAccepted()
          tellOne(call, () => call.reserved(result))
        } else if (judging.isPatient) asAsker(call.asker, () => tryLater(call))
        else if (judging.isApart || result === 'locked')
          asAsker(call.asker, () => patient.add(call))
        else asAsker(call.asker, () => apart.add(call))
      })
    }
  }

  /** While the balance is locked nothing is reserved, so the caller may be refused. */
  function tryLater(call: Reserving): void {
    if (performance.now() - call.queuedAtMs > lockPatienceMs) {
      fail(call, unavailable('The balance of the account is locked.'))
    } else setTimeout(() => patient.add(call), lockPauseMs)
  }

  function fail(call: Reserving, error: unknown): void {
    if (mayStand(error)) asAsker(call.asker, () => onUnknown(call.hold))
    tellOne(call, () => call.failed(error))
  }

  function queueOf(operation: 'ReserveBatch' | 'ReserveApart', judging: Judging) {
    const work = (calls: readonly Reserving[]) => reserve(operation, calls, judging)
    return (calls: readonly Reserving[]) => inHalves(calls, work, fail)
  }

  const together = queueOf('ReserveBatch', {})
  const byItself = queueOf('ReserveApart', { isApart: true })
  const untilFree = queueOf('ReserveApart', { isApart: true, isPatient: true })
  const plain = createQueue(together, { ...oneByOne, name: 'reserve' })
  const keyed = createQueue(together, { ...oneByOne, name: 'reserve with keys' })
  const apart = createQueue(byItself, { ...oneByOne, name: 'reserve apart' })
  const spending = createQueue(byItself, { ...oneByOne, name: 'reserve with budgets' })
  const patient = createQueue(untilFree, { ...patiently, name: 'reserve locked' })
  const all = allOf([plain, keyed, apart, spending, patient])

  return {
    ...all,
    leastWaitMs: () => Math.max(plain.leastWaitMs(), keyed.leastWaitMs()),
    maxWaiting: maxReserving,
    begin(call) {
      if (all.waiting() >= maxReserving) {
        const internal = `${all.waiting()} calls wait for their hold.`
        throw unavailable('Too many requests are waiting.', { internal })
      }
      const { budgetOwners, idempotency } = call.hold
      const queue = budgetOwners ? spending : idempotency ? keyed : plain
      call.queuedAtMs = 0
      queue.add(call)
    },
  }
}

/** Whether a failed reservation may have been made nevertheless. A reservation is one statement. */
function mayStand(error: unknown): boolean {
  if (!(error instanceof Error) || !isOutage(error)) return false
  const { cause } = error
  if (cause === undefined || cause instanceof NotBegun) return false
  return !(cause instanceof GraphQLError && cause.extensions.isUnsent)
}
