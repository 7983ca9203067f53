import type { Environment } from '../../schema/credentials/caller.ts'
import { ApiError, ClientGone } from '../http/errors.ts'
import type { CallMetrics } from '../metrics/call-metrics.ts'
import type { Backend } from './backend-client.ts'
import type { BackendAnswer } from './exchange.ts'

/** Returns the same backend, with metrics of its calls. */
export function meterBackend(
  backend: Backend,
  metrics: CallMetrics,
  environment: Environment,
): Backend {
  const { module } = backend
  const { backendRequests } = metrics
  const labels = { environment, module }
  const seconds = metrics.backendSeconds.labels(labels)
  const counts = {
    answered: backendRequests.labels({ ...labels, outcome: 'answered' }),
    failed: backendRequests.labels({ ...labels, outcome: 'failed' }),
    timeout: backendRequests.labels({ ...labels, outcome: 'timeout' }),
    refused: backendRequests.labels({ ...labels, outcome: 'refused' }),
  }
  // A simulated backend has no breaker: a caller that makes it fail must not harm other callers.
  if (environment === 'live') metrics.watchBreaker(module, backend.isRefusing)

  async function meteredSend(...asked: Parameters<Backend['send']>): Promise<BackendAnswer> {
    const startedMs = performance.now()
    let outcome: keyof typeof counts = 'failed'
    try {
      const answer = await backend.send(...asked)
      outcome = answer.status >= 500 ? 'failed' : 'answered'
      return answer
    } catch (error) {
      outcome = outcomeOf(error)
      throw error
    } finally {
      counts[outcome].inc()
      if (outcome !== 'refused') seconds.observe((performance.now() - startedMs) / 1000)
    }
  }

  function countRefusal<Result>(attempt: () => Result): Result {
    try {
      return attempt()
    } catch (error) {
      counts.refused.inc()
      throw error
    }
  }

  return {
    ...backend,
    send: meteredSend,
    enter: (accountId) => countRefusal(() => backend.enter(accountId)),
    requirePlace: (accountId) => countRefusal(() => backend.requirePlace(accountId)),
  }
}

function outcomeOf(error: unknown): 'failed' | 'timeout' | 'refused' {
  if (error instanceof ClientGone) return 'refused'
  const code = error instanceof ApiError ? error.code : undefined
  if (code === 'BACKEND_TIMEOUT') return 'timeout'
  return code === 'SERVICE_UNAVAILABLE' ? 'refused' : 'failed'
}
