import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

const scope = 'openid profile email offline_access account:read contacts:write'

/** The browser's part: shows nothing to anybody, and lets the owner's key decide. */
async function approve(authorizationUrl: URL, ownerKey: string): Promise<URL> {
  const shown = await gateway.live.get(authorizationUrl.pathname + authorizationUrl.search)
  expect(shown.status).toBe(200)
  const { status, body } = await gateway.live.request(
    `/v1/oauth/consent${authorizationUrl.search}`,
    { method: 'POST', key: ownerKey },
  )
  expect([status, Object(body).status]).toEqual([200, 'approved'])
  return new URL(Object(body).redirect_to)
}

describe('openid-client, a client library of others,', () => {
  test.each(['client_secret_basic', 'client_secret_post', 'none'])(
    'completes the whole flow with %s (docs/oauth-rules.md 1, 4, 21, 44, 51, 65, 68, 75, 78, 79, 84, 87, 96, 102, 105, 110)',
    async (method) => {
      const developer = await gateway.createAccount()
      const owner = await gateway.createAccount()
      const redirectUri = 'https://client.example/callback'
      const { body: app } = await gateway.live.post(
        '/v1/oauth/apps',
        {
          client_name: 'Acme',
          redirect_uris: [redirectUri],
          token_endpoint_auth_method: method,
          scope,
        },
        developer.liveKey,
      )
      const { client_id: clientId, client_secret: secret } = Object(app)
      const auth =
        method === 'none'
          ? client.None()
          : method === 'client_secret_post'
            ? client.ClientSecretPost(secret)
            : client.ClientSecretBasic(secret)
      const config = await client.discovery(
        new URL(`${gateway.baseUrl}/v1`),
        clientId,
        secret,
        auth,
        { execute: [client.allowInsecureRequests] },
      )
      const codeVerifier = client.randomPKCECodeVerifier()
      const state = client.randomState()
      const nonce = client.randomNonce()
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope,
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      })

      const callback = await approve(url, owner.liveKey)
      const checks = {
        pkceCodeVerifier: codeVerifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      }
      const tokens = await client.authorizationCodeGrant(config, callback, checks)
      expect(tokens.claims()).toMatchObject({ sub: owner.id, aud: clientId, acr: '0' })
      const userinfo = await client.fetchUserInfo(config, tokens.access_token, owner.id)
      expect(userinfo).toMatchObject({ sub: owner.id, name: 'Test', email: 'test@example.com' })
      const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
      expect(refreshed.refresh_token).not.toBe(tokens.refresh_token)
      if (method !== 'none') {
        const active = await client.tokenIntrospection(config, refreshed.access_token)
        expect(active).toMatchObject({ active: true, sub: owner.id, client_id: clientId })
      }
      await client.tokenRevocation(config, refreshed.refresh_token ?? '')
      await expect(
        client.fetchUserInfo(config, refreshed.access_token, owner.id),
      ).rejects.toMatchObject({ status: 401 })
    },
  )
})
