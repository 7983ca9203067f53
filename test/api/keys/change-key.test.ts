import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { letKeyExpire } from '../../support/gateway/expire-key.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  anyUse,
  conflict,
  createKey,
  deleteKey,
  getKey,
  inOneHour,
  invalidKey,
  lacks,
  notFound,
  patchKey,
  rotateKey,
  statusOf,
} from './key-record.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

/** A key whose time is over. */
async function expiredKey(accountId: string): Promise<string> {
  const { id } = await gateway.createKey(accountId, { expiresAt: inOneHour() })
  await gateway.database.query(
    `UPDATE keys.api_key SET expires_at = now() - interval '1 ms' WHERE id = $1`,
    [id],
  )
  return id
}

describe('PATCH /v1/account/keys/{key_id}', () => {
  test('changes everything that is named, and answers with the whole key', async () => {
    const { liveKey } = await gateway.createAccount()
    const { plaintext, ...key } = await createKey(gateway.live, liveKey)
    const expires_at = inOneHour()

    const response = await patchKey(gateway.live, liveKey, key.id, {
      name: 'Renamed',
      scopes: ['account:read', 'usage:read', 'account:read'],
      ip_allowlist: ['127.0.0.9/8', '2001:DB8::/32'],
      expires_at,
    })

    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      ...key,
      name: 'Renamed',
      scopes: ['account:read', 'usage:read'],
      ip_allowlist: ['127.0.0.0/8', '2001:db8::/32'],
      expires_at,
      last_used_at: null,
    })
    expect(await getKey(gateway.live, liveKey, key.id)).toEqual(response.body)
    expect(await statusOf(gateway.live, plaintext)).toBe(200)
  })

  test.each([
    { member: 'name', value: 'Renamed' },
    { member: 'scopes', value: ['seo:read'] },
    { member: 'ip_allowlist', value: [] },
    { member: 'expires_at', value: null },
  ])('changes $member alone, and leaves the others as they are', async ({ member, value }) => {
    const { liveKey } = await gateway.createAccount()
    const { plaintext, ...key } = await createKey(gateway.live, liveKey, {
      scopes: ['account:read'],
      ip_allowlist: ['10.0.0.0/8'],
      expires_at: inOneHour(),
    })

    const response = await patchKey(gateway.live, liveKey, key.id, { [member]: value })

    expect([response.status, response.body]).toEqual([200, { ...key, [member]: value }])
    expect(await getKey(gateway.live, liveKey, key.id)).toEqual({ ...key, [member]: value })
    expect(plaintext.slice(-4)).toBe(key.last4)
  })

  test.each([undefined, {}])('changes nothing when it is sent %j', async (body) => {
    const { liveKey } = await gateway.createAccount()
    const { plaintext, ...key } = await createKey(gateway.live, liveKey)

    const response = await patchKey(gateway.live, liveKey, key.id, body)

    expect([response.status, response.body]).toEqual([200, key])
    expect(await statusOf(gateway.live, plaintext)).toBe(200)
  })

  test('changes scopes, addresses and expiry from the next request on, in both directions', async () => {
    const { liveKey } = await gateway.createAccount()
    const { id, plaintext } = await createKey(gateway.live, liveKey)
    const change = (body: object) => patchKey(gateway.live, liveKey, id, body)
    expect(await statusOf(gateway.live, plaintext)).toBe(200)

    await change({ scopes: ['usage:read'] })
    expectError(gateway, await gateway.live.get('/v1/account', plaintext), {
      status: 403,
      code: 'FORBIDDEN',
      message: 'This API key lacks the scope account:read.',
    })
    await change({ scopes: ['account:read'], ip_allowlist: ['10.0.0.0/8'] })
    expectError(gateway, await gateway.live.get('/v1/account', plaintext), {
      status: 403,
      code: 'IP_NOT_ALLOWED',
    })
    await change({ ip_allowlist: ['127.0.0.1'], expires_at: inOneHour() })
    expect(await statusOf(gateway.live, plaintext)).toBe(200)
  })

  test('ends a key at its new expiry, though it was accepted a moment before', async () => {
    const { liveKey } = await gateway.createAccount()
    const { id, plaintext } = await createKey(gateway.live, liveKey)
    const expires_at = inOneHour()
    await patchKey(gateway.live, liveKey, id, { expires_at })
    expect(await statusOf(gateway.live, plaintext)).toBe(200)

    vi.useFakeTimers({ now: Date.parse(expires_at), toFake: ['Date'] })
    try {
      expect(await getKey(gateway.live, liveKey, id)).toMatchObject({
        status: 'expired',
        expires_at,
      })
      await letKeyExpire(gateway.database, id)
      expectError(gateway, await gateway.live.get('/v1/account', plaintext), invalidKey)
    } finally {
      vi.useRealTimers()
    }
  })

  test('lets a key change itself, and narrow itself irrevocably', async () => {
    const { id: accountId } = await gateway.createAccount()
    const key = await gateway.createKey(accountId, { scopes: ['keys:write', 'keys:read'] })

    const narrowed = await patchKey(gateway.live, key.plaintext, key.id, { scopes: ['keys:write'] })
    const widened = await patchKey(gateway.live, key.plaintext, key.id, {
      scopes: ['keys:write', 'keys:read'],
    })

    expect([narrowed.status, Object(narrowed.body).scopes]).toEqual([200, ['keys:write']])
    expectError(gateway, widened, lacks('keys:read'))
  })

  test.each([
    {
      title: 'a key that may do more than the calling one, even its name',
      scopes: ['account:read', 'billing:read', 'seo:write'],
      change: { name: 'Renamed' },
      missing: ['billing:read', 'seo:write'],
    },
    {
      title: 'scopes that the calling key lacks',
      scopes: ['account:read'],
      change: { scopes: ['account:read', 'billing:read', '*'] },
      missing: ['billing:read', '*'],
    },
    {
      title: 'scopes that the calling key lacks, for others that it lacks',
      scopes: ['billing:read', 'account:read'],
      change: { scopes: ['seo:write', 'billing:read'] },
      missing: ['billing:read', 'seo:write'],
    },
    {
      title: 'a key that may do everything, also to make it less',
      scopes: ['*'],
      change: { scopes: ['account:read'] },
      missing: ['*'],
    },
  ])('refuses to change $title', async ({ scopes, change, missing }) => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const { id } = await gateway.createKey(accountId, { scopes })
    const narrow = await gateway.createKey(accountId, { scopes: ['keys:write', 'account:read'] })
    const before = await getKey(gateway.live, liveKey, id)

    const response = await patchKey(gateway.live, narrow.plaintext, id, change)

    expectError(gateway, response, lacks(...missing))
    expect(await getKey(gateway.live, liveKey, id)).toEqual(before)
  })

  test('is a conflict for a key that was revoked, has expired or was replaced', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const [revoked, rotated] = await Promise.all([
      gateway.createKey(accountId),
      gateway.createKey(accountId),
    ])
    await deleteKey(gateway.live, liveKey, revoked.id)
    const { body } = await rotateKey(gateway.live, liveKey, rotated.id, { grace_seconds: 600 })
    const successor = Object(body).id

    for (const [id, message] of [
      [revoked.id, 'This API key is revoked.'],
      [await expiredKey(accountId), 'This API key is expired.'],
      [rotated.id, `This API key was replaced by ${successor}.`],
    ] as const) {
      const before = await getKey(gateway.live, liveKey, id)
      const response = await patchKey(gateway.live, liveKey, id, { name: 'x', expires_at: null })

      expectError(gateway, response, conflict(message))
      expect(await getKey(gateway.live, liveKey, id)).toEqual({ ...before, last_used_at: anyUse })
    }
  })

  test("answers NOT_FOUND for another account's key, one of the other environment and an unknown one", async () => {
    const [own, foreign] = await Promise.all([gateway.createAccount(), gateway.createAccount()])
    const ofForeign = await gateway.createKey(foreign.id)
    const ofSandbox = await gateway.createKey(own.id, { environment: 'SANDBOX' })

    for (const id of [ofForeign.id, ofSandbox.id, newId('key'), newId('acct'), 'key_x', '1']) {
      const response = await patchKey(gateway.live, own.liveKey, id, { name: 'Mine' })

      expectError(gateway, response, notFound)
    }
    expect(await getKey(gateway.live, foreign.liveKey, ofForeign.id)).toMatchObject({
      name: 'Test',
    })
    expect(await getKey(gateway.sandbox, own.sandboxKey, ofSandbox.id)).toMatchObject({
      name: 'Test',
    })
  })

  test('names every offending field at once, and changes nothing', async () => {
    const { liveKey } = await gateway.createAccount()
    const { plaintext, ...key } = await createKey(gateway.live, liveKey)

    const response = await patchKey(gateway.live, liveKey, key.id, {
      name: ' ',
      scopes: [],
      ip_allowlist: ['10.0.0.0/33'],
      expires_at: '2020-01-01T00:00:00Z',
      status: 'active',
      account_id: newId('acct'),
      environment: 'sandbox',
    })

    const details = [
      { field: 'name', in: 'body', message: 'must not be blank' },
      { field: 'scopes', in: 'body', message: 'choose at least one scope' },
      { field: 'ip_allowlist.0', in: 'body', message: 'is not an address or CIDR block' },
      { field: 'expires_at', in: 'body', message: 'must be in the future' },
      { field: 'status', in: 'body', message: 'is not known here' },
      { field: 'account_id', in: 'body', message: 'is not known here' },
      { field: 'environment', in: 'body', message: 'is not known here' },
    ] as const
    const message = details.map((detail) => `${detail.field}: ${detail.message}`).join('; ')
    expectError(gateway, response, { status: 422, code: 'INVALID_REQUEST', message, details })
    expect(await getKey(gateway.live, liveKey, key.id)).toEqual(key)
    expect(await statusOf(gateway.live, plaintext)).toBe(200)
  })

  test.each(['name', 'scopes', 'ip_allowlist'])('refuses %s null', async (member) => {
    const { liveKey } = await gateway.createAccount()
    const { id } = await createKey(gateway.live, liveKey)

    const response = await patchKey(gateway.live, liveKey, id, { [member]: null })

    const { details } = Object(Object(response.body).error)
    expectError(gateway, response, { status: 422, code: 'INVALID_REQUEST', details })
    expect(details).toEqual([{ field: member, in: 'body', message: expect.any(String) }])
  })

  test('is replayed for the same idempotency key, and runs once', async () => {
    const { liveKey } = await gateway.createAccount()
    const { id } = await createKey(gateway.live, liveKey)
    const once = { 'idempotency-key': newId('req') }

    const first = await patchKey(gateway.live, liveKey, id, { name: 'One' }, once)
    await patchKey(gateway.live, liveKey, id, { name: 'Two' })
    const again = await patchKey(gateway.live, liveKey, id, { name: 'One' }, once)

    expect([first.status, again.status, again.body]).toEqual([200, 200, first.body])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await getKey(gateway.live, liveKey, id)).toMatchObject({ name: 'Two' })
  })

  test('loses no change when different members change at the same time', async () => {
    const { liveKey } = await gateway.createAccount()
    const { id } = await createKey(gateway.live, liveKey)
    const expires_at = inOneHour()
    const changes = [
      { name: 'Renamed' },
      { scopes: ['seo:read'] },
      { ip_allowlist: ['10.0.0.0/8'] },
      { expires_at },
    ]

    const responses = await Promise.all(
      changes.map((change) => patchKey(gateway.live, liveKey, id, change)),
    )

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await getKey(gateway.live, liveKey, id)).toMatchObject(Object.assign({}, ...changes))
  })

  test('changes a sandbox key on the sandbox listener', async () => {
    const { sandboxKey } = await gateway.createAccount()
    const { id, plaintext } = await createKey(gateway.sandbox, sandboxKey)

    const response = await patchKey(gateway.sandbox, sandboxKey, id, { scopes: ['usage:read'] })

    expect(response.status).toBe(200)
    expect(response.body).toMatchObject({ environment: 'sandbox', scopes: ['usage:read'] })
    expect(await statusOf(gateway.sandbox, plaintext)).toBe(403)
  })
})
