import { once } from 'node:events'
import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

interface Sent {
  readonly bytes: Buffer
  readonly headers?: Readonly<Record<string, string>>
  readonly key?: string
  readonly isChunked?: boolean
}

async function post(url: string, { bytes, headers, key, isChunked }: Sent) {
  const length = isChunked ? {} : { 'content-length': String(bytes.length) }
  const sent = request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...{ ...length, ...headers },
    },
  })
  sent.end(bytes)
  const [response] = await once(sent, 'response')
  const { statusCode: status, headers: received } = response
  return { status, headers: new Headers(received), body: await json(response) }
}

/** A reply to a review, whose text is these bytes. */
function replyOf(...text: readonly (string | readonly number[])[]): Buffer {
  const parts = text.map((part) =>
    typeof part === 'string' ? Buffer.from(part) : Buffer.from(part),
  )
  return Buffer.concat([Buffer.from('{"review_id":"rev_1","text":"'), ...parts, Buffer.from('"}')])
}

function inUtf16(text: string): Buffer {
  return Buffer.from(text, 'utf16le')
}

const start = replyOf().length - 2
const long = 'x'.repeat(3000)
/** The beginning of a body that does not fit the operation: such a body is only read. */
const longer = `{"note":"${'x'.repeat(20_000)}`
const wrongByte = [0xff]
const at = (place: number) => `byte ${place} is not UTF-8`

const bodies: readonly (readonly [what: string, sent: Sent, message: string])[] = [
  ['a byte of no text', { bytes: replyOf('a', wrongByte, 'b') }, at(start + 1)],
  ['Latin-1', { bytes: replyOf([0xe9, 0x74, 0xe9]) }, at(start)],
  ['half a character', { bytes: replyOf('é', [0xc3]) }, at(start + 2)],
  ['an overlong slash', { bytes: replyOf([0xc0, 0xaf]) }, at(start)],
  ['an overlong NUL', { bytes: replyOf([0xc0, 0x80]) }, at(start)],
  ['a surrogate', { bytes: replyOf([0xed, 0xa0, 0x80]) }, at(start)],
  ['a character beyond Unicode', { bytes: replyOf([0xf4, 0x90, 0x80, 0x80]) }, at(start)],
  ['a wrong byte in chunks', { bytes: replyOf(wrongByte), isChunked: true }, at(start)],
  [
    'a wrong byte in 20 KB',
    { bytes: Buffer.concat([Buffer.from(longer), Buffer.from(wrongByte), Buffer.from('"}')]) },
    at(longer.length),
  ],
  [
    'a wrong byte behind a byte order mark',
    { bytes: Buffer.concat([Buffer.from('\ufeff'), replyOf(wrongByte)]) },
    at(start + 3),
  ],
  [
    'a wrong byte in gzip',
    { bytes: gzipSync(replyOf(long, wrongByte)), headers: { 'content-encoding': 'gzip' } },
    at(start + 3000),
  ],
  [
    'a wrong byte in Brotli',
    { bytes: brotliCompressSync(replyOf(wrongByte)), headers: { 'content-encoding': 'br' } },
    at(start),
  ],
  ...['application/json; charset=utf-8', 'application/json;charset="UTF-8"; x=y'].map(
    (type): [string, Sent, string] => [
      `a wrong byte in ${type}`,
      { bytes: replyOf(wrongByte), headers: { 'content-type': type } },
      at(start),
    ],
  ),
  [
    'half a pair in UTF-16',
    {
      bytes: inUtf16(replyOf('a').toString().replace('a', '\ud800')),
      headers: { 'content-type': 'application/json; charset=utf-16le' },
    },
    'is not UTF-16LE',
  ],
]

const valid = replyOf('Danke!').toString()

describe('POST /v1/reviews/replies', () => {
  test.each(bodies)(
    'with %s is 422, costs nothing and uses no idempotency key',
    async (_what, { headers, ...sent }, message) => {
      const { liveKey: key } = await gateway.createAccount()
      const url = `${gateway.baseUrl}/v1/reviews/replies`
      const once = { 'idempotency-key': 'once' }

      const refused = await post(url, { ...sent, key, headers: { ...once, ...headers } })
      const replied = await post(url, { bytes: Buffer.from(valid), key, headers: once })

      expectError(gateway, refused, {
        ...{ status: 422, code: 'INVALID_REQUEST', message: `body: ${message}` },
        details: [{ field: 'body', in: 'body', message }],
      })
      expect([replied.status, replied.headers.get('idempotent-replayed')]).toEqual([201, null])
      const credits = await gateway.live.get('/v1/account/credits', key)
      expect(credits.body).toMatchObject({ balance: 998, held: 0 })
    },
  )

  test.each([
    ['{"review_id":"rev_1","text":"a\\ud800"}', ['text']],
    ['{"review_id":"\\udfff","text":"\\ude00\\ud83d"}', ['review_id', 'text']],
    ['{"review_id":"rev_1","text":"a","\\uD83D":1}', ['\ufffd']],
  ])('with half a surrogate pair is 422 that names it: %s', async (body, names) => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.post('/v1/reviews/replies', body, liveKey)

    const message = 'must be well-formed Unicode'
    expectError(gateway, response, {
      ...{ status: 422, code: 'INVALID_REQUEST' },
      message: names.map((name) => `${name}: ${message}`).join('; '),
      details: names.map((field) => ({ field, in: 'body', message })),
    })
    const credits = await gateway.live.get('/v1/account/credits', liveKey)
    expect(credits.body).toMatchObject({ balance: 1000, held: 0 })
  })

  test('with half a surrogate pair is 422 that names all else that is wrong, too', async () => {
    const { liveKey } = await gateway.createAccount()

    const body = '{"review_id":"rev 1","text":"\\ud800","more":1}'
    const response = await gateway.live.post('/v1/reviews/replies?a=%ff', body, liveKey)

    const details = [
      { field: 'a', in: 'query' as const, message: 'is not percent-encoded UTF-8' },
      { field: 'text', in: 'body' as const, message: 'must be well-formed Unicode' },
      { field: 'more', in: 'body' as const, message: 'is not known here' },
      {
        field: 'review_id',
        in: 'body' as const,
        message: 'must match pattern "^[A-Za-z0-9_\\-]+$"',
      },
    ]
    expectError(gateway, response, { status: 422, code: 'INVALID_REQUEST', details })
  })

  test.each([
    ['with a byte order mark', Buffer.from(`\ufeff${valid}`), ''],
    ['of any character', replyOf('é😀\ufffd\u{10ffff}\\ud83d\\ude00'), ''],
    ['in UTF-16', inUtf16(valid), '; charset=utf-16'],
  ])('%s is carried out', async (_what, bytes, charset) => {
    const { liveKey: key } = await gateway.createAccount()
    const headers = { 'content-type': `application/json${charset}` }

    const response = await post(`${gateway.baseUrl}/v1/reviews/replies`, { bytes, key, headers })

    expect(response.status).toBe(201)
  })
})

describe('a query', () => {
  const message = 'is not percent-encoded UTF-8'
  const wrong = [
    '%ff',
    'a%C3',
    '%c3%28',
    '%c0%af',
    '%ed%a0%80',
    '%ed%a0%bd%ed%b8%80',
    '%f4%90%80%80',
  ]

  test.each(wrong)('GET /v1/seo/keywords?topic=%s is 422 and costs nothing', async (text) => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.get(`/v1/seo/keywords?topic=${text}&limit=x`, liveKey)

    expectError(gateway, response, {
      ...{ status: 422, code: 'INVALID_REQUEST' },
      message: `topic: ${message}; limit: must be integer`,
      details: [
        { field: 'topic', in: 'query', message },
        { field: 'limit', in: 'query', message: 'must be integer' },
      ],
    })
    const credits = await gateway.live.get('/v1/account/credits', liveKey)
    expect(credits.body).toMatchObject({ balance: 1000, held: 0 })
  })

  test.each([
    ['/v1/account/usage/log?limit=%ff', 'limit'],
    ['/v1/account/usage/log?external_id=a%ff', 'external_id'],
    ['/v1/account/credits?%ff=1', '\ufffd'],
    ['/v1/health?backends=%ff', 'backends'],
  ])('GET %s is 422 that names the parameter', async (path, field) => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.get(path, liveKey)

    expectError(gateway, response, {
      ...{ status: 422, code: 'INVALID_REQUEST', message: `${field}: ${message}` },
      details: [{ field, in: 'query', message }],
    })
  })

  test('with a body is 422 that names both', async () => {
    const { liveKey: key } = await gateway.createAccount()

    const response = await post(`${gateway.baseUrl}/v1/reviews/replies?a=%ff`, {
      ...{ key, bytes: replyOf(wrongByte) },
    })

    expectError(gateway, response, {
      ...{ status: 422, code: 'INVALID_REQUEST' },
      message: `a: ${message}; body: ${at(start)}`,
      details: [
        { field: 'a', in: 'query', message },
        { field: 'body', in: 'body', message: at(start) },
      ],
    })
  })

  test('of a quoted call is refused in the quote as in the call', async () => {
    const { liveKey } = await gateway.createAccount()
    const calls = [{ method: 'GET', path: '/v1/seo/keywords?topic=%ff' }]

    const quote = await gateway.live.post('/v1/quotes', { calls }, liveKey)

    expect(quote.status).toBe(200)
    expect(JSON.stringify(quote.body)).toContain(`topic: ${message}`)
  })

  test('of any character is carried out', async () => {
    const { liveKey } = await gateway.createAccount()

    const topic = encodeURIComponent('é😀\ufffd\u{10ffff}')
    const response = await gateway.live.get(`/v1/seo/keywords?topic=${topic}`, liveKey)

    expect(response.status).toBe(200)
  })
})

test.each(['%ff', '%c3', '%ed%a0%80', '%c0%af'])(
  'an address with %s as an id is 404: nothing is there',
  async (segment) => {
    const { liveKey } = await gateway.createAccount()

    for (const path of [`/v1/account/keys/${segment}`, `/v1/contacts/${segment}`]) {
      const response = await gateway.live.get(path, liveKey)
      expectError(gateway, response, { status: 404, code: 'NOT_FOUND' })
    }
  },
)

describe('a form', () => {
  const type = 'application/x-www-form-urlencoded'
  const encoded = 'is not percent-encoded UTF-8'

  test.each([
    [
      'percent-encoded',
      'grant_type=x&code=%ff&%c3=1',
      {},
      [
        ['code', encoded],
        ['\ufffd', encoded],
      ],
    ],
    ['as it is', 'grant_type=x&code=\xff', {}, [['body', 'byte 18 is not UTF-8']]],
    [
      'in chunks',
      'grant_type=x&code=\xff',
      { isChunked: true },
      [['body', 'byte 18 is not UTF-8']],
    ],
  ])('POST /v1/oauth/token with a byte of no text, %s, is 422', async (_how, form, way, named) => {
    const bytes = Buffer.from(form, 'latin1')
    const headers = { 'content-type': type }

    const response = await post(`${gateway.baseUrl}/v1/oauth/token`, { bytes, headers, ...way })

    const details = named.map(([field = '', message = '']) => ({
      field,
      in: 'body' as const,
      message,
    }))
    expectError(gateway, response, { status: 422, code: 'INVALID_REQUEST', details })
  })

  test.each(['utf8', 'UTF8'])(
    'POST /v1/oauth/token with such a byte in the charset %s is 422',
    async (charset) => {
      const bytes = Buffer.from('grant_type=x&code=\xff', 'latin1')
      const headers = { 'content-type': `${type}; charset=${charset}` }

      const response = await post(`${gateway.baseUrl}/v1/oauth/token`, { bytes, headers })

      const details = [{ field: 'body', in: 'body' as const, message: 'byte 18 is not UTF-8' }]
      expectError(gateway, response, { status: 422, code: 'INVALID_REQUEST', details })
    },
  )

  test.each([...['us-ascii', 'iso-8859-1', 'shift_jis', 'cesu8', 'utf-7', 'utf-16', 'nothing']])(
    'POST /v1/oauth/token in the charset %s is 415',
    async (charset) => {
      const bytes = Buffer.from('grant_type=x&code=y')
      const headers = { 'content-type': `${type}; charset=${charset}` }

      const response = await post(`${gateway.baseUrl}/v1/oauth/token`, { bytes, headers })

      const code = 'UNSUPPORTED_MEDIA_TYPE'
      expectError(gateway, response, { status: 415, code, message: 'Send the body as UTF-8.' })
    },
  )

  test('POST /v1/oauth/token with Basic credentials that are not UTF-8 is 422', async () => {
    const authorization = `Basic ${Buffer.from('app_x:\xff', 'latin1').toString('base64')}`

    const response = await post(`${gateway.baseUrl}/v1/oauth/token`, {
      bytes: Buffer.from('grant_type=client_credentials'),
      headers: { 'content-type': type, authorization },
    })

    const message = 'must be Basic with client_id and client_secret'
    const details = [{ field: 'Authorization', in: 'header' as const, message }]
    expectError(gateway, response, { status: 422, code: 'INVALID_REQUEST', details })
  })
})

describe('POST /graphql of the internal listener', () => {
  test.each([
    ['a byte of no text', Buffer.from('{"query":"{ a\xff }"}', 'latin1'), 'body', at(13)],
    [
      'half a surrogate pair',
      Buffer.from('{"query":"{ __typename }","variables":{"name":"\\ud800"}}'),
      ...['variables.name', 'must be well-formed Unicode'],
    ],
  ] as const)('with %s is 422', async (_what, bytes, field, message) => {
    const key = await gateway.internalToken('admin')

    const response = await post(`${gateway.internal.url}/graphql`, { bytes, key })

    expect(response).toMatchObject({
      status: 422,
      body: { error: { code: 'INVALID_REQUEST', details: [{ field, in: 'body', message }] } },
    })
  })
})
