import { setTimeout as sleep } from 'node:timers/promises'
import { SpanKind } from '@opentelemetry/api'
import type { Job, JobResult, PgBoss } from 'pg-boss'
import type { OperationName } from '../../../schema/generated/operations.ts'
import { inRootSpan } from '../../../schema/process/tracing.ts'
import type { Queryable, Statement } from '../database/statement.ts'
import { deadLetters, openBoss, schema } from './boss.ts'
import { type JobWorkers, startJobWorkers } from './job-workers.ts'

const jobSpan = { kind: SpanKind.CONSUMER }

/**
 * The persisted operation that records in the audit trail; every change of a subgraph enqueues it.
 */
export const auditJob = 'RecordAuditEvents'

/** The persisted operation that publishes events of any subgraph to the account's webhooks. */
export const eventJob = 'PublishEvents'

/** Persisted operations that can be jobs. */
export interface JobNames {
  readonly operations: readonly OperationName[]
  /**
   * Operations that may take an hour: each process runs two of a kind at a time, and queues none
   * behind them.
   */
  readonly longOperations: readonly OperationName[]
}

const enqueue: Statement = {
  name: 'enqueue-job',
  text: `SELECT ${schema}.enqueue($1, $2, greatest($3::timestamptz, now()))`,
}

/** Has a persisted operation run with these variables, at that time or soon after the commit. */
export async function enqueueJob(
  tx: Queryable,
  operation: OperationName,
  variables: object,
  at: Date | null = null,
): Promise<void> {
  await tx.query(enqueue, [operation, JSON.stringify(variables), at])
}

interface WorkerOptions extends JobNames {
  readonly url: string
  /** `options` of a connection, with the role of the worker. */
  readonly sessionSettings: string
  /** Runs a persisted operation; throws when it failed. */
  readonly run: (operation: OperationName, variables: Record<string, unknown>) => Promise<unknown>
  /** Receives failed attempts, and errors of pg-boss itself. */
  readonly warn: (message: string, cause: unknown) => void
  /** Receives the outcome of each attempt. */
  readonly noteAttempt?: (operation: string, outcome: 'completed' | 'failed') => void
}

/** The number of jobs of one operation that are due and not started. */
export interface DueJobs {
  readonly count: number
  /** How long the oldest of the jobs has been due; 0 without any. */
  readonly oldestSeconds: number
}

export interface Worker {
  /** The number of jobs that failed too often and were not retried by an operator. */
  readonly countDeadLetters: () => Promise<number>
  /** For each operation, the jobs that are due and not started. */
  readonly countDue: () => Promise<ReadonlyMap<string, DueJobs>>
  /** Finishes the jobs in progress and takes no new ones. */
  stop(): Promise<void>
}

const stopPatienceMs = 5000
const dueIntervalMs = 1000

/**
 * Runs each job once, with any number of workers; a job whose worker died is retried. A job that
 * fails is tried five times (events for a week), then it is a dead letter; other jobs go on. So do they
 * while a job is slow.
 */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { url, sessionSettings, operations, longOperations, run, warn, noteAttempt } = options
  const boss = await openBoss(
    { connectionString: url, migrate: false, options: sessionSettings, useListenNotify: true },
    warn,
  )

  async function attempt(
    operation: OperationName,
    job: Job<Record<string, unknown>>,
  ): Promise<JobResult> {
    try {
      await inRootSpan(operation, jobSpan, () => run(operation, job.data))
      noteAttempt?.(operation, 'completed')
      return { id: job.id, status: 'completed' }
    } catch (error) {
      noteAttempt?.(operation, 'failed')
      warn(`The job ${operation} failed`, error)
      const reason = error instanceof Error ? error.message : String(error)
      return { id: job.id, status: 'failed', output: { reason, variables: job.data } }
    }
  }

  const allOperations = [...operations, ...longOperations]
  const workers = await startJobWorkers({ boss, operations, longOperations, attempt })
  const stopWatch = watchDueJobs(boss, allOperations, workers)
  return {
    async countDeadLetters() {
      const { rows } = await boss
        .getDb()
        .executeSql(
          `SELECT count(*)::int FROM ${schema}.job WHERE name = $1 AND state = 'created'`,
          [deadLetters],
        )
      return Number(rows[0]?.count)
    },
    async countDue() {
      const none: DueJobs = { count: 0, oldestSeconds: 0 }
      const due = new Map<string, DueJobs>(allOperations.map((operation) => [operation, none]))
      const { rows } = await boss.getDb().executeSql(
        `SELECT name, count(*)::int,
           extract(epoch FROM now() - min(start_after))::float8 AS seconds FROM ${schema}.job
           WHERE state < 'active' AND start_after <= now() AND name <> $1 GROUP BY name`,
        [deadLetters],
      )
      for (const { name, count, seconds } of rows) {
        due.set(String(name), { count: Number(count), oldestSeconds: Number(seconds) })
      }
      return due
    },
    async stop() {
      stopWatch()
      workers.stop()
      const idle = Promise.all(
        allOperations.map((operation) => boss.offWork(operation, { wait: true })),
      )
      await Promise.race([idle, sleep(stopPatienceMs, undefined, { ref: false })])
      // A silent connection would delay the stop; another worker does the unfinished jobs.
      const stopped = boss.stop({ graceful: false })
      await Promise.race([stopped, sleep(stopPatienceMs, undefined, { ref: false })])
    },
  }
}

const dueNames = `
  SELECT due.name FROM unnest($1::text[]) AS queue (name), LATERAL (
    SELECT j.name FROM ${schema}.job j
    WHERE j.name = queue.name AND j.state < 'active' AND NOT j.blocked AND j.start_after <= now()
    ORDER BY j.priority DESC, j.created_on LIMIT 1) AS due`

/**
 * No notice arrives when a delayed job becomes due. One statement each second asks for the jobs of all
 * queues: a worker that asked for each of its twenty queues would be the greatest load of an idle
 * database.
 */
function watchDueJobs(boss: PgBoss, names: readonly string[], workers: JobWorkers): () => void {
  const stopping = new AbortController()
  const { signal } = stopping

  async function wakeWorkers(): Promise<void> {
    const { rows } = await boss.getDb().executeSql(dueNames, [names])
    for (const { name } of rows) workers.wake(String(name))
  }

  async function watch(): Promise<void> {
    while (!signal.aborted) {
      await wakeWorkers().catch((error: Error) => {
        // The error takes the same way to the log as an error of pg-boss itself.
        if (!signal.aborted) boss.emit('error', error)
      })
      await sleep(dueIntervalMs, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  void watch()
  return () => stopping.abort()
}
