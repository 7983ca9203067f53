import type { Gauge } from '@prometheus-io/client'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { UsageRecorder } from '../../rest-facade/charge/usage-log/usage-recorder.ts'
import type { Execute } from '../../rest-facade/graph/graph-client.ts'
import { serviceCaller } from '../../schema/credentials/caller.ts'
import type { BodyOf, OperationName } from '../../schema/generated/operations.ts'
import { type Ask, findLogDrifts } from '../books/compare-with-ledger.ts'
import type { DailyDigest } from '../books/digests/daily-digest.ts'
import type { Metrics } from '../observability/metrics.ts'
import { type PeriodicTask, startPeriodic } from './periodic.ts'

/** Counts jobs. */
export interface JobCounts {
  /** Jobs that failed too often. */
  countDeadLetters(): Promise<number>
  /** Due jobs that no worker has taken, by operation. */
  countDue(): Promise<ReadonlyMap<string, DueJobs>>
}

/** Jobs of one operation. */
export interface DueJobs {
  readonly count: number
  /** The time for which the oldest of them has been due; 0 if there is none. */
  readonly oldestSeconds: number
}

interface SweepOptions {
  readonly execute: Execute
  readonly recorder: UsageRecorder
  readonly jobs: JobCounts
  /** Null: digests have no place. */
  readonly digest: DailyDigest | null
  /** The id of this process if it charges: every charge names the process that made it. */
  readonly processId: string | null
  /** Whether this process is the only one on the database. */
  readonly isAlone: boolean
  readonly metrics: Metrics
  readonly log: Logger
}

export interface Sweeps {
  readonly stop: () => Promise<void>
}

const batchSize = 500
/** Smaller: each export has a file to delete. */
const exportBatchSize = 100
/** Charges of this period are compared with the usage log at each run. */
const reconciledMs = 3_600_000
/** The age at which every charge is in the usage log, even the charge of a dead process. */
const settlingSeconds = 60
/** A living process reports every three seconds, so this one is dead. */
const silentSeconds = 15
const caller = serviceCaller()

/** The line of a call (`callLine`), as the graph answers it. */
const request = z.object({
  ts: z.string(),
  method: z.string(),
  endpoint: z.string(),
  route: z.string().optional(),
  service: z.string(),
  traceId: z.string(),
  backendModule: z.string(),
  keyId: z.nullable(z.string()),
  // The line of a call leaves out what it does not have.
  clientId: z.nullable(z.string()).default(null),
  externalId: z.nullable(z.string()).default(null),
  endUser: z.nullable(z.string()).default(null),
  isSession: z.boolean().default(false),
})
type Abandoned = BodyOf<'ExpireHolds'>[number]

/** The status of a call that was not finished and has no answer, or whose charge was refunded. */
const abandonedStatus = 503
/** The maximum of GraphQL's Int. */
const maxLatencyMs = 2 ** 31 - 1
/** The status of a charged call: only successes are charged. It is unknown whether the answer arrived. */
const chargedStatus = 200

/**
 * Repairs the books automatically after a process has died (docs/credits.md §3). Any number of
 * processes may do so at the same time.
 */
export async function startSweeps(options: SweepOptions): Promise<Sweeps> {
  const { execute, recorder, processId, isAlone, digest, metrics, log } = options
  const run: Ask = (operation, variables) => execute(operation, variables, caller)

  function recover(
    { requestId, accountId, environment, request: line }: Abandoned,
    status: number,
    credits: number,
  ): Promise<boolean> {
    const seen = request.parse(line)
    const latencyMs = Math.min(Math.max(0, Date.now() - Date.parse(seen.ts)), maxLatencyMs)
    const owner = { requestId, accountId, environment }
    const errorCode = status === abandonedStatus ? 'SERVICE_UNAVAILABLE' : null
    return recorder.recover({ ...owner, ...seen, status, credits, latencyMs, errorCode })
  }

  async function recoverCharges(silentSeconds: number): Promise<void> {
    const dead = await run('ListDeadFacades', { silentSeconds })
    for (const id of dead.filter((name) => name !== processId)) {
      const charges = await run('ListOrphanedCharges', { facadeId: id })
      const written = await Promise.all(
        charges.map((charge) =>
          recover(charge, charge.credits > 0 ? chargedStatus : abandonedStatus, charge.credits),
        ),
      )
      // Keep the row while an entry is missing: it is the only sign of that.
      if (written.includes(false)) continue
      await run('RemoveFacade', { id })
      log.warn({ id, charges: charges.length }, 'Recorded the charges of a dead process')
    }
  }

  const tasks: PeriodicTask[] = [
    {
      name: 'expire holds',
      intervalMs: 2000,
      async run() {
        for (let count = batchSize; count === batchSize; ) {
          const expired = await run('ExpireHolds', { limit: batchSize })
          count = expired.length
          if (count > 0) log.warn({ count }, 'Holds expired')
          metrics.expiredHolds.inc(count)
          await Promise.all(expired.map((hold) => recover(hold, abandonedStatus, 0)))
        }
      },
    },
    {
      name: 'recover charges',
      intervalMs: 5000,
      run: () => recoverCharges(silentSeconds),
    },
    ...takingUp(run, options),
    ...forgetfulTasks(run),
    ...countingTasks(run, options),
    reconciling(run, options),
  ]
  if (digest) tasks.push({ name: 'write digest', intervalMs: 5000, run: () => digest.write(run) })

  // If this process is alone, all others are dead.
  if (isAlone) await recoverCharges(0)
  return { stop: startPeriodic(tasks, log) }
}

type ForgettingOperation = Extract<OperationName, `Forget${string}`>
type CountingOperation = 'GetWebhookQueue' | 'GetMailQueue'

/** What is deleted in batches when it is old enough. */
function forgetfulTasks(run: Ask): PeriodicTask[] {
  const forget = (
    rows: string,
    intervalMs: number,
    operation: ForgettingOperation,
    limit = batchSize,
  ) => ({
    ...{ name: `forget ${rows}`, intervalMs },
    async run() {
      // An operation that reads two tables can return more than a batch.
      for (let count = limit; count >= limit; ) {
        count = await run(operation, { limit })
      }
    },
  })
  return [
    forget('idempotency keys', 30_000, 'ForgetIdempotencyKeys'),
    forget('expired grants', 30_000, 'ForgetExpiredGrants'),
    forget('old mails', 30_000, 'ForgetMails'),
    forget('old events', 30_000, 'ForgetEvents'),
    forget('refused strangers', 60_000, 'ForgetAnonymousFailures'),
    forget('internal tokens', 60_000, 'ForgetInternalTokens'),
    forget('old exports', 10_000, 'ForgetAuditExports', exportBatchSize),
  ]
}

/** What waits, for the metrics. */
function countingTasks(run: Ask, { metrics, jobs }: SweepOptions): PeriodicTask[] {
  const countQueue = (
    name: string,
    operation: CountingOperation,
    waiting: Gauge,
    oldest: Gauge,
  ) => ({
    ...{ name: `count ${name}`, intervalMs: 15_000 },
    async run() {
      const counted = await run(operation, {})
      waiting.set(counted.waiting)
      oldest.set(counted.oldestSeconds)
    },
  })
  const { waitingWebhooks, oldestWebhookSeconds, waitingMails, oldestMailSeconds } = metrics
  return [
    countQueue('webhooks', 'GetWebhookQueue', waitingWebhooks, oldestWebhookSeconds),
    countQueue('mails', 'GetMailQueue', waitingMails, oldestMailSeconds),
    {
      name: 'count jobs',
      intervalMs: 15_000,
      async run() {
        metrics.deadJobs.set(await jobs.countDeadLetters())
        for (const [operation, { count, oldestSeconds }] of await jobs.countDue()) {
          metrics.waitingJobs.set({ operation }, count)
          metrics.oldestJobSeconds.set({ operation }, oldestSeconds)
        }
      },
    },
  ]
}

function reconciling(run: Ask, { metrics, log }: SweepOptions): PeriodicTask {
  return {
    name: 'reconcile',
    intervalMs: 60_000,
    async run() {
      const balances = await run('ListBalanceDrifts', {})
      const charges = await findLogDrifts(run, {
        fromMs: Date.now() - reconciledMs,
        settlingSeconds,
      })
      metrics.ledgerDrifts.set(balances.length + charges.length)
      metrics.reconciledAt.set(Math.floor(Date.now() / 1000))
      for (const drift of [...balances, ...charges]) log.error(drift, 'The books drift')
    },
  }
}

/** What a dead process has left behind, but for its charges. */
function takingUp(run: Ask, { metrics, log }: SweepOptions): PeriodicTask[] {
  return [
    {
      name: 'fold usage',
      intervalMs: 10_000,
      async run() {
        metrics.oldestUsageEpochSeconds.set(await run('GetUsageEpochAge', {}))
        const count = await run('FoldAbandonedUsage', {})
        if (count > 0) log.warn({ count }, 'Added up the usage that dead processes recorded')
      },
    },
    {
      name: 'take up lost jobs',
      intervalMs: 5000,
      async run() {
        const count = await run('TakeUpLostJobs', {})
        if (count > 0) log.warn({ count }, 'Restarted exports that had no job')
      },
    },
  ]
}
