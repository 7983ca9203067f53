import { collectDefaultMetrics, type Metric, Registry } from '@prometheus-io/client'

let ofProcess: Registry | null = null

/**
 * Names that Prometheus' conventions reserve for other types (`promtool check metrics`). The first three are sums
 * of the metrics without `_total`.
 */
const misnamed: ReadonlySet<string> = new Set([
  ...['nodejs_active_handles_total', 'nodejs_active_requests_total'],
  ...['nodejs_active_resources_total', 'nodejs_eventloop_utilization_histogram'],
  'nodejs_eventloop_utilization_summary',
])

/**
 * The library's metrics of the process itself (`nodejs_*`, `process_*`), but for those that are misnamed. Its timers and observers
 * never end, so a process has them once, however many gateways it starts.
 */
export function metricsOfProcess(): readonly Metric[] {
  if (!ofProcess) {
    ofProcess = new Registry()
    // When the clock jumps, as after a process stood still, every missed interval is made up for at once.
    collectDefaultMetrics({ register: ofProcess, eventLoopUtilizationTimeout: 1000 })
  }
  const registry = ofProcess
  const names = registry.getMetricsAsArray().map(({ name }) => name)
  return names
    .filter((name) => !misnamed.has(name))
    .flatMap((name) => registry.getSingleMetric(name) ?? [])
}
