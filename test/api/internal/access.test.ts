import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mintInternalToken } from '../../../gateway/internal/internal-token.ts'
import { deriveKey } from '../../../schema/credentials/secrets.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { altered } from '../../support/requests/altered.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { whenReady } from '../../support/time/when-ready.ts'

// The start of test/support/gateway/gateway.ts sets this secret.
const tokenKey = deriveKey('a secret for tests, long enough to pass', 'internal-token')

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

const anyQuery = { query: '{ accounts(first: 1) { pageInfo { hasNextPage } } }' }

function expectRefused(response: TestResponse, code: string, message: string): void {
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe('Bearer')
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(response.body).toEqual({
    error: {
      code,
      message,
      status: 401,
      documentation_url: `${gateway.baseUrl}/docs/errors/${code}`,
      request_id: response.headers.get('x-request-id'),
    },
  })
}

async function run(query: string, token: string, variables: object = {}) {
  const { body } = await gateway.internal.post('/graphql', { query, variables }, token)
  return Object(body)
}

describe('POST /graphql of the internal listener', () => {
  test('asks for a token', async () => {
    for (const authorization of [undefined, 'Basic x', 'Bearer', 'Bearer a b']) {
      const response = await gateway.internal.post(
        '/graphql',
        anyQuery,
        undefined,
        authorization === undefined ? {} : { authorization },
      )

      expectRefused(response, 'AUTHENTICATION_REQUIRED', 'Send an internal token.')
    }
  })

  test('refuses a malformed or expired token, one of another secret, audience or role, and one without an id', async () => {
    const claims = { role: 'admin', jti: newId('tok') }
    const now = Math.floor(Date.now() / 1000)
    const sign = (payload: object, key = tokenKey, audience = 'credit-gateway/internal') =>
      new SignJWT({ iat: now, exp: now + 3600, ...payload })
        .setProtectedHeader({ alg: 'HS256' })
        .setAudience(audience)
        .sign(key)
    const valid = await gateway.internalToken('admin')
    const tokens = [
      'nonsense',
      altered(valid),
      (await mintInternalToken(tokenKey, 'admin', -10)).token,
      (await mintInternalToken(deriveKey('x'.repeat(32), 'internal-token'), 'admin', 60)).token,
      await sign(claims, deriveKey('a secret for tests, long enough to pass', 'cursor')),
      await sign(claims, tokenKey, 'credit-gateway/public'),
      await sign({ ...claims, role: 'owner' }),
      await sign({ role: 'admin' }),
      await sign({ ...claims, jti: '' }),
      await sign({}),
      await sign({ ...claims, exp: undefined }),
      await sign({ ...claims, exp: now + 100 * 365 * 86_400 }),
      await sign({ ...claims, exp: now + 86_401 }),
      await sign({ ...claims, iat: undefined }),
      await sign({ ...claims, iat: now + 3600, exp: now + 7200 }),
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${valid.split('.')[1]}.`,
    ]

    for (const token of tokens) {
      const response = await gateway.internal.post('/graphql', anyQuery, token)

      expectRefused(response, 'INVALID_API_KEY', 'This token is not valid.')
    }
    for (const token of [await sign(claims), await sign({ ...claims, exp: now + 86_400 })]) {
      const accepted = await gateway.internal.post('/graphql', anyQuery, token)
      expect(accepted.status).toBe(200)
    }
  })

  test('does not accept the keys of accounts', async () => {
    const { liveKey, sandboxKey } = await gateway.createAccount()

    for (const key of [liveKey, sandboxKey]) {
      const response = await gateway.internal.post('/graphql', anyQuery, key)

      expectRefused(response, 'INVALID_API_KEY', 'This token is not valid.')
    }
  })

  test('is not reachable through the public listeners', async () => {
    const token = await gateway.internalToken('admin')

    for (const client of [gateway.live, gateway.sandbox]) {
      for (const path of ['/graphql', '/v1/graphql']) {
        const response = await client.post(path, anyQuery, token)

        expect([response.status, Object(response.body).error.code]).toEqual([404, 'NOT_FOUND'])
      }
    }
  })

  test('lets a token see the schema', async () => {
    const { data } = await run(
      '{ __schema { queryType { name } mutationType { name } } }',
      await gateway.internalToken('readonly'),
    )

    expect(data).toEqual({
      __schema: { queryType: { name: 'Query' }, mutationType: { name: 'Mutation' } },
    })
  })

  test('answers other paths with the envelope', async () => {
    const response = await gateway.internal.get('/nothing')

    expect(response.status).toBe(404)
    expect(response.body).toMatchObject({ error: { code: 'NOT_FOUND', status: 404 } })
  })

  test('tells a caller without a token that the process is ready', async () => {
    const response = await whenReady(() => gateway.internal.get('/ready'))

    expect(response.status).toBe(200)
    expect(response.body).toMatchObject({ status: 'ok' })
  })
})

describe('the roles of internal tokens', () => {
  const forbidden = {
    message: 'This caller may not use this operation.',
    extensions: { code: 'FORBIDDEN' },
  }

  const mutations = [
    ['createAccount', 'createAccount(input: { name: "A", email: "a@b.example" }) { accountId }'],
    ['updateAccount', 'updateAccount(input: { id: "ID", status: SUSPENDED }) { id }'],
    [
      'grantCredits',
      'grantCredits(input: { accountId: "ID", credits: 1, reason: "a", idempotencyKey: "a" }) { id }',
    ],
    [
      'createApiKey',
      'createApiKey(input: { accountId: "ID", environment: LIVE, name: "a" }) { plaintext }',
    ],
    ['revokeApiKey', 'revokeApiKey(id: "ID") { id }'],
  ] as const

  test.each(mutations)('do not let readonly and support %s', async (_, field) => {
    const { id, liveKey } = await gateway.createAccount({ credits: 10 })

    for (const role of ['readonly', 'support'] as const) {
      const token = await gateway.internalToken(role)
      const { data, errors } = await run(`mutation { ${field.replace('ID', id)} }`, token)

      expect(data ?? null).toBeNull()
      expect(errors).toEqual([expect.objectContaining(forbidden)])
    }
    const account = await gateway.live.get('/v1/account', liveKey)
    expect(account.body).toMatchObject({ id, balance: 10 })
  })

  test.each(['readonly', 'support', 'admin'] as const)('let %s read accounts', async (role) => {
    const { id } = await gateway.createAccount({ credits: 10 })

    const { data } = await run(
      'query ($id: ID!) { account(id: $id) { id balance apiKeys { status } } }',
      await gateway.internalToken(role),
      { id },
    )

    expect(data).toEqual({ account: { id, balance: 10, apiKeys: [{ status: 'active' }] } })
  })

  test.each([
    [
      'reserveBatch',
      'reserveBatch(batch: { requestIds: ["req_1"], accountIds: ["ID"], environments: [live], credits: [1], endpoints: ["/t"], calls: ["[]"], ttlSeconds: 60 }) { verdicts }',
    ],
    [
      'settleBatch',
      'settleBatch(batch: { requestIds: ["req_1"], accountIds: ["ID"], environments: [live], credits: [1], endpoints: ["/t"], calls: ["[]"] }) { outcomes }',
    ],
    ['expireHolds', 'expireHolds(limit: 10) { requestId }'],
    ['recordUsage', 'recordUsage(entries: [])'],
    ['issueApiKey', 'issueApiKey(input: { name: "a" }) { plaintext }'],
  ])('do not even let admin %s', async (_, field) => {
    const { id } = await gateway.createAccount({ credits: 10 })

    const { data, errors } = await run(
      `mutation { ${field.replace('ID', id)} }`,
      await gateway.internalToken('admin'),
    )

    expect(data ?? null).toBeNull()
    expect(errors).toEqual([expect.objectContaining(forbidden)])
    const holds = await gateway.database.query<object>(
      'SELECT request_id FROM account.hold WHERE account_id = $1',
      [id],
    )
    expect(holds).toEqual([])
  })

  test.each([
    'me { id }',
    'credits { balance }',
    'apiKeys(limit: 1) { nextCursor }',
    'apiKey(id: "key_1") { id }',
    'usageLog(limit: 1) { nextCursor }',
    'verifiedKey(secretHash: "a") { id }',
  ])('do not even let admin ask for data of accounts or the facade alone: %s', async (field) => {
    const { data, errors } = await run(`{ ${field} }`, await gateway.internalToken('admin'))

    expect(Object.values(data ?? {}).filter((value) => value !== null)).toEqual([])
    expect(errors).toEqual([expect.objectContaining(forbidden)])
  })
})
