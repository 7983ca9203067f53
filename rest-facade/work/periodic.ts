import type { Logger } from 'pino'
import { isOutage } from '../http/errors.ts'

export interface PeriodicTask {
  readonly name: string
  readonly intervalMs: number
  readonly run: () => Promise<void>
}

/** Runs tasks again and again, each never beside itself; returns what stops them and waits for those that run. */
export function startPeriodic(tasks: readonly PeriodicTask[], log: Logger): () => Promise<void> {
  const stops = tasks.map((task) => start(task, log))
  return async () => {
    await Promise.all(stops.map((stop) => stop()))
  }
}

/** So often it may fail in a row before that is worth a line. */
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
        // While the database is away there is nothing to do; a task that alone goes on failing, though,
        // has met something that is not over soon.
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
