import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serviceSlugs } from '../../../../schema/vocabulary/scopes.ts'
import { expectError, expectStandardHeaders } from '../../../support/gateway/error-envelope.ts'
import {
  sharedGateway,
  type TestAccount,
  type TestGateway,
} from '../../../support/gateway/gateway.ts'
import { plantGrant } from '../../../support/oauth/oauth.ts'
import type { TestResponse } from '../../../support/requests/client.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

const path = '/v1/oauth/userinfo'
const formType = 'application/x-www-form-urlencoded'

async function tokenFor(account: TestAccount, scope: string): Promise<string> {
  const owner = await gateway.createAccount()
  const scopes = scope.split(' ')
  const planted = await plantGrant(gateway, { ownerId: owner.id, accountId: account.id, scopes })
  return planted.accessToken
}

function post(body: string | undefined, headers = {}): Promise<TestResponse> {
  return gateway.live.request(path, { method: 'POST', body, headers })
}

const postForm = (body: string, headers = {}) =>
  post(body, { 'content-type': formType, ...headers })

/** When the account was opened, as the claims say it. */
async function openedAt({ liveKey }: TestAccount): Promise<number> {
  const { body } = await gateway.live.get('/v1/account', liveKey)
  return Math.floor(Date.parse(Object(body).created_at) / 1000)
}

function realm(): string {
  return `Bearer realm="${gateway.baseUrl}/v1"`
}

function expectNoToken(response: TestResponse): void {
  expectError(gateway, response, { status: 401, code: 'AUTHENTICATION_REQUIRED' })
  expect(response.headers.get('www-authenticate')).toBe(realm())
}

function expectBadToken(response: TestResponse, message = 'This API key is not valid here.'): void {
  expectError(gateway, response, { status: 401, code: 'INVALID_API_KEY', message })
  expect(response.headers.get('www-authenticate')).toBe(`${realm()}, error="invalid_token"`)
}

describe('GET and POST /v1/oauth/userinfo with an access token', () => {
  interface Released {
    readonly scope: string
    readonly claims: readonly string[]
  }
  const profile = ['name', 'updated_at']
  const email = ['email', 'email_verified']
  const plans = ['account_id', 'tier', 'subscription_tier']
  const released: readonly Released[] = [
    { scope: 'openid', claims: [] },
    { scope: 'openid profile', claims: profile },
    { scope: 'openid email', claims: email },
    { scope: 'openid account:read', claims: plans },
    { scope: 'email openid profile', claims: [...profile, ...email] },
    { scope: 'openid profile email account:read', claims: [...profile, ...email, ...plans] },
    { scope: 'openid offline_access', claims: [] },
    { scope: `openid ${serviceSlugs.map((slug) => `${slug}:write`).join(' ')}`, claims: [] },
  ]

  test.each(released)(
    '$scope releases sub and $claims (docs/oauth-rules.md 82, 87, 90)',
    async (row) => {
      const account = await gateway.createAccount()
      const every: Readonly<Record<string, unknown>> = {
        name: 'Test',
        updated_at: await openedAt(account),
        email: 'test@example.com',
        email_verified: false,
        account_id: account.id,
        tier: 'SCALE',
        subscription_tier: 'enterprise_sub',
      }
      const token = await tokenFor(account, row.scope)
      const header = { authorization: `Bearer ${token}` }

      const responses = [
        await gateway.live.get(path, token),
        await post(undefined, header),
        await postForm(`access_token=${token}`),
        await postForm('', header),
        await postForm('unknown=1&access_token=', header),
      ]

      const claims = Object.fromEntries(row.claims.map((name) => [name, every[name]]))
      for (const response of responses) {
        expect([response.status, response.body]).toEqual([200, { sub: account.id, ...claims }])
        expectStandardHeaders(response)
        expect(response.headers.get('x-ratelimit-limit')).toBe('100')
        expect(response.headers.get('www-authenticate')).toBeNull()
      }
    },
  )

  test('releases no subscription claim for an account without a subscription (docs/oauth-rules.md 82)', async () => {
    const { createAccount } = Object(
      await gateway.graphql(
        `mutation { createAccount(input: {
          name: "Test", email: "test@example.com", tier: STARTER, credits: 0
        }) { accountId liveKey } }`,
      ),
    )
    const { accountId: id, liveKey } = createAccount
    const token = await tokenFor({ id, liveKey, sandboxKey: '' }, 'openid account:read')

    for (const key of [token, liveKey]) {
      const { body } = await gateway.live.get(path, key)

      expect(body).toEqual({ sub: id, account_id: id, tier: 'STARTER' })
    }
  })

  test('names the missing scope openid (docs/oauth-rules.md 86, 88)', async () => {
    const token = await tokenFor(await gateway.createAccount(), 'profile email account:read')

    for (const response of [
      await gateway.live.get(path, token),
      await postForm(`access_token=${token}`),
    ]) {
      expectError(gateway, response, {
        status: 403,
        code: 'FORBIDDEN',
        message: 'This access token lacks the scope openid.',
      })
      expect(response.headers.get('www-authenticate')).toBe(
        `${realm()}, error="insufficient_scope", scope="openid"`,
      )
    }
  })

  test('tells two accounts that granted the same app apart (docs/oauth-rules.md 87)', async () => {
    const [one, two] = [await gateway.createAccount(), await gateway.createAccount()]
    const planted = await plantGrant(gateway, {
      ...{ ownerId: one.id, accountId: one.id, scopes: ['openid', 'account:read'] },
    })
    const other = await plantGrant(gateway, {
      ...{ ownerId: one.id, accountId: two.id, scopes: ['openid', 'account:read'], app: planted },
    })

    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        gateway.live.get(path, (index % 2 === 0 ? planted : other).accessToken),
      ),
    )

    const ids = answers.map(({ body }) => [Object(body).sub, Object(body).account_id])
    expect(ids).toEqual(
      Array.from({ length: 10 }, (_, index) => Array(2).fill((index % 2 === 0 ? one : two).id)),
    )
  })

  test('does not replay claims to another app by an idempotency key (docs/oauth-rules.md 91)', async () => {
    const account = await gateway.createAccount()
    const headers = { 'idempotency-key': 'same' }
    const ask = (token: string) => post(undefined, { ...headers, authorization: `Bearer ${token}` })
    await ask(await tokenFor(account, 'openid email'))

    const { body, headers: answered } = await ask(await tokenFor(account, 'openid'))

    expect(body).toEqual({ sub: account.id })
    expect(answered.get('idempotent-replayed')).toBeNull()
  })

  test('forbids caches to store any answer (docs/oauth-rules.md 3)', async () => {
    const token = await tokenFor(await gateway.createAccount(), 'openid')
    const narrow = await tokenFor(await gateway.createAccount(), 'email')

    for (const [key, status] of [
      [token, 200],
      [undefined, 401],
      ['nonsense', 401],
      [narrow, 403],
    ] as const) {
      const response = await gateway.live.get(path, key)

      expect([response.status, response.headers.get('cache-control')]).toEqual([status, 'no-store'])
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    }
  })
})

describe('GET /v1/oauth/userinfo with an API key', () => {
  test.each([['*'], ['contacts:read'], ['keys:write', 'oauth:read'], ['account:read']])(
    'with %s releases claims about the account only (docs/oauth-rules.md 87, 88)',
    async (...scopes) => {
      const { id } = await gateway.createAccount()
      const { plaintext } = await gateway.createKey(id, { scopes })
      const header = { authorization: `Bearer ${plaintext}` }

      for (const response of [await gateway.live.get(path, plaintext), await post('', header)]) {
        expect([response.status, response.body]).toEqual([
          200,
          { sub: id, account_id: id, tier: 'SCALE', subscription_tier: 'enterprise_sub' },
        ])
      }
    },
  )

  test('is accepted only from allowed addresses, and only in its environment (docs/oauth-rules.md 88)', async () => {
    const { id, sandboxKey } = await gateway.createAccount()
    const { plaintext } = await gateway.createKey(id, { ipAllowlist: ['10.0.0.0/8'] })

    const elsewhere = await gateway.live.get(path, plaintext)

    expectError(gateway, elsewhere, { status: 403, code: 'IP_NOT_ALLOWED' })
    expectBadToken(
      await gateway.live.get(path, sandboxKey),
      `This is a sandbox key. Use ${gateway.sandbox.url}.`,
    )
  })

  test('is refused in a form (docs/oauth-rules.md 90)', async () => {
    const { liveKey } = await gateway.createAccount()

    expectBadToken(await postForm(`access_token=${liveKey}`))
  })
})

describe('an unknown caller of /v1/oauth/userinfo', () => {
  test.each(['', 'Bearer', 'Bearer ', 'Basic x', 'Bearer a b', 'Bearer "a"', 'Token a'])(
    'with the header %j is asked for a token, without an error code (docs/oauth-rules.md 84)',
    async (authorization) => {
      const headers = authorization === '' ? undefined : { authorization }

      expectNoToken(await gateway.live.get(path, undefined, headers))
      expectNoToken(await post(undefined, headers))
    },
  )

  test.each(['', 'access_token=', 'token=x'])(
    'with the form %j is asked for a token too (docs/oauth-rules.md 84)',
    async (form) => {
      expectNoToken(await postForm(form))
    },
  )

  test('with a token that was never issued gets invalid_token (docs/oauth-rules.md 85)', async () => {
    for (const token of ['nonsense', `svc_oat_${'A'.repeat(43)}`, `svc_oat_${'-_'.repeat(21)}A`]) {
      expectBadToken(await gateway.live.get(path, token))
      expectBadToken(await postForm(`access_token=${token}`))
    }
    expectBadToken(await postForm('access_token=%0d%0aX%3A%20y'))
  })
})

describe('an access token in the wrong place', () => {
  test('ignores the other parameters of a query (docs/oauth-rules.md 4)', async () => {
    const account = await gateway.createAccount()
    const token = await tokenFor(account, 'openid')

    const { status, body } = await gateway.live.get(`${path}?schema=openid`, token)

    expect([status, Object(body).sub]).toEqual([200, account.id])
  })

  test('is ignored in the query (docs/oauth-rules.md 89)', async () => {
    const token = await tokenFor(await gateway.createAccount(), 'openid')

    for (const method of ['GET', 'POST']) {
      expectNoToken(await gateway.live.request(`${path}?access_token=${token}`, { method }))
    }
    const query = { authorization: `Bearer ${token}` }
    const both = await gateway.live.get(`${path}?access_token=${token}`, undefined, query)
    expectError(gateway, both, {
      status: 422,
      code: 'INVALID_REQUEST',
      message: 'access_token: must not be in the query',
      details: [{ field: 'access_token', in: 'query', message: 'must not be in the query' }],
    })
  })

  test('is refused in header and body at once (docs/oauth-rules.md 89)', async () => {
    const token = await tokenFor(await gateway.createAccount(), 'openid')
    const message = 'must be sent in one place: the header Authorization or the body'

    for (const authorization of [`Bearer ${token}`, 'Bearer other', 'Basic eDp5']) {
      const response = await postForm(`access_token=${token}`, { authorization })

      expectError(gateway, response, {
        status: 422,
        code: 'INVALID_REQUEST',
        message: `access_token: ${message}`,
        details: [{ field: 'access_token', in: 'body', message }],
      })
    }
  })

  test('is refused twice in the body (docs/oauth-rules.md 4, 89)', async () => {
    const token = await tokenFor(await gateway.createAccount(), 'openid')

    const response = await postForm(`access_token=${token}&access_token=${token}`)

    expectError(gateway, response, {
      status: 422,
      code: 'INVALID_REQUEST',
      details: [{ field: 'access_token', in: 'body', message: 'must be sent once' }],
    })
  })

  test('is ignored in the body of a GET (docs/oauth-rules.md 89)', async () => {
    const token = await tokenFor(await gateway.createAccount(), 'openid')
    const { hostname, port } = new URL(gateway.live.url)
    const { request } = await import('node:http')
    const form = `access_token=${token}`

    const status = await new Promise((resolve, reject) => {
      const headers = { 'content-type': formType, 'content-length': form.length }
      request({ hostname, port, path, method: 'GET', headers }, (res) => {
        res.resume()
        resolve(res.statusCode)
      })
        .on('error', reject)
        .end(form)
    })

    expect(status).toBe(401)
  })

  test('is refused in JSON instead of a form (docs/oauth-rules.md 5)', async () => {
    const token = await tokenFor(await gateway.createAccount(), 'openid')

    for (const headers of [{}, { authorization: `Bearer ${token}` }]) {
      const body = JSON.stringify({ access_token: token })
      const response = await post(body, { 'content-type': 'application/json', ...headers })

      expectError(gateway, response, { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' })
    }
  })

  test('is not read in a form of more than 16 KiB (docs/oauth-rules.md 4)', async () => {
    const response = await postForm(`access_token=${'a'.repeat(17_000)}`)

    expectError(gateway, response, { status: 413, code: 'PAYLOAD_TOO_LARGE' })
  })
})

describe('claims in the graph', () => {
  test('are for the account alone, not for internal tools (docs/oauth-rules.md 87)', async () => {
    await expect(gateway.graphql('{ userinfo { sub email } }')).rejects.toThrow(
      'This caller may not use this operation.',
    )
  })
})
