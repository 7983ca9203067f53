import { STATUS_CODES } from 'node:http'
import type { Response } from 'express'

/** Headers that many answers have, as they stand in an answer. */
export interface RenderedHeaders {
  readonly text: string
  readonly names: ReadonlySet<string>
}

/** An answer in JSON. */
export interface RenderedAnswer {
  readonly common: RenderedHeaders
  /** Lines of the answer itself, from ids and numbers alone. */
  readonly own: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
}

/** Node's own members of a response. */
interface Outgoing {
  _header: string | null
  readonly _keepAliveTimeout: number
}

/** `list`: names and values in turn. */
export function renderHeaders(list: readonly string[]): RenderedHeaders {
  let text = ''
  const names = new Set(['Content-Type', 'Content-Length'])
  for (let index = 0; index < list.length; index += 2) {
    text += `${list[index]}: ${list[index + 1]}\r\n`
    names.add(list[index] ?? '')
  }
  return { text, names }
}

/** What Node accepts as the value of a header, without the bytes above ASCII. */
const isPlain = /^[\t -~]*$/

/**
 * Sends an answer whose head is written as one text. For each header of a list Node searches for special names,
 * checks the value and joins four texts: a seventh of what a charged call allocates. The bytes are the same. Returns
 * false for an answer that needs more than that: one that ends its connection, has no body, replaces a common header
 * or has a text that Node may refuse.
 */
export function renderAnswer(
  res: Response,
  status: number,
  { common, own, headers, body }: RenderedAnswer,
): boolean {
  const { req } = res
  const hasBody = req.method !== 'HEAD' && status >= 200 && status !== 204 && status !== 304
  if (
    !hasBody ||
    req.httpVersion !== '1.1' ||
    !res.shouldKeepAlive ||
    res.hasHeader('Connection')
  ) {
    return false
  }
  let further = ''
  for (const name in headers) {
    const value = headers[name] ?? ''
    if (common.names.has(name) || !isPlain.test(value)) return false
    further += `${name}: ${value}\r\n`
  }
  const outgoing = res as unknown as Outgoing
  res.statusCode = status
  outgoing._header =
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${common.text}${own}` +
    `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
    `${further}Date: ${dateNow()}\r\nConnection: keep-alive\r\n` +
    `Keep-Alive: timeout=${Math.floor(outgoing._keepAliveTimeout / 1000)}\r\n\r\n`
  res.end(body)
  return true
}

let dateSecond = 0
let date = ''

/** The time in the form of RFC 9110 §5.6.7. */
function dateNow(): string {
  const second = Math.floor(Date.now() / 1000)
  if (second !== dateSecond) {
    dateSecond = second
    date = new Date(second * 1000).toUTCString()
  }
  return date
}
