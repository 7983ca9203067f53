import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { patience } from '../../support/time/patience.ts'
import {
  anyUse,
  createKey,
  deleteKey,
  getKey,
  instant,
  invalidKey,
  notFound,
  statusOf,
} from './key-record.ts'

let gateway: TestGateway
beforeAll(async () => {
  // Keys are believed for an hour: only a change that is announced can make the gateway forget one.
  gateway = await startTestGateway({ KEY_CACHE_SECONDS: '3600' })
})
afterAll(() => gateway.close())

describe('DELETE /v1/account/keys/{key_id}', () => {
  test('revokes the key from the next request on, and answers with it', async () => {
    const { liveKey } = await gateway.createAccount()
    const { plaintext, ...key } = await createKey(gateway.live, liveKey)
    expect(await statusOf(gateway.live, plaintext)).toBe(200)

    const response = await deleteKey(gateway.live, liveKey, key.id)

    const revoked = { ...key, status: 'revoked', last_used_at: anyUse, revoked_at: instant }
    expect(response.status).toBe(200)
    expect(response.body).toEqual(revoked)
    expectError(gateway, await gateway.live.get('/v1/account', plaintext), invalidKey)
    expect(await getKey(gateway.live, liveKey, key.id)).toEqual(revoked)
    expect(await statusOf(gateway.live, liveKey)).toBe(200)
  })

  test('of a revoked key changes nothing, and repeats the answer', async () => {
    const { liveKey } = await gateway.createAccount()
    const { id } = await createKey(gateway.live, liveKey)

    const first = await deleteKey(gateway.live, liveKey, id)
    const again = await deleteKey(gateway.live, liveKey, id)

    expect([first.status, again.status]).toEqual([200, 200])
    expect(again.body).toEqual(first.body)
  })

  test('of an expired key changes its status to revoked', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const { id } = await gateway.createKey(accountId)
    await gateway.database.query('UPDATE keys.api_key SET expires_at = now() WHERE id = $1', [id])
    expect(await getKey(gateway.live, liveKey, id)).toMatchObject({ status: 'expired' })

    const response = await deleteKey(gateway.live, liveKey, id)

    expect(response.status).toBe(200)
    expect(response.body).toMatchObject({ id, status: 'revoked', revoked_at: instant })
  })

  test.each<Readonly<Record<string, string>>>([{}, { 'idempotency-key': 'goodbye' }])(
    'lets a key revoke itself, and still answers: %j',
    async (headers) => {
      const { liveKey } = await gateway.createAccount()
      const { body } = await gateway.live.get('/v1/account/keys', liveKey)
      const [{ id }] = Object(body).items

      const response = await gateway.live.request(`/v1/account/keys/${id}`, {
        method: 'DELETE',
        key: liveKey,
        headers,
      })

      expect(response.status).toBe(200)
      expect(response.body).toMatchObject({ id, status: 'revoked', revoked_at: instant })
      const again = await gateway.live.request(`/v1/account/keys/${id}`, {
        method: 'DELETE',
        key: liveKey,
        headers,
      })
      expectError(gateway, again, invalidKey)
    },
  )

  test("answers NOT_FOUND for another account's key, one of the other environment and an unknown one", async () => {
    const [own, foreign] = await Promise.all([gateway.createAccount(), gateway.createAccount()])
    const ofForeign = await gateway.createKey(foreign.id)
    const ofSandbox = await gateway.createKey(own.id, { environment: 'SANDBOX' })

    for (const id of [ofForeign.id, ofSandbox.id, newId('key'), newId('acct'), 'key_x', '1']) {
      expectError(gateway, await deleteKey(gateway.live, own.liveKey, id), notFound)
    }
    expect(await statusOf(gateway.live, ofForeign.plaintext)).toBe(200)
    expect(await statusOf(gateway.sandbox, ofSandbox.plaintext)).toBe(200)
  })

  test('revokes a sandbox key on the sandbox listener', async () => {
    const { sandboxKey, liveKey } = await gateway.createAccount()
    const { id, plaintext } = await createKey(gateway.sandbox, sandboxKey)
    expect(await statusOf(gateway.sandbox, plaintext)).toBe(200)

    const response = await deleteKey(gateway.sandbox, sandboxKey, id)

    expect(response.body).toMatchObject({ id, environment: 'sandbox', status: 'revoked' })
    expect(await statusOf(gateway.sandbox, plaintext)).toBe(401)
    expect(await statusOf(gateway.live, liveKey)).toBe(200)
  })

  test('answers twenty parallel calls with one time of revocation', async () => {
    const { liveKey } = await gateway.createAccount()
    const { id } = await createKey(gateway.live, liveKey)

    const responses = await Promise.all(
      Array.from({ length: 20 }, () => deleteKey(gateway.live, liveKey, id)),
    )

    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(responses.map(({ body }) => Object(body).revoked_at)).size).toBe(1)
  })
})

describe('a key that is revoked while its requests are running', () => {
  test('leaves no key behind that was issued after the revocation', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const leaked = await gateway.createKey(accountId)
    const { body: before } = await gateway.live.get('/v1/account/keys', liveKey)
    const known = Object(before).items.length

    const [revoked, ...issued] = await Promise.all([
      deleteKey(gateway.live, liveKey, leaked.id),
      ...Array.from({ length: 19 }, () =>
        gateway.live.post('/v1/account/keys', { name: 'New' }, leaked.plaintext),
      ),
    ])

    const made = issued.filter(({ status }) => status === 201)
    const refused = issued.filter(({ status }) => status !== 201)
    expect(revoked?.status).toBe(200)
    for (const response of refused) {
      expect([response.status, Object(response.body).error.code]).toEqual([401, 'INVALID_API_KEY'])
    }
    const { body: after } = await gateway.live.get('/v1/account/keys?limit=200', liveKey)
    expect(Object(after).items).toHaveLength(known + made.length)
  })

  test('is refused by the change itself when the request was admitted before', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const leaked = await gateway.createKey(accountId)
    const other = await createKey(gateway.live, liveKey)
    // A look-up is not kept when a notice of an earlier change arrives during it. Notices come in order, so
    // after that of this key none is under way.
    const last = await gateway.createKey(accountId)
    expect(await statusOf(gateway.live, last.plaintext)).toBe(200)
    await gateway.database.query('UPDATE keys.api_key SET revoked_at = now() WHERE id = $1', [
      last.id,
    ])
    const isRevoked = async () => (await statusOf(gateway.live, last.plaintext)) === 401
    await vi.waitUntil(isRevoked, { ...patience, interval: 50 })
    expect(await statusOf(gateway.live, leaked.plaintext)).toBe(200)
    // The gateway hears nothing of this, so it goes on believing the key.
    await gateway.database.query('ALTER TABLE keys.api_key DISABLE TRIGGER api_key_stale')
    try {
      await gateway.database.query('UPDATE keys.api_key SET revoked_at = now() WHERE id = $1', [
        leaked.id,
      ])
      expect(await statusOf(gateway.live, leaked.plaintext)).toBe(200)

      const attempts = [
        await gateway.live.post('/v1/account/keys', { name: 'New' }, leaked.plaintext),
        await deleteKey(gateway.live, leaked.plaintext, other.id),
        await gateway.live.post('/v1/account/sandbox/reset', undefined, leaked.plaintext),
      ]

      for (const { status, body } of attempts) {
        expect([status, Object(body).error]).toMatchObject([
          401,
          { code: 'INVALID_API_KEY', message: 'This API key is not valid here.' },
        ])
      }
      expect(await statusOf(gateway.live, other.plaintext)).toBe(200)
    } finally {
      await gateway.database.query('ALTER TABLE keys.api_key ENABLE TRIGGER api_key_stale')
    }
  })
})
