import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type ErrorCode, statusByErrorCode } from '../../schema/vocabulary/error-codes.ts'
import { newId } from '../../schema/vocabulary/ids.ts'
import { type Headers, standingHeaders } from '../http/respond.ts'
import { lightHealth } from './health.ts'

interface EarlyAnswerOptions {
  readonly docsUrl: () => string
  /** The limit in their headers; no limiter has counted them. */
  readonly anonymousRps: number
  /** Further headers of all answers of this listener, such as CORS headers. */
  readonly headers?: Headers
}

/** Answers that are given before any handler, with the headers and the envelope of all others. */
export interface EarlyAnswers {
  /**
   * Refusals by the HTTP parser: 400, 408, 417 or 431. The connection closes (docs/contract.md §2).
   */
  refuse(socket: Socket, status: number): void
  /** 503; the client may retry after a second. */
  unavailable(res: ServerResponse, message: string): void
  /** 200: the process lives, even if it is not ready. */
  alive(res: ServerResponse): void
}

export function createEarlyAnswers({
  docsUrl,
  anonymousRps,
  headers: listenerHeaders = {},
}: EarlyAnswerOptions): EarlyAnswers {
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

  return {
    refuse(socket, status) {
      const requestId = newId('req')
      const body = envelope('BAD_REQUEST', messages[status] ?? '', requestId, status)
      const headers = { Connection: 'close', ...headersOf(requestId, body) }
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
      socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'))
    },
    unavailable(res, message) {
      const requestId = newId('req')
      const status = statusByErrorCode.SERVICE_UNAVAILABLE
      send(res, status, requestId, envelope('SERVICE_UNAVAILABLE', message, requestId, status))
    },
    alive(res) {
      send(res, 200, newId('req'), JSON.stringify(lightHealth('ok')))
    },
  }
}

const messages: Readonly<Record<number, string>> = {
  400: 'This is not a valid HTTP request.',
  408: 'The request was not complete in time.',
  417: 'Only Expect: 100-continue is possible.',
  431: 'The headers exceed 16 KiB.',
}

/** The statuses of refusals by the HTTP parser. */
export const parserStatuses: readonly number[] = Object.keys(messages).map(Number)
