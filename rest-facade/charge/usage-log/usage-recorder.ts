import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type AccountCaller, serviceCaller } from '../../../schema/credentials/caller.ts'
import type { Execute } from '../../graph/graph-client.ts'
import { type Call, isOfSession } from '../../http/call.ts'
import { isOutage } from '../../http/errors.ts'
import { createBatcher, type Queue } from '../batching/batch.ts'
import { orNullAfter } from '../batching/or-null-after.ts'
import type { CallEntry } from './usage-batch.ts'
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
const caller = serviceCaller()

/** The options of both queues: one batch at a time, and no limit, because `isSaturated` has one. */
const oneAtATime = { maxWaiting: Number.POSITIVE_INFINITY, maxInFlight: 1 }

/** One entry for each authenticated request, in group commits; tried again until the database has it. */
export function createUsageRecorder(
  execute: Execute,
  log: Logger,
  { databaseTimeoutMs = 5000 }: UsageRecorderOptions = {},
): UsageRecorder {
  /** When each pending entry was enqueued, by its place in the order of arrival. */
  const pending = new Map<number, number>()
  let arrived = 0
  /** Each waits until nothing is pending that arrived before its place. */
  const waiters = new Set<{ readonly place: number; readonly resolve: () => void }>()
  let isUnavailable = false
  let isChargeMissing = false
  /** The waiting callers of `recordedIfPossible`. */
  const readers = new Set<() => void>()
  const epochs = createUsageEpochs(execute, log)
  const fresh = createBatcher(
    (entries: readonly CallEntry[]) => persist(entries, () => epochs.record(entries)),
    {
      ...oneAtATime,
      name: 'record usage',
      // Only readers of the log wait for entries, so larger batches are better: they cost less.
      lingerMs: 100,
      maxItems: 2000,
    },
  )
  // These entries may be old. In an epoch they would make readers search the log from that time on.
  const recovered = createBatcher(
    (entries: readonly UsageEntry[]) =>
      persist(entries, () => execute('RecordUsage', { entries }, caller)),
    { ...oneAtATime, name: 'recover usage' },
  )

  async function persist(
    entries: readonly unknown[],
    write: () => Promise<unknown>,
  ): Promise<readonly true[]> {
    for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      try {
        await write()
        isUnavailable = false
        return entries.map(() => true)
      } catch (error) {
        if (!isOutage(error)) throw error
        isUnavailable = true
        for (const letGo of readers) letGo()
        log.warn({ err: error, entries: entries.length }, 'Usage entries wait for the database')
        await sleep(pauseMs, undefined, { ref: false })
      }
    }
  }

  /**
   * Whether the entry was written in the end; a failure is logged. `isCharge`: this process may
   * have charged it.
   */
  async function follow(
    entry: CallEntry | UsageEntry,
    isCharge: boolean,
    write: () => Promise<unknown>,
  ): Promise<boolean> {
    const place = arrived
    arrived += 1
    pending.set(place, performance.now())
    try {
      await write()
      return true
    } catch (error) {
      isChargeMissing ||= isCharge
      const { requestId, traceId, accountId, method, route } = entry
      const seen = { requestId, traceId, accountId, method, route }
      log.error({ err: error, ...seen, entry }, 'A usage entry cannot be written')
      return false
    } finally {
      pending.delete(place)
      if (waiters.size > 0) tellWaiters()
    }
  }

  function tellWaiters(): void {
    const [oldest = arrived] = pending.keys()
    for (const waiter of waiters) {
      if (waiter.place > oldest) continue
      waiters.delete(waiter)
      waiter.resolve()
    }
  }

  async function recorded(): Promise<void> {
    if (pending.size === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    waiters.add({ place: arrived, resolve })
    fresh.hurry()
    await promise
  }

  function oldestAtMs(): number {
    const [oldest = Number.POSITIVE_INFINITY] = pending.values()
    return oldest
  }

  return {
    record(call, status) {
      if (!call.caller) return
      const entry = toEntry(call, call.caller, status)
      const { settling } = call
      if (!settling) return void follow(entry, entry.credits > 0, () => fresh(entry))
      void follow(entry, true, async () => {
        const { credits } = await settling
        await fresh({ ...entry, credits })
      })
    },
    recover: (entry) => follow(entry, false, () => recovered(entry)),
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
    batched: fresh.batched,
    maxWaiting: saturatedAt,
    waiting: () => pending.size,
    isSaturated: () => pending.size >= saturatedAt,
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
