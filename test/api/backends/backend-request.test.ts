import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  type ReceivedRequest,
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'

let backend: StubBackend
let gateway: TestGateway
beforeAll(async () => {
  backend = await startStubBackend()
  backend.answer((_, res) => sendBackendJson(res, 200, { items: [] }))
  gateway = await startTestGateway({
    BACKEND_CONTACT_FINDER_URL: `${backend.url}/modules/finder/`,
    BACKEND_SEO_URL: backend.url,
    BACKEND_CLOUD_URL: backend.url,
  })
})
afterAll(async () => {
  await gateway.close()
  await backend.close()
})

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'

function lastReceived(): ReceivedRequest {
  const request = backend.received.at(-1)
  if (!request) throw new Error('The backend received nothing.')
  return request
}

describe('the request to a backend', () => {
  test('has the validated body with its defaults, below the path of the module', async () => {
    const { liveKey } = await gateway.createAccount()

    await gateway.live.post('/v1/contacts/search', { query: 'head of marketing' }, liveKey)

    const { method, path, body, headers } = lastReceived()
    expect([method, path]).toEqual(['POST', '/modules/finder/search'])
    expect(JSON.parse(body)).toEqual({ query: 'head of marketing', limit: 10 })
    expect(headers['content-type']).toBe('application/json')
    expect(headers.accept).toBe('application/json')
  })

  test('has all of a body of almost 1 MiB', async () => {
    const { liveKey } = await gateway.createAccount()
    const file = { name: 'Žofie 🙂.bin', content_base64: 'QUJD'.repeat(175_000) }

    const response = await gateway.live.post('/v1/cloud/files', file, liveKey)

    const { body, headers } = lastReceived()
    expect(response.status).toBe(200)
    expect(body).toBe(JSON.stringify(file))
    expect(headers['content-length']).toBe(String(Buffer.byteLength(body)))
  })

  test('has the validated query with its defaults, encoded anew', async () => {
    const { liveKey } = await gateway.createAccount()

    await gateway.live.get('/v1/seo/keywords?topic=a%26b%3Dc%20d%C3%A9&limit=007', liveKey)

    const { method, path, body } = lastReceived()
    const url = new URL(path, backend.url)
    expect([method, url.pathname, body]).toEqual(['GET', '/keywords', ''])
    expect(Object.fromEntries(url.searchParams)).toEqual({
      topic: 'a&b=c dé',
      country: 'US',
      limit: '7',
    })
  })

  test.each(['..%2Fadmin', '%2e%2e', 'a%2Fb', 'a%3Fb', 'a%23b', 'a%00', 'a%0d%0aX:1'])(
    'never has a path that the caller made up: %s',
    async (contactId) => {
      const { liveKey } = await gateway.createAccount()
      const receivedBefore = backend.received.length

      const response = await gateway.live.get(`/v1/contacts/${contactId}`, liveKey)

      expect([404, 422]).toContain(response.status)
      expect(backend.received).toHaveLength(receivedBefore)
    },
  )

  test('has the id of the request and the trace, with a span of its own', async () => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.get('/v1/contacts/con_1', liveKey, {
      traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
      'x-request-id': 'mine',
    })

    const { headers } = lastReceived()
    expect(headers['x-request-id']).toBe(response.headers.get('x-request-id'))
    expect(headers['x-request-id']).not.toBe('mine')
    expect(headers.traceparent).toMatch(new RegExp(`^00-${traceId}-(?!0{16})[0-9a-f]{16}-01$`))
    expect(headers.traceparent).not.toContain('00f067aa0ba902b7')
  })

  test('has none of the caller’s headers', async () => {
    const { id, liveKey } = await gateway.createAccount()

    await gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey, {
      cookie: 'session=1',
      'x-account-id': id,
      'x-forwarded-for': '10.0.0.1',
      'x-api-key': liveKey,
      'x-sandbox-scenario': 'empty',
      'x-custom': 'custom',
      'gateway-caller': 'forged',
      'gateway-account': 'acct_of_another',
      origin: 'https://acme.example',
      'user-agent': 'caller/1.0',
      'accept-language': 'de',
    })

    const { headers, body } = lastReceived()
    expect(Object.keys(headers).toSorted()).toEqual(
      [
        'accept',
        'connection',
        'content-length',
        'content-type',
        'gateway-account',
        'gateway-caller',
        'host',
        'traceparent',
        'x-request-id',
      ].toSorted(),
    )
    expect(JSON.stringify(headers) + body).not.toContain(liveKey)
    expect(headers['gateway-account']).toBe(id)
    expect(headers['gateway-caller']).toMatch(/^ey[\w-]+\.[\w-]+\.[\w-]+$/)
    expect(headers.host).toBe(new URL(backend.url).host)
  })

  test('has an answer without the backend’s headers', async () => {
    const { liveKey } = await gateway.createAccount()
    backend.answer((_, res) =>
      sendBackendJson(
        res,
        200,
        { items: [] },
        {
          'set-cookie': 'session=1',
          server: 'finder/1.0',
          'x-powered-by': 'finder',
          'x-request-id': 'theirs',
          'x-ratelimit-limit': '1',
          'x-credits-remaining': '1',
          'x-internal': 'secret',
        },
      ),
    )

    const { headers } = await gateway.live.get('/v1/contacts/con_1', liveKey)

    for (const name of ['set-cookie', 'server', 'x-powered-by', 'x-internal']) {
      expect(headers.get(name)).toBeNull()
    }
    expect(headers.get('x-request-id')).toMatch(/^req_/)
    expect(headers.get('x-ratelimit-limit')).toBe('100')
    expect(headers.get('x-credits-remaining')).toBe('1000')
  })
})

describe('a large answer of a backend', () => {
  test('reaches the caller as it is, and again with the same key', async () => {
    const { liveKey } = await gateway.createAccount()
    const key = { 'idempotency-key': 'large-answer' }
    const items = Array.from({ length: 20_000 }, (_, index) => ({ name: `Žofie 🙂 ${index}` }))
    backend.answer((_, res) => sendBackendJson(res, 200, { items }))

    const first = await gateway.live.post('/v1/contacts/reveal', { contact_id: 'c' }, liveKey, key)
    backend.answer((_, res) => sendBackendJson(res, 200, { items: [] }))
    const second = await gateway.live.post('/v1/contacts/reveal', { contact_id: 'c' }, liveKey, key)

    expect([first.status, second.status]).toEqual([200, 200])
    expect(first.body).toEqual({ items })
    expect(second.body).toEqual({ items })
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(second.headers.get('content-length')).toBe(first.headers.get('content-length'))
  })
})
