import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type AccountCaller, serviceCaller } from '../../../schema/credentials/caller.ts'
import { type Asker, askingContext, inSharedSpan } from '../../../schema/process/tracing.ts'
import { detailsText } from '../../../schema/vocabulary/logged-details.ts'
import type { Execute } from '../../graph/graph-client.ts'
import { type Call, isOfSession } from '../../http/call.ts'
import { isOutage } from '../../http/errors.ts'
import { clientClosedRequest } from '../../http/respond.ts'
import { createBatcher, type Queue } from '../batching/batch.ts'
import { orNullAfter } from '../batching/or-null-after.ts'
import { type CallEntry, UsageBatch } from './usage-batch.ts'
import { createUsageEpochs } from './usage-epochs.ts'

/** A usage-log entry of an earlier call, as the graph takes it. */
export interface UsageEntry extends Omit<CallEntry, 'arrivedAtMs'> {
  /** When the request arrived, ISO 8601. */
  readonly ts: string
}

export interface UsageRecorder extends Queue {
  /** Enqueues one entry for an authenticated call; others leave none. */
  record(call: Call, status: number): void
  /** Enqueues an entry that a crash kept from being written; resolves to whether the log has it. */
  recover(entry: UsageEntry): Promise<boolean>
  /** Resolves once everything enqueued so far is in the log. */
  readonly recorded: () => Promise<void>
  /**
   * Resolves when everything enqueued so far is in the log. Resolves earlier when the database is
   * unavailable, so that a reader does not wait for it twice, and after two fifths of DATABASE_TIMEOUT_MS.
   */
  readonly recordedIfPossible: () => Promise<void>
  /** Adds the entries of the log to the sums. Call it when nothing more is recorded. */
  readonly endEpoch: () => Promise<void>
  /**
   * Whether so many entries wait that no more requests may be let in: back-pressure before loss.
   */
  isSaturated(): boolean
  /**
   * Whether no entry has been waiting for more than a few seconds. After the entry of a charge
   * could not be written, this stays false: other processes write it from the ledger when this
   * process has ended.
   */
  isCaughtUp(): boolean
}

interface UsageRecorderOptions {
  /** How long to wait for the answer to a statement: DATABASE_TIMEOUT_MS. */
  readonly databaseTimeoutMs?: number
}

/** A reader of the log waits for this share of the time of a statement. */
const readerShare = 0.4
const saturatedAt = 20_000
const caughtUpMs = 5000
const maxPauseMs = 2000
/** Only readers of the log wait for entries, so larger batches are better: they cost less. */
const lingerMs = 100
const maxEntries = 2000
const caller = serviceCaller()

/** A batch of entries that wait, or are being written. */
interface Pending {
  readonly batch: UsageBatch
  readonly sinceMs: number
  /** The requests whose charge was not known when they were answered. */
  readonly late: Set<string>
  /** Whoever asked for the entries: the span of the batch links to them. */
  readonly askers: Asker[]
  /** Is settled when the entries were written, or can never be written. */
  readonly written: PromiseWithResolvers<void>
}

/**
 * Records one entry for each authenticated request, in group commits, and tries again until the database
 * has it.
 */
// oxlint-disable-next-line max-lines-per-function -- its short functions share the entries that wait.
export function createUsageRecorder(
  execute: Execute,
  log: Logger,
  { databaseTimeoutMs = 5000 }: UsageRecorderOptions = {},
): UsageRecorder {
  /**
   * Batches, the oldest first: the first one is being written if `isWriting`, and the last one takes
   * entries.
   */
  const pending: Pending[] = []
  let isWriting = false
  /** The timer while which the newest batch waits for further entries. */
  let linger: NodeJS.Timeout | null = null
  /**
   * Entries outside of batches, and since when they wait: recovered ones, and those whose charge is not
   * known yet.
   */
  const apart = new Map<Promise<unknown>, number>()
  const ran = { batches: 0, items: 0 }
  let isUnavailable = false
  let isChargeMissing = false
  /** The waiting callers of `recordedIfPossible`. */
  const readers = new Set<() => void>()
  const epochs = createUsageEpochs(execute, log)
  // Recovered entries may be old. In an epoch they would make readers search the log from that time on.
  const recovered = createBatcher(
    async (entries: readonly UsageEntry[]) => {
      await persist(entries.length, () => execute('RecordUsage', { entries }, caller))
      return entries.map(() => true as const)
    },
    { name: 'recover usage', maxWaiting: Number.POSITIVE_INFINITY, maxInFlight: 1 },
  )

  async function persist(entries: number, write: () => Promise<unknown>): Promise<void> {
    for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      try {
        await write()
        isUnavailable = false
        return
      } catch (error) {
        if (!isOutage(error)) throw error
        isUnavailable = true
        for (const letGo of readers) letGo()
        log.warn({ err: error, entries }, 'Usage entries wait for the database')
        await sleep(pauseMs, undefined, { ref: false })
      }
    }
  }

  function open(): Pending {
    const last = pending.at(-1)
    const isTaken = !last || (isWriting && pending.length === 1) || last.batch.size >= maxEntries
    if (last && !isTaken) return last
    const opened = {
      ...{ batch: new UsageBatch(), sinceMs: performance.now() },
      ...{ late: new Set<string>(), askers: [] },
      written: Promise.withResolvers<void>(),
    }
    pending.push(opened)
    linger ??= setTimeout(write, lingerMs)
    return opened
  }

  function add(entry: CallEntry): Pending {
    const opened = open()
    opened.batch.push(entry)
    const asker = askingContext()
    if (asker) opened.askers.push(asker)
    if (opened.batch.size >= maxEntries) write()
    return opened
  }

  /** Begins to write the oldest batch, unless one is being written. */
  function write(): void {
    if (linger) clearTimeout(linger)
    linger = null
    const [first] = pending
    if (isWriting || !first) return
    isWriting = true
    ran.batches += 1
    ran.items += first.batch.size
    void inSharedSpan('record usage', first.askers, () => writeAll(first.batch, first.late)).then(
      () => {
        isWriting = false
        pending.shift()
        first.written.resolve()
        const isFull = (pending[0]?.batch.size ?? 0) >= maxEntries
        // Without a timer, the next batch has waited for long enough, or somebody waits for it.
        if (!linger || isFull) write()
      },
    )
  }

  /**
   * Writes a batch. When that fails for a reason of its own making, the halves are tried apart, so that
   * one entry fails alone.
   */
  async function writeAll(batch: UsageBatch, late: ReadonlySet<string>): Promise<void> {
    try {
      await persist(batch.size, () => epochs.record(batch))
    } catch (error) {
      if (batch.size > 1) {
        for (const half of batch.halves()) await writeAll(half, late)
        return
      }
      const entry = batch.at(0)
      noteUnwritten(entry, error, entry.credits > 0 || late.has(entry.requestId))
    }
  }

  /** Logs an entry that cannot be written. `isCharge`: this process may have charged the call. */
  function noteUnwritten(entry: CallEntry | UsageEntry, error: unknown, isCharge: boolean): void {
    isChargeMissing ||= isCharge
    const { requestId, traceId, accountId, method, route } = entry
    const seen = { requestId, traceId, accountId, method, route }
    log.error({ err: error, ...seen, entry }, 'A usage entry cannot be written')
  }

  /** Counts the work as pending until it ends. It never rejects. */
  function follow<Result>(work: Promise<Result>): Promise<Result> {
    apart.set(work, performance.now())
    return work.finally(() => apart.delete(work))
  }

  /** Waits until the charge of a call is known. */
  async function recordLate(
    entry: CallEntry,
    settling: Promise<{ readonly credits: number }>,
  ): Promise<void> {
    try {
      const { credits } = await settling
      add({ ...entry, credits }).late.add(entry.requestId)
    } catch (error) {
      noteUnwritten(entry, error, true)
    }
  }

  async function recover(entry: UsageEntry): Promise<boolean> {
    try {
      return await recovered(entry)
    } catch (error) {
      noteUnwritten(entry, error, false)
      return false
    }
  }

  async function recorded(): Promise<void> {
    write()
    await Promise.all(apart.keys())
    const newest = pending.at(-1)
    write()
    await newest?.written.promise
  }

  function oldestAtMs(): number {
    const [first] = pending
    const [oldest = Number.POSITIVE_INFINITY] = apart.values()
    return Math.min(first?.sinceMs ?? Number.POSITIVE_INFINITY, oldest)
  }

  function waiting(): number {
    return pending.reduce((sum, { batch }) => sum + batch.size, apart.size)
  }

  return {
    record(call, status) {
      // A credential that is not accepted here is in no account's log.
      if (!call.caller || status === 401) return
      const entry = withFailure(toEntry(call, call.caller, status), call)
      if (call.settling) void follow(recordLate(entry, call.settling))
      else add(entry)
    },
    recover: (entry) => follow(recover(entry)),
    recorded,
    async recordedIfPossible() {
      if (isUnavailable) return
      const { promise, resolve } = Promise.withResolvers<void>()
      readers.add(resolve)
      void recorded().then(resolve)
      await orNullAfter(databaseTimeoutMs * readerShare, promise)
      readers.delete(resolve)
    },
    endEpoch: epochs.end,
    batched: () => ({ ...ran }),
    maxWaiting: saturatedAt,
    waiting,
    isSaturated: () => waiting() >= saturatedAt,
    isCaughtUp: () => !isChargeMissing && performance.now() - oldestAtMs() < caughtUpMs,
  }
}

function toEntry(
  call: Call,
  { accountId, keyId, clientId, externalId }: AccountCaller,
  status: number,
): CallEntry {
  return {
    accountId,
    environment: call.environment,
    requestId: call.requestId,
    arrivedAtMs: call.arrivedAt.getTime(),
    method: call.method,
    endpoint: call.endpoint,
    route: call.route,
    service: call.service,
    status,
    credits: call.creditsCharged,
    latencyMs: Math.max(0, Math.round(performance.now() - call.arrivedAtMs)),
    traceId: call.traceId,
    backendModule: call.backendModule,
    keyId,
    clientId,
    externalId,
    endUser: call.endUser,
    isSession: isOfSession(call),
  }
}

/** Successes take no part in it. The failure of a client that has hung up was told to nobody. */
function withFailure(entry: CallEntry, { failure }: Call): CallEntry {
  if (!failure || entry.status < 400 || entry.status === clientClosedRequest) return entry
  return { ...entry, errorCode: failure.code, errorDetails: detailsText(failure.logged) }
}
