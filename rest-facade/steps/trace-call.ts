import { type Span, SpanKind, SpanStatusCode } from '@opentelemetry/api'
import type { RequestHandler } from 'express'
import { below, belowCaller, isTracing, startSpan } from '../../schema/process/tracing.ts'
import { type Call, callOf } from '../http/call.ts'
import { answeredStatus } from '../http/respond.ts'

/**
 * Makes a span of each request, below the caller's span. Does nothing without a trace collector.
 */
export function traceCall(): RequestHandler[] {
  return isTracing() ? [traced] : []
}

const traced: RequestHandler = function traceCall(req, res, next) {
  belowCaller(req.headers, () => {
    const call = callOf(res)
    const span = startSpan(call.method, {
      kind: SpanKind.SERVER,
      attributes: {
        'http.request.method': call.method,
        'url.path': call.endpoint,
        'gateway.request_id': call.requestId,
        'gateway.environment': call.environment,
      },
    })
    if (!span) return next()
    // The log, the usage log and all called services use this trace id.
    call.traceId = span.spanContext().traceId
    res.once('close', () => {
      // A module's call is finished even if the client has left: its answer ends the span.
      if (!res.headersSent && call.isDispatched) {
        const { whenAnswered } = call
        call.whenAnswered = (status) => {
          whenAnswered?.(status)
          end(span, call, status)
        }
      } else end(span, call, answeredStatus(res))
    })
    below(span, next)
  })
}

function end(span: Span, call: Call, status: number): void {
  const { route, method, caller } = call
  if (route !== '') {
    span.updateName(`${method} ${route}`)
    span.setAttribute('http.route', route)
  }
  span.setAttribute('http.response.status_code', status)
  if (caller) span.setAttribute('gateway.account_id', caller.accountId)
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}
