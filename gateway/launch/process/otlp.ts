import { context, type DiagLogger, DiagLogLevel, diag, propagation } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  type ExportResult,
  ExportResultCode,
  getNumberFromEnv,
  W3CTraceContextPropagator,
} from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import { orNullAfter } from '../../../rest-facade/charge/batching/or-null-after.ts'
import { traceWith } from '../../../schema/process/tracing.ts'
import type { SamplerName } from '../../config/variables/traces.ts'
import type { Metrics } from '../../observability/metrics.ts'

interface CollectOptions {
  readonly log: Logger
  readonly metrics: Pick<Metrics, 'traceExports'>
  /** Unless OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES has another. */
  readonly serviceName: string
  readonly sampler: SamplerName
  /** The share of traces, for the samplers that take one. */
  readonly samplerArg: number
  /** Whether the callers of this process are processes of this gateway. */
  readonly isAskedByUs: boolean
}

/** The longest time for which a stop waits for the collector. */
const flushPatienceMs = 2000

/**
 * Sends spans to a collector, in batches. Without the collector, spans are lost, but no requests.
 */
export function collectTraces(options: CollectOptions): () => Promise<void> {
  // What the SDK says about its variables.
  diag.setLogger(sdkLog(options.log), DiagLogLevel.WARN)
  const exporter = noteOutcome(new OTLPTraceExporter(), options)
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': options.serviceName }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(options),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        scheduledDelayMillis: getNumberFromEnv('OTEL_BSP_SCHEDULE_DELAY'),
        exportTimeoutMillis: getNumberFromEnv('OTEL_BSP_EXPORT_TIMEOUT'),
        maxQueueSize: getNumberFromEnv('OTEL_BSP_MAX_QUEUE_SIZE'),
        maxExportBatchSize: getNumberFromEnv('OTEL_BSP_MAX_EXPORT_BATCH_SIZE'),
      }),
    ],
  })
  // Its failures to export are noted once, by the exporter.
  diag.disable()
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  traceWith(provider.getTracer('credit-gateway'))

  return async function stopTracing() {
    traceWith(null)
    // Spans that the collector has not taken by then are lost; the exporter logs that.
    await orNullAfter(
      flushPatienceMs,
      provider.shutdown().catch(() => {}),
    )
    context.disable()
    propagation.disable()
  }
}

function sdkLog(log: Logger): DiagLogger {
  const warn = (message: string) => log.warn(message)
  const ignore = () => {}
  return { error: warn, warn, info: ignore, debug: ignore, verbose: ignore }
}

function samplerOf({ sampler, samplerArg, isAskedByUs }: CollectOptions): Sampler {
  const [name, isByParent] = sampler.startsWith('parentbased_')
    ? [sampler.slice('parentbased_'.length), true]
    : [sampler, false]
  const root = rootSampler(name, samplerArg)
  if (!isByParent) return root
  // The trace id of a client is kept, but its sampling flag is ignored.
  const remote = isAskedByUs ? {} : { remoteParentSampled: root, remoteParentNotSampled: root }
  return new ParentBasedSampler({ root, ...remote })
}

function rootSampler(name: string, share: number): Sampler {
  if (name === 'always_on') return new AlwaysOnSampler()
  return name === 'always_off' ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(share)
}

/** Counts the outcomes of the batches, and logs once that the collector is unavailable. */
function noteOutcome(exporter: SpanExporter, { log, metrics }: CollectOptions): SpanExporter {
  let isUnavailable = false

  function note({ code, error }: ExportResult): void {
    const hasFailed = code !== ExportResultCode.SUCCESS
    metrics.traceExports.inc({ outcome: hasFailed ? 'failed' : 'exported' })
    if (hasFailed && !isUnavailable) log.warn({ err: error }, 'Traces cannot be exported')
    if (!hasFailed && isUnavailable) log.info('Traces are exported again')
    isUnavailable = hasFailed
  }

  return {
    export(spans: ReadableSpan[], done) {
      exporter.export(spans, (result) => {
        note(result)
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  }
}
