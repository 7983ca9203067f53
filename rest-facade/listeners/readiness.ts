import type { RequestHandler } from 'express'
import type { Logger } from 'pino'
import { unavailable } from '../http/errors.ts'
import { startPeriodic } from '../work/periodic.ts'

/** Rejects when what is asked is away. The signal says when nobody waits any longer. */
export type Check = (signal: AbortSignal) => Promise<void>

/** Whether this process can serve requests: the one source of every answer about that. */
export interface Readiness {
  /** Why not, as everybody may read it; null: it can. */
  problem(): string | null
  /** What the internal listener says besides. */
  readonly details: Readonly<Record<string, string>>
  /** Everything runs. */
  begin(): void
  /** It is about to stop: nobody should send anything more. */
  leave(): void
  /** Ends the checks. */
  readonly stop: () => Promise<void>
}

interface ReadinessOptions {
  /** What it needs, by the name that everybody may read: `database`. */
  readonly checks: ReadonlyMap<string, Check>
  readonly details?: Readonly<Record<string, string>>
  readonly log: Logger
  readonly intervalMs?: number
  readonly timeoutMs?: number
}

/**
 * Asks for all that is needed once a second, whoever asks for readiness how often: a probe costs
 * nothing anywhere (docs/promises.md R5).
 */
export function createReadiness({
  checks,
  details = {},
  log,
  intervalMs = 1000,
  // Longer than a turn of an overloaded event loop: who is only busy must not be taken for dead.
  timeoutMs = 2000,
}: ReadinessOptions): Readiness {
  let state: 'starting' | 'running' | 'leaving' = 'starting'
  const away = new Set<string>()

  async function look(name: string, check: Check): Promise<void> {
    try {
      await answerOf(check, AbortSignal.timeout(timeoutMs))
      if (away.delete(name)) log.info({ needs: name }, 'Ready again')
    } catch (error) {
      if (!away.has(name)) log.warn({ err: error, needs: name }, 'Not ready')
      away.add(name)
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
      return away.size === 0 ? null : `Away for the moment: ${[...away].join(', ')}.`
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

/** A check may not heed its signal. */
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

/** Stands before what says that all is well: 503 while it is not. */
export function requireReadiness(readiness: Readiness): RequestHandler {
  return function requireReadiness(_req, _res, next) {
    const problem = readiness.problem()
    next(problem === null ? undefined : unavailable(problem))
  }
}
