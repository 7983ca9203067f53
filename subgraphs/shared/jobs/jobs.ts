import { setTimeout as sleep } from 'node:timers/promises'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { SpanKind } from '@opentelemetry/api'
import pg from 'pg'
import { type Job, type JobResult, PgBoss, type QueueOptions } from 'pg-boss'
import pgBoss from 'pg-boss/package.json' with { type: 'json' }
import { inRootSpan } from '../../../schema/process/tracing.ts'
import { readIfPermitted } from '../database/read-if-permitted.ts'
import { workerRole } from '../database/service-role.ts'
import { UnsafeDatabase } from '../database/unsafe-database.ts'

const schema = 'jobs'
const jobSpan = { kind: SpanKind.CONSUMER }

/** The persisted operation that keeps the audit trail: what any subgraph changes leaves a line by it. */
export const auditJob = 'RecordAuditEvents'

/** The one that makes events known: what happens in any subgraph reaches the account's webhooks by it. */
export const eventJob = 'PublishEvents'

/** Where a job ends that failed too often, with the reason, until an operator has it tried again. */
const deadLetters = 'dead_letter'

const errorPauseMs = 10_000

const tenYears = 10 * 365 * 86_400

/** Of new queues: those that are there keep theirs, until a step in `migrations/` changes it. */
const policy: QueueOptions = {
  // Five tries in about three minutes (docs/promises.md J9).
  retryLimit: 4,
  retryDelay: 5,
  retryBackoff: true,
  retryDelayMax: 300,
  // Of a worker that died: then another has it.
  expireInSeconds: 60,
  // What is due in a year, or was while everything stood still, must be there.
  retentionSeconds: tenYears,
  deleteAfterSeconds: 86_400,
}

/** Of operations that may take so long: a worker that died leaves them to what watches over them. */
const longPolicy: QueueOptions = { ...policy, expireInSeconds: 2 * 3600 }

/**
 * Of events, which nobody tells again: for a week, at most ten minutes apart, so that a subgraph can be
 * away for days and what happened meanwhile is known soon after.
 */
const eventPolicy: QueueOptions = { ...policy, retryLimit: 1008, retryDelayMax: 600 }

/** Persisted operations that can be jobs. */
export interface JobNames {
  readonly operations: readonly string[]
  /** May take an hour: each process does two of a kind at a time, and never one behind another. */
  readonly longOperations: readonly string[]
}

/**
 * What a worker of this build needs and the database lacks: pg-boss's own schema, and queues. Asked as
 * any role. A newer schema of pg-boss lacks nothing.
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
 * Makes the schema that pg-boss keeps its jobs in, as the role that owns it, and one queue for each
 * persisted operation that can be a job. `sessionSettings` are `options` of a connection.
 *
 * `jobs.enqueue(operation, variables, at)` is how anything becomes a job, from SQL and from here: in the
 * transaction of the change that it belongs to.
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

/**
 * Has a persisted operation run with these variables: at that time, or soon after the transaction has
 * committed.
 */
export async function enqueueJob(
  tx: SqlEntityManager,
  operation: string,
  variables: object,
  at: Date | null = null,
): Promise<void> {
  await tx.execute(`SELECT ${schema}.enqueue(?, ?, greatest(?::timestamptz, now()))`, [
    operation,
    JSON.stringify(variables),
    at,
  ])
}

interface WorkerOptions extends JobNames {
  readonly url: string
  /** As `options` of a connection: the role that it works as. */
  readonly sessionSettings: string
  /** Runs a persisted operation; throws when it failed. */
  readonly run: (operation: string, variables: Record<string, unknown>) => Promise<unknown>
  /** Told of failed attempts, and of what pg-boss itself has met. */
  readonly warn: (message: string, cause: unknown) => void
  /** Told how each attempt ended. */
  readonly noteAttempt?: (operation: string, outcome: 'completed' | 'failed') => void
}

export interface Worker {
  /** Jobs that failed too often, and that nobody has had tried again. */
  readonly countDeadLetters: () => Promise<number>
  /** Of each operation, the jobs that are due and that nobody has taken up. */
  readonly countDue: () => Promise<ReadonlyMap<string, number>>
  /** Finishes what it is at, takes nothing new. */
  stop(): Promise<void>
}

/** Jobs of one kind that run at the same time. */
const batchSize = 20
/** Of those that may take long. */
const longAtOnce = 2
const stopPatienceMs = 5000
/** A connection that went silent must not keep a worker waiting; tidying up takes its time. */
const answerPatienceMs = 60_000

/**
 * Works off jobs, each once however many workers there are; one whose worker died is tried again. A job
 * that fails is tried five times (events for a week), then it is a dead letter; those beside it go on.
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
      const counts = new Map(allOperations.map(({ operation }) => [operation, 0]))
      const { rows } = await boss.getDb().executeSql(
        `SELECT name, count(*)::int FROM ${schema}.job
           WHERE state < 'active' AND start_after <= now() AND name <> $1 GROUP BY name`,
        [deadLetters],
      )
      for (const { name, count } of rows) counts.set(String(name), Number(count))
      return counts
    },
    async stop() {
      const idle = Promise.all(
        allOperations.map(({ operation }) => boss.offWork(operation, { wait: true })),
      )
      await Promise.race([idle, sleep(stopPatienceMs, undefined, { ref: false })])
      // A connection that went silent would be waited for; what is left undone, another worker does.
      const stopped = boss.stop({ graceful: false })
      await Promise.race([stopped, sleep(stopPatienceMs, undefined, { ref: false })])
    },
  }
}

/** What is due later announces nothing when its time comes. */
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

/** The oldest thousand that nobody has had tried again. */
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

/** Has dead letters tried again, the oldest thousand; those of one operation if it is named. Returns how many. */
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
  options: pg.ClientConfig,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ ...options, connectionTimeoutMillis: 5000 })
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
  // A pool of pg, which takes all that pg takes.
  const options = {
    ...connection,
    schema,
    application_name: 'credit-gateway jobs',
    max: 3,
    connectionTimeoutMillis: 2000,
    query_timeout: answerPatienceMs,
    schedule: false,
    supervise: !connection.migrate,
    superviseIntervalSeconds: 15,
    // What is done is deleted in one statement: a little at a time.
    maintenanceIntervalSeconds: 600,
    // The service's role does not own the tables.
    reindex: false,
    monitorVacuum: false,
  }
  const boss = new PgBoss(options)
  // While the database is away every queue meets the same error each second: said once in a while.
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
