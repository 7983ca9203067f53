import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import type { Metrics } from '../../observability/metrics.ts'

interface TracingOptions {
  readonly log: Logger
  readonly metrics: Pick<Metrics, 'traceExports'>
}

/**
 * Collects traces from now on, if OTEL_EXPORTER_OTLP_ENDPOINT names a collector; otherwise
 * OpenTelemetry's SDK is not even loaded. The SDK reads its variables from the environment of this
 * process. Call it before any app is made, because an app asks whether there are traces. Returns a
 * function that sends the last spans and stops.
 */
export async function startTracing(
  role: string,
  config: Config,
  options: TracingOptions,
): Promise<() => Promise<void>> {
  if (!(config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? config.OTEL_EXPORTER_OTLP_ENDPOINT)) {
    return async () => {}
  }
  const { collectTraces } = await import('./otlp.ts')
  return collectTraces({
    ...options,
    serviceName: role === 'all' ? 'gateway' : `gateway-${role}`,
    sampler: config.OTEL_TRACES_SAMPLER,
    samplerArg: config.OTEL_TRACES_SAMPLER_ARG,
    isAskedByUs: role !== 'all' && role !== 'facade',
  })
}
