import { Deadlines } from '../backends/deadlines.ts'
import type { Execute } from '../graph/graph-client.ts'
import type { Queue } from './batching/batch.ts'
import type { Hold, Reserving, Settling } from './hold.ts'
import { createReserveQueues } from './reserve-queues.ts'
import { createSettleQueues } from './settle-queues.ts'
import { createSettlementsInDoubt, type SettlementsInDoubt } from './settlements-in-doubt.ts'

/**
 * Reserves and settles credits for calls, and calls them back. Every settlement and every claim of a key is
 * durable; a hold without a key need not be, because a settlement carries all that a charge needs.
 */
export interface Ledger {
  /** Asks for the hold of a call. Throws SERVICE_UNAVAILABLE when too much is waiting. */
  begin(call: Reserving): void
  /** Settles the hold of a call. */
  end(call: Settling): void
  /** Reservations that were accepted and are not settled yet. */
  readonly open: () => number
  /** Resolves once every accepted reservation was settled, and its caller has the result. */
  readonly idle: () => Promise<void>
  readonly queues: { readonly reserve: Queue; readonly settle: Queue }
  /** While these last, calls that can cost something must not be sent to a module. */
  readonly inDoubt: SettlementsInDoubt
  readonly patience: Patience
  /** The longest of the least waits of the queues, in ms; queues of single accounts do not count. */
  readonly leastWaitMs: () => number
}

/** How long callers wait while the database is unavailable. What they wait for goes on afterwards. */
export interface Patience {
  /** For the charge of a success. */
  readonly settle: Deadlines
  /** For the release of a hold. It is shorter, because a failed call costs nothing in any case. */
  readonly release: Deadlines
  /** The shorter time for the release of a hold after the caller has already waited for the database. */
  readonly releaseInOutage: Deadlines
}

interface LedgerOptions {
  /** How long to wait for the answer to a statement: DATABASE_TIMEOUT_MS. */
  readonly databaseTimeoutMs?: number
}

/** When a charge has been in doubt for this share of the time of a statement, new calls are refused. */
const doubtShare = 0.4
/** The rest of a statement's time is for the answer, because callers are promised one within that time. */
const settleShare = 0.9
const releaseShare = 0.2
const releaseInOutageShare = 0.05
/** A reservation is tried for this share on a locked balance. */
const lockShare = 0.8

export function createLedger(
  execute: Execute,
  { databaseTimeoutMs = 5000 }: LedgerOptions = {},
): Ledger {
  const inDoubt = createSettlementsInDoubt(databaseTimeoutMs * doubtShare)
  const reserve = createReserveQueues(execute, {
    lockPatienceMs: databaseTimeoutMs * lockShare,
    onAccepted: () => {
      open += 1
    },
    // Perhaps only the acknowledgement was lost. This releases credits and key now, before the
    // hold expires. If this fails too, the sweeper does it.
    onUnknown: release,
  })
  const settle = createSettleQueues(execute, inDoubt, ({ isUnsure = false }) => {
    // The doubt ends after the caller has continued, so that the recorder has the entry of the call.
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
    if (settle.waiting() >= settle.maxWaiting) return
    settle.end({
      ...{ hold, credits: 0, reservedAt: null, kept: null, isUnsure: true },
      ...{ settled() {}, failed() {}, queuedAtMs: 0, asker: null },
    })
  }

  return {
    begin: reserve.begin,
    end: settle.end,
    open: () => open,
    queues: { reserve, settle },
    inDoubt,
    patience: {
      settle: new Deadlines(databaseTimeoutMs * settleShare),
      release: new Deadlines(databaseTimeoutMs * releaseShare),
      releaseInOutage: new Deadlines(databaseTimeoutMs * releaseInOutageShare),
    },
    leastWaitMs: () => Math.max(reserve.leastWaitMs(), settle.leastWaitMs()),
    idle: () => (open === 0 ? Promise.resolve() : new Promise((resolve) => whenIdle.push(resolve))),
  }
}
