import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../schema/ids.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { expectError } from '../support/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { openTestGraph } from '../support/graph.ts'
import { patience } from '../support/patience.ts'

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
  test('has the token refused at once, in every process, and no other', async () => {
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

  test('leaves one line in the audit trail, however often it is asked', async () => {
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

  test('refuses what is no id of a token, and whoever is not an administrator', async () => {
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

describe('while nobody can say whether a token was revoked', () => {
  test('POST /graphql is 503, whatever the token', async () => {
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
  test('forgets those that have ended, and keeps the others with their revocation', async () => {
    const graph = await openTestGraph()
    try {
      const token = (mintedMs: number, expiresMs: number) => ({
        ...{ id: newId('tok'), role: 'support' },
        mintedAt: new Date(mintedMs).toISOString(),
        expiresAt: new Date(expiresMs).toISOString(),
      })
      const ended = token(Date.now() - 7200_000, Date.now() - 3600_000)
      const running = token(Date.now(), Date.now() + 3600_000)
      for (const input of [ended, running]) await graph.asAdmin('RecordInternalToken', { input })
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
