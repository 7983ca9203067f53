import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ApiError } from '../../../rest-facade/http/errors.ts'
import { readBody } from '../../../rest-facade/http/read-body.ts'
import { rounds, seed } from '../../support/extent/extent.ts'

const show: RequestHandler = function show(req, res) {
  res.json({ isUndefined: req.body === undefined, body: req.body })
}
const showFailure: ErrorRequestHandler = function showFailure(error, _req, res, _next) {
  if (!(error instanceof ApiError)) throw error
  const { code, message, details } = error
  res.status(error.status).json({ code, message, details })
}

let server: Server
beforeAll(async () => {
  server = createServer(express().post('/', readBody, show, showFailure)).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => void server.close())

interface Sent {
  readonly bytes: Buffer
  /** The lengths of the pieces in which it is written. */
  readonly pieces: readonly number[]
  readonly type: string
}

async function send({ bytes, pieces, type }: Sent, isChunked: boolean) {
  const length = isChunked ? {} : { 'content-length': bytes.length }
  const { port } = server.address() as AddressInfo
  const sent = request({
    ...{ host: '127.0.0.1', port, method: 'POST', agent: false },
    headers: { 'content-type': type, ...length },
  })
  let start = 0
  for (const piece of pieces) {
    if (piece > 0 && start < bytes.length) sent.write(bytes.subarray(start, start + piece))
    start += piece
  }
  sent.end(bytes.subarray(Math.min(start, bytes.length)))
  const [res] = await once(sent, 'response')
  return { status: res.statusCode, body: await json(res) }
}

const types = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
] as const
const deep = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`
const bodies = fc.oneof(
  fc.json().map((text) => Buffer.from(text)),
  fc.dictionary(fc.string(), fc.jsonValue()).map((value) => Buffer.from(JSON.stringify(value))),
  fc
    .dictionary(fc.string(), fc.string())
    .map((value) => Buffer.from(`\ufeff${JSON.stringify(value)}`)),
  fc.uint8Array({ minLength: 1 }).map((bytes) => Buffer.from(bytes)),
  fc.integer({ min: 1, max: 90 }).map((levels) => Buffer.from(deep(levels))),
  fc
    .constantFrom(' ', '\ufeff', '{', 'null', '[]', '{"a":1}}', '{"__proto__":1}', '{"a":"\xff"}')
    .map((text) => Buffer.from(text, 'latin1')),
  fc
    .integer({ min: 16_350, max: 16_420 })
    .map((length) => Buffer.from(JSON.stringify({ a: 'x'.repeat(length - 8) }))),
)

describe('a small JSON body', () => {
  test('whose client is gone before it is read is refused at once', async () => {
    const dialled = Promise.withResolvers<void>()
    const refused = Promise.withResolvers<unknown>()
    const waitUntilGone: RequestHandler = function waitUntilGone(req, _res, next) {
      req.once('close', () => setImmediate(next))
      dialled.resolve()
    }
    const keepRefusal: ErrorRequestHandler = function keepRefusal(error, _req, _res, _next) {
      refused.resolve(error)
    }
    const other = createServer(express().post('/', waitUntilGone, readBody, show, keepRefusal))
    await once(other.listen(0, '127.0.0.1'), 'listening')
    const { port } = other.address() as AddressInfo
    const sent = request({
      ...{ host: '127.0.0.1', port, method: 'POST', agent: false },
      headers: { 'content-type': 'application/json', 'content-length': 2 },
    })
    sent.on('error', () => {})
    sent.write('{')
    await dialled.promise

    sent.destroy()

    expect(await refused.promise).toMatchObject({ code: 'INVALID_REQUEST' })
    other.close()
  })

  test('that arrives in pieces of any size is read as body-parser reads one of unknown length', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          bytes: bodies,
          pieces: fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 4 }),
          type: fc.constantFrom(...types),
        }),
        async (sent) => {
          expect(await send(sent, false)).toEqual(await send(sent, true))
        },
      ),
      { seed, numRuns: rounds('PLAIN_BODIES', { fast: 200, all: 500, long: 5000 }) },
    )
  })
})
