import { STATUS_CODES } from 'node:http'
import type { Response } from 'express'
import { type Call, callOf } from './call.ts'

export type Headers = Readonly<Record<string, string>>

/** Headers of one answer; several cookies are several headers (RFC 6265 §3). */
type AnswerHeaders = Readonly<Record<string, string | readonly string[]>>

/** Browsers may read it from anywhere: no cookie authenticates it. */
export const anyOrigin: Headers = { 'Access-Control-Allow-Origin': '*' }

/** The headers of every answer: nothing may be framed, sniffed or loaded. */
export const standingHeaders: Headers = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
}

/** The headers that a page may read, if it may read the answer. */
const exposedHeaders: Headers = {
  'Access-Control-Expose-Headers': [
    'X-Request-Id',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'X-Credits-Charged',
    'X-Credits-Remaining',
    'X-Budget-Remaining',
    'Retry-After',
    'WWW-Authenticate',
    'Idempotent-Replayed',
    'Allow',
    'Accept-Encoding',
    'ETag',
    'Deprecation',
    'Sunset',
    'Link',
  ].join(', '),
}

/** Once a browser knows the host by https, it asks in no other way. */
export function transportHeaders(baseUrl: string): Headers {
  return baseUrl.startsWith('https:') ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}
}

/**
 * Further headers of every answer of a public listener. Pages may read nothing of the internal listener.
 */
export function publicHeaders(baseUrl: string): Headers {
  return { ...exposedHeaders, ...transportHeaders(baseUrl) }
}

/** The status in the usage log for a client that left before any work was done: nginx's number. */
export const clientClosedRequest = 499

/** Whether the client has hung up, so that no answer can reach it. */
export function isGone(res: Response): boolean {
  // An answer that waits behind others of its connection does not close with it.
  return res.closed || res.destroyed || res.req.socket.destroyed
}

/** Calls a function when the client hangs up. Returns a function that ends this watch. */
export function onGone(res: Response, leave: () => void): () => void {
  function look(): void {
    if (isGone(res)) leave()
  }
  for (const half of [res, res.req]) half.on('close', look)
  return () => {
    for (const half of [res, res.req]) half.off('close', look)
  }
}

/** Has a function called once when the answer has left, or nobody waits for the rest of it any more. */
export function whenSent(res: Response, done: () => void): void {
  const call = callOf(res)
  const { whenAnswered } = call
  const { socket } = res.req
  let isDone = false

  function end(): void {
    socket.off('close', end)
    if (!isDone) done()
    isDone = true
  }

  call.whenAnswered = (status) => {
    whenAnswered?.(status)
    process.nextTick(() => {
      // Only a stream is still being sent here. An answer that waits behind others does not close with
      // its connection.
      if (res.writableEnded || isGone(res)) end()
      else socket.on('close', end)
    })
  }
  // A client that hangs up before the answer ends no work.
  res.on('close', () => {
    if (res.headersSent) end()
  })
}

/** The status that reached the client, once its connection is done with the answer. */
export function answeredStatus(res: Response): number {
  return res.headersSent ? res.statusCode : clientClosedRequest
}

/** Called with every answer just before it leaves. */
export type OnAnswer = (call: Call, status: number) => void

/** Sends a body as JSON, once. */
export function sendJson(
  res: Response,
  status: number,
  body: unknown,
  headers?: AnswerHeaders,
): void {
  send(res, status, JSON.stringify(body), headers)
}

/**
 * Sends a text that is already JSON, unless the headers say otherwise, or nothing with a 204 or
 * 304. Node writes headers and body as one piece when the body is text, which costs the kernel much
 * less than two.
 */
export function send(
  res: Response,
  status: number,
  body: string | Buffer,
  headers: AnswerHeaders = {},
): void {
  if (res.headersSent) return
  const call = noteAnswer(res, status)
  const list = headersOf(res, call)
  if (status !== 204 && status !== 304) {
    list.push('Content-Type', 'application/json; charset=utf-8')
    list.push('Content-Length', String(Buffer.byteLength(body)))
  }
  addHeaders(list, call.routeHeaders)
  addHeaders(list, headers)
  res.writeHead(status, STATUS_CODES[status], list)
  res.end(body)
}

/** Begins an answer of another kind, with status 200; its body is the caller's to send. */
export function startStream(res: Response, headers: Headers): void {
  const call = noteAnswer(res, 200)
  const list = headersOf(res, call)
  addHeaders(list, call.routeHeaders)
  addHeaders(list, headers)
  res.writeHead(200, STATUS_CODES[200], list)
}

/**
 * Names and values in turn: Node writes such a list as it is, and copies every other form first. It
 * begins with what nearly all answers of a listener carry, which is made once.
 */
function headersOf(res: Response, { corsHeaders, requestId, rateWindow }: Call): string[] {
  const common: CommonHeaders | undefined = res.app.get('common headers')
  const { list: commonList, forAnyOrigin } = common ?? withoutListener
  const list = corsHeaders === anyOrigin ? forAnyOrigin.slice() : commonList.slice()
  if (corsHeaders !== anyOrigin) addHeaders(list, corsHeaders)
  list.push('X-Request-Id', requestId)
  if (!rateWindow) return list
  list.push('X-RateLimit-Limit', String(rateWindow.limitRps))
  list.push('X-RateLimit-Remaining', String(rateWindow.remaining))
  list.push('X-RateLimit-Reset', String(rateWindow.resetAtSeconds))
  return list
}

/** The headers that every answer of a listener carries, as a list of names and values. */
export interface CommonHeaders {
  readonly list: readonly string[]
  /** The common headers of `list`, and the header for answers that pages of any origin may read. */
  readonly forAnyOrigin: readonly string[]
}

/** The headers of every answer; `listener` has those that only this listener adds. */
export function commonHeaders(listener: Headers): CommonHeaders {
  const list = Object.entries({ ...standingHeaders, ...listener }).flat()
  return { list, forAnyOrigin: [...list, ...Object.entries(anyOrigin).flat()] }
}

const withoutListener = commonHeaders({})

/** A header replaces one of the same name. */
function addHeaders(list: string[], headers: AnswerHeaders): void {
  for (const name in headers) {
    const value = headers[name] ?? ''
    if (typeof value !== 'string') {
      for (const one of value) list.push(name, one)
      continue
    }
    const index = indexOfName(list, name)
    if (index === -1) list.push(name, value)
    else list[index + 1] = value
  }
}

function indexOfName(list: readonly string[], name: string): number {
  for (let index = 0; index < list.length; index += 2) if (list[index] === name) return index
  return -1
}

function noteAnswer(res: Response, status: number): Call {
  const call = callOf(res)
  const onAnswer: OnAnswer | undefined = res.app.get('on answer')
  const isLost = isGone(res) && !call.isDispatched
  const recorded = isLost ? clientClosedRequest : (call.toolStatus ?? status)
  onAnswer?.(call, recorded)
  call.whenAnswered?.(recorded)
  call.releaseRoom?.()
  return call
}
