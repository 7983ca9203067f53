import { request } from 'node:http'
import { hostname } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { backendJwksPath } from '../../../gateway/internal/backend-keys.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { whenReady } from '../../support/time/when-ready.ts'

const metricsToken = 'a-token-for-metrics-1234'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({
    INTERNAL_NAMES: 'metrics.example.test, gateway-internal',
    METRICS_TOKEN: metricsToken,
  })
})
afterAll(() => gateway.close())

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

interface Asked {
  readonly method?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** fetch would say by itself to which host it goes. */
function ask(path: string, { method = 'GET', headers, body = '' }: Asked): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(gateway.internal.url + path, { method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
      })
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      )
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

const paths = ['/metrics', '/graphql', '/graphiql', '/ready', '/live', '/nothing']

const foreign = [
  'rebound.example.com',
  'rebound.example.com:4000',
  'localhost.example.com',
  '127.0.0.1.example.com',
  'example.test',
  'notmetrics.example.test',
  '127.1',
  '2130706433',
]
const malformed = ['[::1', '[rebound.example.com]', 'a:b:c', 'localhost, localhost', 'localhost x']

describe('the internal listener', () => {
  test.each(foreign)('refuses every path to the host "%s"', async (host) => {
    for (const path of paths) {
      const answer = await ask(path, { headers: { host } })

      expect([path, answer.status]).toEqual([path, 403])
      expect(JSON.parse(answer.body)).toEqual({
        error: {
          code: 'FORBIDDEN',
          message: 'This listener does not answer to this host: name it in INTERNAL_NAMES.',
          status: 403,
          documentation_url: `${gateway.baseUrl}/docs/errors/FORBIDDEN`,
          request_id: answer.headers['x-request-id'],
        },
      })
    }
  })

  test.each(malformed)('refuses the malformed host "%s" with 400', async (host) => {
    for (const path of paths) {
      const { status, body } = await ask(path, { headers: { host } })

      expect([path, status, JSON.parse(body)]).toMatchObject([
        ...[path, 400],
        { error: { code: 'BAD_REQUEST', message: 'This is not a valid HTTP request.' } },
      ])
    }
  })

  test('refuses GraphQL to such a host, whatever the token', async () => {
    const token = await gateway.internalToken('admin')
    const body = JSON.stringify({ query: '{ __typename }' })
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const post = (host: string) =>
      ask('/graphql', { method: 'POST', body, headers: { ...headers, host } })

    expect((await post('rebound.example.com')).status).toBe(403)
    expect((await post('gateway-internal:4000')).status).toBe(200)
  })

  test.each([
    ...['127.0.0.1', '10.1.2.3:4000', '[::1]:4000', '[2001:db8::1]', 'localhost', 'LocalHost:80'],
    ...['localhost.', hostname(), `${hostname()}:4000`],
    ...['metrics.example.test', 'METRICS.example.test.:9', 'gateway-internal'],
  ])('answers to the host "%s"', async (host) => {
    expect((await whenReady(() => ask('/ready', { headers: { host } }))).status).toBe(200)
  })
})

describe('an answer of the internal listener', () => {
  const origin = 'https://page.example.com'
  const asked: readonly (readonly [path: string, status: number, more: Partial<Asked>])[] = [
    ['/ready', 200, {}],
    ['/live', 200, {}],
    ['/metrics', 401, {}],
    ['/metrics', 200, { headers: { authorization: `Bearer ${metricsToken}` } }],
    [backendJwksPath, 200, {}],
    ['/graphiql', 200, {}],
    ['/graphql', 405, {}],
    ['/graphql', 401, { method: 'POST', body: '{"query":"{ __typename }"}' }],
    ['/ready', 403, { headers: { host: 'rebound.example.com' } }],
    ['/nothing', 404, {}],
    ['/nothing', 404, { method: 'OPTIONS' }],
  ]

  test.each(asked)('is unreadable for web pages: %s, %d %j', async (path, status, more) => {
    const headers = { origin, 'content-type': 'application/json', ...more.headers }
    const send = () => ask(path, { ...more, headers })
    const answer = await (path === '/ready' ? whenReady(send) : send())

    expect(answer.status).toBe(status)
    const forPages = Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))
    expect(forPages).toEqual([])
  })
})

describe('GET /metrics with METRICS_TOKEN', () => {
  const read = (authorization?: string) =>
    ask('/metrics', { headers: authorization === undefined ? {} : { authorization } })

  test('requires the token, and refuses any other', async () => {
    const none = await read()
    expect([none.status, none.headers['www-authenticate']]).toEqual([401, 'Bearer'])
    expect(JSON.parse(none.body)).toMatchObject({ error: { code: 'AUTHENTICATION_REQUIRED' } })
    const tokens = [
      'x',
      `${metricsToken}x`,
      metricsToken.slice(1),
      await gateway.internalToken('admin'),
    ]
    for (const token of tokens) {
      const answer = await read(`Bearer ${token}`)

      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer'])
      expect(JSON.parse(answer.body)).toMatchObject({
        error: { code: 'INVALID_API_KEY', message: 'This token is not valid.' },
      })
    }
  })

  test('shows metrics to a caller with the token, which nothing else needs', async () => {
    const answer = await read(`Bearer ${metricsToken}`)

    expect(answer.status).toBe(200)
    expect(answer.body).toContain('gateway_http_requests_total')
    expect((await whenReady(() => ask('/ready', { headers: {} }))).status).toBe(200)
  })
})
