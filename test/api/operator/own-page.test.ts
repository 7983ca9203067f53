import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { backendJwksPath } from '../../../gateway/internal/backend-keys.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  askInternal,
  newOperator,
  ofOperatorPage,
  operate,
  operatorBaseUrl,
  plantLink,
  signInOperator,
  withOperators,
} from '../../support/gateway/operator-page.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway(withOperators)
})
afterAll(() => gateway.close())

const foreignPage = {
  ...{ status: 403, code: 'FORBIDDEN' },
  message: 'Only the page of operators may ask this.',
}
const foreignHost = {
  ...{ status: 403, code: 'FORBIDDEN' },
  message: 'The page of operators answers at OPERATOR_BASE_URL alone.',
}

describe('POST /operator/api', () => {
  test.each<[string, Record<string, string>]>([
    ['a page of another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    [
      'another port of the same host',
      { 'sec-fetch-site': 'same-site', origin: `${operatorBaseUrl}:8443` },
    ],
    ['a page of a neighbouring host', { 'sec-fetch-site': 'same-site' }],
    ['the address bar', { 'sec-fetch-site': 'none', origin: '' }],
    ['a client that says no site', { 'sec-fetch-site': '' }],
    ['a client that says no site and no origin', { 'sec-fetch-site': '', origin: '' }],
    ['a page whose origin differs from its site', { origin: 'https://evil.example' }],
    ['a page without an origin', { origin: 'null' }],
  ])('refuses %s, whatever the cookie, and does nothing', async (_, headers) => {
    const operator = newOperator()
    const cookie = await signInOperator(gateway, operator)
    const token = await plantLink(gateway, operator)

    const answers = [
      await operate(gateway, 'Me', {}, { cookie, headers }),
      await operate(gateway, 'SignOut', {}, { cookie, headers }),
      await operate(gateway, 'SignIn', { token }, { headers }),
    ]

    for (const answer of answers) {
      expectError(gateway, answer, foreignPage)
      expect(answer.headers.get('set-cookie')).toBeNull()
    }
    expect((await operate(gateway, 'Me', {}, { cookie })).status).toBe(200)
    expect((await operate(gateway, 'Preview', { token })).status).toBe(200)
  })

  test.each(['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain'])(
    'refuses a body of %s, which a form could send',
    async (type) => {
      const cookie = await signInOperator(gateway, newOperator())

      const answer = await operate(gateway, 'Me', {}, { cookie, headers: { 'content-type': type } })

      expectError(gateway, answer, { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' })
    },
  )

  test.each([
    ['no body', undefined, 422],
    ['no JSON', '{"operation":', 422],
    ['no object', '["Me"]', 422],
    ['no operation', '{}', 422],
    ['another member', '{"operation":"Me","query":"{ __typename }"}', 422],
    ['more than 64 KiB', JSON.stringify({ operation: 'Me', a: 'x'.repeat(65 * 1024) }), 413],
  ])('refuses %s', async (_, body, status) => {
    const cookie = await signInOperator(gateway, newOperator())

    const answer = await askInternal(gateway, '/operator/api', {
      method: 'POST',
      headers: { ...ofOperatorPage, cookie },
      body,
    })

    const code = status === 413 ? 'PAYLOAD_TOO_LARGE' : 'INVALID_REQUEST'
    expect([answer.status, Object(answer.body).error.code]).toEqual([status, code])
  })

  test.each(['GET', 'PUT', 'DELETE', 'OPTIONS'])('is not possible with %s', async (method) => {
    const cookie = await signInOperator(gateway, newOperator())

    const answer = await askInternal(gateway, '/operator/api', {
      method,
      headers: { ...ofOperatorPage, cookie },
    })

    expectError(gateway, answer, { status: 405, code: 'METHOD_NOT_ALLOWED' })
    expect(answer.headers.get('allow')).toBe('POST')
  })

  test('takes neither an internal token nor the session of the console', async () => {
    const token = await gateway.internalToken('admin')
    const authorization = `Bearer ${token}`

    const answers = [
      await operate(gateway, 'Me', {}, { headers: { authorization } }),
      await operate(gateway, 'AccountList', { first: 1 }, { headers: { authorization } }),
      await operate(gateway, 'Me', {}, { cookie: `__Host-gw_session=${token}` }),
    ]

    for (const answer of answers) {
      expectError(gateway, answer, {
        ...{ status: 401, code: 'AUTHENTICATION_REQUIRED', details: { methods: ['link'] } },
      })
    }
  })
})

const paths = ['/operator', '/operator/', '/operator/accounts/x', '/operator/api']

describe('the host of /operator', () => {
  test.each([
    'rebound.example.com',
    'operators.example.com:8443',
    'operators.example.com:80',
    'x.operators.example.com',
    'operators.example.com.',
    'localhost',
    '127.0.0.1',
  ])('is not %s', async (host) => {
    const cookie = await signInOperator(gateway, newOperator())
    for (const path of paths) {
      const method = path.endsWith('api') ? 'POST' : 'GET'
      const headers = { ...ofOperatorPage, host, cookie, 'x-forwarded-host': ofOperatorPage.host }
      const body = method === 'POST' ? '{"operation":"Me"}' : undefined

      expectError(gateway, await askInternal(gateway, path, { method, headers, body }), foreignHost)
    }
  })

  test('is that of OPERATOR_BASE_URL, whatever X-Forwarded-Host says', async () => {
    const cookie = await signInOperator(gateway, newOperator())
    for (const host of ['operators.example.com', 'OPERATORS.example.com:443']) {
      const headers = { host, 'x-forwarded-host': 'rebound.example.com' }

      const answer = await operate(gateway, 'Me', {}, { cookie, headers })

      expect([host, answer.status]).toEqual([host, 200])
    }
  })

  test.each(['/graphql', '/graphiql', '/metrics', '/ready', '/live', backendJwksPath, '/Operator'])(
    'is no host of %s',
    async (path) => {
      const cookie = await signInOperator(gateway, newOperator())
      const { host } = ofOperatorPage

      const answer = await askInternal(gateway, path, { headers: { host, cookie } })

      expectError(gateway, answer, {
        ...{ status: 403, code: 'FORBIDDEN' },
        message: 'This listener does not answer to this host: name it in INTERNAL_NAMES.',
      })
    },
  )
})

describe('the cookie of an operator', () => {
  test('opens no internal GraphQL', async () => {
    const cookie = await signInOperator(gateway, newOperator())

    const answer = await askInternal(gateway, '/graphql', {
      method: 'POST',
      headers: { ...ofOperatorPage, host: 'localhost', cookie },
      body: '{"query":"{ __typename }"}',
    })

    expectError(gateway, answer, { status: 401, code: 'AUTHENTICATION_REQUIRED' })
  })

  test('opens nothing on the public listeners', async () => {
    const cookie = await signInOperator(gateway, newOperator())
    for (const listener of [gateway.live, gateway.sandbox]) {
      const headers = { cookie, 'sec-fetch-site': 'same-origin' }

      const account = await listener.get('/v1/account', undefined, headers)
      const page = await listener.get('/operator', undefined, headers)

      expect([account.status, page.status]).toEqual([401, 404])
    }
  })
})

describe('GET /operator', () => {
  const policy = (answer: { readonly headers: Headers }) =>
    answer.headers.get('content-security-policy') ?? ''

  test('has the headers of the console, on every answer', async () => {
    for (const [path, more] of [
      ['/operator', {}],
      ['/operator/accounts', {}],
      ['/operator/assets/nothing.js', {}],
      ['/operator', { host: 'rebound.example.com' }],
    ] as const) {
      const answer = await askInternal(gateway, path, { headers: { ...ofOperatorPage, ...more } })

      expect(policy(answer)).toContain("frame-ancestors 'none'")
      expect(policy(answer)).not.toContain('unsafe')
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'strict-transport-security': 'max-age=31536000',
        'cross-origin-resource-policy': 'same-origin',
      })
      const forPages = [...answer.headers.keys()].filter((name) =>
        name.startsWith('access-control'),
      )
      expect(forPages).toEqual([])
    }
  })

  test('is a page, and no other method is possible', async () => {
    const { headers } = await askInternal(gateway, '/operator', { headers: ofOperatorPage })
    const posted = await askInternal(gateway, '/operator', {
      ...{ method: 'POST', headers: ofOperatorPage, body: '{}' },
    })

    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('cache-control')).toBe('no-store')
    expectError(gateway, posted, { status: 405, code: 'METHOD_NOT_ALLOWED' })
  })
})

describe('without OPERATOR_BASE_URL', () => {
  test('there is no page of operators, under any host', async () => {
    const other = await startTestGateway()
    try {
      for (const path of paths) {
        const named = await askInternal(other, path, { headers: { host: 'localhost' } })
        const foreign = await askInternal(other, path, { headers: ofOperatorPage })

        expect([path, named.status, foreign.status]).toEqual([path, 404, 403])
      }
    } finally {
      await other.close()
    }
  })
})
