import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { openTestGraph } from '../../support/database/graph.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { patience } from '../../support/time/patience.ts'

let database: TestDatabase
let gateway: TestGateway
let another: TestGateway
beforeAll(async () => {
  database = await createTestDatabase()
  gateway = await startTestGateway({}, { database })
  another = await startTestGateway({}, { database })
})
afterAll(async () => {
  await another.close()
  await gateway.close()
  await database.drop()
})

const anyQuery = { query: '{ accounts(first: 1) { pageInfo { hasNextPage } } }' }
const revocation = `mutation ($id: ID!) {
  revokeInternalToken(id: $id) { id role mintedAt expiresAt revokedAt } }`

async function newToken() {
  const token = await gateway.internalToken('support')
  return { token, id: String(decodeJwt(token).jti) }
}

describe('revokeInternalToken', () => {
  test('ends the token at once in every process, and no other token', async () => {
    const { token, id } = await newToken()
    const { token: other } = await newToken()
    for (const { internal } of [gateway, another]) {
      expect((await internal.post('/graphql', anyQuery, token)).status).toBe(200)
    }

    const { revokeInternalToken } = await gateway.graphql(revocation, { id })

    expect(revokeInternalToken).toMatchObject({ id, revokedAt: expect.any(String) })
    for (const each of [gateway, another]) {
      const refused = await each.internal.post('/graphql', anyQuery, token)
      expectError(each, refused, {
        ...{ status: 401, code: 'INVALID_API_KEY', message: 'This token is not valid.' },
      })
      expect((await each.internal.post('/graphql', anyQuery, other)).status).toBe(200)
    }
  })

  test('leaves one line in the audit trail, however often it is called', async () => {
    const { id } = await newToken()

    const first = await gateway.graphql(revocation, { id })
    const second = await gateway.graphql(revocation, { id })

    expect(second).toEqual(first)
    const lines = () =>
      database.query(
        `SELECT action, actor_kind, actor_role, account_id, result FROM usage.audit_event
         WHERE resource_id = $1`,
        [id],
      )
    await vi.waitFor(async () => {
      expect(await lines()).toEqual([
        {
          ...{ action: 'internal_token.revoke', actor_kind: 'internal', actor_role: 'admin' },
          ...{ account_id: null, result: 'succeeded' },
        },
      ])
    }, patience)
  })

  test('refuses a malformed token id, and a caller who is not an administrator', async () => {
    await expect(gateway.graphql(revocation, { id: newId('key') })).rejects.toThrow(
      'id: must be the id of an internal token: tok_…',
    )
    const { token, id } = await newToken()
    const body = { query: revocation, variables: { id } }
    const answer = await gateway.internal.post('/graphql', body, token)

    expect(answer.body).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] })
    expect((await gateway.internal.post('/graphql', anyQuery, token)).status).toBe(200)
  })
})

describe('while revocations cannot be looked up', () => {
  test('POST /graphql answers 503, whatever the token', async () => {
    const { token } = await newToken()
    await database.query('ALTER TABLE keys.internal_token RENAME TO internal_token_away')
    try {
      const answer = await gateway.internal.post('/graphql', anyQuery, token)

      expect([500, 503]).toContain(answer.status)
      expect(answer.body).not.toHaveProperty('data')
    } finally {
      await database.query('ALTER TABLE keys.internal_token_away RENAME TO internal_token')
    }
    expect((await gateway.internal.post('/graphql', anyQuery, token)).status).toBe(200)
  })
})

describe('the record of internal tokens', () => {
  const dayMs = 86_400_000
  const tokenOf = (mintedMs: number, expiresMs: number) => ({
    ...{ id: newId('tok'), role: 'support' },
    mintedAt: new Date(mintedMs).toISOString(),
    expiresAt: new Date(expiresMs).toISOString(),
  })

  test('stores no token that has ended', async () => {
    const graph = await openTestGraph()
    try {
      const ended = tokenOf(Date.now() - 7200_000, Date.now() - 1000)

      await expect(graph.asAdmin('RecordInternalToken', { input: ended })).rejects.toThrow(
        'expiresAt: must be in the future, and at most 30 days after mintedAt',
      )

      expect(await graph.database.query('SELECT FROM keys.internal_token')).toEqual([])
    } finally {
      await graph.close()
    }
  })

  test('keeps a revocation for 30 days, whatever end was recorded, also for a token without a record', async () => {
    const graph = await openTestGraph()
    try {
      // Recorded to end before it does, and not forgotten yet.
      const early = tokenOf(Date.now(), Date.now() + 60_000)
      await graph.asAdmin('RecordInternalToken', { input: early })
      await graph.database.query(
        `UPDATE keys.internal_token SET expires_at = now() - interval '1 s' WHERE id = $1`,
        [early.id],
      )
      const unknown = newId('tok')

      for (const id of [early.id, unknown]) await graph.asAdmin('RevokeInternalToken', { id })

      expect(await graph.asService('ForgetInternalTokens', { limit: 500 })).toBe(0)
      for (const id of [early.id, unknown]) {
        expect(await graph.asService('CheckInternalToken', { id })).toBe(true)
      }
      const rows = await graph.database.query<{ expires_at: Date }>(
        'SELECT expires_at FROM keys.internal_token',
      )
      expect(rows).toHaveLength(2)
      for (const { expires_at } of rows) {
        const days = (expires_at.getTime() - Date.now()) / dayMs
        expect(days).toBeGreaterThan(29.9)
        expect(days).toBeLessThanOrEqual(30.1)
      }
    } finally {
      await graph.close()
    }
  })

  test('deletes tokens that have ended, and keeps the others with their revocation', async () => {
    const graph = await openTestGraph()
    try {
      const [ended, running] = [1, 2].map(() => tokenOf(Date.now(), Date.now() + 3600_000))
      if (!ended || !running) throw new Error('There are two.')
      for (const input of [ended, running]) await graph.asAdmin('RecordInternalToken', { input })
      await graph.database.query(
        `UPDATE keys.internal_token SET expires_at = now() - interval '1 s' WHERE id = $1`,
        [ended.id],
      )
      await graph.asAdmin('RevokeInternalToken', { id: running.id })

      expect(await graph.asService('ForgetInternalTokens', { limit: 500 })).toBe(1)

      expect(await graph.asAdmin('ListInternalTokens', { first: 10 })).toMatchObject({
        nodes: [{ id: running.id, role: 'support', revoked_at: expect.any(String) }],
      })
      expect(await graph.asService('CheckInternalToken', { id: running.id })).toBe(true)
    } finally {
      await graph.close()
    }
  })
})
