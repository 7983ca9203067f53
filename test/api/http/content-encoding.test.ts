import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

type Headers = Readonly<Record<string, string>>

async function post(path: string, headers: Headers, body: Buffer) {
  const init = { method: 'POST', headers, body: new Uint8Array(body) }
  const response = await fetch(`${gateway.baseUrl}${path}`, init)
  return { status: response.status, headers: response.headers, body: await response.json() }
}

const json = { 'content-type': 'application/json' }
const text = 'Vielen Dank, Žofie 🙂'
const reply = Buffer.from(JSON.stringify({ review_id: 'rev_1', text }))

describe('POST /v1/reviews/replies', () => {
  test.each([
    ['gzip', gzipSync(reply)],
    ['x-gzip', gzipSync(reply)],
    ['X-GZip', gzipSync(reply)],
    ['deflate', deflateSync(reply)],
    ['br', brotliCompressSync(reply)],
    ['zstd', zstdCompressSync(reply)],
    ['identity', reply],
    ['Identity', reply],
    ['', reply],
  ])('reads a body whose Content-Encoding is %j', async (encoding, bytes) => {
    const { liveKey } = await gateway.createAccount()
    const headers = { ...json, authorization: `Bearer ${liveKey}`, 'content-encoding': encoding }

    const response = await post('/v1/reviews/replies', headers, bytes)

    expect(response.status).toBe(201)
    expect(response.body).toMatchObject({ review_id: 'rev_1', text })
  })

  test.each(['nonsense', 'compress', 'gzip, gzip', 'gzip, identity', 'aes128gcm', '__proto__'])(
    'refuses a body whose Content-Encoding is %j with 415 and the encodings that it reads',
    async (encoding) => {
      const { liveKey } = await gateway.createAccount()
      const headers = { ...json, authorization: `Bearer ${liveKey}`, 'content-encoding': encoding }

      const response = await post('/v1/reviews/replies', headers, reply)

      expectError(gateway, response, {
        ...{ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
        message: 'The Content-Encoding of the body must be gzip, deflate, br, zstd or none.',
      })
      expect(response.headers.get('accept-encoding')).toBe('gzip, deflate, br, zstd')
      const credits = await gateway.live.get('/v1/account/credits', liveKey)
      expect(credits.body).toMatchObject({ balance: 1000, held: 0 })
    },
  )

  test.each([
    ['gzip', reply],
    ['gzip', gzipSync(reply).subarray(0, -4)],
    ['br', gzipSync(reply)],
    ['zstd', brotliCompressSync(reply)],
  ])('refuses a body that %s cannot decompress with 422', async (encoding, bytes) => {
    const { liveKey } = await gateway.createAccount()
    const headers = { ...json, authorization: `Bearer ${liveKey}`, 'content-encoding': encoding }

    const response = await post('/v1/reviews/replies', headers, bytes)

    const message = 'cannot be decompressed'
    expectError(gateway, response, {
      ...{ status: 422, code: 'INVALID_REQUEST', message: `body: ${message}` },
      details: [{ field: 'body', in: 'body', message }],
    })
  })

  test('has no Accept-Encoding where the media type is refused', async () => {
    const { liveKey } = await gateway.createAccount()
    const headers = { 'content-type': 'text/plain', authorization: `Bearer ${liveKey}` }

    const response = await post('/v1/reviews/replies', headers, reply)

    const message = 'Send the body as application/json.'
    expectError(gateway, response, { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', message })
    expect(response.headers.get('accept-encoding')).toBeNull()
  })

  test.each(['utf8', 'UTF8', '"utf8"'])('reads a body in the charset %s', async (charset) => {
    const { liveKey } = await gateway.createAccount()
    const type = `application/json; charset=${charset}`

    const response = await post(
      '/v1/reviews/replies',
      { 'content-type': type, authorization: `Bearer ${liveKey}` },
      reply,
    )

    expect(response.status).toBe(201)
    expect(response.body).toMatchObject({ text })
  })
})

describe('POST /v1/oauth/token', () => {
  const form = Buffer.from('grant_type=client_credentials')
  const type = { 'content-type': 'application/x-www-form-urlencoded' }

  test.each([
    ['gzip', gzipSync(form)],
    ['x-gzip', gzipSync(form)],
    ['br', brotliCompressSync(form)],
  ])('reads a form whose Content-Encoding is %s', async (encoding, bytes) => {
    const response = await post('/v1/oauth/token', { ...type, 'content-encoding': encoding }, bytes)

    const plain = await post('/v1/oauth/token', type, form)
    expect(response.status).toBe(plain.status)
    expect(response.body).toMatchObject({ error: expect.anything() })
    expect(JSON.stringify(response.body)).not.toContain('grant_type')
  })

  test('refuses a form of another Content-Encoding with 415 and the encodings that it reads', async () => {
    const response = await post('/v1/oauth/token', { ...type, 'content-encoding': 'lzma' }, form)

    expectError(gateway, response, {
      ...{ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
      message: 'The Content-Encoding of the body must be gzip, deflate, br, zstd or none.',
    })
    expect(response.headers.get('accept-encoding')).toBe('gzip, deflate, br, zstd')
  })
})

test('POST /v1/billing/notifications/{provider} reads no compressed body, and says so', async () => {
  const headers = { ...json, 'content-encoding': 'gzip' }

  const response = await post('/v1/billing/notifications/simulated', headers, gzipSync('{}'))

  expectError(gateway, response, {
    ...{ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
    message: 'The body must have no Content-Encoding.',
  })
  expect(response.headers.get('accept-encoding')).toBe('identity')
})
