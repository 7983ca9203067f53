import type { Job, JobResult, PgBoss } from 'pg-boss'

/** Jobs of one kind that a taker runs at the same time. */
const batchSize = 20
/** Long jobs of one kind that run at the same time. */
const longAtOnce = 2
/** A batch that lasts longer gets a helper. */
const slowBatchMs = 1000
/** Takers of one kind at the same time. Each job in progress may need a connection of the pool. */
const maxTakers = 4
/** A queue is asked by itself only for what neither a notice nor the watch has shown. */
const pollingIntervalSeconds = 300

interface TakersOptions {
  readonly boss: PgBoss
  /** Operations whose jobs take little time, as a rule. */
  readonly operations: readonly string[]
  /** Two jobs of each of these run at a time, and none waits behind them. */
  readonly longOperations: readonly string[]
  /** Never rejects. */
  readonly attempt: (operation: string, job: Job<Record<string, unknown>>) => Promise<JobResult>
}

/** The takers of all queues in this process. */
export interface Takers {
  /** Lets the takers of an operation ask for jobs now. */
  wake(operation: string): void
  /** From now on no helper is added. */
  stop(): void
}

/**
 * A taker runs a batch of jobs, and takes the next batch when the slowest job has ended. So a job that
 * hangs, for example at a payment provider, would delay all jobs of its kind: while a batch is slow, a
 * helper goes on with the jobs behind it.
 */
export async function startTakers(options: TakersOptions): Promise<Takers> {
  const { boss, operations, longOperations, attempt } = options
  const takersOf = new Map<string, Set<string>>()
  let isStopping = false

  function takersFor(operation: string): Set<string> {
    const takers = takersOf.get(operation) ?? new Set()
    takersOf.set(operation, takers)
    return takers
  }

  /** It takes the same way to the log as an error of pg-boss itself. */
  function report(error: unknown): void {
    if (!isStopping) boss.emit('error', error instanceof Error ? error : new Error(String(error)))
  }

  async function add(operation: string, size: number): Promise<string> {
    const runAll = (jobs: Job<Record<string, unknown>>[]) =>
      Promise.all(jobs.map((job) => attempt(operation, job)))
    const taker = await boss.work<Record<string, unknown>>(
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
    takersFor(operation).add(taker)
    return taker
  }

  async function withHelper<Result>(operation: string, work: Promise<Result>): Promise<Result> {
    let helper: Promise<string | null> = Promise.resolve(null)
    const timer = setTimeout(() => {
      helper = addHelper(operation)
    }, slowBatchMs)
    try {
      return await work
    } finally {
      clearTimeout(timer)
      helper.then((taker) => (taker ? remove(operation, taker) : null)).catch(report)
    }
  }

  async function addHelper(operation: string): Promise<string | null> {
    if (isStopping || takersFor(operation).size >= maxTakers) return null
    try {
      return await add(operation, batchSize)
    } catch (error) {
      report(error)
      return null
    }
  }

  /** It finishes the jobs that it has. */
  async function remove(operation: string, taker: string): Promise<void> {
    takersFor(operation).delete(taker)
    await boss.offWork(operation, { id: taker, wait: false })
  }

  for (const operation of operations) await add(operation, batchSize)
  for (const operation of longOperations) {
    for (let taker = 0; taker < longAtOnce; taker += 1) await add(operation, 1)
  }
  return {
    wake(operation) {
      for (const taker of takersFor(operation)) boss.notifyWorker(taker)
    },
    stop() {
      isStopping = true
    },
  }
}
