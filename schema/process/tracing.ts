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

/** Makes spans; null without a trace collector, and then each function here costs only this check. */
let tracer: Tracer | null = null

/** Sets the tracer for new spans; null turns tracing off. */
export function traceWith(made: Tracer | null): void {
  tracer = made
}

export function isTracing(): boolean {
  return tracer !== null
}

export interface SpanOptions {
  readonly kind?: SpanKind
  /** OpenTelemetry's names where they exist. Never a value that came from a caller. */
  readonly attributes?: Attributes
}

/**
 * Runs the work in a span below the current one, or without a span if there is none: periodic work
 * of a process would only hide the traces of requests.
 */
export function inSpan<Result>(
  name: string,
  options: SpanOptions,
  work: (span?: Span) => Promise<Result>,
): Promise<Result> {
  if (!tracer || !trace.getActiveSpan()) return work()
  return record(tracer.startSpan(name, options), context.active(), work)
}

/** Runs the work in a span that starts a trace. */
export function inRootSpan<Result>(
  name: string,
  options: SpanOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!tracer) return work()
  return record(tracer.startSpan(name, options, ROOT_CONTEXT), ROOT_CONTEXT, work)
}

/**
 * Runs work that several callers share, below the span of the first one, with links to the others.
 * `askers` are the results of `askingContext` for each.
 */
export function inSharedSpan<Result>(
  name: string,
  askers: readonly Asker[],
  work: () => Promise<Result>,
): Promise<Result> {
  if (!tracer) return work()
  const [first, ...others] = askers.filter((asker) => asker !== null)
  // The context of the timer belongs to an unrelated request.
  if (!first) return context.with(ROOT_CONTEXT, work)
  const links = others.flatMap((other) => {
    const spanContext = trace.getSpanContext(other)
    return spanContext ? [{ context: spanContext }] : []
  })
  return record(tracer.startSpan(name, { links }, first), first, work)
}

/** The context of whoever asks; null when it is not traced. */
export type Asker = Context | null

/** The context of a caller, for `inSharedSpan` and `asAsker`. */
export function askingContext(): Asker {
  return tracer && trace.getActiveSpan() ? context.active() : null
}

/** Does what follows for one caller of a shared span: its spans are below that caller's. */
export function asAsker(asker: Asker, work: () => void): void {
  if (asker) context.with(asker, work)
  else work()
}

/** Returns the work as a callback whose spans are below the current one. */
export function inThisContext(work: () => void): () => void {
  return tracer ? context.bind(context.active(), work) : work
}

/** The span of an outside request; the receiver of the request ends it. Null without tracing. */
export function startSpan(name: string, options: SpanOptions): Span | null {
  return tracer?.startSpan(name, options) ?? null
}

/** Returns a span below the current one, which the caller ends; null without one. */
export function beginSpan(name: string, options: SpanOptions): Span | null {
  return tracer && trace.getActiveSpan() ? tracer.startSpan(name, options) : null
}

/** Runs the work below a span that was started by `startSpan` or `beginSpan`. */
export function below<Result>(span: Span, work: () => Result): Result {
  return context.with(trace.setSpan(context.active(), span), work)
}

/**
 * W3C Trace Context for a request to another process, below the current span; empty without one.
 */
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

/** Marks a span as failed, with the kind of failure only: messages can quote input of callers. */
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
