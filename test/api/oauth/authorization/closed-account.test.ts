import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { sharedGateway, type TestGateway } from '../../../support/gateway/gateway.ts'
import { plantGrant } from '../../../support/oauth/oauth.ts'
import { patience } from '../../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

async function setStatus(id: string, status: string): Promise<void> {
  const mutation = 'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { id } }'
  await gateway.graphql(mutation, { input: { id, status } })
}

async function plant() {
  const developer = await gateway.createAccount()
  const owner = await gateway.createAccount()
  const options = { ownerId: developer.id, accountId: owner.id, scopes: ['openid'] }
  return { owner, grant: await plantGrant(gateway, options) }
}

async function userinfo(token: string): Promise<number> {
  return (await gateway.live.get('/v1/oauth/userinfo', token)).status
}

test('reopening an account does not restore the grants that its closing ended (docs/oauth-rules.md 71, 73)', async () => {
  const { owner, grant } = await plant()
  const { grant: other } = await plant()
  expect(await userinfo(grant.accessToken)).toBe(200)

  await setStatus(owner.id, 'CLOSED')

  expect(await userinfo(grant.accessToken)).toBe(401)
  await vi.waitFor(async () => {
    const rows = await gateway.database.query(
      `SELECT revoked_because, revoked_at IS NOT NULL AS is_revoked
       FROM oauth.authorization_grant WHERE id = ANY ($1) ORDER BY account_id = $2 DESC`,
      [[grant.grantId, other.grantId], owner.id],
    )
    expect(rows).toEqual([
      { revoked_because: 'account_closed', is_revoked: true },
      { revoked_because: null, is_revoked: false },
    ])
  }, patience)
  await setStatus(owner.id, 'ACTIVE')
  expect(await userinfo(grant.accessToken)).toBe(401)
  expect(await userinfo(other.accessToken)).toBe(200)
})

test('the grants of a suspended account are inactive, and active again with the account (docs/oauth-rules.md 73)', async () => {
  const { owner, grant } = await plant()

  await setStatus(owner.id, 'SUSPENDED')

  expect(await userinfo(grant.accessToken)).toBe(403)
  await setStatus(owner.id, 'ACTIVE')
  expect(await userinfo(grant.accessToken)).toBe(200)
})
