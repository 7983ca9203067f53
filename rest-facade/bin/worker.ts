import type { Logger } from 'pino'
import { type Caretaker, startCaretaker } from '../caretaker.ts'
import type { Metrics } from '../metrics.ts'
import type { UsageRecorder } from '../usage-recorder.ts'
import type { Cleanups } from './cleanups.ts'
import { type OpenGraph, startJobs } from './graph.ts'
import { type OpenStore, serviceUrlsOf } from './store.ts'

interface WorkerOptions {
  readonly store: OpenStore
  readonly graph: OpenGraph
  readonly cleanups: Cleanups
  readonly metrics: Metrics
  readonly log: Logger
}

/** Works off the jobs of every database. Returns how many failed too often. */
export async function startAllJobs({
  store,
  graph,
  cleanups,
  log,
}: WorkerOptions): Promise<() => Promise<number>> {
  const workers = await Promise.all(
    serviceUrlsOf(store.databases).map((serviceUrl) =>
      startJobs({
        serviceUrl,
        execute: graph.execute,
        warn: (message, cause) => log.warn({ err: cause }, message),
      }),
    ),
  )
  cleanups.add(async () => {
    await Promise.all(workers.map((worker) => worker.stop()))
  })
  cleanups.add(() => graph.interrupt())
  return async () => {
    const counts = await Promise.all(workers.map((worker) => worker.countDeadLetters()))
    return counts.reduce((sum, count) => sum + count, 0)
  }
}

interface CaretakingOptions extends WorkerOptions {
  readonly countDeadJobs: () => Promise<number>
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
