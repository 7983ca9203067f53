import type { Logger } from 'pino'
import { isOutage } from '../../rest-facade/http/errors.ts'

export interface PeriodicTask {
  readonly name: string
  readonly intervalMs: number
  readonly run: () => Promise<void>
}

/**
 * Repeats tasks, each never concurrently with itself. Returns a function that stops them and waits.
 */
export function startPeriodic(tasks: readonly PeriodicTask[], log: Logger): () => Promise<void> {
  const stops = tasks.map((task) => start(task, log))
  return async () => {
    await Promise.all(stops.map((stop) => stop()))
  }
}

/** The number of failures in a row for each log line. */
const patience = 10

function start({ name, intervalMs, run }: PeriodicTask, log: Logger): () => Promise<void> {
  let running: Promise<void> | null = null
  let outages = 0
  const timer = setInterval(() => {
    running ??= run()
      .then(() => {
        outages = 0
      })
      .catch((error: unknown) => {
        if (!isOutage(error)) return log.error({ err: error, task: name }, 'A periodic task failed')
        // During an outage of the database a task has nothing to do. A task that continues to fail,
        // however, has a lasting problem.
        outages += 1
        if (outages % patience === 0) {
          log.warn({ err: error, task: name, outages }, 'A periodic task keeps failing')
        }
      })
      .finally(() => {
        running = null
      })
  }, intervalMs)
  return async () => {
    clearInterval(timer)
    await running
  }
}
