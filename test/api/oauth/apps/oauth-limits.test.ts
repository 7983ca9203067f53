import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createMinuteLimit } from '../../../../rest-facade/rate-limit/minute-limits.ts'
import { newId } from '../../../../schema/vocabulary/ids.ts'
import { expectError } from '../../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts'
import {
  basicOf,
  credentialsOf,
  encodeForm,
  expectFailure,
  type Form,
  formType,
  invalidClient,
  postForm,
  type RegisteredApp,
  registerApp,
} from '../../../support/oauth/oauth-flow.ts'
import type { TestResponse } from '../../../support/requests/client.ts'

let gateway: TestGateway
beforeAll(async () => {
  // Every test is client addresses of its own, as a proxy would report them.
  gateway = await startTestGateway({
    OAUTH_LIMITS: 'token=12,authorize=5,introspect=7,revoke=3,register=2,failures=10',
    TRUST_PROXY: '1',
    ANONYMOUS_RPS: '40',
  })
})
afterAll(() => gateway.close())

let lastAddress = 0
function newAddress(): Readonly<Record<string, string>> {
  lastAddress += 1
  return { 'x-forwarded-for': `198.51.100.${lastAddress}` }
}

/** An app that nobody's address is counted for: its account has planted it. */
async function plainApp(subscriptionTier = 'enterprise_sub'): Promise<RegisteredApp> {
  const developer = await gateway.createAccount({ tier: 'STARTER', subscriptionTier })
  const { status, body } = await gateway.live.post(
    '/v1/oauth/apps',
    { client_name: 'Acme', redirect_uris: ['https://client.example/callback'] },
    developer.liveKey,
    newAddress(),
  )
  expect(status).toBe(201)
  const { client_id: clientId, client_secret: secret } = Object(body)
  return { clientId, secret, developer }
}

function expectTooMany(response: TestResponse, perMinute: number): void {
  expectError(gateway, response, {
    status: 429,
    code: 'RATE_LIMIT_EXCEEDED',
    message: `The limit of ${perMinute} requests per minute is exceeded.`,
    page: 'rate-limits',
  })
  const { headers } = response
  expect(headers.get('retry-after')).toMatch(/^[1-9]\d?$/)
  const wait = Number(headers.get('retry-after'))
  expect(wait).toBeLessThanOrEqual(60)
  expect(headers.get('x-ratelimit-limit')).toBe(String(perMinute))
  expect(headers.get('x-ratelimit-remaining')).toBe('0')
  const reset = Number(headers.get('x-ratelimit-reset'))
  const answeredAt = Date.parse(headers.get('date') ?? '') / 1000
  expect(Math.abs(reset - answeredAt - wait)).toBeLessThanOrEqual(2)
  expect(headers.get('www-authenticate')).toBeNull()
  expect(headers.get('cache-control')).toBe('no-store')
}

async function times(count: number, ask: () => Promise<TestResponse>): Promise<TestResponse[]> {
  const responses: TestResponse[] = []
  for (let index = 0; index < count; index += 1) responses.push(await ask())
  return responses
}

describe('OAUTH_LIMITS', () => {
  interface Limited {
    readonly name: string
    readonly perMinute: number
    readonly ask: (
      headers: Readonly<Record<string, string>>,
      app: RegisteredApp,
    ) => Promise<TestResponse>
    readonly admitted: number
  }

  const form =
    (path: string, members: Form): Limited['ask'] =>
    (headers, app) =>
      postForm(gateway.live, path, { ...members, ...credentialsOf(app) }, headers)
  const rows: readonly Limited[] = [
    {
      name: 'token',
      perMinute: 12,
      ask: form('/v1/oauth/token', { grant_type: 'refresh_token', refresh_token: 'x' }),
      admitted: 400,
    },
    {
      name: 'introspect',
      perMinute: 7,
      ask: form('/v1/oauth/introspect', { token: 'x' }),
      admitted: 200,
    },
    { name: 'revoke', perMinute: 3, ask: form('/v1/oauth/revoke', { token: 'x' }), admitted: 200 },
    {
      name: 'authorize',
      perMinute: 5,
      ask: (headers) => gateway.live.get('/v1/oauth/authorize', undefined, headers),
      admitted: 422,
    },
    {
      name: 'authorize at consent',
      perMinute: 5,
      ask: (headers) =>
        gateway.live.request('/v1/oauth/consent', { method: 'POST', headers: { ...headers } }),
      admitted: 422,
    },
    {
      name: 'register',
      perMinute: 2,
      ask: (headers, { developer }) =>
        gateway.live.post('/v1/oauth/apps', {}, developer.liveKey, headers),
      admitted: 422,
    },
  ]

  test.each(rows)(
    '$name admits $perMinute requests of one address in a minute (docs/oauth-rules.md 115)',
    async (row) => {
      const { perMinute, ask, admitted } = row
      const app = await plainApp()
      const address = newAddress()

      const responses = await times(perMinute + 2, () => ask(address, app))

      const [first, second] = responses.slice(perMinute)
      const statuses = responses.slice(0, perMinute).map(({ status }) => status)
      expect(statuses).toEqual(statuses.map(() => admitted))
      for (const refused of [first, second]) {
        if (refused) expectTooMany(refused, perMinute)
      }
      // Neighbours are others, and so are the other limits of the same address.
      expect((await ask(newAddress(), app)).status).toBe(admitted)
      expect((await gateway.live.get('/v1/.well-known/jwks.json', undefined, address)).status).toBe(
        200,
      )
    },
  )

  test('counts an IPv6 network as one address (docs/oauth-rules.md 115)', async () => {
    const app = await plainApp()
    const ask = (host: string) =>
      postForm(
        gateway.live,
        '/v1/oauth/revoke',
        { token: 'x', ...credentialsOf(app) },
        { 'x-forwarded-for': `2001:db8:1:2:${host}` },
      )

    const statuses = [
      ...(await Promise.all(['1::', '2::', '3::1'].map(ask))),
      ...[await ask('4:5:6:7')],
    ].map(({ status }) => status)

    expect(statuses).toEqual([200, 200, 200, 429])
  })

  test('is checked before the body is read (docs/oauth-rules.md 3, 115)', async () => {
    const address = newAddress()
    const ask = () =>
      postForm(gateway.live, '/v1/oauth/revoke', '{}', {
        ...address,
        'content-type': 'application/json',
      })

    const responses = await times(4, ask)

    expect(responses.map(({ status }) => status)).toEqual([415, 415, 415, 429])
  })
})

describe('failed authentication of apps', () => {
  const fail = (clientId: string, address: Readonly<Record<string, string>>) =>
    postForm(
      gateway.live,
      '/v1/oauth/token',
      {
        grant_type: 'refresh_token',
        refresh_token: 'x',
        client_id: clientId,
        client_secret: 'wrong',
      },
      address,
    )

  const ask = (app: RegisteredApp, address: Readonly<Record<string, string>>) =>
    postForm(
      gateway.live,
      '/v1/oauth/introspect',
      { token: 'x' },
      { ...basicOf(app.clientId, app.secret ?? ''), ...address },
    )

  test('are limited to ten a minute for one app and one address, and delay no other app or address (docs/oauth-rules.md 55, 116)', async () => {
    const [app, other] = await Promise.all([plainApp(), plainApp()])
    const address = newAddress()

    const failures = await times(11, () => fail(app.clientId, address))

    for (const response of failures.slice(0, 10)) expectFailure(gateway, response, invalidClient)
    for (const response of failures.slice(10)) expectTooMany(response, 10)
    // The app is refused from that address even with its secret. From any other address it is accepted
    // at once, and so is any other app from that address.
    expectTooMany(await ask(app, address), 10)
    expect((await ask(app, newAddress())).status).toBe(200)
    expect((await ask(other, address)).status).toBe(200)
  })

  test('behind a shared address do not lock out a client that has proven its secret (docs/oauth-rules.md 116)', async () => {
    const app = await plainApp()
    const address = newAddress()
    expect((await ask(app, newAddress())).status).toBe(200)

    const failures = await times(11, () => fail(app.clientId, address))

    for (const response of failures.slice(10)) expectTooMany(response, 10)
    expect((await ask(app, address)).status).toBe(200)
    // A proven secret does not lift the limit of failed attempts.
    expectTooMany(await fail(app.clientId, address), 10)
  })

  test.each([
    ['an app that is not there', newId('app')],
    ['what can be no app', 'x'],
  ])('looks the same for %s (docs/oauth-rules.md 55, 116)', async (_what, clientId) => {
    const address = newAddress()

    const failures = await times(11, () => fail(clientId, address))

    for (const response of failures.slice(0, 10)) expectFailure(gateway, response, invalidClient)
    for (const response of failures.slice(10)) expectTooMany(response, 10)
  })

  test('does not count successful authentication (docs/oauth-rules.md 116)', async () => {
    const app = await plainApp()
    const address = newAddress()

    const statuses = (await times(7, () => ask(app, address))).map(({ status }) => status)

    expect(statuses).toEqual(statuses.map(() => 200))
    expectFailure(gateway, await fail(app.clientId, address), invalidClient)
  })
})

describe('the limit for a second', () => {
  const burst = (count: number, ask: () => Promise<TestResponse>) =>
    Promise.all(Array.from({ length: count }, ask))

  function admittedPerWindow(responses: readonly TestResponse[]): number {
    const admitted = responses.filter(({ status }) => status !== 429)
    const windows = Map.groupBy(admitted, ({ headers }) => headers.get('x-ratelimit-reset'))
    return Math.max(...[...windows.values()].map(({ length }) => length))
  }

  function expectRefusals(responses: readonly TestResponse[], limitRps: number): void {
    const refused = responses.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(0)
    for (const response of refused) {
      expectError(gateway, response, {
        status: 429,
        code: 'RATE_LIMIT_EXCEEDED',
        message: `The limit of ${limitRps} requests per second is exceeded.`,
        page: 'rate-limits',
      })
      expect(response.headers.get('retry-after')).toBe('1')
      expect(response.headers.get('x-ratelimit-limit')).toBe(String(limitRps))
      expect(response.headers.get('x-ratelimit-remaining')).toBe('0')
      expect(response.headers.get('www-authenticate')).toBeNull()
    }
  }

  test('counts an authenticated app for the account that owns it, with its keys (docs/oauth-rules.md 9)', async () => {
    const app = await plainApp('pro_sub')
    const { developer } = app
    const asApp = () =>
      postForm(
        gateway.live,
        '/v1/oauth/introspect',
        { token: 'x', ...credentialsOf(app) },
        newAddress(),
      )
    // A route that only stops something is counted too, but takes no place of the account.
    const asKey = () =>
      gateway.live.request(`/v1/account/keys/${newId('key')}`, {
        ...{ method: 'DELETE', key: developer.liveKey },
      })

    const responses = await burst(200, () => (Math.random() < 0.5 ? asApp() : asKey()))

    expect(admittedPerWindow(responses)).toBeLessThanOrEqual(25)
    expectRefusals(responses, 25)
  })

  test('counts an app without a secret for the address, not for the account (docs/oauth-rules.md 9)', async () => {
    const app = await registerApp(gateway, { isPublic: true })
    const address = newAddress()
    const form = { token: 'x', ...credentialsOf(app) }

    const response = await postForm(gateway.live, '/v1/oauth/revoke', form, address)

    expect([response.status, response.headers.get('x-ratelimit-limit')]).toEqual([200, '40'])
    expect(response.headers.get('x-ratelimit-remaining')).toBe('39')
  })

  test('counts unknown apps for the address, malformed or refused (docs/oauth-rules.md 9)', async () => {
    const address = newAddress()
    const requests = [
      () => postForm(gateway.live, '/v1/oauth/introspect', { token: 'x' }, newAddress()),
      () => postForm(gateway.live, '/v1/oauth/introspect', {}, newAddress()),
    ]
    const [open] = await times(1, () =>
      postForm(gateway.live, '/v1/oauth/introspect', { token: 'x' }, address),
    )

    for (const ask of requests) {
      const { status, headers } = await ask()
      expect([401, 422]).toContain(status)
      expect(headers.get('x-ratelimit-limit')).toBe('40')
    }
    expect(open?.headers.get('x-ratelimit-remaining')).toBe('39')
  })
})

describe('OAUTH_LIMITS with 0', () => {
  test('sets no limit for the minute; the limit for the second remains, also for malformed requests (docs/oauth-rules.md 9, 115)', async () => {
    const open = await startTestGateway({
      OAUTH_LIMITS: 'token=0,authorize=0,introspect=0,revoke=0,register=0,failures=0',
      ANONYMOUS_RPS: '20',
      TRUST_PROXY: '1',
    })
    try {
      const app = await registerApp(open)
      const wrong = { ...credentialsOf(app), client_secret: 'x', token: 'x' }
      const burst = (path: string, form: Form | string) => {
        const address = newAddress()
        return Promise.all(
          Array.from({ length: 100 }, () => postForm(open.live, path, form, address)),
        )
      }

      const failures = await burst('/v1/oauth/introspect', wrong)
      const malformed = await burst('/v1/oauth/revoke', '')
      const known = await Promise.all(
        Array.from({ length: 50 }, () =>
          open.live.request('/v1/oauth/revoke', {
            method: 'POST',
            headers: { 'content-type': formType },
            body: encodeForm({ token: 'x', ...credentialsOf(app) }),
          }),
        ),
      )

      for (const [responses, status] of [
        [failures, 401],
        [malformed, 422],
      ] as const) {
        const statuses = responses.map((response) => response.status)
        expect(new Set(statuses)).toEqual(new Set([status, 429]))
      }
      expect(new Set(known.map(({ status }) => status))).toEqual(new Set([200]))
    } finally {
      await open.close()
    }
  })
})

describe('a window of one minute', () => {
  test('starts with its first count and ends sixty seconds later (docs/oauth-rules.md 115, 116)', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] })
    try {
      const limit = createMinuteLimit(2)

      const counted = [await limit.count('a'), await limit.count('a'), await limit.count('b')]
      const waits = [await limit.count('a'), await limit.waitOf('a'), await limit.waitOf('b')]
      vi.advanceTimersByTime(59_000)
      const late = [await limit.count('a'), await limit.waitOf('a')]
      vi.advanceTimersByTime(1000)
      const after = [await limit.waitOf('a'), await limit.count('a')]

      expect(counted).toEqual([null, null, null])
      expect(waits).toEqual([60, 60, null])
      expect(late).toEqual([1, 1])
      expect(after).toEqual([null, null])
    } finally {
      vi.useRealTimers()
    }
  })

  test('counts nothing for a limit of 0 (docs/oauth-rules.md 115)', async () => {
    const limit = createMinuteLimit(0)

    const counted = await Promise.all(Array.from({ length: 50 }, () => limit.count('a')))

    expect(new Set(counted)).toEqual(new Set([null]))
    expect(await limit.waitOf('a')).toBeNull()
  })
})
