import type { Logger } from 'pino'
import type { Metrics } from '../observability/metrics.ts'
import { type Caretaker, type JobCounts, startCaretaker } from '../upkeep/upkeep-tasks.ts'
import type { UsageRecorder } from '../usage-log/usage-recorder.ts'
import { type OpenStore, workerUrlsOf } from './databases/store.ts'
import type { Cleanups } from './process/cleanups.ts'
import type { OpenGraph } from './supergraph/graph.ts'
import { startJobs } from './supergraph/jobs.ts'

interface WorkerOptions {
  readonly store: OpenStore
  readonly graph: OpenGraph
  readonly cleanups: Cleanups
  readonly metrics: Metrics
  readonly log: Logger
}

/** Works off the jobs of every database. Returns what can be asked about all of them. */
export async function startAllJobs({
  store,
  graph,
  cleanups,
  metrics,
  log,
}: WorkerOptions): Promise<JobCounts> {
  const workers = await Promise.all(
    workerUrlsOf(store.databases).map((workerUrl) =>
      startJobs({
        workerUrl,
        execute: graph.execute,
        warn: (message, cause) => log.warn({ err: cause }, message),
        noteAttempt: (operation, outcome) => metrics.jobs.inc({ operation, outcome }),
      }),
    ),
  )
  cleanups.add(async () => {
    await Promise.all(workers.map((worker) => worker.stop()))
  })
  cleanups.add(() => graph.interrupt())
  return {
    async countDeadLetters() {
      const counts = await Promise.all(workers.map((worker) => worker.countDeadLetters()))
      return counts.reduce((sum, count) => sum + count, 0)
    },
    async countDue() {
      const sums = new Map<string, number>()
      for (const counts of await Promise.all(workers.map((worker) => worker.countDue()))) {
        for (const [operation, count] of counts) {
          sums.set(operation, (sums.get(operation) ?? 0) + count)
        }
      }
      return sums
    },
  }
}

interface CaretakingOptions extends WorkerOptions {
  readonly jobs: JobCounts
  readonly recorder: UsageRecorder
  readonly processId: string | null
}

/** Keeps the books right; see `startCaretaker`. */
export async function startCaretaking(options: CaretakingOptions): Promise<Caretaker> {
  const { store, graph, cleanups } = options
  const caretaker = await startCaretaker({
    ...options,
    execute: graph.execute,
    isAlone: store.isEmbedded,
  })
  cleanups.add(() => caretaker.stop())
  return caretaker
}
