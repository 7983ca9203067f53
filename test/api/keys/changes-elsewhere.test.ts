import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { letKeyExpire } from '../../support/gateway/expire-key.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { patience } from '../../support/time/patience.ts'
import { createKey, deleteKey, inOneHour, patchKey, rotateKey } from './key-record.ts'

interface Situation {
  /** The gateway that makes the change. */
  readonly here: TestGateway
  readonly liveKey: string
  /** The key that is changed. */
  readonly id: string
}

/** Changes of a key that another process has just accepted or refused. */
const changes = [
  {
    title: 'PATCH of the scopes, narrower',
    details: {},
    before: 200,
    after: 403,
    change: ({ here, liveKey, id }: Situation) =>
      patchKey(here.live, liveKey, id, { scopes: ['usage:read'] }),
  },
  {
    title: 'PATCH of the scopes, wider',
    details: { scopes: ['usage:read'] },
    before: 403,
    after: 200,
    change: ({ here, liveKey, id }: Situation) =>
      patchKey(here.live, liveKey, id, { scopes: ['account:read'] }),
  },
  {
    title: 'PATCH of the allowlist, narrower',
    details: {},
    before: 200,
    after: 403,
    change: ({ here, liveKey, id }: Situation) =>
      patchKey(here.live, liveKey, id, { ip_allowlist: ['10.0.0.0/8'] }),
  },
  {
    title: 'PATCH of the allowlist, wider',
    details: { ip_allowlist: ['10.0.0.0/8'] },
    before: 403,
    after: 200,
    change: ({ here, liveKey, id }: Situation) =>
      patchKey(here.live, liveKey, id, { ip_allowlist: [] }),
  },
  {
    title: 'DELETE',
    details: {},
    before: 200,
    after: 401,
    change: ({ here, liveKey, id }: Situation) => deleteKey(here.live, liveKey, id),
  },
  {
    title: 'POST …/rotate',
    details: {},
    before: 200,
    after: 401,
    change: ({ here, liveKey, id }: Situation) => rotateKey(here.live, liveKey, id),
  },
] as const

describe('another gateway, which received the notice', () => {
  let database: TestDatabase
  let gateways: readonly [TestGateway, TestGateway]
  beforeAll(async () => {
    database = await createTestDatabase()
    // Keys are believed for an hour: only a notice can make a gateway forget one.
    const variables = { KEY_CACHE_SECONDS: '3600' }
    gateways = await Promise.all([
      startTestGateway(variables, { database }),
      startTestGateway(variables, { database }),
    ])
  })
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()))
    await database.drop()
  })

  test.each(changes)('applies $title, which turns $before into $after', async (row) => {
    for (const [here, there] of [gateways, [gateways[1], gateways[0]] as const]) {
      const { liveKey } = await here.createAccount()
      const { id, plaintext } = await createKey(here.live, liveKey, row.details)
      const answersThere = async () => (await there.live.get('/v1/account', plaintext)).status
      expect(await answersThere()).toBe(row.before)

      const { status } = await row.change({ here, liveKey, id })

      expect([200, 201]).toContain(status)
      await expect.poll(answersThere, patience).toBe(row.after)
    }
  })

  test('applies a new expiry and a grace period', async () => {
    const [here, there] = gateways
    const { liveKey } = await here.createAccount()
    const [changed, rotated] = [
      await createKey(here.live, liveKey),
      await createKey(here.live, liveKey),
    ]
    for (const { plaintext } of [changed, rotated]) {
      expect((await there.live.get('/v1/account', plaintext)).status).toBe(200)
    }

    const expires_at = inOneHour()
    await patchKey(here.live, liveKey, changed.id, { expires_at })
    await rotateKey(here.live, liveKey, rotated.id, { grace_seconds: 60 })

    for (const { id, plaintext } of [changed, rotated]) {
      await letKeyExpire(database, id)
      const answersThere = async () => (await there.live.get('/v1/account', plaintext)).status
      await expect.poll(answersThere, patience).toBe(401)
    }
  })

  test('ends the keys that a reset of the sandbox ends', async () => {
    const [here, there] = gateways
    const { liveKey, sandboxKey } = await here.createAccount()
    const answersThere = async () => (await there.sandbox.get('/v1/account', sandboxKey)).status
    expect(await answersThere()).toBe(200)

    const { status } = await here.live.post('/v1/account/sandbox/reset', undefined, liveKey)

    expect(status).toBe(200)
    await expect.poll(answersThere, patience).toBe(401)
  })

  test('accepts a new key at once', async () => {
    const [here, there] = gateways
    const { liveKey } = await here.createAccount()
    const { id, plaintext } = await createKey(here.live, liveKey, { expires_at: inOneHour() })
    const { body } = await rotateKey(here.live, liveKey, id)

    expect((await there.live.get('/v1/account', plaintext)).status).toBe(401)
    expect((await there.live.get('/v1/account', Object(body).plaintext)).status).toBe(200)
  })
})

describe('another gateway, which received no notice', () => {
  let database: TestDatabase
  let gateways: readonly [TestGateway, TestGateway]
  beforeAll(async () => {
    database = await createTestDatabase()
    await database.query('ALTER TABLE keys.api_key DISABLE TRIGGER api_key_stale')
    const variables = { KEY_CACHE_SECONDS: '1' }
    gateways = await Promise.all([
      startTestGateway(variables, { database }),
      startTestGateway(variables, { database }),
    ])
  })
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()))
    await database.drop()
  })

  test.each(changes)('still applies $title, which turns $before into $after', async (row) => {
    const [here, there] = gateways
    const { liveKey } = await here.createAccount()
    const { id, plaintext } = await createKey(here.live, liveKey, row.details)
    const answersThere = async () => (await there.live.get('/v1/account', plaintext)).status
    expect(await answersThere()).toBe(row.before)

    await row.change({ here, liveKey, id })

    await expect.poll(answersThere, patience).toBe(row.after)
  })
})
