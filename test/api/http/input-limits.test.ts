import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

const tooMuch = 'has too many or too deep members'

/** `depth` objects or arrays around each other, the body included. */
function nested(open: string, close: string, depth: number): string {
  return `{"contact_id":${open.repeat(depth - 1)}1${close.repeat(depth - 1)}}`
}

function objectOf(members: number): string {
  return JSON.stringify(Object.fromEntries([...Array(members).keys()].entries()))
}

describe('POST /v1/contacts/reveal with oversized input', () => {
  test.each([
    ['objects that are 66 deep', nested('{"a":', '}', 66)],
    ['arrays that are 66 deep', nested('[', ']', 66)],
    ['arrays that are half a million deep', nested('[', ']', 500_000)],
    ['an array of 10001', JSON.stringify({ contact_id: Array(10_001).fill(0) })],
    ['20001 values', JSON.stringify({ a: Array(9999).fill(0), b: Array(10_000).fill(0) })],
    ['1001 members', objectOf(1001)],
    ['18000 members of one of its members', `{"contact_id":${objectOf(18_000)}}`],
  ])('%s is refused with 422 and costs nothing', async (_what, body) => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.post('/v1/contacts/reveal', body, liveKey)

    expectError(gateway, response, {
      status: 422,
      code: 'INVALID_REQUEST',
      message: `body: ${tooMuch}`,
      details: [{ field: 'body', in: 'body', message: tooMuch }],
    })
    const credits = await gateway.live.get('/v1/account/credits', liveKey)
    expect(credits.body).toMatchObject({ balance: 1000, held: 0 })
  })

  test.each(['[', '{"a":'])('repeated %s up to 1 MiB are refused with 422', async (open) => {
    const { liveKey } = await gateway.createAccount()

    const body = open.repeat((1024 * 1024) / open.length)
    const response = await gateway.live.post('/v1/contacts/reveal', body, liveKey)

    expectError(gateway, response, {
      status: 422,
      code: 'INVALID_REQUEST',
      message: 'body: is not valid JSON',
      details: [{ field: 'body', in: 'body', message: 'is not valid JSON' }],
    })
  })

  const bomb = Buffer.alloc(100 * 1024 * 1024, ' ')

  test.each([
    ['gzip', gzipSync(bomb)],
    ['br', brotliCompressSync(bomb)],
  ])('a body that %s inflates a hundredfold is refused with 413', async (encoding, body) => {
    const { liveKey } = await gateway.createAccount()

    const response = await fetch(`${gateway.baseUrl}/v1/contacts/reveal`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${liveKey}`,
        'content-type': 'application/json',
        'content-encoding': encoding,
      },
      body: new Uint8Array(body),
    })

    expect(body.length).toBeLessThan(1024 * 1024)
    const { status, headers } = response
    expectError(
      gateway,
      { status, headers, body: await response.json() },
      { status: 413, code: 'PAYLOAD_TOO_LARGE', message: 'The body exceeds 1 MiB.' },
    )
  })
})

describe('GET /v1/account/usage/log?limit', () => {
  test.each(['1000000000', '1e9', '201', '0', '-1', '9'.repeat(4000)])(
    'refuses %s with 422',
    async (limit) => {
      const { liveKey } = await gateway.createAccount()

      const response = await gateway.live.get(`/v1/account/usage/log?limit=${limit}`, liveKey)

      const message = 'must be an integer from 1 to 200'
      expectError(gateway, response, {
        status: 422,
        code: 'INVALID_REQUEST',
        message: `limit: ${message}`,
        details: [{ field: 'limit', in: 'query', message }],
      })
    },
  )
})
