import { Pool } from 'undici'
import type { Backend } from './backend.ts'
import type { BackendCounts } from './backend-counts.ts'
import { Deadlines } from './deadlines.ts'
import { ModuleCall } from './module-call.ts'
import { limitsOf, Protection, type ProtectionOptions } from './protection.ts'
import { Retries } from './retries.ts'

interface BackendOptions extends ProtectionOptions {
  readonly module: string
  readonly url: string
  /** The time of a whole call, further attempts included. */
  readonly timeoutMs: number
  /**
   * Whether the module is simulated: callers can make it fail and wait as they like, so one caller must
   * not spoil it for others.
   */
  readonly isSimulated: boolean
  readonly counts: BackendCounts
}

const maxAnswerBytes = 10 * 1024 * 1024

export function createBackend(options: BackendOptions): Backend {
  const { module, url, timeoutMs, isSimulated, counts } = options
  const { places, maxRetryCredit } = limitsOf(options.processes)
  const { origin, pathname, hostname } = new URL(url)
  const pool = new Pool(origin, {
    connections: isSimulated ? null : places.maxRunning,
    connect: { timeout: Math.min(timeoutMs, 5000) },
    // The deadline of the whole call is enough, so undici needs no timeouts of its own.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: maxAnswerBytes,
  })
  const protection = isSimulated ? null : new Protection(module, options)
  const parts = {
    ...{ module, pool, hostname, protection, counts },
    prefix: pathname.replace(/\/$/, ''),
    deadlines: new Deadlines(timeoutMs),
    retries: new Retries(maxRetryCredit),
  }

  function countRefusal<Result>(attempt: () => Result): Result {
    try {
      return attempt()
    } catch (error) {
      counts.refused()
      throw error
    }
  }

  return {
    module,
    enter: (accountId) => countRefusal(() => new ModuleCall(parts, accountId)),
    requirePlace: (accountId) => countRefusal(() => protection?.requirePlace(accountId)),
    isRefusing: () => protection?.isRefusing ?? false,
    close: () => pool.destroy(),
  }
}
