import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serviceSlugs } from '../../../../schema/vocabulary/scopes.ts'
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({
    DOCS_URL: 'https://docs.example.com/',
    TRUST_PROXY: '1',
  })
})
afterAll(() => gateway.close())

const configurationPath = '/v1/.well-known/openid-configuration'
const jwksPath = '/v1/.well-known/jwks.json'

const signingKey = {
  kty: 'RSA',
  use: 'sig',
  alg: 'RS256',
  kid: expect.stringMatching(/^[\w-]{43}$/),
  n: expect.stringMatching(/^[\w-]{342,}$/),
  e: 'AQAB',
}

describe('GET /v1/.well-known/jwks.json', () => {
  test('shows the public part of the signing keys, and nothing of the private one (docs/oauth-rules.md 2, 110)', async () => {
    const response = await gateway.live.get(jwksPath)

    expect(response.status).toBe(200)
    expect(response.body).toEqual({ keys: [signingKey] })
    expect(response.headers.get('cache-control')).toBe('public, max-age=300')
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  test('shows the sandbox its own keys', async () => {
    const live = await gateway.live.get(jwksPath)
    const sandbox = await gateway.sandbox.get(jwksPath)

    expect(sandbox.body).toEqual({ keys: [signingKey] })
    expect(sandbox.body).not.toEqual(live.body)
  })
})

const secretMethods = ['client_secret_basic', 'client_secret_post']

/** All that is advertised, and nothing beside it. */
function configurationOf(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    userinfo_endpoint: `${issuer}/oauth/userinfo`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    registration_endpoint: `${issuer}/oauth/register`,
    client_id_metadata_document_supported: true,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    service_documentation: 'https://docs.example.com',
    scopes_supported: [
      ...['openid', 'profile', 'email', 'offline_access'],
      ...['account:read', 'billing:read', 'usage:read', 'audit:read', 'webhooks:read'],
      ...serviceSlugs.flatMap((slug) => [`${slug}:read`, `${slug}:write`]),
    ],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: [...secretMethods, 'none'],
    revocation_endpoint_auth_methods_supported: [...secretMethods, 'none'],
    introspection_endpoint_auth_methods_supported: secretMethods,
    code_challenge_methods_supported: ['S256'],
    claims_supported: [
      ...['sub', 'iss', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'at_hash'],
      ...['name', 'updated_at', 'email', 'email_verified'],
      ...['account_id', 'tier', 'subscription_tier'],
    ],
    acr_values_supported: ['0'],
    authorization_response_iss_parameter_supported: true,
    request_uri_parameter_supported: false,
    request_parameter_supported: false,
    claims_parameter_supported: false,
  }
}

describe('GET /v1/.well-known/openid-configuration', () => {
  test('describes the abilities of the requested listener, and no others (docs/oauth-rules.md 2, 105, 106, 107, 108)', async () => {
    for (const client of [gateway.live, gateway.sandbox]) {
      const response = await client.get(configurationPath)

      expect(response.status).toBe(200)
      expect(response.body).toEqual(configurationOf(`${client.url}/v1`))
      expect(response.headers.get('cache-control')).toBe('public, max-age=3600')
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    }
  })

  test('is served where RFC 8414 puts it too, on either listener (docs/oauth-rules.md 109)', async () => {
    for (const client of [gateway.live, gateway.sandbox]) {
      const response = await client.get('/.well-known/oauth-authorization-server/v1')

      expect(response.status).toBe(200)
      expect(response.body).toEqual(configurationOf(`${client.url}/v1`))
      expect(response.headers.get('cache-control')).toBe('public, max-age=3600')
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
    }
  })

  test('offers no scope that tokens never carry', async () => {
    const { body } = await gateway.live.get(configurationPath)

    const never = /^(keys|oauth|sandbox):|^(audit|billing|account|webhooks):write$|\*/
    const { scopes_supported: scopes } = Object(body)
    expect(scopes).toContain('contacts:write')
    expect(scopes.filter((scope: string) => never.test(scope))).toEqual([])
  })

  test('names the configured issuer, whatever host the request names (docs/oauth-rules.md 1)', async () => {
    const forged = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      'x-forwarded-port': '1',
      forwarded: 'host=evil.example;proto=https',
    }

    for (const { url } of [gateway.live, gateway.sandbox]) {
      const body = await getWith(url + configurationPath, forged)

      expect(body).toEqual(configurationOf(`${url}/v1`))
    }
  })

  test('names the issuer without the trailing slash of BASE_URL (docs/oauth-rules.md 1)', async ({
    onTestFinished,
  }) => {
    const named = await startTestGateway({ BASE_URL: 'https://api.example.com/' })
    onTestFinished(() => named.close())

    const { openidConfiguration } = await named.graphql(
      '{ openidConfiguration { issuer tokenEndpoint jwksUri } }',
    )

    expect(openidConfiguration).toEqual({
      issuer: 'https://api.example.com/v1',
      tokenEndpoint: 'https://api.example.com/v1/oauth/token',
      jwksUri: 'https://api.example.com/v1/.well-known/jwks.json',
    })
  })
})

/** The body of an answer to a request with any headers, `Host` included. */
function getWith(url: string, headers: Readonly<Record<string, string>>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers }, async (res) => {
      const chunks = await res.toArray()
      resolve(JSON.parse(Buffer.concat(chunks).toString()))
    })
    sent.on('error', reject).end()
  })
}
