import { type JobCounts, startUpkeepTasks } from '../../upkeep/upkeep-tasks.ts'
import type { UsageRecorder } from '../../usage-log/usage-recorder.ts'
import { type OpenStore, workerUrlsOf } from '../databases/store.ts'
import type { ProcessContext } from '../process/process-context.ts'
import type { OpenGraph } from '../supergraph/graph.ts'
import { startJobs } from '../supergraph/jobs.ts'
import type { Ear } from './ears.ts'
import { startWebhooks } from './webhooks.ts'

interface WorkerOptions {
  readonly store: OpenStore
  readonly graph: OpenGraph
}

interface UpkeepOptions {
  readonly recorder: UsageRecorder
  /** The id of this process, if it charges. */
  readonly processId: string | null
  /** Whether no other process charges; by default if the database is embedded. */
  readonly isAlone?: boolean
}

export interface Worker {
  /** Has webhooks hear of new events; see `startWebhooks`. */
  readonly ear: Ear
  /** Starts the periodic tasks; see `startUpkeepTasks`. */
  startUpkeep(options: UpkeepOptions): Promise<void>
}

/**
 * Runs the jobs of every database and delivers webhooks. The upkeep starts later: it needs a
 * recorder.
 */
export async function startWorker(
  context: ProcessContext,
  { store, graph }: WorkerOptions,
): Promise<Worker> {
  const jobs = await startAllJobs(context, { store, graph })
  const ear = await startWebhooks(context, store)
  return {
    ear,
    async startUpkeep({ recorder, processId, isAlone = store.isEmbedded }) {
      const { metrics, log, resources } = context
      const upkeepTasks = await startUpkeepTasks({
        ...{ recorder, processId, isAlone, jobs, metrics, log },
        execute: graph.execute,
      })
      resources.defer(() => upkeepTasks.stop())
    },
  }
}

/** Returns counts over the jobs of all databases. */
async function startAllJobs(
  { metrics, log, resources }: ProcessContext,
  { store, graph }: WorkerOptions,
): Promise<JobCounts> {
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
  resources.defer(async () => {
    await Promise.all(workers.map((worker) => worker.stop()))
  })
  resources.defer(() => graph.interrupt())
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
