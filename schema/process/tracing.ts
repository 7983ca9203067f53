import type { IncomingHttpHeaders } from 'node:http'
import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'

/** Null while nobody collects traces: then nothing here costs more than asking for it. */
let tracer: Tracer | null = null

/** From now on spans are made with this tracer; null: none are. */
export function traceWith(made: Tracer | null): void {
  tracer = made
}

export function isTracing(): boolean {
  return tracer !== null
}

export interface SpanOptions {
  readonly kind?: SpanKind
  /** OpenTelemetry's names where it has one. Never what came from a caller. */
  readonly attributes?: Attributes
}

/**
 * Runs the work in a span below the one that is under way. Without one there is none either: what a
 * process does by itself every second would only hide what was asked of it.
 */
export function inSpan<Result>(
  name: string,
  options: SpanOptions,
  work: (span?: Span) => Promise<Result>,
): Promise<Result> {
  if (!tracer || !trace.getActiveSpan()) return work()
  return record(tracer.startSpan(name, options), context.active(), work)
}

/** Runs the work in a span that begins a trace. */
export function inRootSpan<Result>(
  name: string,
  options: SpanOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!tracer) return work()
  return record(tracer.startSpan(name, options, ROOT_CONTEXT), ROOT_CONTEXT, work)
}

/**
 * Runs what several asked for at once: below the span of the first who asked, with links to the others.
 * `askers` are what `askingContext` returned to each.
 */
export function inSharedSpan<Result>(
  name: string,
  askers: readonly (Context | null)[],
  work: () => Promise<Result>,
): Promise<Result> {
  if (!tracer) return work()
  const [first, ...others] = askers.filter((asker) => asker !== null)
  // Whoever happened to start the timer did not ask.
  if (!first) return context.with(ROOT_CONTEXT, work)
  const links = others.flatMap((other) => {
    const spanContext = trace.getSpanContext(other)
    return spanContext ? [{ context: spanContext }] : []
  })
  return record(tracer.startSpan(name, { links }, first), first, work)
}

/** Who asks, for `inSharedSpan`; null when nobody traces it. */
export function askingContext(): Context | null {
  return tracer && trace.getActiveSpan() ? context.active() : null
}

/** The work as a callback whose spans belong below the one that is under way now. */
export function inThisContext(work: () => void): () => void {
  return tracer ? context.bind(context.active(), work) : work
}

/** The span of a request from outside; it ends when whoever took it says so. Null while nobody traces. */
export function startSpan(name: string, options: SpanOptions): Span | null {
  return tracer?.startSpan(name, options) ?? null
}

/** Runs the work below a span that was started by `startSpan`. */
export function below<Result>(span: Span, work: () => Result): Result {
  return context.with(trace.setSpan(context.active(), span), work)
}

/** W3C Trace Context for a request to another process, below the span that is under way; none without one. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {}
  if (tracer) propagation.inject(context.active(), headers)
  return headers
}

/** Runs the work below the span that the `traceparent` of a request names, if it names one. */
export function belowCaller<Result>(headers: IncomingHttpHeaders, work: () => Result): Result {
  if (!tracer) return work()
  return context.with(propagation.extract(ROOT_CONTEXT, headers), work)
}

/** Marks a span as failed. Only the kind of failure is told: messages can quote what callers sent. */
export function failSpan(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR })
  span.setAttribute('error.type', kindOf(error))
}

function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const code: unknown = Object(error).code ?? Object(Object(error).extensions).code
  return typeof code === 'string' ? code : error.name
}

async function record<Result>(
  span: Span,
  parent: Context,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  try {
    return await context.with(trace.setSpan(parent, span), work, undefined, span)
  } catch (error) {
    failSpan(span, error)
    throw error
  } finally {
    span.end()
  }
}
