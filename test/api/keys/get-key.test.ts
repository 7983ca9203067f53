import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { unsaid } from './key-record.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

const notFound = {
  status: 404,
  code: 'NOT_FOUND',
  message: 'No API key has this id.',
} as const

describe('GET /v1/account/keys/{key_id}', () => {
  test('shows a key of the account', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const key = await gateway.createKey(id, { scopes: ['seo:read'], ipAllowlist: ['10.0.0.0/8'] })

    const response = await gateway.live.get(`/v1/account/keys/${key.id}`, liveKey)

    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      id: key.id,
      name: 'Test',
      environment: 'live',
      prefix: 'svc_live_',
      last4: key.plaintext.slice(-4),
      scopes: ['seo:read'],
      ip_allowlist: ['10.0.0.0/8'],
      status: 'active',
      expires_at: null,
      last_used_at: null,
      created_at: expect.stringMatching(/Z$/),
      revoked_at: null,
      replaced_by: null,
      ...unsaid,
      created_by: expect.stringMatching(/^internal:tok_/),
    })
  })

  test('says that a key was revoked, and when', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const key = await gateway.createKey(id)
    const { revokeApiKey } = Object(
      await gateway.graphql('mutation ($id: ID!) { revokeApiKey(id: $id) { revokedAt } }', {
        id: key.id,
      }),
    )

    const response = await gateway.live.get(`/v1/account/keys/${key.id}`, liveKey)

    expect(response.body).toMatchObject({
      id: key.id,
      status: 'revoked',
      revoked_at: revokeApiKey.revokedAt,
    })
  })

  test("hides another account's key behind NOT_FOUND", async () => {
    const [own, foreign] = await Promise.all([gateway.createAccount(), gateway.createAccount()])
    const key = await gateway.createKey(foreign.id)

    const response = await gateway.live.get(`/v1/account/keys/${key.id}`, own.liveKey)

    expectError(gateway, response, notFound)
  })

  test('hides a key of the other environment behind NOT_FOUND', async () => {
    const { id, liveKey, sandboxKey } = await gateway.createAccount()
    const live = await gateway.createKey(id)
    const sandbox = await gateway.createKey(id, { environment: 'SANDBOX' })

    const ofLive = await gateway.sandbox.get(`/v1/account/keys/${live.id}`, sandboxKey)
    const ofSandbox = await gateway.live.get(`/v1/account/keys/${sandbox.id}`, liveKey)

    expectError(gateway, ofLive, notFound)
    expectError(gateway, ofSandbox, notFound)
  })

  test.each([
    newId('key'),
    newId('key').toUpperCase(),
    newId('acct'),
    `${newId('key')}0`,
    'key_',
    '1',
    '%00',
    'key_%00',
    '%20',
    "'%20OR%201=1--",
    '..%2f..%2fetc%2fpasswd',
    '%F0%9F%94%91',
    'x'.repeat(5000),
  ])('answers %s exactly like a missing key', async (id) => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.get(`/v1/account/keys/${id}`, liveKey)

    expectError(gateway, response, notFound)
  })
})
