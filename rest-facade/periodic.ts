import type { Logger } from 'pino'
import { isOutage } from './errors.ts'

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

function start({ name, intervalMs, run }: PeriodicTask, log: Logger): () => Promise<void> {
  let running: Promise<void> | null = null
  const timer = setInterval(() => {
    running ??= run()
      .catch((error: unknown) => {
        // While the database is away there is nothing to do and nothing new to say.
        if (!isOutage(error)) log.error({ err: error, task: name }, 'A periodic task failed')
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
