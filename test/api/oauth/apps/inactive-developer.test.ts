import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts'
import { plantGrant } from '../../../support/oauth/oauth.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ KEY_CACHE_SECONDS: '0' })
})
afterAll(() => gateway.close())

async function setStatus(id: string, status: string): Promise<void> {
  const mutation = 'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { id } }'
  await gateway.graphql(mutation, { input: { id, status } })
}

async function statusesOf(clientId: string, accessToken: string, key: string): Promise<number[]> {
  const redirectUri = 'https://app.example/callback'
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'openid',
  })
  const shown = await gateway.live.get(`/v1/oauth/authorize?${query}`)
  const decided = await gateway.live.request(`/v1/oauth/consent?${query}`, { method: 'POST', key })
  const userinfo = await gateway.live.get('/v1/oauth/userinfo', accessToken)
  return [shown.status, decided.status, userinfo.status]
}

test('the apps of an inactive account are treated as suspended (docs/oauth-rules.md 18, 73)', async () => {
  const developer = await gateway.createAccount()
  const owner = await gateway.createAccount()
  const grant = { ownerId: developer.id, accountId: owner.id, scopes: ['openid'] }
  const { clientId, accessToken } = await plantGrant(gateway, grant)
  expect(await statusesOf(clientId, accessToken, owner.liveKey)).toEqual([200, 200, 200])

  for (const status of ['SUSPENDED', 'CLOSED']) {
    await setStatus(developer.id, status)

    expect(await statusesOf(clientId, accessToken, owner.liveKey)).toEqual([422, 422, 401])
  }
  await setStatus(developer.id, 'ACTIVE')
  expect(await statusesOf(clientId, accessToken, owner.liveKey)).toEqual([200, 200, 200])
})
