import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import type { TestClient, TestResponse } from '../../support/requests/client.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  // Every test is a client address of its own, as a proxy would report it.
  gateway = await startTestGateway({ ANONYMOUS_RPS: '5', TRUST_PROXY: '1' })
})
afterAll(() => gateway.close())

let lastAddress = 0
function newAddress(): string {
  lastAddress += 1
  return `198.51.100.${lastAddress}`
}

function burst(client: TestClient, path: string, address: string): Promise<TestResponse[]> {
  const headers = { 'x-forwarded-for': address }
  // Ten times the limit: the calls may fall into several seconds, and some are refused all the same.
  return Promise.all(Array.from({ length: 50 }, () => client.get(path, undefined, headers)))
}

describe('the rate limit of a client address', () => {
  test('applies to public endpoints', async () => {
    const responses = await burst(gateway.live, '/v1/.well-known/jwks.json', newAddress())

    const admitted = responses.filter(({ status }) => status === 200)
    const windows = Map.groupBy(admitted, ({ headers }) => headers.get('x-ratelimit-reset'))
    expect(Math.max(...[...windows.values()].map(({ length }) => length))).toBe(5)
    const refused = responses.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(0)
    for (const response of refused) {
      expectError(gateway, response, {
        status: 429,
        code: 'RATE_LIMIT_EXCEEDED',
        message: 'The limit of 5 requests per second is exceeded.',
        page: 'rate-limits',
      })
      expect(response.headers.get('retry-after')).toBe('1')
      expect(response.headers.get('x-ratelimit-limit')).toBe('5')
      expect(response.headers.get('x-ratelimit-remaining')).toBe('0')
    }
  })

  test('is not shared with another address', async () => {
    const other = newAddress()
    await burst(gateway.live, '/v1/.well-known/jwks.json', newAddress())

    const response = await gateway.live.get('/v1/.well-known/jwks.json', undefined, {
      'x-forwarded-for': other,
    })

    expect(response.status).toBe(200)
    expect(response.headers.get('x-ratelimit-remaining')).toBe('4')
  })

  test.each(['/v1/health', '/v1/ready'])('never refuses %s, and counts it', async (path) => {
    // On a loaded machine the gateway is not ready for a moment.
    const responses = await vi.waitUntil(async () => {
      const all = await burst(gateway.live, path, newAddress())
      return all.some(({ status }) => status === 503) ? null : all
    }, patience)

    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(responses.map(({ headers }) => headers.get('x-ratelimit-limit')))).toEqual(
      new Set(['5']),
    )
    const remaining = responses.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))
    expect(Math.min(...remaining)).toBe(0)
  })

  test('never refuses a key', async () => {
    const { liveKey } = await gateway.createAccount()
    const address = newAddress()
    await burst(gateway.live, '/v1/.well-known/jwks.json', address)

    const response = await gateway.live.get('/v1/account', liveKey, { 'x-forwarded-for': address })

    expect(response.status).toBe(200)
    expect(response.headers.get('x-ratelimit-limit')).toBe('100')
  })

  test('sends its headers to unknown callers: 401 up to the limit, 404 always', async () => {
    const unknown = await burst(gateway.live, '/v1/account', newAddress())
    const missing = await burst(gateway.live, '/v1/nothing', newAddress())

    for (const [responses, statuses] of [
      [unknown, [401, 429]],
      [missing, [404]],
    ] as const) {
      expect(new Set(responses.map((response) => response.status))).toEqual(new Set(statuses))
      expect(responses.map(({ headers }) => headers.get('x-ratelimit-limit'))).toEqual(
        responses.map(() => '5'),
      )
    }
  })
})
