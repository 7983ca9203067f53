import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ ANONYMOUS_RPS: '37' })
})
afterAll(() => gateway.close())

const asBrowser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

function addressesBelow(baseUrl: string, environment: 'live' | 'sandbox') {
  return {
    environment,
    api_url: `${baseUrl}/v1`,
    console_url: `${baseUrl}/console`,
    documentation_url: `${gateway.baseUrl}/docs`,
    openapi_url: `${baseUrl}/v1/openapi.json`,
    health_url: `${baseUrl}/v1/health`,
    oauth_metadata_url: `${baseUrl}/v1/.well-known/openid-configuration`,
  }
}

describe('GET /', () => {
  test('tells a client the addresses of the API and its documentation, on both listeners', async () => {
    const live = await gateway.live.get('/')
    const sandbox = await gateway.sandbox.get('/')
    const { issuer } = Object(
      (await gateway.sandbox.get('/v1/.well-known/openid-configuration')).body,
    )
    const sandboxUrl = String(issuer).replace(/\/v1$/, '')

    expect([live.status, live.body]).toEqual([200, addressesBelow(gateway.baseUrl, 'live')])
    expect(sandbox.status).toBe(200)
    expect(sandbox.body).toEqual(addressesBelow(sandboxUrl, 'sandbox'))
    expect(live.headers.get('vary')).toContain('Accept')
  })

  test('names addresses that answer', async () => {
    const { body } = await gateway.live.get('/')
    const documents = Object.entries(Object(body)).filter(([name]) =>
      /^(doc|open|health|oauth)/.test(name),
    )
    expect(documents).toHaveLength(4)

    for (const [name, address] of documents) {
      const { status } = await fetch(String(address), { method: 'HEAD' })
      expect([name, status]).toEqual([name, 200])
    }
  })

  test('sends a browser to the console', async () => {
    const response = await fetch(`${gateway.baseUrl}/`, { headers: asBrowser, redirect: 'manual' })

    expect([response.status, response.headers.get('location')]).toEqual([302, '/console'])
    expect(await response.text()).toBe('')
  })

  test('answers HEAD like GET and refuses other methods', async () => {
    const head = await fetch(`${gateway.baseUrl}/`, { method: 'HEAD' })
    const post = await gateway.live.request('/', { method: 'POST' })

    expect([head.status, await head.text()]).toEqual([200, ''])
    expectError(gateway, post, { status: 405, code: 'METHOD_NOT_ALLOWED' })
    expect(post.headers.get('allow')).toBe('GET, HEAD')
  })

  test('counts as a public request of its address, and has its own name in the metrics', async () => {
    const { headers } = await gateway.live.get('/')
    expect(headers.get('x-ratelimit-limit')).toBe('37')
    const metrics = await fetch(`${gateway.internal.url}/metrics`)
    expect(await metrics.text()).toContain('listener="live",method="GET",route="/"')
  })
})
