import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agentScopes } from '../../../../schema/vocabulary/scopes.ts'
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts'
import { newAddress, registerItself, trustedProxy } from '../../../support/oauth/agents.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway(trustedProxy)
})
afterAll(() => gateway.close())

const path = '/v1/oauth/register'
const register = (body: unknown, headers: Readonly<Record<string, string>> = newAddress()) =>
  gateway.live.post(path, body, undefined, headers)

const redirect_uris = ['https://agent.example/cb']

/** The RFC's body of a refusal. */
const refusal = (error: string, error_description: string) => [
  400,
  { error, error_description, error_uri: `${gateway.baseUrl}/docs/errors/${error}` },
]

describe(`POST ${path} (docs/oauth-rules.md 134)`, () => {
  test('answers as RFC 7591: a public app with the scopes of agents', async () => {
    const { status, headers, body } = await register({
      ...{ client_name: 'Agent', redirect_uris, unknown_member: 1 },
      ...{ token_endpoint_auth_method: 'client_secret_basic', application_type: 'web' },
    })

    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store'])
    expect(body).toEqual({
      client_id: expect.stringMatching(/^app_[0-9a-z]{26}$/),
      client_id_issued_at: expect.any(Number),
      client_name: 'Agent',
      redirect_uris,
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      scope: agentScopes.join(' '),
    })
    const [row] = await gateway.database.query(
      'SELECT account_id, origin, hosts, require_pkce FROM oauth.app WHERE client_id = $1',
      [Object(body).client_id],
    )
    expect(row).toEqual({
      ...{ account_id: null, origin: 'registration', hosts: ['agent.example'] },
      require_pkce: true,
    })
  })

  test('drops scopes beyond those of agents, and names an app without a name by its host', async () => {
    const { body } = await register({
      redirect_uris,
      scope: 'contacts:read billing:read keys:write',
    })

    expect(body).toMatchObject({ scope: 'contacts:read', client_name: 'agent.example' })
  })

  test.each([
    'http://localhost/cb',
    'http://127.0.0.1:33418/',
    'http://[::1]:8080/cb',
    'com.example.app:/cb',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'vscode://vscode.auth/callback',
    'https://claude.ai/api/mcp/auth_callback',
  ])('takes the redirect %s', async (uri) => {
    expect((await register({ redirect_uris: [uri] })).status).toBe(201)
  })

  test.each([
    ['http://agent.example/cb', 'must be https unless its host is localhost, 127.0.0.1 or [::1]'],
    [
      'javascript:alert(1)',
      'must be https, http on a loopback host, or have a scheme like com.example.app',
    ],
    [
      'unknown://agent',
      'must be https, http on a loopback host, or have a scheme like com.example.app',
    ],
    ['https://agent.example/#a', 'must not have a fragment'],
    ['https://*.example/cb', 'must not have a wildcard'],
    ['https://user@agent.example/cb', 'must not name a user'],
  ])('refuses the redirect %s', async (uri, problem) => {
    const { status, body } = await register({ redirect_uris: [uri] })

    expect([status, body]).toEqual(
      refusal('invalid_redirect_uri', `redirect_uris: ${uri} ${problem}`),
    )
  })

  test('refuses everything else with the body of the RFC too', async () => {
    const wrong = [
      await register({}),
      await register({ redirect_uris, grant_types: ['client_credentials'] }),
      await register({ redirect_uris, scope: 'billing:read' }),
      await register({ redirect_uris, client_name: 7 }),
      await register({ redirect_uris: Array(21).fill(redirect_uris[0]) }),
      await register({ redirect_uris: [7] }),
      await register({ redirect_uris: 'https://agent.example/cb' }),
      await register('{', { ...newAddress(), 'content-type': 'application/json' }),
    ]

    expect(wrong.map(({ status, body }) => [status, Object(body).error])).toEqual([
      [400, 'invalid_redirect_uri'],
      [400, 'invalid_client_metadata'],
      [400, 'invalid_client_metadata'],
      [400, 'invalid_client_metadata'],
      [400, 'invalid_redirect_uri'],
      [400, 'invalid_redirect_uri'],
      [400, 'invalid_redirect_uri'],
      [400, 'invalid_client_metadata'],
    ])
  })

  test('is documented without 422', async () => {
    const { body } = await gateway.live.get('/v1/openapi.json')

    const { responses } = Object(body).paths[path].post
    expect(Object.keys(responses)).not.toContain('422')
    expect(responses['400'].$ref).toMatch(/InvalidClientMetadataInvalidRedirectUri$/)
  })

  test('registers at most 60 apps of an address in a day', async () => {
    const headers = newAddress()
    const statuses = new Set<number>()
    for (let count = 0; count < 60; count += 1) {
      statuses.add((await register({ redirect_uris }, headers)).status)
    }
    const refused = await register({ redirect_uris }, headers)

    expect([...statuses]).toEqual([201])
    expect([refused.status, Object(refused.body).error]).toMatchObject([
      429,
      {
        code: 'RATE_LIMIT_EXCEEDED',
        message: 'At most 60 apps can register from an address in a day.',
      },
    ])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000)
    expect((await register({ redirect_uris })).status).toBe(201)
  })

  test('with dcr=2 registers two apps of an address in a minute', async () => {
    const limited = await startTestGateway({ OAUTH_LIMITS: 'dcr=2' })
    try {
      const statuses = []
      for (let count = 0; count < 3; count += 1) {
        statuses.push((await limited.live.post(path, { redirect_uris })).status)
      }

      expect(statuses).toEqual([201, 201, 429])
    } finally {
      await limited.close()
    }
  })

  test('is 404 with OAUTH_DYNAMIC_REGISTRATION=off, and discovery does not name it', async () => {
    const named = await gateway.live.get('/v1/.well-known/openid-configuration')
    const off = await startTestGateway({ OAUTH_DYNAMIC_REGISTRATION: 'off' })
    try {
      const { status } = await off.live.post(path, { redirect_uris })
      const discovery = Object((await off.live.get('/v1/.well-known/openid-configuration')).body)

      expect(status).toBe(404)
      expect(Object(named.body)).toMatchObject({
        registration_endpoint: `${gateway.baseUrl}${path}`,
        client_id_metadata_document_supported: true,
      })
      expect(discovery).not.toHaveProperty('registration_endpoint')
      expect(discovery.client_id_metadata_document_supported).toBe(true)
      const pages = ['/v1/openapi.json', '/docs/postman.json', '/docs/endpoints', '/llms.txt']
      for (const page of pages) {
        const listed = await (await fetch(off.baseUrl + page)).text()
        const named =
          /oauth\/register|app that describes itself|registration_endpoint\\?": ?\\?"/i.exec(listed)
        expect([page, named]).toEqual([page, null])
        expect(listed.length, page).toBeGreaterThan(1000)
      }
    } finally {
      await off.close()
    }
  })
})

describe('an app that registered itself and that nobody approves (docs/oauth-rules.md 134)', () => {
  test('makes room for a newer one when there are 10,000', async () => {
    const oldest = await registerItself(gateway.live)
    await gateway.database.query(
      `UPDATE oauth.app SET created_at = now() - interval '2 days' WHERE client_id = $1`,
      [oldest],
    )
    await gateway.database.query(
      `INSERT INTO oauth.app (client_id, environment, origin, client_name, application_type,
         token_endpoint_auth_method, redirect_uris, grant_types, scopes, require_pkce, created_at)
       SELECT 'app_' || lpad(n::text, 26, '0'), 'live', 'registration', 'Agent', 'native', 'none',
         '{https://agent.example/cb}', '{authorization_code}', '{openid}', true, now() - interval '1 day'
       FROM generate_series(1, 10000) AS n`,
    )

    expect((await register({ redirect_uris })).status).toBe(201)

    const [row] = await gateway.database.query(
      `SELECT count(*)::int AS count, bool_or(client_id = $1) AS "hasOldest" FROM oauth.app
       WHERE environment = 'live' AND origin = 'registration' AND approved_at IS NULL`,
      [oldest],
    )
    expect(row).toEqual({ count: 10_000, hasOldest: false })
  })
})
