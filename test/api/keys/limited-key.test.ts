import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  conflict,
  createKey,
  deleteKey,
  getKey,
  inOneHour,
  lacks,
  lessLimited,
  patchKey,
  rotateKey,
  statusOf,
} from './key-record.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

const path = '/v1/account/keys'
const here = '127.0.0.0/8'
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

async function countKeys(accountId: string): Promise<number> {
  const [row] = await gateway.database.query<{ keys: number }>(
    'SELECT count(*)::int AS keys FROM keys.api_key WHERE account_id = $1',
    [accountId],
  )
  return row?.keys ?? 0
}

/** A key that may do everything, from some addresses and for some time. */
async function limitedKey(limits: { ipAllowlist?: readonly string[]; expiresAt?: string }) {
  const account = await gateway.createAccount()
  const key = await gateway.createKey(account.id, limits)
  return { account, key }
}

describe('POST /v1/account/keys by a key with limits', () => {
  test('passes on its addresses and its expiry by default', async () => {
    const expiresAt = inOneHour()
    const { key } = await limitedKey({ ipAllowlist: [here, '2001:db8::/32'], expiresAt })

    const created = await createKey(gateway.live, key.plaintext)

    expect(created).toMatchObject({
      ip_allowlist: [here, '2001:db8::/32'],
      expires_at: expiresAt,
      scopes: ['*'],
    })
    expect(await getKey(gateway.live, key.plaintext, created.id)).toMatchObject({
      ip_allowlist: [here, '2001:db8::/32'],
      expires_at: expiresAt,
    })
  })

  test.each([
    [['127.0.0.0/8'], ['127.0.0.0/8']],
    [['127.0.0.0/8'], ['127.0.0.1', '127.4.0.0/16']],
    [['127.0.0.0/8'], ['::ffff:127.0.0.1', '::ffff:127.0.0.0/104']],
    [['::ffff:127.0.0.0/104'], ['127.9.9.9']],
    [
      ['127.0.0.1', '2001:db8::/32'],
      ['2001:DB8:0:1::/64', '2001:db8::1'],
    ],
    [
      ['127.0.0.1', '::/0'],
      ['::/0', 'fe80::/10'],
    ],
    [['0.0.0.0/0'], ['0.0.0.0/0', '10.0.0.0/8', '::ffff:0:0/96']],
  ])('with %j issues a key with %j', async (ipAllowlist, ip_allowlist) => {
    const { key } = await limitedKey({ ipAllowlist })

    const response = await gateway.live.post(path, { name: 'New', ip_allowlist }, key.plaintext)

    expect([response.status, Object(response.body).expires_at]).toEqual([201, null])
  })

  test.each([
    [['127.0.0.0/8'], []],
    [['127.0.0.0/8'], ['126.0.0.0/7']],
    [['127.0.0.0/8'], ['127.0.0.1', '10.0.0.1']],
    [['127.0.0.1'], ['127.0.0.0/31']],
    [['127.0.0.0/8'], ['0.0.0.0/0']],
    [['127.0.0.0/8'], ['::/0']],
    [['127.0.0.0/8'], ['::1']],
    [['127.0.0.0/8'], ['::ffff:0:0/96']],
    [['127.0.0.0/8'], ['::ffff:10.0.0.1']],
    [
      ['127.0.0.1', '2001:db8::/32'],
      ['127.0.0.1', '2001:db8::/31'],
    ],
    [['127.0.0.1', '::/0'], ['10.0.0.1']],
    [['127.0.0.1', '::/1'], ['::/0']],
    // Both halves together hold the whole range, and neither does alone.
    [['127.0.0.0/9', '127.128.0.0/9'], ['127.0.0.0/8']],
  ])('with %j does not issue a key with %j', async (ipAllowlist, ip_allowlist) => {
    const { account, key } = await limitedKey({ ipAllowlist })
    const before = await countKeys(account.id)

    const response = await gateway.live.post(path, { name: 'New', ip_allowlist }, key.plaintext)

    expectError(gateway, response, lessLimited('ip_allowlist'))
    expect(await countKeys(account.id)).toBe(before)
  })

  test('issues a key that expires with it or before, and none that expires later', async () => {
    const expiresAt = inMinutes(60)
    const { account, key } = await limitedKey({ expiresAt })
    const before = await countKeys(account.id)
    const issue = (expires_at: string | null) =>
      gateway.live.post(path, { name: 'New', expires_at }, key.plaintext)

    const later = new Date(Date.parse(expiresAt) + 1).toISOString()
    for (const wider of [null, later]) {
      expectError(gateway, await issue(wider), lessLimited('expires_at'))
    }
    expect(await countKeys(account.id)).toBe(before)
    for (const asNarrow of [expiresAt, inMinutes(30)]) {
      const { status, body } = await issue(asNarrow)
      expect([status, Object(body).expires_at]).toEqual([201, asNarrow])
    }
  })

  test('names every limit that the new key would exceed', async () => {
    const { account, key } = await limitedKey({ ipAllowlist: [here], expiresAt: inOneHour() })
    const before = await countKeys(account.id)

    const response = await gateway.live.post(
      path,
      { name: 'New', ip_allowlist: [], expires_at: null },
      key.plaintext,
    )

    expectError(gateway, response, lessLimited('ip_allowlist', 'expires_at'))
    expect(await countKeys(account.id)).toBe(before)
  })

  test('passes its limits on over generations', async () => {
    const expiresAt = inOneHour()
    const { key } = await limitedKey({ ipAllowlist: [here], expiresAt })
    const child = await createKey(gateway.live, key.plaintext, { ip_allowlist: ['127.0.0.1'] })

    const grandchild = await gateway.live.post(
      path,
      { name: 'New', ip_allowlist: [here] },
      child.plaintext,
    )

    expectError(gateway, grandchild, lessLimited('ip_allowlist'))
    expect(await createKey(gateway.live, child.plaintext)).toMatchObject({
      ip_allowlist: ['127.0.0.1'],
      expires_at: expiresAt,
    })
  })

  test('is checked against the limits of the key at the time of the change', async () => {
    const { account, key } = await limitedKey({})
    const narrowed = patchKey(gateway.live, account.liveKey, key.id, { ip_allowlist: [here] })

    const attempts = await Promise.all([
      narrowed,
      ...Array.from({ length: 19 }, () =>
        gateway.live.post(path, { name: 'New', ip_allowlist: [] }, key.plaintext),
      ),
    ])
    const afterwards = await gateway.live.post(
      path,
      { name: 'New', ip_allowlist: [] },
      key.plaintext,
    )

    const [change, ...issued] = attempts
    expect(change?.status).toBe(200)
    for (const { status, body } of issued) {
      const message = Object(Object(body).error).message
      expect([status, message]).toEqual(
        status === 201 ? [201, undefined] : [403, lessLimited('ip_allowlist').message],
      )
    }
    expectError(gateway, afterwards, lessLimited('ip_allowlist'))
  })

  test('applies in the sandbox too', async () => {
    const account = await gateway.createAccount()
    const key = await gateway.createKey(account.id, { environment: 'SANDBOX', ipAllowlist: [here] })

    const wider = await gateway.sandbox.post(path, { name: 'New', ip_allowlist: [] }, key.plaintext)

    expectError(gateway, wider, lessLimited('ip_allowlist'))
    expect(await createKey(gateway.sandbox, key.plaintext)).toMatchObject({ ip_allowlist: [here] })
  })
})

describe('PATCH /v1/account/keys/{key_id} by a key with limits', () => {
  test.each([
    ['ip_allowlist', []],
    ['ip_allowlist', ['0.0.0.0/0']],
    ['ip_allowlist', [here, '10.0.0.0/8']],
    ['expires_at', null],
    ['expires_at', '2999-01-01T00:00:00.000Z'],
  ])('does not loosen %s of its own to %j', async (member, value) => {
    const { account, key } = await limitedKey({ ipAllowlist: [here], expiresAt: inOneHour() })
    const before = await getKey(gateway.live, account.liveKey, key.id)

    const response = await patchKey(gateway.live, key.plaintext, key.id, { [member]: value })

    expectError(gateway, response, lessLimited(member))
    expect(await getKey(gateway.live, account.liveKey, key.id)).toMatchObject({
      ip_allowlist: before.ip_allowlist,
      expires_at: before.expires_at,
    })
  })

  test('narrows itself irrevocably, and changes a key that is as narrow', async () => {
    const { key } = await limitedKey({ ipAllowlist: [here], expiresAt: inMinutes(60) })
    const child = await createKey(gateway.live, key.plaintext)
    const change = (id: string, body: object) => patchKey(gateway.live, key.plaintext, id, body)

    const renamed = await change(child.id, { name: 'Renamed' })
    const narrowed = await change(key.id, {
      ip_allowlist: ['127.0.0.1'],
      expires_at: inMinutes(30),
    })
    const back = await change(key.id, { ip_allowlist: [here] })

    expect([renamed.status, narrowed.status]).toEqual([200, 200])
    expectError(gateway, back, lessLimited('ip_allowlist'))
    // By now the child is the one with fewer limits.
    const again = await change(child.id, { name: 'Again' })
    expectError(gateway, again, lessLimited('ip_allowlist', 'expires_at'))
  })

  test.each([{ name: 'Renamed' }, { ip_allowlist: ['127.0.0.1'] }, { scopes: ['account:read'] }])(
    'does not change a key without these limits: %j',
    async (body) => {
      const { account, key } = await limitedKey({ ipAllowlist: [here] })
      const { plaintext, ...other } = await createKey(gateway.live, account.liveKey)

      const response = await patchKey(gateway.live, key.plaintext, other.id, body)

      expectError(gateway, response, lessLimited('ip_allowlist'))
      expect(await getKey(gateway.live, account.liveKey, other.id)).toEqual(other)
      expect(plaintext.slice(-4)).toBe(other.last4)
    },
  )

  test('can be widened by a key without limits', async () => {
    const { account, key } = await limitedKey({ ipAllowlist: [here], expiresAt: inOneHour() })

    const response = await patchKey(gateway.live, account.liveKey, key.id, {
      ip_allowlist: [],
      expires_at: null,
    })

    expect([response.status, response.body]).toMatchObject([
      200,
      { ip_allowlist: [], expires_at: null },
    ])
  })
})

describe('POST /v1/account/keys/{key_id}/rotate by a key with limits', () => {
  test('replaces itself with a key with the same limits', async () => {
    const expiresAt = inOneHour()
    const { key } = await limitedKey({ ipAllowlist: [here], expiresAt })

    const { status, body } = await rotateKey(gateway.live, key.plaintext, key.id)

    expect([status, body]).toMatchObject([201, { ip_allowlist: [here], expires_at: expiresAt }])
  })

  test('gets no successor of a key with fewer limits', async () => {
    const { account, key } = await limitedKey({ ipAllowlist: [here], expiresAt: inOneHour() })
    const other = await createKey(gateway.live, account.liveKey, { ip_allowlist: [here] })
    const before = await countKeys(account.id)

    const response = await rotateKey(gateway.live, key.plaintext, other.id, { grace_seconds: 600 })

    expectError(gateway, response, lessLimited('expires_at'))
    expect(await countKeys(account.id)).toBe(before)
    expect(await statusOf(gateway.live, other.plaintext)).toBe(200)
  })
})

describe('POST /v1/account/sandbox/reset by a key with limits', () => {
  test('passes on its addresses and its expiry', async () => {
    const expiresAt = inOneHour()
    const { account, key } = await limitedKey({ ipAllowlist: [here], expiresAt })

    const { status, body } = await gateway.live.post(
      '/v1/account/sandbox/reset',
      undefined,
      key.plaintext,
    )

    expect(status).toBe(200)
    const keys = await gateway.database.query(
      `SELECT ip_allowlist, expires_at FROM keys.api_key
       WHERE account_id = $1 AND environment = 'sandbox' AND revoked_at IS NULL`,
      [account.id],
    )
    expect(keys).toEqual([{ ip_allowlist: [here], expires_at: new Date(expiresAt) }])
    const wider = await gateway.sandbox.post(
      path,
      { name: 'New', ip_allowlist: [], expires_at: null },
      Object(body).plaintext,
    )
    expectError(gateway, wider, lessLimited('ip_allowlist', 'expires_at'))
  })
})

describe('a key with keys:write and few other scopes', () => {
  const scopes = ['keys:write', 'account:read']

  test.each([['*'], ['billing:write'], ['account:read', 'seo:read']])(
    'neither revokes nor rotates a key with the scope %s',
    async (...wider) => {
      const { id: accountId } = await gateway.createAccount()
      const narrow = await gateway.createKey(accountId, { scopes })
      const other = await gateway.createKey(accountId, { scopes: wider })
      const missing = wider.filter((scope) => !scopes.includes(scope))
      const before = await countKeys(accountId)

      expectError(
        gateway,
        await deleteKey(gateway.live, narrow.plaintext, other.id),
        lacks(...missing),
      )
      expectError(
        gateway,
        await rotateKey(gateway.live, narrow.plaintext, other.id),
        lacks(...missing),
      )
      expect(await countKeys(accountId)).toBe(before)
      const [row] = await gateway.database.query(
        'SELECT revoked_at, replaced_by, expires_at FROM keys.api_key WHERE id = $1',
        [other.id],
      )
      expect(row).toEqual({ revoked_at: null, replaced_by: null, expires_at: null })
    },
  )

  test('revokes keys with no more rights, and itself', async () => {
    const { id: accountId } = await gateway.createAccount()
    const narrow = await gateway.createKey(accountId, { scopes })
    const other = await gateway.createKey(accountId, { scopes: ['account:read'] })

    expect((await deleteKey(gateway.live, narrow.plaintext, other.id)).status).toBe(200)
    expect(await statusOf(gateway.live, other.plaintext)).toBe(401)
    expect((await deleteKey(gateway.live, narrow.plaintext, narrow.id)).status).toBe(200)
    expect(await statusOf(gateway.live, narrow.plaintext)).toBe(401)
  })

  test('revokes a key with fewer limits, because that gives it no rights', async () => {
    const { account, key } = await limitedKey({ ipAllowlist: [here], expiresAt: inOneHour() })
    const other = await createKey(gateway.live, account.liveKey)

    expect((await deleteKey(gateway.live, key.plaintext, other.id)).status).toBe(200)
    expect(await statusOf(gateway.live, other.plaintext)).toBe(401)
    const again = await patchKey(gateway.live, account.liveKey, other.id, { name: 'Again' })
    expectError(gateway, again, conflict('This API key is revoked.'))
  })
})

describe('internal GraphQL', () => {
  test('issues and revokes any key for an administrator, whatever its limits', async () => {
    const { account, key } = await limitedKey({ ipAllowlist: [here], expiresAt: inOneHour() })
    const free = await gateway.createKey(account.id)

    await gateway.graphql('mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { id: free.id })

    expect(await statusOf(gateway.live, free.plaintext)).toBe(401)
    expect(await statusOf(gateway.live, key.plaintext)).toBe(200)
  })
})
