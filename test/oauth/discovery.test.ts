import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

const signingKey = {
  kty: 'RSA',
  use: 'sig',
  alg: 'RS256',
  kid: expect.stringMatching(/^[\w-]{43}$/),
  n: expect.stringMatching(/^[\w-]{342,}$/),
  e: 'AQAB',
}

describe('GET /v1/.well-known/jwks.json', () => {
  test('shows the public part of the signing keys, and nothing of the private one', async () => {
    const response = await gateway.live.get('/v1/.well-known/jwks.json')

    expect(response.status).toBe(200)
    expect(response.body).toEqual({ keys: [signingKey] })
    expect(response.headers.get('cache-control')).toBe('public, max-age=300')
  })

  test('shows the sandbox keys of its own', async () => {
    const live = await gateway.live.get('/v1/.well-known/jwks.json')
    const sandbox = await gateway.sandbox.get('/v1/.well-known/jwks.json')

    expect(sandbox.body).toEqual({ keys: [signingKey] })
    expect(sandbox.body).not.toEqual(live.body)
  })
})

describe('GET /v1/.well-known/openid-configuration', () => {
  test('names the endpoints of the listener that was asked', async () => {
    for (const client of [gateway.live, gateway.sandbox]) {
      const response = await client.get('/v1/.well-known/openid-configuration')

      const issuer = `${client.url}/v1`
      expect(response.status).toBe(200)
      expect(response.body).toMatchObject({
        issuer,
        authorization_endpoint: `${issuer}/oauth/authorize`,
        token_endpoint: `${issuer}/oauth/token`,
        userinfo_endpoint: `${issuer}/oauth/userinfo`,
        revocation_endpoint: `${issuer}/oauth/revoke`,
        introspection_endpoint: `${issuer}/oauth/introspect`,
        jwks_uri: `${issuer}/.well-known/jwks.json`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        id_token_signing_alg_values_supported: ['RS256'],
      })
      expect(response.headers.get('cache-control')).toBe('public, max-age=3600')
    }
  })

  test('offers no scope that a token must never carry', async () => {
    const { body } = await gateway.live.get('/v1/.well-known/openid-configuration')

    const never = /^(keys|oauth|sandbox):|^(audit|billing|account|webhooks):write$|\*/
    const { scopes_supported: scopes } = Object(body)
    expect(scopes).toContain('contacts:write')
    expect(scopes.filter((scope: string) => never.test(scope))).toEqual([])
  })
})
