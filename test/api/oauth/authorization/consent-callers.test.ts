import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newApiKey } from '../../../../schema/credentials/api-key-format.ts'
import { expectError } from '../../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts'
import {
  type AskingApp,
  approve,
  authorize,
  type Browser,
  consent,
  grantsOf,
  linesOf,
  refusalOf,
  registerApp,
  requestOf,
  rowCounts,
  shownTo,
  signIn,
  unknownApp,
} from '../../../support/oauth/asking.ts'
import { plantAccessToken, plantGrant } from '../../../support/oauth/oauth.ts'
import { patience } from '../../../support/time/patience.ts'

let gateway: TestGateway
let app: AskingApp
beforeAll(async () => {
  gateway = await startTestGateway({ OAUTH_LIMITS: 'authorize=0,register=0' })
  app = await registerApp(gateway)
})
afterAll(() => gateway.close())

/** A browser that could decide, so that falling back to it would show. */
async function readyBrowser(): Promise<{ browser: Browser; query: string }> {
  const { liveKey } = await gateway.createAccount()
  const browser = await signIn(gateway.live, liveKey)
  const plain = requestOf(app)
  const token = await shownTo(gateway.live, browser, plain)
  return { browser, query: `${plain}&consent_token=${token}` }
}

describe('POST /v1/oauth/consent from an anonymous caller', () => {
  test('is told how to sign in, and writes nothing (docs/oauth-rules.md §2, §4)', async () => {
    const before = await rowCounts(gateway)
    const query = requestOf(app, { scope: 'openid colour', state: 's' })
    const body = {
      status: 'login_required',
      login: {
        methods: ['api_key_bearer', 'session'],
        session_endpoint: `${gateway.baseUrl}/v1/oauth/session`,
      },
      client: {
        client_id: app.clientId,
        name: 'Acme',
        verified: false,
        redirect_host: 'app.example',
      },
      requested_scope: [
        { name: 'openid', description: 'Know which account this is.', already_granted: false },
      ],
    }

    const allowed = await consent(gateway.live, query)
    const denied = await consent(gateway.live, `${query}&decision=deny`)
    const silent = await consent(gateway.live, `${query}&prompt=none`)
    const unknown = { cookie: `__Host-gw_session=svc_osn_${'x'.repeat(43)}` }
    const stranger = await consent(gateway.live, query, undefined, unknown)

    for (const answer of [allowed, denied, silent, stranger]) {
      expect([answer.status, answer.body]).toEqual([200, body])
    }
    expect(await rowCounts(gateway)).toEqual(before)
  })
})

describe('a refused key decides nothing, and is not replaced by a session', () => {
  const badKey = {
    status: 401,
    code: 'INVALID_API_KEY',
  } as const

  async function revoked(): Promise<string> {
    const account = await gateway.createAccount()
    const { id, plaintext } = await gateway.createKey(account.id)
    const path = `/v1/account/keys/${id}`
    await gateway.live.request(path, { method: 'DELETE', key: account.liveKey })
    return plaintext
  }

  async function expired(): Promise<string> {
    const { id } = await gateway.createAccount()
    const { id: keyId, plaintext } = await gateway.createKey(id)
    await gateway.database.query(
      `UPDATE keys.api_key SET expires_at = now() - interval '1 second' WHERE id = $1`,
      [keyId],
    )
    return plaintext
  }

  test.each([
    ['no key of anybody', async () => newApiKey('svc', 'live').plaintext],
    ['no key at all', async () => 'anything'],
    ['a revoked key', revoked],
    ['an expired key', expired],
    ['a key of the sandbox', async () => (await gateway.createAccount()).sandboxKey],
    ['a client secret', async () => app.clientSecret ?? ''],
    [
      'the secret of a session',
      async () => (await readyBrowser()).browser.cookie.split('=')[1] ?? '',
    ],
  ])(
    '%s is 401, also beside a signed-in browser (docs/oauth-rules.md 48, 99)',
    async (_, keyOf) => {
      const key = await keyOf()
      const { browser, query } = await readyBrowser()
      const before = await rowCounts(gateway)

      const answers = [
        await consent(gateway.live, query, key, browser.headers),
        await consent(gateway.live, `${query}&decision=deny`, key, browser.headers),
        await authorize(gateway.live, query, key, browser.headers),
        await consent(gateway.live, query, key),
      ]

      for (const answer of answers) expectError(gateway, answer, badKey)
      expect(await rowCounts(gateway)).toEqual(before)
    },
  )

  test.each(['', 'Bearer', 'Bearer ', 'Basic YTpi', 'svc_live_x', 'Bearer a b', 'Digest x'])(
    'the header %j is 401, also beside a signed-in browser (docs/oauth-rules.md 48)',
    async (authorization) => {
      const { browser, query } = await readyBrowser()
      const before = await rowCounts(gateway)

      const response = await consent(gateway.live, query, undefined, {
        ...browser.headers,
        authorization,
      })

      expectError(gateway, response, { status: 401, code: 'AUTHENTICATION_REQUIRED' })
      expect(response.headers.get('www-authenticate')).toBe(`Bearer realm="${gateway.baseUrl}/v1"`)
      expect(await rowCounts(gateway)).toEqual(before)
    },
  )

  test('a key from a forbidden address is 403 (docs/oauth-rules.md 48)', async () => {
    const { id } = await gateway.createAccount()
    const { plaintext } = await gateway.createKey(id, { ipAllowlist: ['203.0.113.9'] })
    const { browser, query } = await readyBrowser()
    const before = await rowCounts(gateway)

    const response = await consent(gateway.live, query, plaintext, browser.headers)

    expectError(gateway, response, { status: 403, code: 'IP_NOT_ALLOWED' })
    expect(await rowCounts(gateway)).toEqual(before)
  })

  test.each([
    [['account:read'], 'openid', 'This API key lacks the scope oauth:consent.'],
    [['oauth:consent'], 'openid account:read', 'This API key lacks the scope account:read.'],
    [
      ['oauth:consent', 'contacts:read'],
      'openid contacts:write usage:read',
      'This API key lacks the scopes contacts:write, usage:read.',
    ],
    [
      ['account:write'],
      'account:read',
      'This API key lacks the scopes oauth:consent, account:read.',
    ],
  ])(
    'a key with %j cannot grant %s (docs/oauth-rules.md 43, 48)',
    async (scopes, scope, message) => {
      const { id } = await gateway.createAccount()
      const { plaintext } = await gateway.createKey(id, { scopes })
      const { browser } = await readyBrowser()
      const before = await rowCounts(gateway)

      const query = requestOf(app, { scope })
      const response = await consent(gateway.live, query, plaintext, browser.headers)

      expectError(gateway, response, { status: 403, code: 'FORBIDDEN', message })
      expect(await rowCounts(gateway)).toEqual(before)
    },
  )

  test('every key may identify its account, and deny scopes that it could not grant (docs/oauth-rules.md 43)', async () => {
    const { id } = await gateway.createAccount()
    const { plaintext } = await gateway.createKey(id, { scopes: ['oauth:consent'] })

    const identity = requestOf(app, { scope: 'openid profile email offline_access' })
    await approve(gateway.live, identity, plaintext)
    const beyond = `${requestOf(app, { scope: 'account:read' })}&decision=deny`
    const denied = await consent(gateway.live, beyond, plaintext)

    expect(Object(denied.body).status).toBe('denied')
    expect(await grantsOf(gateway, { id })).toHaveLength(1)
  })

  test('a key that was narrowed grants no more than its current scopes (docs/oauth-rules.md 43)', async () => {
    const account = await gateway.createAccount()
    const { id, plaintext } = await gateway.createKey(account.id)
    const query = requestOf(app, { scope: 'account:read' })
    await approve(gateway.live, query, plaintext)

    await gateway.live.request(`/v1/account/keys/${id}`, {
      method: 'PATCH',
      key: account.liveKey,
      body: { scopes: ['oauth:consent'] },
    })
    const response = await consent(gateway.live, query, plaintext)

    expectError(gateway, response, { status: 403, code: 'FORBIDDEN' })
  })
})

describe('an app cannot approve anything', () => {
  test('its access token is 401 at both routes, with a line in the audit trail (docs/oauth-rules.md 49)', async () => {
    const owner = await gateway.createAccount()
    const granted = { ownerId: owner.id, accountId: owner.id, scopes: ['openid', 'account:read'] }
    const { accessToken, refreshToken, code, clientId } = await plantGrant(gateway, granted)
    const { browser, query } = await readyBrowser()
    const before = await rowCounts(gateway)

    for (const token of [accessToken, refreshToken, code]) {
      const answers = [
        await consent(gateway.live, query, token, browser.headers),
        await consent(gateway.live, `${query}&decision=deny`, token),
        await authorize(gateway.live, query, token, browser.headers),
        await gateway.live.post('/v1/oauth/session', {}, token),
      ]
      for (const answer of answers) {
        expectError(gateway, answer, { status: 401, code: 'INVALID_API_KEY' })
        expect(answer.headers.get('www-authenticate')).toBe(
          `Bearer realm="${gateway.baseUrl}/v1", error="invalid_token"`,
        )
      }
    }
    expect(await rowCounts(gateway)).toEqual(before)
    await vi.waitFor(async () => {
      const lines = await gateway.database.query(
        `SELECT action, result, account_id, actor_kind FROM usage.audit_event
         WHERE actor_id = $1 AND action = 'access.deny'`,
        [clientId],
      )
      expect(lines).toEqual(
        Array.from({ length: 4 }, () => ({
          action: 'access.deny',
          result: 'INVALID_API_KEY',
          account_id: owner.id,
          actor_kind: 'oauth_client',
        })),
      )
    }, patience)
  })

  test('its access token is refused whatever its scope (docs/oauth-rules.md 49)', async () => {
    const { id } = await gateway.createAccount()
    const grant = await plantGrant(gateway, { ownerId: id, accountId: id, scopes: ['openid'] })
    // No grant can have these; a token that had them would still be an app's.
    const scopes = ['*', 'oauth:consent', 'openid']
    const { grantId } = grant
    const token = await plantAccessToken(gateway, { grantId, accountId: id, scopes })

    const response = await consent(gateway.live, requestOf(app), token)

    expectError(gateway, response, { status: 401, code: 'INVALID_API_KEY' })
    expect(await grantsOf(gateway, { id })).toHaveLength(1)
  })
})

describe('live and sandbox are separate', () => {
  test('an app of one environment is unknown in the other, and each has its own issuer', async () => {
    const played = await registerApp(gateway, {}, 'sandbox')
    const owner = await gateway.createAccount()

    const here = await consent(gateway.live, requestOf(played), owner.liveKey)
    const there = await consent(gateway.sandbox, requestOf(app), owner.sandboxKey)
    const { redirectTo } = await approve(gateway.sandbox, requestOf(played), owner.sandboxKey)

    const named = [unknownApp]
    expect(refusalOf(gateway, here)).toEqual(named)
    expect(refusalOf(gateway, there)).toEqual(named)
    expect(redirectTo.searchParams.get('iss')).toBe(`${gateway.sandbox.url}/v1`)
    const rows = await gateway.database.query(
      `SELECT g.environment, c.environment AS consent FROM oauth.authorization_grant g
       JOIN oauth.consent c USING (account_id, client_id) WHERE account_id = $1`,
      [owner.id],
    )
    expect(rows).toEqual([{ environment: 'sandbox', consent: 'sandbox' }])
    expect(await linesOf(gateway, played.clientId, 1)).toMatchObject([
      { action: 'consent.grant', environment: 'sandbox', result: 'succeeded' },
    ])
  })
})
