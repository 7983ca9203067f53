import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newApiKey } from '../../../schema/credentials/api-key-format.ts'
import { scopes } from '../../../schema/vocabulary/scopes.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

const invalidKey = {
  status: 401,
  code: 'INVALID_API_KEY',
  message: 'This API key is not valid here.',
} as const

async function setStatus(id: string, status: string): Promise<void> {
  await gateway.graphql(
    'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { id } }',
    { input: { id, status } },
  )
}

describe('Authorization: Bearer <API_KEY>', () => {
  test.each(['Bearer', 'bearer', 'BEARER', 'Bearer  '])(
    'accepts the scheme as %j',
    async (scheme) => {
      const { liveKey } = await gateway.createAccount()

      const response = await gateway.live.get('/v1/account', undefined, {
        authorization: `${scheme} ${liveKey}`,
      })

      expect(response.status).toBe(200)
    },
  )

  test('reads the key from the header only', async () => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.get(`/v1/account?access_token=${liveKey}`, undefined, {
      'x-api-key': liveKey,
      cookie: `api_key=${liveKey}`,
    })

    expectError(gateway, response, { status: 401, code: 'AUTHENTICATION_REQUIRED' })
  })

  test('refuses a key with one character changed, at every position', async () => {
    const { liveKey } = await gateway.createAccount()
    const mutations = Array.from(liveKey, (character, index) => {
      const other = character === 'x' ? 'y' : 'x'
      return liveKey.slice(0, index) + other + liveKey.slice(index + 1)
    })

    const responses = await Promise.all(
      mutations.map((key) => gateway.live.get('/v1/account', key)),
    )

    for (const response of responses) expectError(gateway, response, invalidKey)
  })

  test('gives an unknown, a revoked and an expired key the same answer', async () => {
    const { id } = await gateway.createAccount()
    const { plaintext: unknown } = newApiKey('svc', 'live')
    const revoked = await gateway.createKey(id)
    await revoke(revoked.id)
    const expired = await expiredKey(id)

    const responses = await Promise.all(
      [unknown, revoked.plaintext, expired, 'nonsense'].map((key) =>
        gateway.live.get('/v1/account', key),
      ),
    )

    for (const response of responses) {
      expectError(gateway, response, invalidKey)
      expect(response.headers.get('www-authenticate')).toBe('Bearer')
    }
  })
})

async function revoke(keyId: string): Promise<Record<string, unknown>> {
  return gateway.graphql('mutation ($id: ID!) { revokeApiKey(id: $id) { id status revokedAt } }', {
    id: keyId,
  })
}

/** A key whose time came between its creation and now; it was never used before. */
async function expiredKey(accountId: string): Promise<string> {
  const soon = new Date(Date.now() + 60_000).toISOString()
  const { id, plaintext } = await gateway.createKey(accountId, { expiresAt: soon })
  await gateway.database.query(
    `UPDATE keys.api_key SET expires_at = now() - interval '1 ms' WHERE id = $1`,
    [id],
  )
  return plaintext
}

describe('a revoked key', () => {
  test('is refused on the very next request, though it was accepted a moment before', async () => {
    const account = await gateway.createAccount()
    const key = await gateway.createKey(account.id)
    expect((await gateway.live.get('/v1/account', key.plaintext)).status).toBe(200)

    const { revokeApiKey } = await revoke(key.id)

    expect(revokeApiKey).toEqual({
      id: key.id,
      status: 'revoked',
      revokedAt: expect.stringMatching(/Z$/),
    })
    expectError(gateway, await gateway.live.get('/v1/account', key.plaintext), invalidKey)
    expect((await gateway.live.get('/v1/account', account.liveKey)).status).toBe(200)
  })

  test('keeps its first time of revocation when it is revoked again', async () => {
    const account = await gateway.createAccount()
    const key = await gateway.createKey(account.id)

    const first = await revoke(key.id)
    const second = await revoke(key.id)

    expect(second).toEqual(first)
  })
})

describe('an expired key', () => {
  test('is refused, and the list shows it as expired', async () => {
    const account = await gateway.createAccount()
    const key = await expiredKey(account.id)

    const response = await gateway.live.get('/v1/account', key)

    expectError(gateway, response, invalidKey)
    const list = await gateway.live.get('/v1/account/keys?limit=1', account.liveKey)
    expect(list.body).toMatchObject({ items: [{ status: 'expired' }] })
  })

  test('is accepted until it expires', async () => {
    const account = await gateway.createAccount()
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const { plaintext } = await gateway.createKey(account.id, { expiresAt })

    const response = await gateway.live.get('/v1/account', plaintext)

    expect(response.status).toBe(200)
  })
})

describe('an IP allowlist', () => {
  test.each(['127.0.0.1', '127.0.0.0/8', '::ffff:127.0.0.1', '0.0.0.0/0'])(
    'lets a caller from 127.0.0.1 pass when it holds %s',
    async (range) => {
      const account = await gateway.createAccount()
      const key = await gateway.createKey(account.id, { ipAllowlist: ['10.0.0.0/8', range] })

      const response = await gateway.live.get('/v1/account', key.plaintext)

      expect(response.status).toBe(200)
    },
  )

  test.each([['10.0.0.0/8'], ['127.0.0.2', '::1'], ['2001:db8::/32']])(
    'refuses a caller from 127.0.0.1 when it holds only %s',
    async (...ranges) => {
      const account = await gateway.createAccount()
      const key = await gateway.createKey(account.id, { ipAllowlist: ranges })

      const response = await gateway.live.get('/v1/account', key.plaintext)

      expectError(gateway, response, {
        status: 403,
        code: 'IP_NOT_ALLOWED',
        message: 'This API key may not be used from this address.',
      })
    },
  )

  test('ignores headers about the address unless a proxy is trusted', async () => {
    const account = await gateway.createAccount()
    const key = await gateway.createKey(account.id, { ipAllowlist: ['10.0.0.0/8'] })

    const response = await gateway.live.get('/v1/account', key.plaintext, {
      'x-forwarded-for': '10.1.2.3',
      'x-real-ip': '10.1.2.3',
      forwarded: 'for=10.1.2.3',
    })

    expectError(gateway, response, { status: 403, code: 'IP_NOT_ALLOWED' })
  })
})

describe('an account that is not ACTIVE', () => {
  test.each([
    ['SUSPENDED', { status: 403, code: 'ACCOUNT_SUSPENDED', details: { contact: null } }],
    ['CLOSED', invalidKey],
  ])(
    'has its keys refused on the next request when %s, and accepted on the next when ACTIVE',
    async (status, refusal) => {
      const { id, liveKey, sandboxKey } = await gateway.createAccount()
      expect((await gateway.live.get('/v1/account', liveKey)).status).toBe(200)
      expect((await gateway.sandbox.get('/v1/account', sandboxKey)).status).toBe(200)

      await setStatus(id, status)

      expectError(gateway, await gateway.live.get('/v1/account', liveKey), refusal)
      expectError(gateway, await gateway.sandbox.get('/v1/account', sandboxKey), refusal)

      await setStatus(id, 'ACTIVE')

      expect((await gateway.live.get('/v1/account', liveKey)).status).toBe(200)
      expect((await gateway.sandbox.get('/v1/account', sandboxKey)).status).toBe(200)
    },
  )
})

describe('the scope *', () => {
  test('covers every operation, as a key with all scopes by name does', async () => {
    const account = await gateway.createAccount()
    const named = await gateway.createKey(account.id, { scopes })

    for (const key of [account.liveKey, named.plaintext]) {
      for (const path of ['/v1/account', '/v1/account/keys', '/v1/account/usage/log']) {
        expect((await gateway.live.get(path, key)).status).toBe(200)
      }
    }
  })
})

describe('behind a trusted proxy', () => {
  test('uses the address that the proxy reports, and no address before it', async () => {
    const behindProxy = await startTestGateway({ TRUST_PROXY: '1' })
    try {
      const account = await behindProxy.createAccount()
      const key = await behindProxy.createKey(account.id, { ipAllowlist: ['10.0.0.0/8'] })
      const from = (addresses: string) =>
        behindProxy.live.get('/v1/account', key.plaintext, { 'x-forwarded-for': addresses })

      expect((await from('10.1.2.3')).status).toBe(200)
      expect((await from('198.51.100.7, 10.1.2.3')).status).toBe(200)
      expectError(behindProxy, await from('10.1.2.3, 198.51.100.7'), {
        status: 403,
        code: 'IP_NOT_ALLOWED',
      })
    } finally {
      await behindProxy.close()
    }
  })
})
