import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { AccountCaller, ServiceCaller } from '../../schema/credentials/caller.ts'
import type { Execute } from '../graph/graph-client.ts'
import type { Call } from '../http/call.ts'
import { isOutage } from '../http/errors.ts'
import type { Queue } from '../observability/metrics.ts'
import { createGather } from '../work/batch.ts'

/** A usage-log entry, as the graph takes it. */
export interface UsageEntry {
  readonly accountId: string
  readonly environment: string
  readonly requestId: string
  readonly ts: string
  readonly method: string
  readonly endpoint: string
  /** The endpoint with its placeholders. */
  readonly route?: string
  readonly service: string
  readonly status: number
  readonly credits: number
  readonly latencyMs: number
  readonly traceId: string
  readonly backendModule: string
  readonly keyId: string | null
}

export interface UsageRecorder extends Queue {
  /** Enqueues one entry for an authenticated call; others leave none. */
  record(call: Call, status: number): void
  /** Enqueues an entry that a crash kept from being written; resolves to whether the log has it. */
  recover(entry: UsageEntry): Promise<boolean>
  /** Resolves once everything enqueued so far is in the log. */
  readonly recorded: () => Promise<void>
  /** Resolves then, or as soon as the database is away: whoever reads is not to wait for it twice. */
  readonly recordedIfPossible: () => Promise<void>
  /** Whether so much is waiting that no more must be let in: back-pressure before loss. */
  isSaturated(): boolean
  /** Whether no entry has been waiting for more than a few seconds. */
  isCaughtUp(): boolean
}

const saturatedAt = 20_000
const caughtUpMs = 5000
const maxPauseMs = 2000
const caller: ServiceCaller = { kind: 'service', environment: 'live', requestId: '', traceId: '' }

/** One entry for each authenticated request, in group commits; tried again until the database has it. */
export function createUsageRecorder(execute: Execute, log: Logger): UsageRecorder {
  /** In order of arrival: promise → when it was enqueued. */
  const pending = new Map<Promise<boolean>, number>()
  let isAway = false
  /** Those that wait for `recordedIfPossible`. */
  const readers = new Set<() => void>()
  const gather = createGather(writeBatch, {
    maxWaiting: Number.POSITIVE_INFINITY,
    // Nobody waits for an entry but who reads the log: larger batches cost less.
    maxInFlight: 1,
    lingerMs: 10,
    name: 'record usage',
  })

  async function writeBatch(entries: readonly UsageEntry[]): Promise<readonly true[]> {
    for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      try {
        await execute('RecordUsage', { entries }, caller)
        isAway = false
        return entries.map(() => true)
      } catch (error) {
        if (!isOutage(error)) throw error
        isAway = true
        for (const letGo of readers) letGo()
        log.warn({ err: error, entries: entries.length }, 'Usage entries wait for the database')
        await sleep(pauseMs, undefined, { ref: false })
      }
    }
  }

  function enqueue(entry: UsageEntry): Promise<boolean> {
    return follow(gather(entry), entry)
  }

  /** Whether it was written in the end; why not is in the log. */
  function follow(work: Promise<unknown>, entry: UsageEntry): Promise<boolean> {
    const written = work.then(
      () => {
        pending.delete(written)
        return true
      },
      (error) => {
        pending.delete(written)
        const { requestId, traceId, accountId, method, route } = entry
        const seen = { requestId, traceId, accountId, method, route }
        log.error({ err: error, ...seen, entry }, 'A usage entry cannot be written')
        return false
      },
    )
    pending.set(written, performance.now())
    return written
  }

  function oldestAtMs(): number {
    const [oldest = Number.POSITIVE_INFINITY] = pending.values()
    return oldest
  }

  async function recorded(): Promise<void> {
    await Promise.all(pending.keys())
  }

  return {
    record(call, status) {
      if (!call.caller) return
      const entry = toEntry(call, call.caller, status)
      if (!call.settling) return void enqueue(entry)
      void follow(
        call.settling.then(({ credits }) => gather({ ...entry, credits })),
        entry,
      )
    },
    recover: enqueue,
    recorded,
    async recordedIfPossible() {
      if (isAway) return
      const { promise, resolve } = Promise.withResolvers<void>()
      readers.add(resolve)
      void recorded().then(resolve)
      await promise
      readers.delete(resolve)
    },
    maxWaiting: saturatedAt,
    waiting: () => pending.size,
    isSaturated: () => pending.size >= saturatedAt,
    isCaughtUp: () => performance.now() - oldestAtMs() < caughtUpMs,
  }
}

function toEntry(
  call: Call,
  { accountId, keyId }: Pick<AccountCaller, 'accountId' | 'keyId'>,
  status: number,
): UsageEntry {
  return {
    accountId,
    environment: call.environment,
    requestId: call.requestId,
    ts: call.arrivedAt.toISOString(),
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
  }
}
