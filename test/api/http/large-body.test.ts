import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import express, { type ErrorRequestHandler, type RequestHandler, type Response } from 'express'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { callOf } from '../../../rest-facade/http/call.ts'
import { ApiError } from '../../../rest-facade/http/errors.ts'
import { takeRoom } from '../../../rest-facade/http/large-body.ts'
import { readBody, readSignedBody } from '../../../rest-facade/http/read-body.ts'
import { sendJson } from '../../../rest-facade/http/respond.ts'
import { beginCall } from '../../../rest-facade/steps/begin-call.ts'
import { patience } from '../../support/time/patience.ts'

/** The number of bodies of 1 MiB that are parsed at once. */
const most = 8
const mebibyte = 1024 * 1024

/** Requests whose bodies are parsed, in this order. */
let parsed: { readonly name: string; readonly body: unknown; readonly res: Response }[] = []
let failures: ApiError[] = []

const keepParsed: RequestHandler = function keepParsed(req, res) {
  const { body } = req
  parsed.push({ name: body.name ?? 'signed', body, res })
}
const answerFailure: ErrorRequestHandler = function answerFailure(error, _req, res, _next) {
  if (!(error instanceof ApiError)) throw error
  failures.push(error)
  sendJson(res, error.status, { code: error.code })
}

let server: Server
let port: number
beforeAll(async () => {
  const app = express()
  app.set('trust proxy', false)
  app.use(beginCall('live'))
  app.post('/', readBody, keepParsed)
  app.post('/signed/:provider', readSignedBody, keepParsed)
  app.use(answerFailure)
  server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  ;({ port } = server.address() as AddressInfo)
})
afterAll(() => void server.close())
beforeEach(() => {
  parsed = []
  failures = []
})
/** Every test leaves all of the room. */
afterEach(async () => {
  vi.useRealTimers()
  answerAll()
  await expectWholeRoom()
})

function bodyOf(name: string, bytes = mebibyte): string {
  return JSON.stringify({ name }).padEnd(bytes)
}

interface Sent {
  readonly path?: string
  readonly isChunked?: boolean
}

function send(body: string, { path = '/', isChunked = false }: Sent = {}) {
  const length = isChunked
    ? { 'transfer-encoding': 'chunked' }
    : { 'content-length': Buffer.byteLength(body) }
  const sent = request({
    ...{ host: '127.0.0.1', port, path, method: 'POST', agent: false },
    headers: { 'content-type': 'application/json', ...length },
  })
  sent.on('error', () => {})
  sent.end(body)
  const status = once(sent, 'response').then(([res]) => {
    res.resume()
    return Number(res.statusCode)
  })
  // One that is cut gets no answer.
  status.catch(() => {})
  return { cut: () => sent.destroy(), status }
}

const namesOfParsed = () => parsed.map(({ name }) => name)
const untilParsed = (count: number) => vi.waitUntil(() => parsed.length === count, patience)

/** Bodies that arrive together are parsed in any order: a test looks for its own by name. */
function responseOf(name: string): Response {
  const found = parsed.find((one) => one.name === name)
  if (!found) throw new Error(`${name} is not parsed.`)
  return found.res
}

function answer(name: string): void {
  sendJson(responseOf(name), 200, {})
}

function answerAll(): void {
  for (const { res } of parsed) if (!res.headersSent) sendJson(res, 200, {})
}

/** All the room is there: so many large bodies are parsed at once, and one more is not. */
async function expectWholeRoom(): Promise<void> {
  parsed = []
  const sent = Array.from({ length: most }, (_, index) => send(bodyOf(`whole ${index}`)))
  await untilParsed(most)
  const further = send(bodyOf('further'))
  await untilSmallIsParsed()
  expect(namesOfParsed()).not.toContain('further')
  answerAll()
  await vi.waitUntil(() => namesOfParsed().includes('further'), patience)
  answerAll()
  expect(await Promise.all([...sent, further].map(({ status }) => status))).toEqual(
    Array.from({ length: most + 1 }, () => 200),
  )
}

/** What was sent before has reached the server by then: it reads connections in their order. */
async function untilSmallIsParsed(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) {
    const small = send(bodyOf('small', 100))
    await vi.waitUntil(() => parsed.some(({ name }) => name === 'small'), patience)
    answer('small')
    parsed = parsed.filter(({ name }) => name !== 'small')
    expect(await small.status).toBe(200)
  }
}

/** Sends requests on one connection, without waiting for their answers. */
function sendInOne(bodies: readonly string[]): { readonly cut: () => void } {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  for (const body of bodies) {
    const headers = `Content-Type: application/json\r\nContent-Length: ${body.length}`
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n${body}`)
  }
  return { cut: () => void socket.destroy() }
}

function untilCut({ req: { socket } }: Response): Promise<unknown> {
  return socket.closed ? Promise.resolve() : once(socket, 'close')
}

/** From now on time passes only by hand, and while the test waits for something. */
function holdTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
}

/** Takes all of the room. */
async function fill() {
  const sent = Array.from({ length: most }, (_, index) => send(bodyOf(`first ${index}`)))
  await untilParsed(most)
  return sent
}

describe('a JSON body', () => {
  test('of 1 MiB waits until there is room to parse it, behind those that came before', async () => {
    await fill()
    const waiting = []
    for (const name of ['second', 'third', 'fourth']) {
      waiting.push(send(bodyOf(name)))
      await untilSmallIsParsed()
    }
    expect(parsed).toHaveLength(most)

    answer('first 3')
    await untilParsed(most + 1)
    answer('first 0')
    await untilParsed(most + 2)

    expect(namesOfParsed().slice(most)).toEqual(['second', 'third'])
    answerAll()
    await untilParsed(most + 3)
    answerAll()
    expect(await Promise.all(waiting.map(({ status }) => status))).toEqual([200, 200, 200])
  })

  test.each([
    ['with a length', false],
    ['in chunks', true],
  ])('of 16 KiB %s waits for nothing', async (_, isChunked) => {
    await fill()

    const small = send(bodyOf('small', 16 * 1024), { isChunked })
    await untilParsed(most + 1)
    answer('small')

    expect(await small.status).toBe(200)
  })

  test.each([
    ['with a length', false],
    ['in chunks', true],
  ])('of 16 KiB and a byte %s waits for room', async (_, isChunked) => {
    await fill()

    const large = send(bodyOf('large', 16 * 1024 + 1), { isChunked })
    await untilSmallIsParsed()
    expect(parsed).toHaveLength(most)
    answer('first 0')
    await untilParsed(most + 1)
    answer('large')

    expect(await large.status).toBe(200)
  })

  test('of 1 MiB gives its room back when it is refused', async () => {
    const bodies = ['{"name":'.padEnd(mebibyte), '[]'.padEnd(mebibyte)]

    const sent = Array.from({ length: 2 * most }, (_, index) => send(bodies[index % 2] ?? ''))

    const statuses = await Promise.all(sent.map(({ status }) => status))
    expect(new Set(statuses)).toEqual(new Set([422]))
    expect(parsed).toEqual([])
  })

  test('of 1 MiB whose client hangs up while it waits is never parsed, and keeps nobody waiting', async () => {
    await fill()
    const left = send(bodyOf('left'))
    await untilSmallIsParsed()
    const stayed = send(bodyOf('stayed'))
    await untilSmallIsParsed()

    left.cut()
    await vi.waitUntil(() => failures.length === 1, patience)
    answer('first 0')
    await untilParsed(most + 1)

    expect(namesOfParsed()).not.toContain('left')
    expect(failures).toMatchObject([{ message: 'The client has hung up.' }])
    answer('stayed')
    expect(await stayed.status).toBe(200)
  })

  test('of 1 MiB whose client has hung up before gets no room', async () => {
    const sent = send(bodyOf('gone'))
    await untilParsed(1)
    const res = responseOf('gone')
    const closed = once(res, 'close')
    sent.cut()
    await closed
    answerAll()

    await expect(takeRoom(res, mebibyte)).rejects.toThrow('The client has hung up.')
  })

  test('of 1 MiB whose client hangs up while others work on it keeps its room until they are done', async () => {
    const [first] = await fill()
    send(bodyOf('next'))
    await untilSmallIsParsed()
    const closed = once(responseOf('first 0'), 'close')

    first?.cut()
    await closed
    await untilSmallIsParsed()
    expect(namesOfParsed()).not.toContain('next')

    answer('first 0')
    await untilParsed(most + 1)
    expect(namesOfParsed().at(-1)).toBe('next')
  })

  test('of 1 MiB whose client hangs up keeps its room for a minute at most', async () => {
    const [first] = await fill()
    send(bodyOf('next'))
    await untilSmallIsParsed()
    const closed = once(responseOf('first 0'), 'close')
    holdTime()

    first?.cut()
    await closed
    await untilSmallIsParsed()
    expect(namesOfParsed()).not.toContain('next')
    vi.advanceTimersByTime(60_000)
    await untilParsed(most + 1)

    expect(namesOfParsed().at(-1)).toBe('next')
  })

  test('of 1 MiB is refused with 503 when there was no room for half a minute', async () => {
    await fill()
    holdTime()
    const late = send(bodyOf('late'))
    await untilSmallIsParsed()

    vi.advanceTimersByTime(30_000)

    expect(await late.status).toBe(503)
    expect(failures).toMatchObject([
      { code: 'SERVICE_UNAVAILABLE', headers: { 'Retry-After': '1' } },
    ])
    answerAll()
  })

  test('of 1 MiB gives its room back when what was parsed is dropped, before the answer', async () => {
    await fill()
    send(bodyOf('next'))
    await untilSmallIsParsed()

    callOf(responseOf('first 0')).releaseRoom?.()
    await untilParsed(most + 1)

    // The answer gives nothing back a second time.
    answer('first 0')
    send(bodyOf('after'))
    await untilSmallIsParsed()
    expect(namesOfParsed().slice(most)).toEqual(['next'])
    answerAll()
    await untilParsed(most + 2)
  })

  test('of 1 MiB behind others of its connection gives its room back when it is answered', async () => {
    const connection = sendInOne([bodyOf('one', 100), bodyOf('two'), bodyOf('three')])
    await untilParsed(3)

    connection.cut()
    await Promise.all(parsed.map(({ res }) => untilCut(res)))
    answerAll()

    expect(parsed.map(({ res }) => callOf(res).releaseRoom)).toEqual([null, null, null])
  })

  test('of 1 MiB behind others of its connection is never parsed when that is cut meanwhile', async () => {
    await fill()
    const connection = sendInOne([bodyOf('one', 100), bodyOf('two')])
    await untilParsed(most + 1)
    await untilSmallIsParsed()

    connection.cut()
    await Promise.all(parsed.slice(most).map(({ res }) => untilCut(res)))
    answerAll()
    await vi.waitUntil(() => failures.length === 1, patience)

    expect(failures).toMatchObject([{ message: 'The client has hung up.' }])
    expect(namesOfParsed()).not.toContain('two')
  })
})

describe('a signed body', () => {
  test.each([
    ['small', '\ufeff{"a":1}'],
    ['large', `\ufeff${'Ž'.repeat(20_000)}`],
  ])('that is %s is read byte for byte', async (_, text) => {
    const sent = send(text, { path: '/signed/stripe' })
    await untilParsed(1)
    answerAll()

    expect(await sent.status).toBe(200)
    expect(parsed[0]?.body).toEqual({ body: text, signature: '' })
  })

  test('of 1 MiB takes room as text', async () => {
    const path = '/signed/stripe'
    const sent = Array.from({ length: most }, () => send(bodyOf('signed'), { path }))
    await untilParsed(most)
    const waiting = send(bodyOf('signed'), { path })
    await untilSmallIsParsed()
    expect(parsed).toHaveLength(most)

    answerAll()
    await untilParsed(most + 1)
    answerAll()

    const statuses = await Promise.all([...sent, waiting].map(({ status }) => status))
    expect(new Set(statuses)).toEqual(new Set([200]))
  })
})
