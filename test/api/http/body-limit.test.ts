import { connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

type Fields = Readonly<Record<string, string | number>>

const hundredMegabytes = 100 * 1024 * 1024
const mebibyte = 1024 * 1024

interface Sent {
  /** The beginning of the body. */
  readonly body?: string | Buffer
  readonly origin?: string
}

/** Sends the head of a request and the beginning of its body, and leaves the connection open. */
function open(path: string, headers: Fields, { body = '', origin = gateway.baseUrl }: Sent = {}) {
  const { host, hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  sockets.push(socket)
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}`)
  socket.write([`POST ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'))
  socket.write(body)
  let received = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    received += chunk
  })
  return {
    socket,
    received: () => received,
    /** The first answer that is final, as soon as it is there. */
    answer: async () => {
      const pattern = /HTTP\/1\.1 ([2-5]\d\d) [^\r]*\r\n(.*?)\r\n\r\n(\{.*\})$/s
      await vi.waitUntil(() => pattern.test(received), patience)
      const [, status, head = '', text = ''] = pattern.exec(received) ?? []
      const fields = head.split('\r\n').map((line) => line.split(': ') as [string, string])
      return { status: Number(status), headers: new Headers(fields), body: JSON.parse(text) }
    },
  }
}

const tooLarge = { status: 413, code: 'PAYLOAD_TOO_LARGE' }
const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }

function chunkOf(bytes: Buffer | string): Buffer {
  const start = Buffer.from(`${Buffer.byteLength(bytes).toString(16)}\r\n`)
  return Buffer.concat([start, Buffer.from(bytes), Buffer.from('\r\n')])
}

describe('POST /v1/reviews/replies', () => {
  test.each([
    ['as it is', {}],
    ['compressed', { 'content-encoding': 'gzip' }],
  ])('refuses a body %s by its Content-Length before it comes', async (_how, headers) => {
    const { liveKey } = await gateway.createAccount()
    const authorization = `Bearer ${liveKey}`

    const { answer } = open(
      '/v1/reviews/replies',
      { ...json, authorization, 'content-length': hundredMegabytes, ...headers },
      { body: '{"review_id"' },
    )

    expectError(gateway, await answer(), { ...tooLarge, message: 'The body exceeds 1 MiB.' })
  })

  test.each([
    ['as it is', {}, Buffer.alloc(mebibyte + 1, ' ')],
    ['compressed', { 'content-encoding': 'gzip' }, Buffer.alloc(mebibyte + 1, gzipSync(''))],
  ])('refuses a body %s in chunks at its limit, before its end', async (_how, headers, bytes) => {
    const { liveKey } = await gateway.createAccount()
    const authorization = `Bearer ${liveKey}`

    const { answer } = open(
      '/v1/reviews/replies',
      { ...json, authorization, 'transfer-encoding': 'chunked', ...headers },
      { body: chunkOf(bytes) },
    )

    expectError(gateway, await answer(), { ...tooLarge, message: 'The body exceeds 1 MiB.' })
  })

  test('never asks for a body that is too large', async () => {
    const { liveKey } = await gateway.createAccount()

    const { answer, received } = open('/v1/reviews/replies', {
      ...json,
      ...{ authorization: `Bearer ${liveKey}`, expect: '100-continue' },
      'content-length': hundredMegabytes,
    })

    const refusal = await answer()
    expectError(gateway, refusal, { ...tooLarge, message: 'The body exceeds 1 MiB.' })
    expect(refusal.headers.get('connection')).toBe('close')
    expect(received()).not.toContain('100 Continue')
  })

  test.each([
    ['without a key', {}, 401],
    ['of another media type', { 'content-type': 'text/plain' }, 415],
    ['of an unknown Content-Encoding', { 'content-encoding': 'nonsense' }, 415],
  ])('never asks for a body %s', async (_what, headers, status) => {
    const { liveKey } = await gateway.createAccount()
    const authorization = status === 401 ? 'Bearer nonsense' : `Bearer ${liveKey}`

    const { answer, received } = open('/v1/reviews/replies', {
      ...json,
      ...{ authorization, expect: '100-continue', 'content-length': 9 },
      ...headers,
    })

    expect((await answer()).status).toBe(status)
    expect(received()).not.toContain('100 Continue')
  })

  const body = '{"review_id": "rev_1", "text": "Vielen Dank"}'

  test.each([
    ['a stated length', { 'content-length': body.length }, body],
    ['chunks', { 'transfer-encoding': 'chunked' }, `${String(chunkOf(body))}0\r\n\r\n`],
  ])('asks for a body with %s when it reads it', async (_what, headers, sent) => {
    const { liveKey } = await gateway.createAccount()
    const { answer, received, socket } = open('/v1/reviews/replies', {
      ...{ ...json, authorization: `Bearer ${liveKey}`, expect: '100-continue' },
      ...headers,
    })
    await vi.waitUntil(() => received().includes('\r\n\r\n'), patience)
    expect(received()).toBe('HTTP/1.1 100 Continue\r\n\r\n')

    socket.write(sent)

    expect((await answer()).status).toBe(201)
  })
})

describe('POST /v1/oauth/token', () => {
  const message = 'The body exceeds 16 KiB.'

  test('refuses a form by its Content-Length before it comes', async () => {
    const { answer, received } = open('/v1/oauth/token', {
      ...form,
      ...{ 'content-length': 16 * 1024 + 1, expect: '100-continue' },
    })

    expectError(gateway, await answer(), { ...tooLarge, message })
    expect(received()).not.toContain('100 Continue')
  })

  test('refuses a form in chunks at its limit, before its end', async () => {
    const { answer } = open(
      '/v1/oauth/token',
      { ...form, 'transfer-encoding': 'chunked' },
      { body: chunkOf('x'.repeat(16 * 1024 + 1)) },
    )

    expectError(gateway, await answer(), { ...tooLarge, message })
  })
})

test('POST /v1/billing/notifications/{provider} refuses a body by its Content-Length before it comes', async () => {
  const { answer } = open(
    '/v1/billing/notifications/simulated',
    { ...json, 'content-length': hundredMegabytes },
    { body: '{' },
  )

  expectError(gateway, await answer(), { ...tooLarge, message: 'The body exceeds 1 MiB.' })
})

test('POST /graphql of the internal listener refuses a body by its Content-Length before it comes', async () => {
  const authorization = `Bearer ${await gateway.internalToken('admin')}`

  const { answer } = open(
    '/graphql',
    { ...json, authorization, 'content-length': hundredMegabytes },
    { origin: gateway.internal.url, body: '{' },
  )

  expect(await answer()).toMatchObject({
    status: 413,
    body: { error: { code: 'PAYLOAD_TOO_LARGE', message: 'The body exceeds 1 MiB.' } },
  })
})
