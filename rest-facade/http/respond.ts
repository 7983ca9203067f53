import { STATUS_CODES } from 'node:http'
import type { Response } from 'express'
import { type Call, callOf } from './call.ts'

export type Headers = Readonly<Record<string, string>>

/** Browsers may read it from anywhere: no cookie authenticates it. */
export const anyOrigin: Headers = { 'Access-Control-Allow-Origin': '*' }

/** What every answer carries: nothing may be framed, sniffed or loaded. */
export const standingHeaders: Headers = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
}

/** What a page that may read an answer is shown of its headers. */
const exposedHeaders: Headers = {
  'Access-Control-Expose-Headers': [
    'X-Request-Id',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'X-Credits-Charged',
    'X-Credits-Remaining',
    'Retry-After',
    'WWW-Authenticate',
    'Idempotent-Replayed',
    'Allow',
    'ETag',
    'Deprecation',
    'Sunset',
    'Link',
  ].join(', '),
}

/**
 * What every answer of a public listener carries beside. Once its clients know it by https, a browser asks
 * for it in no other way. Pages may read nothing of the internal listener.
 */
export function publicHeaders(baseUrl: string): Headers {
  const transport = { 'Strict-Transport-Security': 'max-age=31536000' }
  return { ...exposedHeaders, ...(baseUrl.startsWith('https:') && transport) }
}

/** What the usage log says of a client that left before anything was done for it: nginx's number. */
const clientClosedRequest = 499

/** Whether the client has hung up, so that no answer can reach it. */
export function isGone(res: Response): boolean {
  // An answer that waits behind others of its connection does not close with it.
  return res.closed || res.destroyed || res.req.socket.destroyed
}

/** Has a function called when the client hangs up; returns what ends that. */
export function onGone(res: Response, leave: () => void): () => void {
  function look(): void {
    if (isGone(res)) leave()
  }
  for (const half of [res, res.req]) half.on('close', look)
  return () => {
    for (const half of [res, res.req]) half.off('close', look)
  }
}

/** The status that reached the client, once its connection is done with the answer. */
export function answeredStatus(res: Response): number {
  return res.headersSent ? res.statusCode : clientClosedRequest
}

/** Told of every answer just before it leaves. */
export type OnAnswer = (call: Call, status: number) => void

/** Sends a body as JSON, once. */
export function sendJson(res: Response, status: number, body: unknown, headers?: Headers): void {
  send(res, status, JSON.stringify(body), headers)
}

/**
 * Sends what is JSON already, unless the headers say otherwise, or nothing with a 204 or 304. Node writes
 * headers and body as one piece when the body is text, which costs the kernel much less than two.
 */
export function send(
  res: Response,
  status: number,
  body: string | Buffer,
  headers: Headers = {},
): void {
  if (res.headersSent) return
  const call = noteAnswer(res, status)
  const content: Headers =
    status === 204 || status === 304
      ? {}
      : {
          'Content-Type': 'application/json; charset=utf-8',
          'Content-Length': String(Buffer.byteLength(body)),
        }
  res.writeHead(status, STATUS_CODES[status], {
    ...standingHeaders,
    ...listenerHeaders(res),
    ...call.corsHeaders,
    ...content,
    ...callHeaders(call),
    ...call.routeHeaders,
    ...headers,
  })
  res.end(body)
}

/** Begins an answer of another kind, with status 200; its body is the caller's to send. */
export function startStream(res: Response, headers: Headers): void {
  const call = noteAnswer(res, 200)
  res.writeHead(200, STATUS_CODES[200], {
    ...standingHeaders,
    ...listenerHeaders(res),
    ...call.corsHeaders,
    ...callHeaders(call),
    ...call.routeHeaders,
    ...headers,
  })
}

/** What every answer of this listener carries, if anything. */
function listenerHeaders(res: Response): Headers | undefined {
  return res.app.get('listener headers')
}

function noteAnswer(res: Response, status: number): Call {
  const call = callOf(res)
  const onAnswer: OnAnswer | undefined = res.app.get('on answer')
  const recorded = isGone(res) && !call.isDispatched ? clientClosedRequest : status
  onAnswer?.(call, recorded)
  call.whenAnswered?.(recorded)
  return call
}

function callHeaders({ requestId, rateWindow }: Call): Headers {
  if (!rateWindow) return { 'X-Request-Id': requestId }
  return {
    'X-Request-Id': requestId,
    'X-RateLimit-Limit': String(rateWindow.limitRps),
    'X-RateLimit-Remaining': String(rateWindow.remaining),
    'X-RateLimit-Reset': String(rateWindow.resetAtSeconds),
  }
}
