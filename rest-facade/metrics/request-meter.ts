import type { Call } from '../http/call.ts'
import type { OnAnswer } from '../http/respond.ts'
import type { CallMetrics } from './call-metrics.ts'

/** Counts one answer and its duration. */
type Count = (seconds: number) => void

/** The route label of unknown paths and of methods that a path does not have. */
const unmatched = 'unmatched'
/** On unknown paths the caller chooses the method, and Node accepts dozens. */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Counts and times the answers of one listener. Each counter is looked up once and then kept. */
export function createRequestMeter(metrics: CallMetrics, listener: string): OnAnswer {
  const counts = new Map<string, Map<string, Map<number, Count>>>()

  function countOf({ route, method }: Call, status: number): Count {
    const byMethod = counts.get(route) ?? new Map<string, Map<number, Count>>()
    const byStatus = byMethod.get(method) ?? new Map<number, Count>()
    const count = createCount(metrics, { listener, method, route }, status)
    byStatus.set(status, count)
    byMethod.set(method, byStatus)
    counts.set(route, byMethod)
    return count
  }

  return function countAnswer(call, status) {
    const count = counts.get(call.route)?.get(call.method)?.get(status) ?? countOf(call, status)
    count((performance.now() - call.arrivedAtMs) / 1000)
    if (status === 429) metrics.rateLimited.inc({ listener, limiter: call.limiter })
  }
}

interface Answered {
  readonly listener: string
  readonly method: string
  readonly route: string
}

function createCount(
  { requests, requestSeconds }: CallMetrics,
  seen: Answered,
  status: number,
): Count {
  const labels = {
    listener: seen.listener,
    method: knownMethods.has(seen.method) ? seen.method : 'other',
    route: seen.route || unmatched,
  }
  const total = requests.labels({ ...labels, status: String(status) })
  const duration = requestSeconds.labels({
    ...labels,
    status_class: `${Math.floor(status / 100)}xx`,
  })
  return (seconds) => {
    total.inc()
    duration.observe(seconds)
  }
}
