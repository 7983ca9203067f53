import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isApiKey } from '../../../schema/credentials/api-key-format.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { unsaid } from './key-record.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

async function countKeys(accountId: string): Promise<number> {
  const [row] = await gateway.database.query<{ keys: number }>(
    'SELECT count(*)::int AS keys FROM keys.api_key WHERE account_id = $1',
    [accountId],
  )
  return row?.keys ?? 0
}

describe('POST /v1/account/keys', () => {
  test('answers with the key and shows its plaintext only now', async () => {
    const { liveKey } = await gateway.createAccount()
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()

    const response = await gateway.live.post(
      '/v1/account/keys',
      {
        name: 'Reporting',
        scopes: ['usage:read', 'keys:read'],
        ip_allowlist: ['127.0.0.1', '2001:db8::/32'],
        expires_at: expiresAt,
      },
      liveKey,
    )

    const { plaintext } = Object(response.body)
    expect(response.status).toBe(201)
    expect(response.body).toEqual({
      id: expect.stringMatching(/^key_/),
      name: 'Reporting',
      environment: 'live',
      prefix: 'svc_live_',
      last4: plaintext.slice(-4),
      scopes: ['usage:read', 'keys:read'],
      ip_allowlist: ['127.0.0.1', '2001:db8::/32'],
      status: 'active',
      expires_at: expiresAt,
      last_used_at: null,
      created_at: expect.stringMatching(/Z$/),
      revoked_at: null,
      replaced_by: null,
      ...unsaid,
      created_by: expect.stringMatching(/^key_/),
      plaintext,
    })
    expect(isApiKey(plaintext, 'svc_live_')).toBe(true)
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  test('creates a key that works at once, and whose secret is not shown again', async () => {
    const { liveKey } = await gateway.createAccount()

    const created = await gateway.live.post('/v1/account/keys', { name: 'New' }, liveKey)

    const { plaintext, id, ...shown } = Object(created.body)
    const response = await gateway.live.get(`/v1/account/keys/${id}`, plaintext)
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      id,
      ...shown,
      last_used_at: expect.toSatisfy((at) => at === null || typeof at === 'string'),
    })
  })

  test('stores the hash and the last four characters, never the secret', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()

    const { body } = await gateway.live.post('/v1/account/keys', { name: 'New' }, liveKey)

    const { id, plaintext } = Object(body)
    const [row] = await gateway.database.query<{ row: string; secret_hash: string; last4: string }>(
      'SELECT k::text AS row, secret_hash, last4 FROM keys.api_key k WHERE id = $1 AND account_id = $2',
      [id, accountId],
    )
    expect(row).toMatchObject({
      secret_hash: createHash('sha256').update(plaintext).digest('hex'),
      last4: plaintext.slice(-4),
    })
    expect(row?.row).not.toContain(plaintext.slice('svc_live_'.length))
  })

  test('gives a key without scopes the scopes of the key that creates it', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const narrow = await gateway.createKey(id, { scopes: ['keys:write', 'account:read'] })

    const byFirst = await gateway.live.post('/v1/account/keys', { name: 'A' }, liveKey)
    const byNarrow = await gateway.live.post('/v1/account/keys', { name: 'B' }, narrow.plaintext)

    expect([byFirst.status, Object(byFirst.body).scopes]).toEqual([201, ['*']])
    expect([byNarrow.status, Object(byNarrow.body).scopes]).toEqual([
      201,
      ['keys:write', 'account:read'],
    ])
  })

  test.each([[['account:read', 'billing:read', 'contacts:write']], [['*']]])(
    'refuses a key with more rights than the one that creates it: %j',
    async (scopes) => {
      const { id } = await gateway.createAccount()
      const held = ['keys:write', 'account:read']
      const narrow = await gateway.createKey(id, { scopes: held })
      const keysBefore = await countKeys(id)

      const response = await gateway.live.post(
        '/v1/account/keys',
        { name: 'Wider', scopes },
        narrow.plaintext,
      )

      const missing = scopes.filter((scope) => !held.includes(scope))
      expectError(gateway, response, {
        status: 403,
        code: 'FORBIDDEN',
        message: `The calling key lacks the scope ${missing.join(', ')}.`,
      })
      expect(await countKeys(id)).toBe(keysBefore)
    },
  )

  test('names every offending field at once, and creates nothing', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const keysBefore = await countKeys(id)

    const response = await gateway.live.post(
      '/v1/account/keys?colour=red',
      {
        name: ' ',
        scopes: ['keys:read', 'keys:eat'],
        ip_allowlist: ['127.0.0.1', '10.0.0.0/33'],
        expires_at: '2020-01-01T00:00:00Z',
        environment: 'live',
      },
      liveKey,
    )

    const details = [
      { field: 'colour', in: 'query', message: 'is not known here' },
      { field: 'name', in: 'body', message: 'must not be blank' },
      { field: 'scopes.1', in: 'body', message: 'is not a scope' },
      { field: 'ip_allowlist.1', in: 'body', message: 'is not an address or CIDR block' },
      { field: 'expires_at', in: 'body', message: 'must be in the future' },
      { field: 'environment', in: 'body', message: 'is not known here' },
    ] as const
    const message = details.map((detail) => `${detail.field}: ${detail.message}`).join('; ')
    expectError(gateway, response, { status: 422, code: 'INVALID_REQUEST', message, details })
    expect(await countKeys(id)).toBe(keysBefore)
  })

  test.each(['tomorrow', '-'.repeat(1000), '2030-02-30T00:00:00Z'])(
    'says of the expiry %j only that it is no instant',
    async (expires_at) => {
      const { liveKey } = await gateway.createAccount()

      const response = await gateway.live.post(
        '/v1/account/keys',
        { name: 'A', expires_at },
        liveKey,
      )

      expectError(gateway, response, {
        ...{ status: 422, code: 'INVALID_REQUEST' },
        details: [{ field: 'expires_at', in: 'body', message: 'must be an ISO 8601 instant' }],
      })
    },
  )

  test.each([
    { name: '', message: 'must have at least 1 character' },
    { name: 'x'.repeat(101), message: 'must have at most 100 characters' },
    { name: 'a\0b', message: 'must not contain NUL' },
  ])('refuses a name that $message', async ({ name, message }) => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.post('/v1/account/keys', { name }, liveKey)

    const { details } = Object(Object(response.body).error)
    expectError(gateway, response, { status: 422, code: 'INVALID_REQUEST', details })
    expect(details).toContainEqual({ field: 'name', in: 'body', message })
  })

  test.each([
    ['name', 7],
    ['name', null],
    ['name', undefined],
    ['scopes', 'keys:read'],
    ['scopes', []],
    ['scopes', Array.from({ length: 51 }, () => 'keys:read')],
    ['ip_allowlist', '127.0.0.1'],
    ['ip_allowlist', Array.from({ length: 101 }, () => '127.0.0.1')],
    ['expires_at', 'tomorrow'],
    ['expires_at', '9999-12-31T23:59:59-01:00'],
    ['expires_at', 1_900_000_000],
    ['expires_at', '2099-02-30T00:00:00Z'],
  ])('refuses %s %j, and names it', async (field, value) => {
    const { liveKey } = await gateway.createAccount()

    const body = { name: 'New', [field]: value }
    const response = await gateway.live.post('/v1/account/keys', body, liveKey)

    const { details } = Object(Object(response.body).error)
    expectError(gateway, response, { status: 422, code: 'INVALID_REQUEST', details })
    expect(new Set(details.map((detail: { field: string }) => detail.field))).toEqual(
      new Set([field]),
    )
    expect(Object(response.body).error.message).toContain(`${field}: `)
  })

  test.each(['no address', '10.0.0.0/', '10.0.0.0/033', '::/129', 'fe80::1%eth0', '1.2.3', ''])(
    'refuses the address %j',
    async (address) => {
      const { liveKey } = await gateway.createAccount()

      const response = await gateway.live.post(
        '/v1/account/keys',
        { name: 'New', ip_allowlist: [address] },
        liveKey,
      )

      expectError(gateway, response, {
        status: 422,
        code: 'INVALID_REQUEST',
        message: 'ip_allowlist.0: is not an address or CIDR block',
        details: [
          { field: 'ip_allowlist.0', in: 'body', message: 'is not an address or CIDR block' },
        ],
      })
    },
  )

  test.each([
    ['{', 'is not valid JSON'],
    ['{"name":"a"', 'is not valid JSON'],
    ['name=a', 'is not valid JSON'],
    ['\u{feff}{', 'is not valid JSON'],
    ['"text"', 'must be an object'],
    ['7', 'must be an object'],
    ['true', 'must be an object'],
    ['null', 'must be an object'],
    ['[]', 'must be an object'],
  ])('refuses %j, which %s', async (text, message) => {
    const { id, liveKey } = await gateway.createAccount()

    const paths = ['/v1/account/keys', '/v1/contacts/reveal']
    for (const path of paths) {
      const response = await gateway.live.post(path, text, liveKey)

      const details = [{ field: 'body', in: 'body', message }] as const
      expectError(gateway, response, { status: 422, code: 'INVALID_REQUEST', details })
    }
    expect(await countKeys(id)).toBe(2)
  })

  test('requires application/json', async () => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.post('/v1/account/keys', 'name=a', liveKey, {
      'content-type': 'application/x-www-form-urlencoded',
    })

    expectError(gateway, response, { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' })
  })

  test('refuses a body over 1 MiB', async () => {
    const { liveKey } = await gateway.createAccount()

    const body = { name: 'x'.repeat(1024 * 1024) }
    const response = await gateway.live.post('/v1/account/keys', body, liveKey)

    expectError(gateway, response, {
      status: 413,
      code: 'PAYLOAD_TOO_LARGE',
      message: 'The body exceeds 1 MiB.',
    })
  })

  test('makes a sandbox key when it is called on the sandbox listener', async () => {
    const { sandboxKey } = await gateway.createAccount()

    const response = await gateway.sandbox.post('/v1/account/keys', { name: 'Play' }, sandboxKey)

    const { plaintext } = Object(response.body)
    expect(response.status).toBe(201)
    expect(response.body).toMatchObject({ environment: 'sandbox', prefix: 'svc_test_' })
    expect(isApiKey(plaintext, 'svc_test_')).toBe(true)
    expect((await gateway.sandbox.get('/v1/account', plaintext)).status).toBe(200)
    expect((await gateway.live.get('/v1/account', plaintext)).status).toBe(401)
  })

  test('stores repeated scopes and addresses once', async () => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.post(
      '/v1/account/keys',
      {
        name: 'New',
        scopes: ['keys:read', 'keys:read'],
        ip_allowlist: ['127.0.0.1', '127.0.0.1'],
      },
      liveKey,
    )

    expect(response.status).toBe(201)
    expect(response.body).toMatchObject({ scopes: ['keys:read'], ip_allowlist: ['127.0.0.1'] })
  })
})
