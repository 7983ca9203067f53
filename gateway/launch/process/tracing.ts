import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import type { Metrics } from '../../observability/metrics.ts'

interface TracingOptions {
  readonly log: Logger
  readonly metrics: Pick<Metrics, 'traceExports'>
}

/**
 * Collects traces from now on, if OTEL_EXPORTER_OTLP_ENDPOINT names a collector; otherwise
 * OpenTelemetry's SDK is not even loaded. Call it before any app is made, because an app asks
 * whether there are traces. Returns a function that sends the last spans and stops.
 */
export async function startTracing(
  role: string,
  config: Config,
  options: TracingOptions,
): Promise<() => Promise<void>> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = config
  if (endpoint === undefined) return async () => {}
  const { collectTraces } = await import('./otlp.ts')
  return collectTraces({
    ...options,
    // OpenTelemetry's rule: the path of the signal follows the address for all signals.
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    timeoutMs: config.OTEL_EXPORTER_OTLP_TIMEOUT,
    delayMs: config.OTEL_BSP_SCHEDULE_DELAY,
    serviceName: config.OTEL_SERVICE_NAME ?? (role === 'all' ? 'gateway' : `gateway-${role}`),
    sampler: config.OTEL_TRACES_SAMPLER,
    samplerArg: config.OTEL_TRACES_SAMPLER_ARG,
    isAskedByUs: role !== 'all' && role !== 'facade',
  })
}
