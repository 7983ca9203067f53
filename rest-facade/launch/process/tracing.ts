import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import type { Metrics } from '../../observability/metrics.ts'

interface TracingOptions {
  readonly log: Logger
  readonly metrics: Pick<Metrics, 'traceExports'>
}

/**
 * Collects traces from now on, if OTEL_EXPORTER_OTLP_ENDPOINT says where they go; otherwise nothing of
 * OpenTelemetry's SDK is even loaded. Before any app is made: it asks whether there are traces. Returns
 * what sends the last spans and ends it.
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
    // OpenTelemetry: the signal's path is appended to what is configured for all signals.
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    timeoutMs: config.OTEL_EXPORTER_OTLP_TIMEOUT,
    delayMs: config.OTEL_BSP_SCHEDULE_DELAY,
    serviceName: config.OTEL_SERVICE_NAME ?? (role === 'all' ? 'gateway' : `gateway-${role}`),
    sampler: config.OTEL_TRACES_SAMPLER,
    samplerArg: config.OTEL_TRACES_SAMPLER_ARG,
    isAskedByUs: role !== 'all' && role !== 'facade',
  })
}
