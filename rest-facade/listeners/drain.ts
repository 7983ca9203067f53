import { setTimeout as sleep } from 'node:timers/promises'
import { within } from '../work/within.ts'
import type { Listener } from './listener.ts'
import type { Readiness } from './readiness.ts'

interface DrainOptions {
  readonly readiness: Readiness
  readonly listeners: readonly Listener[]
  /** Closed last, so that whoever watches over the process can see it leave. */
  readonly internal: Listener
  /** Resolves once every call is settled, also those whose client has left: no listener knows of these. */
  readonly callsSettled?: () => Promise<void>
  /** For so long requests are accepted still, while load balancers notice. */
  readonly noticeMs: number
  /** From now to the exit. */
  readonly timeoutMs: number
}

/** Kept of the time to leave, after the last request: what is pending is written, what runs is stopped. */
export const flushMs = 5000

/** Says that the process leaves, then stops accepting and finishes what is under way (docs/promises.md R6). */
export async function drain(options: DrainOptions): Promise<void> {
  const { readiness, listeners, internal, callsSettled, noticeMs, timeoutMs } = options
  const endsAtMs = performance.now() + requestsMs(timeoutMs)
  const leftMs = () => Math.max(0, endsAtMs - performance.now())
  readiness.leave()
  for (const listener of [...listeners, internal]) listener.letGo()
  await sleep(noticeMs)
  await Promise.all(listeners.map((listener) => listener.close(leftMs())))
  if (callsSettled) await within(leftMs(), callsSettled())
  await internal.close(leftMs())
}

/** What requests may take of the time to leave; of a short one half. */
function requestsMs(timeoutMs: number): number {
  return Math.max(timeoutMs - flushMs, timeoutMs / 2)
}
