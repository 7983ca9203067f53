import type { Environment } from '../../schema/credentials/caller.ts'
import { ApiError, ClientGone } from '../http/errors.ts'
import type { CallMetrics } from '../metrics/call-metrics.ts'

/** Counts how the calls of a module end, and how long they take. */
export interface BackendCounts {
  /**
   * Counts a call that was answered. `startedMs`: when it began to wait for its turn, in
   * `performance.now()`.
   */
  answered(status: number, startedMs: number): void
  unanswered(error: unknown, startedMs: number): void
  /** Counts a call that got no place. */
  refused(): void
}

/** The series of one module in one environment, which are looked up once. */
export function backendCountsOf(
  module: string,
  metrics: CallMetrics,
  environment: Environment,
): BackendCounts {
  const { backendRequests } = metrics
  const labels = { environment, module }
  const seconds = metrics.backendSeconds.labels(labels)
  const counts = {
    answered: backendRequests.labels({ ...labels, outcome: 'answered' }),
    failed: backendRequests.labels({ ...labels, outcome: 'failed' }),
    timeout: backendRequests.labels({ ...labels, outcome: 'timeout' }),
    refused: backendRequests.labels({ ...labels, outcome: 'refused' }),
  }

  function count(outcome: keyof typeof counts, startedMs: number): void {
    counts[outcome].inc()
    if (outcome !== 'refused') seconds.observe((performance.now() - startedMs) / 1000)
  }

  return {
    answered: (status, startedMs) => count(status >= 500 ? 'failed' : 'answered', startedMs),
    unanswered: (error, startedMs) => count(outcomeOf(error), startedMs),
    refused: () => counts.refused.inc(),
  }
}

function outcomeOf(error: unknown): 'failed' | 'timeout' | 'refused' {
  if (error instanceof ClientGone) return 'refused'
  const code = error instanceof ApiError ? error.code : undefined
  if (code === 'BACKEND_TIMEOUT') return 'timeout'
  return code === 'SERVICE_UNAVAILABLE' ? 'refused' : 'failed'
}
