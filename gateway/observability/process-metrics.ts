import { collectDefaultMetrics, type Metric, Registry } from '@prometheus-io/client'

let ofProcess: Registry | null = null

/**
 * The library's metrics of the process itself (`nodejs_*`, `process_*`). Its timers and observers
 * never end, so a process has them once, however many gateways it starts.
 */
export function metricsOfProcess(): readonly Metric[] {
  if (!ofProcess) {
    ofProcess = new Registry()
    // When the clock jumps, as after a process stood still, every missed interval is made up for at once.
    collectDefaultMetrics({ register: ofProcess, eventLoopUtilizationTimeout: 1000 })
  }
  const registry = ofProcess
  return registry.getMetricsAsArray().flatMap(({ name }) => registry.getSingleMetric(name) ?? [])
}
