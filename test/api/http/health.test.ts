import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { expectError, expectStandardHeaders } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'
import { whenReady } from '../../support/time/when-ready.ts'

let hanging: StubBackend
let failing: StubBackend
let gateway: TestGateway
beforeAll(async () => {
  hanging = await startStubBackend()
  hanging.answer(() => {})
  failing = await startStubBackend()
  failing.answer((_, res) => sendBackendJson(res, 503, {}))
  gateway = await startTestGateway({
    BACKEND_SEO_URL: hanging.url,
    BACKEND_MARKETS_URL: failing.url,
    // No module listens on this port.
    BACKEND_CLOUD_URL: 'http://127.0.0.1:9',
  })
})
afterAll(async () => {
  await gateway.close()
  await hanging.close()
  await failing.close()
})

const light = {
  version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
  uptime_seconds: expect.toSatisfy((seconds) => Number.isInteger(seconds) && seconds >= 0),
}

describe.each(['/v1/health', '/v1/health?backends=0', '/v1/ready'])('GET %s', (path) => {
  test('says that the gateway is running, and asks no backend', async () => {
    const receivedBefore = hanging.received.length

    const response = await whenReady(() => gateway.live.get(path))

    expect(response.status).toBe(200)
    expect(response.body).toEqual({ status: 'ok', ...light })
    expectStandardHeaders(response)
    expect(hanging.received).toHaveLength(receivedBefore)
  })
})

describe('GET /v1/health?backends=1', () => {
  test('shows which modules are up, down or silent, each independent of the others', async () => {
    const up = { status: 'up', latency_ms: expect.any(Number) }
    // On a busy machine one that is up may be late.
    await vi.waitFor(async () => {
      const response = await gateway.live.get('/v1/health?backends=1')
      expect(response.status).toBe(200)
      expect(response.body).toEqual({
        status: 'degraded',
        ...light,
        backends: [
          { module: 'build-campaign', ...up },
          { module: 'cloud', status: 'down', latency_ms: null },
          { module: 'contact-finder', ...up },
          { module: 'markets', status: 'down', latency_ms: expect.any(Number) },
          { module: 'promote', ...up },
          { module: 'reviews', ...up },
          { module: 'seo', status: 'timeout', latency_ms: null },
          { module: 'who-is-searching', ...up },
        ],
      })
      expectStandardHeaders(response)
    }, patience)
  })

  test('shares its probes between simultaneous callers', async () => {
    const before = hanging.received.length

    await Promise.all(Array.from({ length: 20 }, () => gateway.live.get('/v1/health?backends=1')))

    expect(hanging.received.length - before).toBeLessThan(20)
  })

  test('is complete in the sandbox, whose modules are simulated', async () => {
    await vi.waitFor(async () => {
      const response = await gateway.sandbox.get('/v1/health?backends=1')
      expect(response.status).toBe(200)
      expect(response.body).toMatchObject({ status: 'ok' })
      const { backends } = Object(response.body)
      expect(new Set(backends.map(({ status }: { status: string }) => status))).toEqual(
        new Set(['up']),
      )
    }, patience)
  })
})

describe('GET /v1/health with an unknown parameter', () => {
  test.each([
    ['?backends=2', 'backends', 'must be 0 or 1'],
    ['?backends=', 'backends', 'must be 0 or 1'],
    ['?backends=true', 'backends', 'must be 0 or 1'],
    ['?surprise=1', 'surprise', 'is not known here'],
  ])('refuses %s by name', async (query, field, message) => {
    const response = await gateway.live.get(`/v1/health${query}`)

    expectError(gateway, response, {
      status: 422,
      code: 'INVALID_REQUEST',
      message: `${field}: ${message}`,
      details: [{ field, in: 'query', message }],
    })
  })
})
