import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sha256 } from '../../../../schema/credentials/secrets.ts'
import { expectError } from '../../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts'
import { ask, resultOf } from '../../../support/mcp/mcp.ts'
import { authorize, consent, requestOf, signIn } from '../../../support/oauth/asking.ts'
import {
  introspect,
  type RegisteredApp,
  redeem,
  redirectUri,
  refresh,
  registerApp,
  tokensOf,
  withoutMinuteLimits,
} from '../../../support/oauth/oauth-flow.ts'

let gateway: TestGateway
let app: RegisteredApp
beforeAll(async () => {
  gateway = await startTestGateway(withoutMinuteLimits)
  app = await registerApp(gateway)
})
afterAll(() => gateway.close())

const scope = 'openid offline_access account:read contacts:read'
const tools = () => `${gateway.baseUrl}/mcp`
const rest = () => `${gateway.baseUrl}/v1`

function asked(resource: string | readonly string[] | null, more = {}): string {
  const named = { clientId: app.clientId, clientSecret: undefined, developer: app.developer }
  return requestOf(named, { redirect_uri: redirectUri, scope, resource, ...more })
}

/** The code of an approval by key. */
async function codeFor(resource: string | null, key: string): Promise<string> {
  const { status, body } = await consent(gateway.live, asked(resource), key)
  expect([status, Object(body).status]).toEqual([200, 'approved'])
  return Object(body).code
}

async function tokensFor(resource: string | null) {
  const { liveKey } = await gateway.createAccount()
  return tokensOf(await redeem(gateway.live, app, await codeFor(resource, liveKey)))
}

const account = (token: string) => gateway.live.get('/v1/account', token)
const userinfo = (token: string) => gateway.live.get('/v1/oauth/userinfo', token)

describe('the audience of a token (docs/oauth-rules.md 119, 120)', () => {
  test('for the tools, REST refuses it with invalid_token, and userinfo takes it', async () => {
    const { accessToken } = await tokensFor(tools())

    const refused = await account(accessToken)
    const product = await gateway.live.get('/v1/contacts/lists', accessToken)
    const claims = await userinfo(accessToken)

    expectError(gateway, refused, {
      ...{ status: 401, code: 'INVALID_API_KEY' },
      message: 'This access token is for another resource of this gateway.',
    })
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer realm="${rest()}", error="invalid_token"`,
    )
    expect(product.status).toBe(401)
    expect(claims.status).toBe(200)
  })

  test('for REST, the tools refuse it with invalid_token and say where to get one, and userinfo takes it', async () => {
    const { accessToken } = await tokensFor(rest())
    const ofTools = await tokensFor(tools())

    const refused = await ask(gateway.live, accessToken, 'tools/list')
    const taken = await ask(gateway.live, ofTools.accessToken, 'tools/list')

    expectError(gateway, refused, {
      ...{ status: 401, code: 'INVALID_API_KEY' },
      message: 'This access token is for another resource of this gateway.',
    })
    expect(refused.headers.get('www-authenticate')).toMatch(
      new RegExp(
        `^Bearer resource_metadata="${gateway.baseUrl}/.well-known/oauth-protected-resource/mcp", scope="[^"]+", error="invalid_token"$`,
      ),
    )
    expect(resultOf(taken).tools).toHaveLength(21)
    expect((await userinfo(accessToken)).status).toBe(200)
  })

  test.each([
    ['without a resource', () => null],
    ['for the issuer', rest],
    ['for the base URL', () => gateway.baseUrl],
  ])('%s is REST', async (_case, resource) => {
    const { accessToken } = await tokensFor(resource())

    expect((await account(accessToken)).status).toBe(200)
    expect((await userinfo(accessToken)).status).toBe(200)
  })

  test('is in the answer of a verification and of introspection; a refresh keeps it', async () => {
    const first = await tokensFor(tools())
    const second = tokensOf(await refresh(gateway.live, app, first.refreshToken))
    const ofRest = await tokensFor(null)

    const auds = await Promise.all(
      [first.accessToken, second.accessToken, second.refreshToken, ofRest.accessToken].map(
        async (token) => Object((await introspect(gateway.live, app, token)).body).aud,
      ),
    )
    const stored = await gateway.database.query(
      `SELECT g.audience FROM oauth.access_token t JOIN oauth.authorization_grant g ON g.id = t.grant_id
       WHERE t.token_hash = $1`,
      [sha256(second.accessToken)],
    )

    expect(auds).toEqual([tools(), tools(), tools(), app.clientId])
    expect(stored).toEqual([{ audience: 'mcp' }])
    expect((await account(second.accessToken)).status).toBe(401)
  })

  test('a consent covers both audiences, and a token one', async () => {
    const { liveKey } = await gateway.createAccount()
    await codeFor(tools(), liveKey)

    const screen = await authorize(gateway.live, asked(rest()), liveKey)

    expect([screen.status, Object(screen.body).consent_required]).toEqual([200, false])
  })
})

describe('resource at authorize (docs/oauth-rules.md 39, 119)', () => {
  test('two are 422, and an unknown one is invalid_target', async () => {
    const { liveKey } = await gateway.createAccount()

    const two = await authorize(gateway.live, asked([tools(), tools()]), liveKey)
    const unknown = await authorize(gateway.live, asked('https://other.example/mcp'), liveKey)

    expect([two.status, Object(two.body).error.details]).toEqual([
      422,
      [{ field: 'resource', in: 'query', message: 'must be sent once' }],
    ])
    expect([unknown.status, Object(unknown.body).error.oauth_error]).toEqual([
      422,
      'invalid_target',
    ])
  })

  test('scheme and host may be in upper case, and a slash may be at the end', async () => {
    const { liveKey } = await gateway.createAccount()
    const written = `${tools().replace('http://', 'HTTP://')}/`

    const code = await codeFor(written, liveKey)
    const { accessToken } = tokensOf(await redeem(gateway.live, app, code, { resource: tools() }))

    expect((await account(accessToken)).status).toBe(401)
  })

  test('is sealed in the consent token: an approval for the other audience is refused', async () => {
    const { liveKey } = await gateway.createAccount()
    const browser = await signIn(gateway.live, liveKey)
    const shown = await authorize(gateway.live, asked(rest()), undefined, {
      cookie: browser.cookie,
    })
    const { consent_token } = Object(shown.body)

    const swapped = await consent(
      gateway.live,
      asked(tools(), { consent_token }),
      undefined,
      browser.headers,
    )

    expect([swapped.status, Object(swapped.body).error.details[0].field]).toEqual([
      422,
      'consent_token',
    ])
  })
})

describe('resource at token (docs/oauth-rules.md 121)', () => {
  test('another one than that of the code is invalid_target, and the code stays usable', async () => {
    const { liveKey } = await gateway.createAccount()
    const code = await codeFor(tools(), liveKey)

    const wrong = await redeem(gateway.live, app, code, { resource: rest() })
    const right = await redeem(gateway.live, app, code, { resource: tools() })

    expect([wrong.status, Object(wrong.body).error]).toEqual([400, 'invalid_target'])
    expect(right.status).toBe(200)
  })

  test('another one than that of the refresh token is invalid_target, and the token stays usable', async () => {
    const { refreshToken } = await tokensFor(tools())

    const wrong = await refresh(gateway.live, app, refreshToken, { resource: rest() })
    const right = await refresh(gateway.live, app, refreshToken, { resource: tools() })

    expect([wrong.status, Object(wrong.body).error]).toEqual([400, 'invalid_target'])
    expect(right.status).toBe(200)
  })

  test('two are 422', async () => {
    const { liveKey } = await gateway.createAccount()
    const code = await codeFor(tools(), liveKey)
    const form = new URLSearchParams({ grant_type: 'authorization_code', code })
    form.append('redirect_uri', redirectUri)
    form.append('resource', tools())
    form.append('resource', tools())

    const { status } = await gateway.live.request('/v1/oauth/token', {
      method: 'POST',
      body: form.toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(`${app.clientId}:${app.secret}`).toString('base64')}`,
      },
    })

    expect(status).toBe(422)
  })
})

describe('GET /.well-known/oauth-protected-resource/mcp (docs/oauth-rules.md 122)', () => {
  test('names the resource, its issuer and its scopes, without offline_access', async () => {
    const { status, headers, body } = await gateway.live.get(
      '/.well-known/oauth-protected-resource/mcp',
    )

    const { scopes_supported, ...rest } = Object(body)
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=3600'])
    expect(rest).toEqual({
      resource: tools(),
      authorization_servers: [`${gateway.baseUrl}/v1`],
      bearer_methods_supported: ['header'],
      resource_name: 'Credit gateway tools',
      resource_documentation: `${gateway.baseUrl}/docs/agents`,
    })
    expect(scopes_supported).toContain('contacts:write')
    expect(scopes_supported).toContain('usage:read')
    expect(scopes_supported).not.toContain('offline_access')
    expect(scopes_supported).not.toContain('billing:read')
  })
})

describe('MCP=off (docs/oauth-rules.md 123)', () => {
  test('nothing points to the tools, their tokens are refused everywhere, refresh is invalid_target, and the consent stays listed', async () => {
    const owner = await gateway.createAccount()
    const code = await codeFor(tools(), owner.liveKey)
    const { accessToken, refreshToken } = tokensOf(await redeem(gateway.live, app, code))
    const off = await startTestGateway({ ...withoutMinuteLimits, MCP: 'off' }, gateway)
    try {
      const document = await off.live.get('/.well-known/oauth-protected-resource/mcp')
      const discovery = Object((await off.live.get('/v1/.well-known/openid-configuration')).body)
      const registered = await off.live.post('/v1/oauth/register', {
        redirect_uris: ['https://agent.example/cb'],
      })
      const target = `${off.baseUrl}/mcp`
      const screen = await authorize(off.live, asked(target), owner.liveKey)
      const refreshed = await refresh(off.live, app, refreshToken)
      const consents = await off.live.get('/v1/oauth/consents', owner.liveKey)

      expect([document.status, registered.status]).toEqual([404, 404])
      expect(discovery).not.toHaveProperty('registration_endpoint')
      expect(discovery).not.toHaveProperty('client_id_metadata_document_supported')
      expect([screen.status, Object(screen.body).error.oauth_error]).toEqual([
        422,
        'invalid_target',
      ])
      expect([refreshed.status, Object(refreshed.body).error]).toEqual([400, 'invalid_target'])
      expect((await off.live.get('/v1/account', accessToken)).status).toBe(401)
      expect((await off.live.get('/v1/oauth/userinfo', accessToken)).status).toBe(401)
      expect(Object(consents.body).items).toMatchObject([{ client_id: app.clientId }])
    } finally {
      await off.close()
    }
  })
})
