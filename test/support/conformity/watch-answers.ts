import { subscribe } from 'node:diagnostics_channel'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { Answer } from './answers-conform.ts'

/** A request and its whole answer as undici saw them, of `fetch` and everything built on both. */
export interface Exchange {
  readonly origin: string
  readonly answer: Answer
  readonly request: { readonly headers: Readonly<Record<string, string>>; readonly body: string }
}

type Take = (exchange: Exchange) => void

const takers = new Map<string, Take>()
let isWatching = false

/** From now on `take` gets every complete answer of an origin to this process. */
export function watchAnswers(origin: string, take: Take): void {
  takers.set(new URL(origin).origin, take)
  if (isWatching) return
  isWatching = true
  subscribeAll()
}

/** The port may belong to another listener from now on. */
export function leaveAnswers(...origins: readonly string[]): void {
  for (const origin of origins) takers.delete(new URL(origin).origin)
}

/** Listeners of an earlier file that were not closed are no longer checked. */
export function leaveAllAnswers(): void {
  takers.clear()
}

interface Pending {
  readonly take: Take
  readonly origin: string
  readonly method: string
  readonly path: string
  readonly requestHeaders: unknown
  readonly sent: Uint8Array[]
  status: number
  headers: unknown
  readonly chunks: Uint8Array[]
}

/** An answer that is interrupted or abandoned never ends, and is not checked. */
function subscribeAll(): void {
  const pending = new WeakMap<object, Pending>()
  const find = (message: unknown) => pending.get(Object(Object(message).request))

  subscribe('undici:request:create', (message) => {
    const { request } = Object(message)
    const take = takers.get(String(request.origin))
    if (!take) return
    const { origin, method, path, headers: requestHeaders } = request
    const about = { take, origin, method, path, requestHeaders }
    pending.set(request, { ...about, sent: [], status: 0, headers: [], chunks: [] })
  })
  subscribe('undici:request:bodyChunkSent', (message) => {
    find(message)?.sent.push(bytesOf(Object(message).chunk))
  })
  subscribe('undici:request:headers', (message) => {
    const found = find(message)
    if (!found) return
    const { statusCode, headers } = Object(message).response
    found.status = statusCode
    found.headers = headers
  })
  subscribe('undici:request:bodyChunkReceived', (message) => {
    find(message)?.chunks.push(bytesOf(Object(message).chunk))
  })
  subscribe('undici:request:trailers', (message) => {
    const found = find(message)
    if (found) found.take(exchangeOf(found))
  })
}

function exchangeOf(found: Pending): Exchange {
  const { origin, method, path, status, headers, chunks, requestHeaders, sent } = found
  const named = headersOf(headers)
  const body = decoded(chunks, named['content-encoding'])
  return {
    origin,
    answer: { method, path, status, headers: named, body },
    request: { headers: headersOf(requestHeaders), body: textOf(sent) },
  }
}

function bytesOf(chunk: unknown): Uint8Array {
  return chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk))
}

/** Decompresses the body: undici shows the transferred bytes. */
function decoded(chunks: readonly Uint8Array[], encoding: string | undefined): string {
  const whole = Buffer.concat(chunks)
  if (whole.length === 0) return ''
  if (encoding === 'br') return brotliDecompressSync(whole).toString('utf8')
  return (encoding === 'gzip' ? gunzipSync(whole) : whole).toString('utf8')
}

function textOf(chunks: readonly Uint8Array[]): string {
  return Buffer.concat(chunks).toString('utf8')
}

/** Names and values in turn. */
function headersOf(raw: unknown): Record<string, string> {
  const headers: Record<string, string> = {}
  const parts = Array.isArray(raw) ? raw.flat() : []
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const name = String(parts[index]).toLowerCase()
    const value = String(parts[index + 1])
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value
  }
  return headers
}
