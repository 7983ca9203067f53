import { setTimeout as sleep } from 'node:timers/promises'
import { orNullAfter } from '../../rest-facade/charge/batching/or-null-after.ts'
import type { Listener } from './listener.ts'
import type { Readiness } from './readiness.ts'

interface DrainOptions {
  readonly readiness: Readiness
  readonly listeners: readonly Listener[]
  /** The internal listener, which is closed last, so that a supervisor can see the process stop. */
  readonly internal: Listener
  /**
   * Resolves when every call is settled, also calls whose client has left: listeners do not know
   * them.
   */
  readonly callsSettled?: () => Promise<void>
  /**
   * Whether another process serves new connections meanwhile. The process then does not announce
   * its stop, and keeps each connection until its client has used it once more or the time for
   * requests ends.
   */
  readonly isReplaced?: boolean
  /** Requests are still accepted for this time, while load balancers notice. */
  readonly noticeMs: number
  /** The time from now to the exit. */
  readonly timeoutMs: number
}

/** The time that is kept free after the last request, to write pending entries and to stop the rest. */
export const flushMs = 5000

/** Announces the stop, then stops accepting and finishes running requests (docs/promises.md R6). */
export async function drain(options: DrainOptions): Promise<void> {
  const { readiness, listeners, internal, callsSettled, noticeMs, timeoutMs } = options
  const endsAtMs = performance.now() + requestsMs(timeoutMs)
  const leftMs = () => Math.max(0, endsAtMs - performance.now())
  if (options.isReplaced) {
    await Promise.all([...listeners, internal].map((one) => one.close(leftMs(), 'keep')))
    if (callsSettled) await orNullAfter(leftMs(), callsSettled())
    return
  }
  readiness.leave()
  for (const listener of [...listeners, internal]) listener.letGo()
  await sleep(noticeMs)
  await Promise.all(listeners.map((listener) => listener.close(leftMs())))
  if (callsSettled) await orNullAfter(leftMs(), callsSettled())
  await internal.close(leftMs())
}

/** The part of the timeout that requests may use: half of a short one. */
function requestsMs(timeoutMs: number): number {
  return Math.max(timeoutMs - flushMs, timeoutMs / 2)
}
