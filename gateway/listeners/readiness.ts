import type { Logger } from 'pino'
import type { ReadyState } from '../../rest-facade/routes/health.ts'
import { startPeriodic } from '../sweeps/periodic.ts'

/** Checks a service, and rejects if it is unavailable. The signal aborts when nobody waits any longer. */
export type Check = (signal: AbortSignal) => Promise<void>

/** Whether this process can serve requests: the one source of every answer about that. */
export interface Readiness extends ReadyState {
  /** Further members of the internal listener's answer. */
  readonly details: Readonly<Record<string, string>>
  /** The start is complete. */
  begin(): void
  /** The process is about to stop: clients should send no more requests. */
  leave(): void
  /** Ends the checks. */
  readonly stop: () => Promise<void>
}

interface ReadinessOptions {
  /** The needed services, by public name: `database`. */
  readonly checks: ReadonlyMap<string, Check>
  readonly details?: Readonly<Record<string, string>>
  readonly log: Logger
  readonly intervalMs?: number
  readonly timeoutMs?: number
}

/**
 * Checks all needed services once a second, however often clients ask for readiness. A probe
 * therefore costs nothing (docs/promises.md R5).
 */
export function createReadiness({
  checks,
  details = {},
  log,
  intervalMs = 1000,
  // The time for a check is longer than one pass of an overloaded event loop: a busy service must not
  // count as dead.
  timeoutMs = 2000,
}: ReadinessOptions): Readiness {
  let state: 'starting' | 'running' | 'leaving' = 'starting'
  const failing = new Set<string>()

  async function look(name: string, check: Check): Promise<void> {
    try {
      await answerOf(check, AbortSignal.timeout(timeoutMs))
      if (failing.delete(name)) log.info({ needs: name }, 'Ready again')
    } catch (error) {
      if (!failing.has(name)) log.warn({ err: error, needs: name }, 'Not ready')
      failing.add(name)
    }
  }

  const stop = startPeriodic(
    [...checks].map(([name, check]) => ({
      name: `check ${name}`,
      intervalMs,
      run: () => look(name, check),
    })),
    log,
  )
  return {
    details,
    problem() {
      if (state === 'starting') return 'The gateway is starting.'
      if (state === 'leaving') return 'The gateway is stopping.'
      return failing.size === 0 ? null : `Unavailable at the moment: ${[...failing].join(', ')}.`
    },
    begin() {
      if (state === 'starting') state = 'running'
    },
    leave() {
      state = 'leaving'
    },
    stop,
  }
}

/** Waits for a check until the signal, even if the check ignores the signal. */
async function answerOf(check: Check, signal: AbortSignal): Promise<void> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>()
  const giveUp = () => reject(signal.reason)
  signal.addEventListener('abort', giveUp)
  try {
    await Promise.race([check(signal), tooLate])
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}
