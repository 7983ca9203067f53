import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { isApiKey } from '../../../schema/credentials/api-key-format.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
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
  instant,
  invalidKey,
  lacks,
  notFound,
  patchKey,
  rotateKey,
  statusOf,
} from './key-record.ts'

let gateway: TestGateway
beforeAll(async () => {
  // Keys are believed for an hour: only a change that is announced can make the gateway forget one.
  gateway = await startTestGateway({ KEY_CACHE_SECONDS: '3600' })
})
afterAll(() => gateway.close())

const weekSeconds = 7 * 24 * 3600

/** Seconds from when the successor was issued to when the old key ends. */
function graceOf(old: { expires_at: string | null }, successor: { created_at: string }): number {
  return (Date.parse(old.expires_at ?? '') - Date.parse(successor.created_at)) / 1000
}

async function countKeys(accountId: string): Promise<number> {
  const [row] = await gateway.database.query<{ keys: number }>(
    'SELECT count(*)::int AS keys FROM keys.api_key WHERE account_id = $1',
    [accountId],
  )
  return row?.keys ?? 0
}

describe('POST /v1/account/keys/{key_id}/rotate', () => {
  test.each([undefined, {}, { grace_seconds: 0 }])(
    'with %j replaces the key at once by an equal one, and shows its plaintext only now',
    async (body) => {
      const { liveKey } = await gateway.createAccount()
      const { plaintext: oldPlaintext, ...old } = await createKey(gateway.live, liveKey, {
        name: 'Reporting',
        scopes: ['account:read', 'usage:read'],
        ip_allowlist: ['127.0.0.0/8'],
        expires_at: inOneHour(),
      })
      expect(await statusOf(gateway.live, oldPlaintext)).toBe(200)

      const response = await rotateKey(gateway.live, liveKey, old.id, body)

      const { id, plaintext } = Object(response.body)
      const successor = { ...old, id, last4: plaintext.slice(-4), created_at: instant }
      expect(response.status).toBe(201)
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(response.body).toEqual({ ...successor, plaintext })
      expect(id).not.toBe(old.id)
      expect(isApiKey(plaintext, 'svc_live_')).toBe(true)
      expect(plaintext).not.toBe(oldPlaintext)
      expect(await statusOf(gateway.live, plaintext)).toBe(200)
      expectError(gateway, await gateway.live.get('/v1/account', oldPlaintext), invalidKey)
      expect(await getKey(gateway.live, liveKey, old.id)).toEqual({
        ...old,
        status: 'revoked',
        last_used_at: anyUse,
        revoked_at: instant,
        replaced_by: id,
      })
      expect(await getKey(gateway.live, liveKey, id)).toEqual({
        ...successor,
        last_used_at: anyUse,
      })
    },
  )

  test.each([1, 3600, weekSeconds])(
    'with a grace of %i s accepts the old key for exactly that long',
    async (grace_seconds) => {
      const { liveKey } = await gateway.createAccount()
      const { plaintext: oldPlaintext, ...old } = await createKey(gateway.live, liveKey)

      const response = await rotateKey(gateway.live, liveKey, old.id, { grace_seconds })

      const { plaintext, ...successor } = Object(response.body)
      const after = await getKey(gateway.live, liveKey, old.id)
      expect(response.status).toBe(201)
      expect(successor).toMatchObject({ status: 'active', expires_at: null, replaced_by: null })
      expect(after).toEqual({
        ...old,
        status: grace_seconds === 1 ? expect.stringMatching(/^(active|expired)$/) : 'active',
        expires_at: instant,
        replaced_by: successor.id,
      })
      expect(graceOf(after, successor)).toBe(grace_seconds)
      expect(await statusOf(gateway.live, plaintext)).toBe(200)
      if (grace_seconds > 1) expect(await statusOf(gateway.live, oldPlaintext)).toBe(200)
    },
  )

  test('ends the old key when its grace is over, though it was accepted a moment before', async () => {
    const { liveKey } = await gateway.createAccount()
    const old = await createKey(gateway.live, liveKey)
    const { body } = await rotateKey(gateway.live, liveKey, old.id, { grace_seconds: 60 })
    const { expires_at } = await getKey(gateway.live, liveKey, old.id)
    expect(await statusOf(gateway.live, old.plaintext)).toBe(200)

    await letKeyExpire(gateway.database, old.id)
    vi.useFakeTimers({ now: Date.parse(expires_at ?? ''), toFake: ['Date'] })
    try {
      expectError(gateway, await gateway.live.get('/v1/account', old.plaintext), invalidKey)
      expect(await statusOf(gateway.live, Object(body).plaintext)).toBe(200)
      expect(await getKey(gateway.live, liveKey, old.id)).toMatchObject({ status: 'expired' })
    } finally {
      vi.useRealTimers()
    }
  })

  test('never lets the old key outlive its own expiry, which the new one inherits', async () => {
    const { liveKey } = await gateway.createAccount()
    const expires_at = inOneHour()
    const old = await createKey(gateway.live, liveKey, { expires_at })

    const response = await rotateKey(gateway.live, liveKey, old.id, { grace_seconds: weekSeconds })

    expect([response.status, Object(response.body).expires_at]).toEqual([201, expires_at])
    expect(await getKey(gateway.live, liveKey, old.id)).toMatchObject({
      status: 'active',
      expires_at,
    })
  })

  test('lets a key rotate itself, and still answers', async () => {
    const { id: accountId } = await gateway.createAccount()
    const scopes = ['keys:write', 'account:read']
    const old = await gateway.createKey(accountId, { scopes })

    const response = await rotateKey(gateway.live, old.plaintext, old.id)

    expect([response.status, Object(response.body).scopes]).toEqual([201, scopes])
    expect(await statusOf(gateway.live, old.plaintext)).toBe(401)
    expect(await statusOf(gateway.live, Object(response.body).plaintext)).toBe(200)
  })

  test('refuses to rotate a key with more rights than the calling key', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const narrow = await gateway.createKey(accountId, { scopes: ['keys:write', 'account:read'] })
    const wider = await gateway.createKey(accountId, { scopes: ['account:read', 'seo:write'] })
    const widest = await gateway.createKey(accountId, { scopes: ['*'] })
    const keysBefore = await countKeys(accountId)

    const byWider = await rotateKey(gateway.live, narrow.plaintext, wider.id)
    const byWidest = await rotateKey(gateway.live, narrow.plaintext, widest.id)

    expectError(gateway, byWider, lacks('seo:write'))
    expectError(gateway, byWidest, lacks('*'))
    expect(await countKeys(accountId)).toBe(keysBefore)
    for (const { id } of [wider, widest]) {
      expect(await getKey(gateway.live, liveKey, id)).toMatchObject({
        status: 'active',
        replaced_by: null,
      })
    }
  })

  test('is a conflict for a key that was revoked, has expired or was replaced, and issues nothing', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const [revoked, expired, replaced, replacedAtOnce] = await Promise.all(
      Array.from({ length: 4 }, () => createKey(gateway.live, liveKey)),
    )
    const ids = [revoked, expired, replaced, replacedAtOnce].map((key) => key?.id ?? '')
    const [revokedId = '', expiredId = '', replacedId = '', replacedAtOnceId = ''] = ids
    await deleteKey(gateway.live, liveKey, revokedId)
    await gateway.database.query('UPDATE keys.api_key SET expires_at = now() WHERE id = $1', [
      expiredId,
    ])
    const { body } = await rotateKey(gateway.live, liveKey, replacedId, { grace_seconds: 60 })
    await rotateKey(gateway.live, liveKey, replacedAtOnceId)
    const keysBefore = await countKeys(accountId)

    for (const [id, message] of [
      [revokedId, 'This API key is revoked.'],
      [expiredId, 'This API key is expired.'],
      [replacedId, `This API key was replaced by ${Object(body).id}.`],
      [replacedAtOnceId, 'This API key is revoked.'],
    ] as const) {
      const before = await getKey(gateway.live, liveKey, id)

      expectError(gateway, await rotateKey(gateway.live, liveKey, id), conflict(message))
      expect(await getKey(gateway.live, liveKey, id)).toEqual(before)
    }
    expect(await countKeys(accountId)).toBe(keysBefore)
  })

  test('lets a key in its grace period be revoked at once, and leaves its successor alone', async () => {
    const { liveKey } = await gateway.createAccount()
    const old = await createKey(gateway.live, liveKey)
    const { body } = await rotateKey(gateway.live, liveKey, old.id, { grace_seconds: 600 })
    expect(await statusOf(gateway.live, old.plaintext)).toBe(200)

    const response = await deleteKey(gateway.live, liveKey, old.id)

    expect(response.body).toMatchObject({ status: 'revoked', replaced_by: Object(body).id })
    expect(await statusOf(gateway.live, old.plaintext)).toBe(401)
    expect(await statusOf(gateway.live, Object(body).plaintext)).toBe(200)
  })

  test('lets a successor be rotated too', async () => {
    const { liveKey } = await gateway.createAccount()
    const first = await createKey(gateway.live, liveKey, { name: 'Chain' })

    const second = Object((await rotateKey(gateway.live, liveKey, first.id)).body)
    const third = Object((await rotateKey(gateway.live, liveKey, second.id)).body)

    expect(third).toMatchObject({ name: 'Chain', status: 'active', replaced_by: null })
    expect(await getKey(gateway.live, liveKey, first.id)).toMatchObject({ replaced_by: second.id })
    expect(await getKey(gateway.live, liveKey, second.id)).toMatchObject({ replaced_by: third.id })
  })

  test('replaces the key once when it is called twenty times in parallel', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const { id } = await createKey(gateway.live, liveKey)
    const keysBefore = await countKeys(accountId)

    const responses = await Promise.all(
      Array.from({ length: 20 }, () => rotateKey(gateway.live, liveKey, id)),
    )

    const [successor, ...others] = responses.filter(({ status }) => status === 201)
    const refused = responses.filter(({ status }) => status === 409)
    expect([others.length, refused.length]).toEqual([0, 19])
    expect(await countKeys(accountId)).toBe(keysBefore + 1)
    expect(await getKey(gateway.live, liveKey, id)).toMatchObject({
      replaced_by: Object(successor?.body).id,
    })
  })

  test("answers NOT_FOUND for another account's key, one of the other environment and an unknown one", async () => {
    const [own, foreign] = await Promise.all([gateway.createAccount(), gateway.createAccount()])
    const ofForeign = await gateway.createKey(foreign.id)
    const ofSandbox = await gateway.createKey(own.id, { environment: 'SANDBOX' })

    for (const id of [ofForeign.id, ofSandbox.id, newId('key'), newId('acct'), 'key_x', '1']) {
      expectError(gateway, await rotateKey(gateway.live, own.liveKey, id), notFound)
    }
    expect(await statusOf(gateway.live, ofForeign.plaintext)).toBe(200)
    expect(await statusOf(gateway.sandbox, ofSandbox.plaintext)).toBe(200)
  })

  test.each([-1, weekSeconds + 1, 1.5, '60', null, true, 1e300])(
    'refuses a grace of %j',
    async (grace_seconds) => {
      const { liveKey } = await gateway.createAccount()
      const { id } = await createKey(gateway.live, liveKey)

      const response = await rotateKey(gateway.live, liveKey, id, { grace_seconds })

      const message = 'must be an integer from 0 to 604800'
      expectError(gateway, response, {
        status: 422,
        code: 'INVALID_REQUEST',
        message: `grace_seconds: ${message}`,
        details: [{ field: 'grace_seconds', in: 'body', message }],
      })
      expect(await getKey(gateway.live, liveKey, id)).toMatchObject({ replaced_by: null })
    },
  )

  test('rotates a sandbox key on the sandbox listener', async () => {
    const { sandboxKey } = await gateway.createAccount()
    const old = await createKey(gateway.sandbox, sandboxKey)

    const response = await rotateKey(gateway.sandbox, sandboxKey, old.id)

    const { plaintext, environment } = Object(response.body)
    expect([response.status, environment]).toEqual([201, 'sandbox'])
    expect(isApiKey(plaintext, 'svc_test_')).toBe(true)
    expect(await statusOf(gateway.sandbox, plaintext)).toBe(200)
    expect(await statusOf(gateway.sandbox, old.plaintext)).toBe(401)
  })
})

describe('POST /v1/account/keys/{key_id}/rotate with an idempotency key', () => {
  const once = () => ({ 'idempotency-key': randomUUID() })

  test('rotates once, and shows the same successor and secret again', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const { id } = await createKey(gateway.live, liveKey)
    const headers = once()

    const first = await rotateKey(gateway.live, liveKey, id, { grace_seconds: 60 }, headers)
    const keysBefore = await countKeys(accountId)
    const again = await rotateKey(gateway.live, liveKey, id, { grace_seconds: 60 }, headers)

    expect([first.status, again.status, again.body]).toEqual([201, 201, first.body])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await countKeys(accountId)).toBe(keysBefore)
  })

  test('keeps the secret of the stored answer sealed', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const { id } = await createKey(gateway.live, liveKey)

    const { body } = await rotateKey(gateway.live, liveKey, id, {}, once())

    const { plaintext } = Object(body)
    const rows = await gateway.database.query<{ row: string }>(
      'SELECT k::text AS row FROM account.idempotency_key k WHERE account_id = $1',
      [accountId],
    )
    expect(rows).toHaveLength(1)
    expect(rows[0]?.row).not.toContain(plaintext)
  })

  /**
   * Leaves the key of idempotency as a crash between the rotation and its stored answer does: unused, with
   * the effect there.
   */
  async function forgetAnswers(accountId: string): Promise<void> {
    await gateway.database.query('DELETE FROM account.key_claim WHERE account_id = $1', [accountId])
  }

  test('rotates once though nobody was answered: the successor and its secret are shown again', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const old = await createKey(gateway.live, liveKey)
    const headers = once()
    const lost = await rotateKey(gateway.live, liveKey, old.id, { grace_seconds: 60 }, headers)
    const ending = await getKey(gateway.live, liveKey, old.id)
    await forgetAnswers(accountId)

    const retry = await rotateKey(gateway.live, liveKey, old.id, { grace_seconds: 60 }, headers)

    const [left, shown] = [Object(lost.body), Object(retry.body)]
    expect([retry.status, shown]).toEqual([201, { ...left, last_used_at: anyUse }])
    expect(retry.headers.get('idempotent-replayed')).toBeNull()
    expect(await statusOf(gateway.live, shown.plaintext)).toBe(200)
    expect(await getKey(gateway.live, liveKey, old.id)).toEqual(ending)
    // The first live and sandbox key, the old one and its successor.
    expect(await countKeys(accountId)).toBe(4)
  })

  test('is a conflict once the first rotation is no longer remembered', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const { id } = await createKey(gateway.live, liveKey)
    const headers = once()
    const lost = await rotateKey(gateway.live, liveKey, id, { grace_seconds: 60 }, headers)
    await forgetAnswers(accountId)
    await gateway.database.query(
      'UPDATE keys.done_change SET expires_at = now() WHERE account_id = $1',
      [accountId],
    )

    const retry = await rotateKey(gateway.live, liveKey, id, { grace_seconds: 60 }, headers)

    const message = `This API key was replaced by ${Object(lost.body).id}.`
    expectError(gateway, retry, conflict(message))
    expect(await statusOf(gateway.live, Object(lost.body).plaintext)).toBe(200)
  })

  test('never shows a successor whose rights were extended since', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const narrow = await gateway.createKey(accountId, { scopes: ['keys:write', 'seo:read'] })
    const { id } = await createKey(gateway.live, liveKey, { scopes: ['seo:read'] })
    const headers = once()
    const body = { grace_seconds: 60 }
    const lost = await rotateKey(gateway.live, narrow.plaintext, id, body, headers)
    await forgetAnswers(accountId)
    await patchKey(gateway.live, liveKey, Object(lost.body).id, { scopes: ['*'] })

    const retry = await rotateKey(gateway.live, narrow.plaintext, id, body, headers)

    expectError(gateway, retry, lacks('*'))
    expect(await statusOf(gateway.live, Object(lost.body).plaintext)).toBe(200)
  })

  test('does not reuse a key that the same idempotency key issued in another way', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const { id } = await createKey(gateway.live, liveKey)
    const headers = once()
    const created = await gateway.live.post('/v1/account/keys', { name: 'Other' }, liveKey, headers)
    await forgetAnswers(accountId)

    const rotated = await rotateKey(gateway.live, liveKey, id, {}, headers)

    expect(rotated.status).toBe(201)
    expect(Object(rotated.body).id).not.toBe(Object(created.body).id)
    expect(await statusOf(gateway.live, Object(created.body).plaintext)).toBe(200)
  })

  test('is replayed for a key that rotated itself only while that key still works', async () => {
    const { id: accountId } = await gateway.createAccount()
    const old = await gateway.createKey(accountId)
    const headers = once()

    const first = await rotateKey(gateway.live, old.plaintext, old.id, {}, headers)
    const again = await rotateKey(gateway.live, old.plaintext, old.id, {}, headers)

    expect(first.status).toBe(201)
    expectError(gateway, again, invalidKey)
    const graced = Object(first.body)
    const [body, others] = [{ grace_seconds: 60 }, once()]
    const second = await rotateKey(gateway.live, graced.plaintext, graced.id, body, others)
    expect(second.status).toBe(201)
    const replay = await rotateKey(gateway.live, graced.plaintext, graced.id, body, others)
    expect([replay.status, replay.body]).toEqual([201, second.body])
  })

  test('stores the hash of the successor’s secret only', async () => {
    const { liveKey } = await gateway.createAccount()
    const { id } = await createKey(gateway.live, liveKey)

    const { body } = await rotateKey(gateway.live, liveKey, id)

    const [row] = await gateway.database.query<{ row: string; secret_hash: string }>(
      'SELECT k::text AS row, secret_hash FROM keys.api_key k WHERE id = $1',
      [Object(body).id],
    )
    expect(row?.secret_hash).toBe(sha256(Object(body).plaintext))
    expect(row?.row).not.toContain(Object(body).plaintext.slice('svc_live_'.length))
  })

  test('is refused for the rotation of another key', async () => {
    const { liveKey } = await gateway.createAccount()
    const [one, two] = [
      await createKey(gateway.live, liveKey),
      await createKey(gateway.live, liveKey),
    ]
    const headers = once()
    await rotateKey(gateway.live, liveKey, one.id, {}, headers)

    const response = await rotateKey(gateway.live, liveKey, two.id, {}, headers)

    const message = 'was used before for another request'
    expectError(gateway, response, {
      status: 422,
      code: 'INVALID_REQUEST',
      details: [{ field: 'Idempotency-Key', in: 'header', message }],
    })
    expect(await statusOf(gateway.live, two.plaintext)).toBe(200)
    expect((await patchKey(gateway.live, liveKey, two.id, { name: 'x' })).status).toBe(200)
  })
})
