import type { Logger } from 'pino'
import { flushMs } from '../../listeners/drain.ts'

/** A second signal counts only after this time, because npm forwards a group's signal twice. */
const impatienceMs = 2000

/** The time from the signal to the exit of a process that does not stop in time. */
export function stopPatienceMs(drainMs: number): number {
  return Math.max(drainMs, flushMs * 2)
}

/** The end of this process, by a signal or by an uncaught error. */
export interface Shutdown {
  /** Resolves when the process has to end. */
  readonly requested: Promise<void>
  /** Runs `close`; if it takes longer than `drainMs`, the process exits with code 1. */
  finish(close: () => Promise<void>, drainMs: number): Promise<void>
}

/** The process that started this one, and decides when it ends. */
interface ParentProcess {
  readonly ended: Promise<void>
}

/**
 * Handles signals and uncaught errors from now on. After an uncaught error the state of the process
 * is unknown: it finishes its running work and exits with 1, so that a new process replaces it
 * (docs/promises.md R17).
 */
export function watchShutdown(log: Logger, parent?: ParentProcess): Shutdown {
  const { promise: requested, resolve } = Promise.withResolvers<void>()
  let firstAtMs: number | null = null
  function onSignal(): void {
    firstAtMs ??= performance.now()
    if (performance.now() - firstAtMs > impatienceMs) process.exit(1)
    resolve()
  }
  // A signal to the process group reaches children too; their parent tells them when to end.
  const handle = parent ? () => {} : onSignal
  process.on('SIGINT', handle)
  process.on('SIGTERM', handle)
  if (parent) {
    process.on('SIGHUP', handle)
    void parent.ended.then(resolve)
  }
  // Node raises this event for unhandled rejections too.
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'An uncaught error; this process stops')
    process.exitCode = 1
    resolve()
  })
  return {
    requested,
    async finish(close, drainMs) {
      // A child logs less: the line of its parent is enough.
      const say = (message: string) => (parent ? log.debug(message) : log.info(message))
      say('Stopping')
      const abandon = setTimeout(() => {
        log.fatal('This process did not stop in time; other processes write the rest')
        process.exit(1)
      }, stopPatienceMs(drainMs))
      await close()
      clearTimeout(abandon)
      say('Stopped')
    },
  }
}
