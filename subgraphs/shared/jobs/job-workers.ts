import type { Job, JobResult, PgBoss } from 'pg-boss'
import type { OperationName } from '../../../schema/generated/operations.ts'

/** Jobs of one kind that a worker runs at the same time. */
const batchSize = 20
/** Long jobs of one kind that run at the same time. */
const longAtOnce = 2
/** A batch that lasts longer gets a helper. */
const slowBatchMs = 1000
/** Workers of one kind at the same time. Each job in progress may need a connection of the pool. */
const maxWorkers = 4
/**
 * The seconds between two polls of a queue. A poll only finds what neither a notice nor the watch
 * has shown.
 */
const pollingIntervalSeconds = 300

interface JobWorkersOptions {
  readonly boss: PgBoss
  /** Operations whose jobs take little time, as a rule. */
  readonly operations: readonly OperationName[]
  /** Operations whose jobs take long. Two jobs of each run at a time, and none waits behind them. */
  readonly longOperations: readonly OperationName[]
  /** Runs a job; never rejects. */
  readonly attempt: (
    operation: OperationName,
    job: Job<Record<string, unknown>>,
  ) => Promise<JobResult>
}

/** The workers of all queues in this process. */
export interface JobWorkers {
  /** Lets the workers of an operation ask for jobs now. */
  wake(operation: string): void
  /** Adds no helper from now on. */
  stop(): void
}

/**
 * A worker runs a batch of jobs, and takes the next batch when the slowest job has ended. So a job that
 * hangs, for example at a payment provider, would delay all jobs of its kind: while a batch is slow, a
 * helper goes on with the jobs behind it.
 */
export async function startJobWorkers(options: JobWorkersOptions): Promise<JobWorkers> {
  const { boss, operations, longOperations, attempt } = options
  const workersOf = new Map<string, Set<string>>()
  let isStopping = false

  function workersFor(operation: string): Set<string> {
    const workers = workersOf.get(operation) ?? new Set()
    workersOf.set(operation, workers)
    return workers
  }

  /** Passes an error on to the log in the same way as an error of pg-boss itself. */
  function report(error: unknown): void {
    if (!isStopping) boss.emit('error', error instanceof Error ? error : new Error(String(error)))
  }

  async function add(operation: OperationName, size: number): Promise<string> {
    const runAll = (jobs: Job<Record<string, unknown>>[]) =>
      Promise.all(jobs.map((job) => attempt(operation, job)))
    const worker = await boss.work<Record<string, unknown>>(
      operation,
      {
        batchSize: size,
        pollingIntervalSeconds,
        notifyPollingIntervalSeconds: pollingIntervalSeconds,
        burstWhenBatchFull: true,
        perJobResults: true,
      },
      size === batchSize ? (jobs) => withHelper(operation, runAll(jobs)) : runAll,
    )
    workersFor(operation).add(worker)
    return worker
  }

  async function withHelper<Result>(
    operation: OperationName,
    work: Promise<Result>,
  ): Promise<Result> {
    let helper: Promise<string | null> = Promise.resolve(null)
    const timer = setTimeout(() => {
      helper = addHelper(operation)
    }, slowBatchMs)
    try {
      return await work
    } finally {
      clearTimeout(timer)
      helper.then((worker) => (worker ? remove(operation, worker) : null)).catch(report)
    }
  }

  async function addHelper(operation: OperationName): Promise<string | null> {
    if (isStopping || workersFor(operation).size >= maxWorkers) return null
    try {
      return await add(operation, batchSize)
    } catch (error) {
      report(error)
      return null
    }
  }

  /** Removes a worker, which finishes the jobs that it has. */
  async function remove(operation: string, worker: string): Promise<void> {
    workersFor(operation).delete(worker)
    await boss.offWork(operation, { id: worker, wait: false })
  }

  for (const operation of operations) await add(operation, batchSize)
  for (const operation of longOperations) {
    for (let worker = 0; worker < longAtOnce; worker += 1) await add(operation, 1)
  }
  return {
    wake(operation) {
      for (const worker of workersFor(operation)) boss.notifyWorker(worker)
    },
    stop() {
      isStopping = true
    },
  }
}
