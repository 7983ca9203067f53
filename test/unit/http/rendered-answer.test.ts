import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import express, { type Response } from 'express'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Call, setCall } from '../../../rest-facade/http/call.ts'
import { anyOrigin, commonHeaders, noHeaders, send } from '../../../rest-facade/http/respond.ts'
import { expressKinds } from '../../../rest-facade/steps/dispatch/express-kinds.ts'

interface Answer {
  readonly status: number
  readonly body: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
}

/** What the next request is answered with, and whether its head may be written as one text. */
let answer: Answer
let isRendered = true
const server = createServer({ ...kinds(), keepAliveTimeout: 75_000 }, (_req, res) => {
  const rateWindow = { limitRps: 10, remaining: 9, resetAtSeconds: 1_000, isExceeded: false }
  // Another object without headers: then each header is written by itself.
  const routeHeaders = isRendered ? noHeaders : {}
  const call = { requestId: 'req_1', corsHeaders: anyOrigin, routeHeaders, rateWindow }
  setCall(res as Response, Object(call) as Call)
  send(res as Response, answer.status, answer.body, answer.headers)
})

function kinds() {
  const { bind, ...classes } = expressKinds()
  const app = express()
  app.set('common headers', commonHeaders({ 'Access-Control-Expose-Headers': 'X-Request-Id' }))
  bind(app)
  return classes as {
    IncomingMessage: typeof IncomingMessage
    ServerResponse: typeof ServerResponse
  }
}

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** All bytes that come back for what is sent, with one time for all. */
async function bytesOf(sent: string): Promise<string> {
  const { port } = server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  // The last request closes the connection.
  socket.write(`${sent}GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
  await once(socket, 'close')
  return Buffer.concat(chunks)
    .toString('latin1')
    .replaceAll(/Date: [A-Z][a-z]{2}, [\w: ]{21}GMT/g, 'Date: now')
}

async function bothWays(sent: string, next: Answer): Promise<[string, string]> {
  answer = next
  isRendered = true
  const rendered = await bytesOf(sent)
  isRendered = false
  return [rendered, await bytesOf(sent)]
}

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const credits = { 'X-Credits-Charged': '5', 'X-Credits-Remaining': '95' }

describe('an answer has the same bytes, whether its head is written at once or header by header', () => {
  test.each<[string, string, Answer]>([
    ['200', get, { status: 200, body: '{"a":1}', headers: credits }],
    ['201 without further headers', get, { status: 201, body: '{}' }],
    ['429', get, { status: 429, body: '{"error":{}}', headers: { 'Retry-After': '1' } }],
    ['500', get, { status: 500, body: '{}' }],
    ['a body beyond ASCII', get, { status: 200, body: '{"name":"Žofie 🙂"}' }],
    ['bytes', get, { status: 200, body: Buffer.from('{"name":"Žofie 🙂"}') }],
    ['an empty body', get, { status: 200, body: '' }],
    ['204', get, { status: 204, body: '' }],
    [
      'a common header that is replaced',
      get,
      { status: 200, body: '{}', headers: { 'Cache-Control': 'private' } },
    ],
    ['another type', get, { status: 200, body: 'a', headers: { 'Content-Type': 'text/plain' } }],
    ['a header beyond ASCII', get, { status: 200, body: '{}', headers: { Link: '</é>' } }],
    ['HEAD', get.replace('GET', 'HEAD'), { status: 200, body: '{"a":1}' }],
    [
      'HTTP/1.0',
      'GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n',
      { status: 200, body: '{}' },
    ],
    ['requests behind each other', get.repeat(3), { status: 200, body: '{"a":1}' }],
  ])('%s', async (_, sent, next) => {
    const [rendered, usual] = await bothWays(sent, next)

    expect(rendered).toBe(usual)
    expect(rendered.match(/HTTP\/1\.1 \d{3} /g)).toHaveLength(sent.split('Host').length)
  })
})

test('a header that Node refuses is refused', async () => {
  answer = { status: 200, body: '{}' }
  const failures: unknown[] = []
  const refusing = createServer(kinds(), (_req, res) => {
    setCall(
      res as Response,
      Object({
        requestId: 'req_1',
        corsHeaders: anyOrigin,
        routeHeaders: noHeaders,
        rateWindow: { limitRps: 1, remaining: 0, resetAtSeconds: 1 },
      }),
    )
    try {
      send(res as Response, 200, '{}', { Link: 'a\r\nSet-Cookie: b' })
    } catch (error) {
      failures.push(Object(error).code)
      res.destroy()
    }
  })
  refusing.listen(0, '127.0.0.1')
  await once(refusing, 'listening')
  const { port } = refusing.address() as AddressInfo
  await fetch(`http://127.0.0.1:${port}/`).catch(() => {})
  refusing.close()

  expect(failures).toEqual(['ERR_INVALID_CHAR'])
})
