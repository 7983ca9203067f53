import { collectDefaultMetrics, type Metric, Registry } from '@prometheus-io/client'

let ofProcess: Registry | null = null

/**
 * What the library measures of the process itself (`nodejs_*`, `process_*`). Its timers and observers
 * never end, so a process has them once, however many gateways it starts.
 */
export function metricsOfProcess(): readonly Metric[] {
  if (!ofProcess) {
    ofProcess = new Registry()
    // A process that stood still makes up for every interval that it missed, all at once.
    collectDefaultMetrics({ register: ofProcess, eventLoopUtilizationTimeout: 1000 })
  }
  const registry = ofProcess
  return registry.getMetricsAsArray().flatMap(({ name }) => registry.getSingleMetric(name) ?? [])
}
