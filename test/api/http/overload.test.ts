import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

describe('a listener at its limit of requests in hand', () => {
  let backend: StubBackend
  let gateway: TestGateway
  beforeAll(async () => {
    backend = await startStubBackend()
    gateway = await startTestGateway({
      MAX_CONCURRENT_REQUESTS: '2',
      BACKEND_CONTACT_FINDER_URL: backend.url,
    })
  })
  afterAll(async () => {
    await gateway.close()
    await backend.close()
  })

  test('refuses another one at once and for free, answers probes, and accepts again when one ends', async () => {
    const { liveKey, sandboxKey } = await gateway.createAccount({ credits: 100 })
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>()
    backend.answer(async (_, res) => {
      await finished
      sendBackendJson(res, 200, { contact_id: 'con_1' })
    })
    const reveal = () => gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey)
    const calls = Promise.all([reveal(), reveal()])
    await vi.waitUntil(() => backend.received.length === 2, patience)

    const refused = await gateway.live.get('/v1/account', liveKey)
    const third = await reveal()

    for (const response of [refused, third]) {
      expectError(gateway, response, { status: 503, code: 'SERVICE_UNAVAILABLE' })
      expect(response.headers.get('retry-after')).toBe('1')
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
    }
    expect((await gateway.live.get('/v1/health')).status).toBe(200)
    expect((await gateway.live.get('/v1/ready')).status).toBe(200)
    expect((await gateway.internal.get('/ready')).status).toBe(200)
    // The other environment has room of its own.
    expect((await gateway.sandbox.get('/v1/account', sandboxKey)).status).toBe(200)
    finish()
    expect((await calls).map(({ status }) => status)).toEqual([200, 200])
    expect(backend.received).toHaveLength(2)
    const credits = await gateway.live.get('/v1/account/credits', liveKey)
    expect(credits).toMatchObject({ status: 200, body: { balance: 90, held: 0 } })
    await vi.waitFor(async () => {
      const log = await gateway.live.get('/v1/account/usage/log', liveKey)
      const seen = Object(log.body).items.map(
        ({ endpoint, status }: { endpoint: string; status: number }) => `${status} ${endpoint}`,
      )
      // The caller is unknown when a request is refused, so no call is recorded.
      expect(seen.toSorted()).toEqual([
        '200 /v1/account/credits',
        ...Array(seen.length - 3).fill('200 /v1/account/usage/log'),
        '200 /v1/contacts/reveal',
        '200 /v1/contacts/reveal',
      ])
    }, patience)
  })
})
