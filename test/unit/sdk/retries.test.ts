import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { version } from '../../../schema/process/version.ts'
import { isErrorCode, statusByErrorCode } from '../../../schema/vocabulary/error-codes.ts'
import {
  ConnectionError,
  createGateway,
  GatewayError,
  type GatewayOptions,
  isRateLimited,
  TimeoutError,
} from '../../../sdk/src/index.ts'
import { explanations } from '../../../site/content/error-explanations.ts'
import { leadingElsewhere } from '../../support/requests/leading-elsewhere.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { createFakeClock } from '../../support/time/fake-clock.ts'
import { patience } from '../../support/time/patience.ts'

type Step = (res: ServerResponse) => void

const reveal = { contact_id: 'con_5f1e0c7a9b3d2e48' }

let server: StubBackend
beforeAll(async () => {
  server = await startStubBackend()
})
afterAll(() => server.close())
beforeEach(() => {
  server.received.length = 0
})

/** Answers one step after the other; the last one from then on. */
function script(...steps: readonly [Step, ...Step[]]): void {
  const left = [...steps]
  server.answer((_, res) => {
    const step = left.length > 1 ? left.shift() : left[0]
    step?.(res)
  })
}

const ok: Step = (res) => sendBackendJson(res, 200, { done: true })
const cut: Step = (res) => res.destroy()
const silence: Step = () => {}

function refusal(status: number, code: string, headers: Record<string, string> = {}): Step {
  const error = {
    code,
    message: `It is ${code}.`,
    status,
    documentation_url: 'https://docs/errors',
  }
  return (res) => sendBackendJson(res, status, { error }, headers)
}

function connect(options: Partial<GatewayOptions> = {}) {
  const clock = createFakeClock()
  const gateway = createGateway({ apiKey: 'svc_live_x', baseUrl: server.url, clock, ...options })
  return { gateway, waitsMs: clock.waitsMs }
}

const keysSent = () => server.received.map(({ headers }) => headers['x-svc-idempotency-key'])

describe('a call that fails temporarily', () => {
  test('is repeated after 0.5, 1, 2 and 4 seconds', async () => {
    script(refusal(503, 'SERVICE_UNAVAILABLE'))
    const { gateway, waitsMs } = connect()

    const error = await gateway.account.get().catch((reason: unknown) => reason)

    expect(error).toBeInstanceOf(GatewayError)
    expect(error).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE', tries: 5 })
    expect(waitsMs).toEqual([500, 1000, 2000, 4000])
    expect(server.received).toHaveLength(5)
  })

  test('adds jitter of up to half of each wait', async () => {
    script(refusal(503, 'SERVICE_UNAVAILABLE'))
    const clock = createFakeClock({ random: 1 })
    const { gateway } = connect({ clock })

    await expect(gateway.account.get()).rejects.toThrow('It is SERVICE_UNAVAILABLE.')

    expect(clock.waitsMs).toEqual([750, 1500, 3000, 6000])
  })

  test.each([
    ['in seconds', '7', 7000],
    ['in fewer seconds than the backoff', '0', 500],
    ['as an instant of the past', 'Wed, 21 Oct 2015 07:28:00 GMT', 500],
    ['that says nothing', 'soon', 500],
  ])('is never repeated before Retry-After %s', async (_, value, waitMs) => {
    script(refusal(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': value }), ok)
    const { gateway, waitsMs } = connect()

    const { tries } = await gateway.account.get()

    expect(tries).toBe(2)
    expect(waitsMs).toEqual([waitMs])
  })

  test.each(['RATE_LIMITED', 'RATE_LIMIT_EXCEEDED'])('understands %s', async (code) => {
    script(refusal(429, code, { 'retry-after': '1' }))
    const { gateway } = connect({ maxRetries: 1 })

    const error = await gateway.account.get().catch((reason: unknown) => reason)

    expect(isRateLimited(error)).toBe(true)
    expect(error).toMatchObject({ code, status: 429, retryAfterSeconds: 1, tries: 2 })
  })

  test.each([
    ['500', refusal(500, 'INTERNAL_ERROR')],
    ['502', refusal(502, 'BACKEND_ERROR')],
    ['504', refusal(504, 'BACKEND_TIMEOUT')],
    ['a connection that breaks off', cut],
    [
      'a body that breaks off',
      (res: ServerResponse) => {
        res.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
        res.write('{"done"', () => res.destroy())
      },
    ],
    ["a proxy's page", (res: ServerResponse) => res.writeHead(502).end('<h1>Bad gateway</h1>')],
    ['409 while the first one runs', refusal(409, 'IDEMPOTENCY_CONFLICT', { 'retry-after': '1' })],
  ] as const)('is repeated after %s, under one idempotency key', async (_, step) => {
    script(step, step, ok)
    const { gateway, waitsMs } = connect()

    const { data, tries, idempotencyKey } = await gateway.contacts.reveal(reveal)

    expect(data).toEqual({ done: true })
    expect(tries).toBe(3)
    expect(waitsMs).toHaveLength(2)
    expect(idempotencyKey).toMatch(/^[0-9a-f]{32}$/)
    expect(keysSent()).toEqual([idempotencyKey, idempotencyKey, idempotencyKey])
    expect(new Set(server.received.map(({ body }) => body))).toEqual(
      new Set([JSON.stringify(reveal)]),
    )
  })

  test('is not repeated when the wait exceeds the time of all attempts', async () => {
    script(refusal(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '30' }))
    const { gateway, waitsMs } = connect({ totalTimeoutMs: 60_000 })

    const error = await gateway.account.get().catch((reason: unknown) => reason)

    expect(error).toMatchObject({ status: 503, retryAfterSeconds: 30, tries: 2 })
    expect(waitsMs).toEqual([30_000])
  })

  test('is not repeated for declined payments, whose limit lasts up to an hour', async () => {
    script(refusal(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '3600' }))
    const { gateway, waitsMs } = connect()

    const error = await gateway.billing
      .checkout({ package_id: 'pack_starter' })
      .catch((reason: unknown) => reason)

    expect(isRateLimited(error)).toBe(true)
    expect(error).toMatchObject({ status: 429, retryAfterSeconds: 3600, tries: 1 })
    expect(waitsMs).toEqual([])
    expect(server.received).toHaveLength(1)
  })

  test('stops waiting when the caller cancels', async () => {
    // The client would wait for an hour.
    script(refusal(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '3600' }))
    const giveUp = new AbortController()
    const gateway = createGateway({
      ...{ apiKey: 'svc_live_x', baseUrl: server.url, totalTimeoutMs: 7_200_000 },
    })

    const call = gateway.account.get({}, { signal: giveUp.signal })
    await expect.poll(() => server.received.length, patience).toBe(1)
    giveUp.abort(new Error('enough'))

    await expect(call).rejects.toThrow('enough')
    expect(server.received).toHaveLength(1)
  })
})

describe('a call that fails permanently', () => {
  test.each([
    ['400', refusal(400, 'BAD_REQUEST')],
    ['401', refusal(401, 'INVALID_API_KEY')],
    ['402', refusal(402, 'INSUFFICIENT_CREDITS')],
    ['403', refusal(403, 'FORBIDDEN')],
    ['404', refusal(404, 'NOT_FOUND')],
    ['409', refusal(409, 'CONFLICT')],
    ["409 of another key's answer", refusal(409, 'IDEMPOTENCY_CONFLICT')],
    ['422', refusal(422, 'INVALID_REQUEST')],
  ])('is sent once: %s', async (_, step) => {
    script(step)
    const { gateway, waitsMs } = connect()

    await expect(gateway.contacts.reveal(reveal)).rejects.toMatchObject({ tries: 1 })

    expect(waitsMs).toEqual([])
    expect(server.received).toHaveLength(1)
  })

  test.each([
    ['429', refusal(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '1' })],
    ['503', refusal(503, 'SERVICE_UNAVAILABLE')],
    ['no answer', cut],
  ])('is sent once if a second request would not be a repetition: %s', async (_, step) => {
    script(step)
    const { gateway } = connect()
    const form = { grant_type: 'refresh_token', refresh_token: 'x' } as const

    await expect(gateway.oauth.token(form)).rejects.toMatchObject({ tries: 1 })

    expect(keysSent()).toEqual([undefined])
  })

  test('is sent once if the caller wants no retries', async () => {
    script(refusal(503, 'SERVICE_UNAVAILABLE'))
    const { gateway } = connect()

    await expect(gateway.account.get({}, { maxRetries: 0 })).rejects.toMatchObject({ tries: 1 })

    expect(server.received).toHaveLength(1)
  })
})

test.each(Object.entries(explanations))(
  '%s is retried if and only if its documentation page recommends it',
  async (code, { isRetryable }) => {
    const status = isErrorCode(code) ? statusByErrorCode[code] : 0
    script(refusal(status, code, { 'retry-after': '1' }))
    const { gateway } = connect({ maxRetries: 1 })

    const failure = gateway.contacts.reveal(reveal)

    await expect(failure).rejects.toMatchObject({ code, tries: isRetryable ? 2 : 1 })
  },
)

describe('a missing answer', () => {
  test('is a TimeoutError after the time of an attempt', async () => {
    script(silence)
    const { gateway } = connect({ timeoutMs: 100, maxRetries: 1 })

    const error = await gateway.contacts.reveal(reveal).catch((reason: unknown) => reason)

    expect(error).toBeInstanceOf(TimeoutError)
    expect(error).toMatchObject({ message: 'There is no answer after 100 ms.', tries: 2 })
    expect(error).toHaveProperty('idempotencyKey', keysSent()[0])
  })

  test('is a TimeoutError after the time of a call, whatever the time of an attempt', async () => {
    script(silence)
    const options = { apiKey: 'svc_live_x', baseUrl: server.url, totalTimeoutMs: 20.5 }

    await expect(createGateway(options).account.get()).rejects.toThrow(TimeoutError)
  })

  test('is a TimeoutError also when the body is late', async () => {
    script((res) => res.writeHead(200, { 'content-type': 'application/json' }).write('{'))
    const { gateway } = connect({ maxRetries: 0 })

    await expect(gateway.account.get({}, { timeoutMs: 50 })).rejects.toThrow(TimeoutError)
  })

  test('is a ConnectionError with its cause when there is no connection', async () => {
    const gone = await startStubBackend()
    await gone.close()
    const { gateway } = connect({ baseUrl: gone.url, maxRetries: 0 })

    const error = await gateway.account.get().catch((reason: unknown) => reason)

    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ message: expect.stringContaining('ECONNREFUSED'), tries: 1 })
  })
})

describe('a request', () => {
  test('has each input at the place that the operation names', async () => {
    script(ok)
    const { gateway } = connect({ userAgent: 'shop/2', baseUrl: `${server.url}/` })

    await gateway.keys.change({ key_id: 'key/ö ?', name: 'renamed', expires_at: null })
    await gateway.usage.listLog({ limit: 2, service: 'contacts', cursor: undefined })
    await gateway.account.get()

    const [change, list, get] = server.received
    expect(change).toMatchObject({
      method: 'PATCH',
      path: '/v1/account/keys/key%2F%C3%B6%20%3F',
      body: '{"name":"renamed","expires_at":null}',
    })
    expect(change?.headers).toMatchObject({
      authorization: 'Bearer svc_live_x',
      'content-type': 'application/json',
      'user-agent': `shop/2 credit-gateway-sdk/${version}`,
      'x-svc-idempotency-key': expect.stringMatching(/^[0-9a-f]{32}$/),
    })
    expect(list).toMatchObject({
      method: 'GET',
      path: '/v1/account/usage/log?limit=2&service=contacts',
    })
    expect(get?.headers).not.toHaveProperty('x-svc-idempotency-key')
    expect(get?.headers).not.toHaveProperty('content-type')
  })

  test.each(['', ...leadingElsewhere])('never leaves its path with %j', async (id) => {
    const { gateway } = connect()

    await expect(gateway.keys.get({ key_id: id })).rejects.toThrow(TypeError)

    expect(server.received).toEqual([])
  })

  test("has the caller's idempotency key, in the operator's header", async () => {
    script(ok)
    const { gateway } = connect({ idempotencyPrefix: 'ACME' })

    await gateway.contacts.reveal(reveal, { idempotencyKey: 'order-17' })

    expect(server.received[0]?.headers).toMatchObject({ 'x-acme-idempotency-key': 'order-17' })
  })

  test('has no idempotency key if the operation accepts none', async () => {
    const { gateway } = connect()

    await expect(gateway.account.get({}, { idempotencyKey: 'order-17' })).rejects.toThrow(
      new TypeError('GET /v1/account takes no idempotency key.'),
    )

    expect(server.received).toEqual([])
  })

  test('asks for its credential at each attempt, and has none if none is needed', async () => {
    script(refusal(503, 'SERVICE_UNAVAILABLE'), ok)
    let count = 0
    const { gateway } = connect({ apiKey: async () => `token-${++count}` })

    await gateway.account.get()
    await gateway.oauth.getJwks()

    const sent = server.received.map(({ headers }) => headers.authorization)
    expect(sent).toEqual(['Bearer token-1', 'Bearer token-2', undefined])
  })

  test('has a new idempotency key for each call', async () => {
    script(ok)
    const { gateway } = connect()

    await gateway.contacts.reveal(reveal)
    await gateway.contacts.reveal(reveal)

    expect(new Set(keysSent()).size).toBe(2)
  })

  test.each([
    [{ apiKey: '' }, 'apiKey must not be empty.'],
    [{ baseUrl: 'ftp://example.com' }, 'baseUrl must begin with http:// or https://.'],
    [{ baseUrl: 'example.com' }, 'baseUrl must begin with http:// or https://.'],
  ])('is refused before it is sent: %j', (options, message) => {
    expect(() => connect(options)).toThrow(new TypeError(message))
  })
})
