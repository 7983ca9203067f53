import type { Logger } from 'pino'
import { flushMs } from '../../listeners/drain.ts'

/** A second signal this long after the first means it: npm forwards a group's signal twice. */
const impatienceMs = 2000

/** The end of this process: a signal asks for it, or a failure that nobody caught. */
export interface Shutdown {
  /** Resolves when the process has to end. */
  readonly requested: Promise<void>
  /** Ends by `close`; if that takes longer than this, the process exits with code 1. */
  finish(close: () => Promise<void>, drainMs: number): Promise<void>
}

/**
 * Watches over the process from now on. After a failure that nobody caught its state is unknown: it
 * finishes what is under way and exits 1, so that a new one takes its place (docs/promises.md R17).
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
  // Of rejections that nobody handles too.
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'A failure that nobody caught; this process leaves')
    process.exitCode = 1
    resolve()
  })
  return {
    requested,
    async finish(close, drainMs) {
      log.info('Stopping')
      const abandon = setTimeout(
        () => {
          log.fatal('This process does not come to its end; what it had to write, others will')
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
