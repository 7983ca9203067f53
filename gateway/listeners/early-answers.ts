import { type ServerResponse, STATUS_CODES } from 'node:http'
import { type Headers, standingHeaders } from '../../rest-facade/http/respond.ts'
import { lightHealth } from '../../rest-facade/routes/health.ts'
import { type ErrorCode, statusByErrorCode } from '../../schema/vocabulary/error-codes.ts'
import { newId } from '../../schema/vocabulary/ids.ts'

interface EarlyAnswerOptions {
  readonly docsUrl: () => string
  /** The limit in the headers of early answers, which no limiter has counted. */
  readonly anonymousRps: number
  /** Further headers of all answers of this listener, such as CORS headers. */
  readonly headers?: Headers
  /** How long a connection may be idle. */
  readonly keepAliveMs: number
}

/** Answers that are given before any handler, with the headers and the envelope of all others. */
export interface EarlyAnswers {
  /** The whole text of a refusal by the HTTP parser: 400, 408, 417 or 431. It says that the connection closes. */
  refusal(status: number): string
  /** 503; the client may retry after a second. */
  unavailable(res: ServerResponse, message: string): void
  /** 503 because of overload, made as cheaply as possible. */
  overloaded(res: ServerResponse): void
  /** 200: the process lives, even if it is not ready. */
  alive(res: ServerResponse): void
}

export function createEarlyAnswers({
  docsUrl,
  anonymousRps,
  headers: listenerHeaders = {},
  keepAliveMs,
}: EarlyAnswerOptions): EarlyAnswers {
  let rendered = { second: Number.NaN, head: '', bodyStart: '', bodyEnd: '' }

  function headersOf(requestId: string, body: string): Record<string, string> {
    return {
      ...listenerHeaders,
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(body)),
      'X-Request-Id': requestId,
      'X-RateLimit-Limit': String(anonymousRps),
      'X-RateLimit-Remaining': String(anonymousRps),
      'X-RateLimit-Reset': String(Math.floor(Date.now() / 1000) + 1),
    }
  }

  function envelope(code: ErrorCode, message: string, request_id: string, status: number): string {
    const documentation_url = `${docsUrl()}/errors/${code}`
    return JSON.stringify({ error: { code, message, status, documentation_url, request_id } })
  }

  function send(res: ServerResponse, status: number, requestId: string, body: string): void {
    const headers = { ...standingHeaders, ...headersOf(requestId, body) }
    res.writeHead(status, status === 503 ? { ...headers, 'Retry-After': '1' } : headers).end(body)
  }

  function unavailable(res: ServerResponse, message: string): void {
    const requestId = newId('req')
    const status = statusByErrorCode.SERVICE_UNAVAILABLE
    send(res, status, requestId, envelope('SERVICE_UNAVAILABLE', message, requestId, status))
  }

  /**
   * Renders the refusal, except for the id of the request, which stands at the end of the head and
   * in the body.
   */
  function renderOverload(second: number): void {
    const requestId = newId('req')
    const body = envelope('SERVICE_UNAVAILABLE', overloadMessage, requestId, 503)
    const [bodyStart = '', bodyEnd = ''] = body.split(requestId)
    const { 'X-Request-Id': _, ...headers } = { ...standingHeaders, ...headersOf(requestId, body) }
    const head = headLines(503, {
      ...headers,
      'Retry-After': '1',
      Date: new Date(second * 1000).toUTCString(),
      Connection: 'keep-alive',
      'Keep-Alive': `timeout=${Math.floor(keepAliveMs / 1000)}`,
    })
    rendered = { second, head: `${head}\r\nX-Request-Id: `, bodyStart, bodyEnd }
  }

  return {
    unavailable,
    overloaded(res) {
      const isLast = !res.shouldKeepAlive || res.hasHeader('Connection')
      if (isLast) return unavailable(res, overloadMessage)
      const second = Math.floor(Date.now() / 1000)
      if (rendered.second !== second) renderOverload(second)
      const { head, bodyStart, bodyEnd } = rendered
      const requestId = newId('req')
      res.statusCode = 503
      writeRendered(res, `${head}${requestId}\r\n\r\n`, `${bodyStart}${requestId}${bodyEnd}`)
    },
    refusal(status) {
      const requestId = newId('req')
      const body = envelope('BAD_REQUEST', messages[status] ?? '', requestId, status)
      const headers = { Connection: 'close', ...headersOf(requestId, body) }
      return `${headLines(status, headers)}\r\n\r\n${body}`
    },
    alive(res) {
      send(res, 200, newId('req'), JSON.stringify(lightHealth('ok')))
    },
  }
}

/** The status line and the headers, without the empty line at their end. */
function headLines(status: number, headers: Headers): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines].join('\r\n')
}

/**
 * Writes a rendered answer. Node has no function that takes a head as text, and checks and joins each
 * header anew; but it writes the text of `_header` in front of the body.
 */
function writeRendered(res: ServerResponse & { _header?: string }, head: string, body: string) {
  res._header = head
  res.end(body)
}

const overloadMessage = 'There are more requests than the gateway can serve.'

const messages: Readonly<Record<number, string>> = {
  400: 'This is not a valid HTTP request.',
  408: 'The request was not complete in time.',
  417: 'Only Expect: 100-continue is possible.',
  431: 'The headers exceed 16 KiB.',
}

/** The statuses of refusals by the HTTP parser. */
export const parserStatuses: readonly number[] = Object.keys(messages).map(Number)
