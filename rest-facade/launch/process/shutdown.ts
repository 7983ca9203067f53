import type { Logger } from 'pino'
import { flushMs } from '../../listeners/drain.ts'

/** A second signal counts only after this time, because npm forwards a group's signal twice. */
const impatienceMs = 2000

/** The end of this process, by a signal or by an uncaught error. */
export interface Shutdown {
  /** Resolves when the process has to end. */
  readonly requested: Promise<void>
  /** Runs `close`; if it takes longer than `drainMs`, the process exits with code 1. */
  finish(close: () => Promise<void>, drainMs: number): Promise<void>
}

/**
 * Handles signals and uncaught errors from now on. After an uncaught error the state of the process
 * is unknown: it finishes its running work and exits with 1, so that a new process replaces it
 * (docs/promises.md R17).
 */
export function watchShutdown(log: Logger): Shutdown {
  const { promise: requested, resolve } = Promise.withResolvers<void>()
  let firstAtMs: number | null = null
  function onSignal(): void {
    firstAtMs ??= performance.now()
    if (performance.now() - firstAtMs > impatienceMs) process.exit(1)
    resolve()
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  // Node raises it for unhandled rejections too.
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'An uncaught error; this process stops')
    process.exitCode = 1
    resolve()
  })
  return {
    requested,
    async finish(close, drainMs) {
      log.info('Stopping')
      const abandon = setTimeout(
        () => {
          log.fatal('This process did not stop in time; other processes write the rest')
          process.exit(1)
        },
        Math.max(drainMs, flushMs * 2),
      )
      await close()
      clearTimeout(abandon)
      log.info('Stopped')
    },
  }
}
