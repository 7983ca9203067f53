import { setTimeout as sleep } from 'node:timers/promises'
import { SpanKind } from '@opentelemetry/api'
import pg from 'pg'
import { type Job, type JobResult, PgBoss, type QueueOptions } from 'pg-boss'
import pgBoss from 'pg-boss/package.json' with { type: 'json' }
import { inRootSpan } from '../../../schema/process/tracing.ts'
import { connectTimeoutMs } from '../database/health/connect-timeout.ts'
import { readIfPermitted } from '../database/read-if-permitted.ts'
import { workerRole } from '../database/service-role.ts'
import type { Queryable, Statement } from '../database/statement.ts'
import { UnsafeDatabase } from '../database/unsafe-database.ts'

const schema = 'jobs'
const jobSpan = { kind: SpanKind.CONSUMER }

/**
 * The persisted operation that records in the audit trail; every change of a subgraph enqueues it.
 */
export const auditJob = 'RecordAuditEvents'

/** The persisted operation that publishes events of any subgraph to the account's webhooks. */
export const eventJob = 'PublishEvents'

/** The queue of jobs that failed too often, with the reason, until an operator retries them. */
const deadLetters = 'dead_letter'

const errorPauseMs = 10_000

const tenYears = 10 * 365 * 86_400

/**
 * The policy of new queues; existing queues keep theirs until a step in `migrations/` changes it.
 */
const policy: QueueOptions = {
  // Five tries in about three minutes (docs/promises.md J9).
  retryLimit: 4,
  retryDelay: 5,
  retryBackoff: true,
  retryDelayMax: 300,
  // When a worker dies, another one gets its job after this time.
  expireInSeconds: 60,
  // A job must still exist when it is due in a year, or became due during a long outage.
  retentionSeconds: tenYears,
  deleteAfterSeconds: 86_400,
}

/**
 * The policy of operations that may take an hour: another job watches over them when a worker dies.
 */
const longPolicy: QueueOptions = { ...policy, expireInSeconds: 2 * 3600 }

/**
 * The policy of events, which are not enqueued again: retries go on for a week, at most ten minutes
 * apart. So a subgraph can be unavailable for days, and the events of that time are published soon
 * after.
 */
const eventPolicy: QueueOptions = { ...policy, retryLimit: 1008, retryDelayMax: 600 }

/** Persisted operations that can be jobs. */
export interface JobNames {
  readonly operations: readonly string[]
  /**
   * Operations that may take an hour: each process runs two of a kind at a time, and queues none
   * behind them.
   */
  readonly longOperations: readonly string[]
}

/**
 * The things that a worker of this build needs and the database lacks: the schema of pg-boss, and
 * queues. Any role may ask. A newer schema of pg-boss lacks nothing.
 */
export async function missingJobs(client: pg.Client, names: JobNames): Promise<string[]> {
  const version = await readIfPermitted<{ version: number }>(client, schema, 'version', 'version')
  const queues = await readIfPermitted<{ name: string }>(client, schema, 'queue', 'name')
  const known = new Set(queues.map(({ name }) => name))
  return [
    ...(version.some(({ version }) => version >= pgBoss.pgboss.schema)
      ? []
      : [`pg-boss ${pgBoss.pgboss.schema}`]),
    ...[deadLetters, ...names.operations, ...names.longOperations]
      .filter((name) => !known.has(name))
      .map((name) => `queue ${name}`),
  ].map((missing) => `${schema}.${missing}`)
}

/**
 * Makes the schema of pg-boss, as the role that owns it, and one queue for each persisted operation
 * that can be a job. `sessionSettings` are `options` of a connection. SQL and `enqueueJob` make
 * jobs by `jobs.enqueue(operation, variables, at)`, in the transaction of the change.
 */
export async function installJobs(
  ownerUrl: string,
  sessionSettings: string,
  { operations, longOperations }: JobNames,
): Promise<void> {
  const all = [
    ...operations.map((name) => ({ name, policy: name === eventJob ? eventPolicy : policy })),
    ...longOperations.map((name) => ({ name, policy: longPolicy })),
  ]
  const boss = await open({
    connectionString: ownerUrl,
    options: sessionSettings,
    migrate: true,
  })
  try {
    const known = new Set((await boss.getQueues()).map(({ name }) => name))
    if (!known.has(deadLetters)) {
      await boss.createQueue(deadLetters, { ...policy, deleteAfterSeconds: tenYears })
    }
    for (const { name, policy } of all.filter(({ name }) => !known.has(name))) {
      await boss.createQueue(name, { ...policy, deadLetter: deadLetters, notify: true })
    }
  } finally {
    await boss.stop({ graceful: false })
  }
}

const enqueue: Statement = {
  name: 'enqueue-job',
  text: `SELECT ${schema}.enqueue($1, $2, greatest($3::timestamptz, now()))`,
}

/** Runs a persisted operation with these variables at that time, or soon after the commit. */
export async function enqueueJob(
  tx: Queryable,
  operation: string,
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
  readonly run: (operation: string, variables: Record<string, unknown>) => Promise<unknown>
  /** Receives failed attempts, and errors of pg-boss itself. */
  readonly warn: (message: string, cause: unknown) => void
  /** Receives the outcome of each attempt. */
  readonly noteAttempt?: (operation: string, outcome: 'completed' | 'failed') => void
}

/** Jobs of one operation that are due and not started. */
export interface DueJobs {
  readonly count: number
  /** For so long the oldest of them has been due; 0 without any. */
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

/** Jobs of one kind that run at the same time. */
const batchSize = 20
/** Long jobs of one kind that run at the same time. */
const longAtOnce = 2
const stopPatienceMs = 5000
/**
 * A silent connection must not keep a worker waiting; the deletion of old jobs may take a while.
 */
const answerPatienceMs = 60_000

/**
 * Runs each job once, with any number of workers; a job whose worker died is retried. A job that
 * fails is tried five times (events for a week), then it is a dead letter; other jobs go on.
 */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { url, sessionSettings, operations, longOperations, run, warn, noteAttempt } = options
  const boss = await open(
    { connectionString: url, migrate: false, options: sessionSettings, useListenNotify: true },
    warn,
  )

  async function attempt(operation: string, job: Job<Record<string, unknown>>): Promise<JobResult> {
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

  const allOperations = [
    ...operations.map((operation) => ({ operation, share: { ...pollingEvery(1), batchSize } })),
    ...longOperations.map((operation) => ({
      operation,
      share: { ...pollingEvery(0.5), batchSize: 1, localConcurrency: longAtOnce },
    })),
  ]
  for (const { operation, share } of allOperations) {
    await boss.work<Record<string, unknown>>(
      operation,
      {
        ...share,
        burstWhenBatchFull: true,
        perJobResults: true,
      },
      (jobs) => Promise.all(jobs.map((job) => attempt(operation, job))),
    )
  }
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
      const due = new Map(allOperations.map(({ operation }) => [operation, none]))
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
      const idle = Promise.all(
        allOperations.map(({ operation }) => boss.offWork(operation, { wait: true })),
      )
      await Promise.race([idle, sleep(stopPatienceMs, undefined, { ref: false })])
      // A silent connection would delay the stop; another worker does the unfinished jobs.
      const stopped = boss.stop({ graceful: false })
      await Promise.race([stopped, sleep(stopPatienceMs, undefined, { ref: false })])
    },
  }
}

/** No notice arrives when a delayed job becomes due, so workers poll. */
function pollingEvery(seconds: number) {
  return { pollingIntervalSeconds: seconds, notifyPollingIntervalSeconds: seconds }
}

/** A job that failed too often. */
export interface DeadLetter {
  readonly id: string
  readonly operation: string
  readonly variables: object
  /** Why its last attempt failed. */
  readonly reason: string
  /** ISO 8601. */
  readonly failedAt: string
}

const maxDeadLetters = 1000

/** The oldest thousand jobs that were not retried by an operator. */
export function listDeadLetters(url: string, sessionSettings: string): Promise<DeadLetter[]> {
  return withClient({ connectionString: url, options: sessionSettings }, async (client) => {
    const { rows } = await client.query<DeadLetterRow>(
      `SELECT id, source_name, data, source_output ->> 'reason' AS reason, created_on
       FROM ${schema}.job WHERE name = $1 AND state = 'created' ORDER BY created_on LIMIT $2`,
      [deadLetters, maxDeadLetters],
    )
    return rows.map((row) => ({
      id: row.id,
      operation: row.source_name,
      variables: row.data,
      reason: row.reason ?? 'Its worker died, or took too long.',
      failedAt: row.created_on.toISOString(),
    }))
  })
}

interface DeadLetterRow {
  readonly id: string
  readonly source_name: string
  readonly data: object
  readonly reason: string | null
  readonly created_on: Date
}

/**
 * Retries the oldest thousand dead letters, or those of one operation if it is named. Returns their
 * number.
 */
export async function retryDeadLetters(
  url: string,
  sessionSettings: string,
  operation?: string,
): Promise<number> {
  const boss = await open({ connectionString: url, options: sessionSettings, migrate: false })
  try {
    return await boss.redrive(deadLetters, { sourceName: operation, limit: maxDeadLetters })
  } finally {
    await boss.stop({ graceful: false })
  }
}

async function withClient<Result>(
  options: pg.ClientConfig & { readonly connectionString: string },
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({
    ...options,
    connectionTimeoutMillis: connectTimeoutMs(options.connectionString, 5000),
  })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

interface Connection {
  readonly connectionString: string
  readonly migrate: boolean
  readonly options?: string
  readonly useListenNotify?: boolean
}

async function open(
  connection: Connection,
  warn: WorkerOptions['warn'] = () => {},
): Promise<PgBoss> {
  // pg-boss makes a pool of pg, which accepts all options of pg.
  const options = {
    ...connection,
    schema,
    application_name: 'credit-gateway jobs',
    max: 2,
    connectionTimeoutMillis: connectTimeoutMs(connection.connectionString),
    query_timeout: answerPatienceMs,
    schedule: false,
    supervise: !connection.migrate,
    superviseIntervalSeconds: 15,
    // Finished jobs are deleted in one statement, so each deletion should be small.
    maintenanceIntervalSeconds: 600,
    // The role of the worker does not own the tables.
    reindex: false,
    monitorVacuum: false,
  }
  const boss = new PgBoss(options)
  // During an outage of the database every queue reports the same error each second; it is logged
  // at intervals.
  let saidAtMs = Number.NEGATIVE_INFINITY
  boss.on('error', (error) => {
    if (performance.now() - saidAtMs < errorPauseMs) return
    saidAtMs = performance.now()
    warn('A worker met an error', error)
  })
  return boss.start().catch(refuseOtherLogin)
}

/** PostgreSQL refuses the role that is among the settings of the session. */
function refuseOtherLogin(error: unknown): never {
  const isRefused = error instanceof Error && /permission denied to set role/.test(error.message)
  if (!isRefused) throw error
  throw new UnsafeDatabase(
    `The login of DATABASE_URL may not work off jobs. Have a superuser run "GRANT ${workerRole} TO" this login.`,
  )
}
