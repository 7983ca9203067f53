import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bodyProblem } from '../../../rest-facade/http/body-shape.ts'
import { ApiError, invalidRequest } from '../../../rest-facade/http/errors.ts'
import { readBody } from '../../../rest-facade/http/read-body.ts'
import { utf8Problem } from '../../../rest-facade/http/unicode/utf8.ts'
import { rounds, seed } from '../../support/extent/extent.ts'

const show: RequestHandler = function show(req, res) {
  res.json({ isUndefined: req.body === undefined, body: req.body })
}
const showFailure: ErrorRequestHandler = function showFailure(error, _req, res, _next) {
  if (!(error instanceof ApiError)) throw error
  const { code, message, details } = error
  res.status(error.status).json({ code, message, details })
}

let isEmpty = false
let problem: string | null = null
const parse = express.json({
  ...{ limit: 1024 * 1024, type: 'application/json', strict: false },
  verify: (_req, _res, bytes, charset) => {
    isEmpty = bytes.length === 0
    problem = charset === 'utf-8' ? utf8Problem(bytes) : null
    if (problem !== null) throw new Error(problem)
  },
})
const inBody = (message: string) => invalidRequest([{ field: 'body', in: 'body', message }])

/** What a failure of this type means. */
function failureOf(type: unknown): ApiError | undefined {
  if (type === 'entity.verify.failed' && problem !== null) return inBody(problem)
  if (type === 'entity.parse.failed') return inBody('is not valid JSON')
  if (type !== 'charset.unsupported') return undefined
  return new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as UTF-8.')
}

/** Reads the same body by Express's own parser, which does not see by itself that bytes are not UTF-8. */
const readAsExpress: RequestHandler = function readAsExpress(req, res, next) {
  parse(req, res, (error?: unknown) => {
    if (error) return next(failureOf(Object(error).type) ?? error)
    if (isEmpty) req.body = undefined
    const wrong = isEmpty ? null : bodyProblem(req.body)
    next(wrong ? invalidRequest([wrong]) : undefined)
  })
}

let server: Server
beforeAll(async () => {
  const app = express()
  app.post('/', readBody, show, showFailure)
  app.post('/express', readAsExpress, show, showFailure)
  server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => void server.close())

interface Sent {
  readonly bytes: Buffer
  /** The lengths of the pieces in which it is written. */
  readonly pieces: readonly number[]
  readonly type: string
}

interface Way {
  readonly isChunked?: boolean
  readonly path?: '/' | '/express'
}

async function send({ bytes, pieces, type }: Sent, { isChunked = false, path = '/' }: Way = {}) {
  const length = isChunked ? {} : { 'content-length': bytes.length }
  const { port } = server.address() as AddressInfo
  const sent = request({
    ...{ host: '127.0.0.1', port, path, method: 'POST', agent: false },
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

  test('that arrives in pieces of any size, with or without a length, is read as Express reads it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          bytes: bodies,
          pieces: fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 4 }),
          type: fc.constantFrom(...types),
        }),
        async (sent) => {
          const asExpress = await send(sent, { path: '/express' })
          expect(await send(sent)).toEqual(asExpress)
          expect(await send(sent, { isChunked: true })).toEqual(asExpress)
        },
      ),
      { seed, numRuns: rounds('PLAIN_BODIES', { all: 60, nightly: 5000 }) },
    )
  })
})

/** With so many values in all, itself included; long enough to be large. */
function withMembers(count: number, member = '1'): string {
  const lengths = [9000, 9000, count - 18_004]
  const lists = lengths.map((length) => `[${Array(length).fill(member).join(',')}]`)
  return `{${lists.map((list, index) => `"${index}":${list}`).join(',')}}`
}

/** The other values are longer, so that it is large. */
function withObjectOf(members: number): string {
  const names = Array.from({ length: members }, (_, at) => `"name ${at}": "${'x'.repeat(16)}"`)
  return `{"a": {${names.join(' , ')}}}`
}

/** Objects and arrays around each other, so many. */
function nested(depth: number, innermost: string): string {
  const long = `"${'x'.repeat(20_000)}"`
  return `{"long":${long},"a":${'['.repeat(depth - 1)}${innermost}${']'.repeat(depth - 1)}}`
}

const shapes = [
  ['with 20,000 members', withMembers(20_000)],
  ['with 20,001 members', withMembers(20_001)],
  ['with 20,003 members', withMembers(20_003)],
  ['with 20,000 members, most of them empty objects', withMembers(20_000, '{}')],
  ['with 30,000 objects and 15,000 commas', withMembers(19_000, '{"":{}}')],
  ['with as many empty objects as it can have', `{"a":[${Array(340_000).fill('{}').join(',')}]}`],
  ['with as many empty objects, as a list', ` [${Array(340_000).fill('{}').join(',')}]`],
  ['with many members, cut', withMembers(30_000).slice(0, -1)],
  ['with many members, closed twice', `${withMembers(30_000)}}`],
  ['with an object of 1000 members', withObjectOf(1000)],
  ['with an object of 1001 members', withObjectOf(1001)],
  ['with lists of 10,000', `{"a":[${Array(10_000).fill('[ ]').join(',')}]}`],
  ['with lists of 10,001', `{"a":[${Array(10_001).fill('[\n]').join(' , ')}]}`],
  ['with 64 levels below it', nested(65, '')],
  ['with 65 levels below it', nested(65, '1')],
  ['with 66 levels below it', nested(66, '')],
  ['that is 500,000 deep', deep(500_000)],
  ['that is 500,000 deep, as a list', '['.repeat(500_000) + ']'.repeat(500_000)],
  ['with a text of commas and brackets', JSON.stringify({ a: ',{}[]'.repeat(50_000) })],
  ['with a text of quotes, commas and brackets', JSON.stringify({ a: '",[]'.repeat(60_000) })],
  ['with a text that ends in a backslash', JSON.stringify({ a: '\\', b: ',[]'.repeat(30_000) })],
  ['that ends in a text', `{"a":"${',[]'.repeat(30_000)}`],
] as const

describe('a JSON body of more than 16 KiB', () => {
  const text = JSON.stringify({ name: 'Žofie 🙂'.repeat(5000) })
  const swapped = Buffer.from(text, 'utf16le').swap16()

  test.each([
    ['without a charset', '', Buffer.from(text)],
    ['with a byte order mark', '', Buffer.from(`\ufeff${text}`)],
    ['in UTF-8', '; charset=UTF-8', Buffer.from(text)],
    ['in UTF-8, in quotes', ';foo=1; charset="utf-8"', Buffer.from(text)],
    ['with bytes that are not UTF-8', '', Buffer.from(text.replaceAll('Ž', '\xff'), 'latin1')],
    ['in UTF-16', '; charset=utf-16', Buffer.from(text, 'utf16le')],
    ['in UTF-16, in quotes', '; charset="UTF-16LE"', Buffer.from(text, 'utf16le')],
    ['in UTF-16LE', '; charset=utf-16le', Buffer.from(text, 'utf16le')],
    ['in UTF-16BE', '; charset=utf-16be', swapped],
    ['in Latin-1', '; charset=iso-8859-1', Buffer.from(text, 'latin1')],
    ['in a charset that is none', '; charset=utf-9', Buffer.from(text)],
    ['in UTF-8, without its end', '', Buffer.from(text).subarray(0, -2)],
    ['in UTF-8, with half a character at its end', '', Buffer.from(text).subarray(0, -4)],
  ])('%s is read as Express reads it', async (_, parameter, bytes) => {
    const sent = { bytes, pieces: [20_000], type: `application/json${parameter}` }

    const asExpress = await send(sent, { path: '/express' })

    expect(bytes.length).toBeGreaterThan(16 * 1024)
    expect(await send(sent)).toEqual(asExpress)
    expect(await send(sent, { isChunked: true })).toEqual(asExpress)
  })

  test.each(shapes)('%s is read as Express reads it', async (_, text) => {
    const sent = { bytes: Buffer.from(text), pieces: [100_000], type: 'application/json' }

    expect(await send(sent)).toEqual(await send(sent, { path: '/express' }))
  })

  test('in UTF-32, which no client sends, is refused with 415', async () => {
    const bytes = Buffer.alloc(20_000)

    const answer = await send({ bytes, pieces: [], type: 'application/json; charset=utf-32' })

    expect(answer).toEqual({
      status: 415,
      body: { code: 'UNSUPPORTED_MEDIA_TYPE', message: 'Send the body as UTF-8.' },
    })
  })
})
