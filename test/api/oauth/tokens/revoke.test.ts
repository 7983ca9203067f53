import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { sha256 } from '../../../../schema/credentials/secrets.ts'
import { createTestDatabase } from '../../../support/database/database.ts'
import { expectError, expectStandardHeaders } from '../../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts'
import {
  aliveOf,
  allAlive,
  allDead,
  approve,
  authorize,
  basicOf,
  expectFailure,
  expectNotStored,
  familiesOf,
  fullScope,
  introspect,
  invalidClient,
  invalidGrant,
  newVerifier,
  postForm,
  type RegisteredApp,
  redeem,
  refresh,
  registerApp,
  revoke,
  tokensOf,
  withoutMinuteLimits,
} from '../../../support/oauth/oauth-flow.ts'
import type { TestResponse } from '../../../support/requests/client.ts'
import { patience } from '../../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  // Cached tokens are accepted for an hour: only a notice removes them from the cache.
  gateway = await startTestGateway({ ...withoutMinuteLimits, KEY_CACHE_SECONDS: '3600' })
})
afterAll(() => gateway.close())

const path = '/v1/oauth/revoke'

async function start(isPublic = false) {
  const [app, owner] = await Promise.all([
    registerApp(gateway, { isPublic }),
    gateway.createAccount(),
  ])
  const verifier = newVerifier()
  return { app, owner, tokens: await authorize(gateway, app, { owner, verifier }) }
}

function expectDone(response: TestResponse): void {
  expect([response.status, response.body]).toEqual([200, {}])
  expectStandardHeaders(response)
  expectNotStored(response)
  expect(response.headers.get('www-authenticate')).toBeNull()
}

/** Everything that is stored of the provider's tokens. */
async function stored({ clientId }: RegisteredApp): Promise<object[]> {
  const tables = ['access_token', 'refresh_token', 'authorization_code']
  const rows = tables.map((table) =>
    gateway.database.query(
      `SELECT t.* FROM oauth.${table} t JOIN oauth.authorization_grant g ON g.id = t.grant_id
       WHERE g.client_id = $1 ORDER BY 1`,
      [clientId],
    ),
  )
  return (await Promise.all([...rows, familiesOf(gateway, { clientId })])).flat()
}

describe('POST /v1/oauth/revoke', () => {
  test.each(['access_token', 'refresh_token', 'unknown', undefined])(
    'ends an access token alone, at once (hint: %s) (docs/oauth-rules.md 2, 98, 102, 103)',
    async (token_type_hint) => {
      const { app, tokens } = await start()
      const next = tokensOf(await refresh(gateway.live, app, tokens.refreshToken))
      const asked = await gateway.live.get('/v1/oauth/userinfo', next.accessToken)

      expectDone(await revoke(gateway.live, app, next.accessToken, { token_type_hint }))

      const answers = await Promise.all(
        ['/v1/oauth/userinfo', '/v1/account'].map((one) => gateway.live.get(one, next.accessToken)),
      )
      expect([asked.status, ...answers.map(({ status }) => status)]).toEqual([200, 401, 401])
      expect((await introspect(gateway.live, app, next.accessToken)).body).toEqual({
        active: false,
      })
      const rest = { accessToken: tokens.accessToken, refreshToken: next.refreshToken }
      expect(await aliveOf(gateway.live, app, rest)).toEqual(allAlive)
      expect(await familiesOf(gateway, app)).toMatchObject([{ isAlive: true }])
    },
  )

  test.each(['access_token', 'refresh_token', 'unknown', undefined])(
    'ends the whole grant of a refresh token at once, and no other (hint: %s) (docs/oauth-rules.md 102, 103)',
    async (token_type_hint) => {
      const { app, owner, tokens } = await start()
      const bystander = await authorize(gateway, app, { owner })
      const next = tokensOf(await refresh(gateway.live, app, tokens.refreshToken))
      expect(await aliveOf(gateway.live, app, next)).toEqual(allAlive)

      expectDone(await revoke(gateway.live, app, next.refreshToken, { token_type_hint }))

      expect(await aliveOf(gateway.live, app, next)).toEqual(allDead)
      expect(await aliveOf(gateway.live, app, tokens)).toEqual(allDead)
      expectFailure(gateway, await refresh(gateway.live, app, next.refreshToken), invalidGrant)
      expect(await aliveOf(gateway.live, app, bystander)).toEqual(allAlive)
      expect(await familiesOf(gateway, app)).toMatchObject([
        { isAlive: false, because: 'token_revoked' },
        { isAlive: true, because: null },
      ])
    },
  )

  test('ends the grant of a used refresh token too (docs/oauth-rules.md 102)', async () => {
    const { app, tokens } = await start()
    const next = tokensOf(await refresh(gateway.live, app, tokens.refreshToken))

    expectDone(await revoke(gateway.live, app, tokens.refreshToken))

    expect(await aliveOf(gateway.live, app, next)).toEqual(allDead)
  })

  test('lets a public app end its own tokens by its id alone (docs/oauth-rules.md 100)', async () => {
    const [one, two] = [await start(true), await start(true)]

    expectDone(await revoke(gateway.live, one.app, two.tokens.refreshToken))
    expectDone(await revoke(gateway.live, two.app, two.tokens.accessToken))

    // Introspection is not for public apps, so userinfo is asked.
    const ask = (token: string) => gateway.live.get('/v1/oauth/userinfo', token)
    expect((await ask(two.tokens.accessToken)).status).toBe(401)
    expect((await ask(one.tokens.accessToken)).status).toBe(200)
    expect((await refresh(gateway.live, two.app, two.tokens.refreshToken)).status).toBe(200)
  })

  test('ends nothing for a caller that fails to authenticate (docs/oauth-rules.md 100)', async () => {
    const { app, tokens } = await start()

    for (const form of [
      { client_secret: 'wrong' },
      { client_secret: undefined },
      { client_secret: app.secret?.toUpperCase() },
    ]) {
      const response = await revoke(gateway.live, app, tokens.refreshToken, form)
      expectFailure(gateway, response, invalidClient)
    }
    const basic = basicOf(app.clientId, 'wrong')
    const challenged = await postForm(gateway.live, path, { token: tokens.refreshToken }, basic)
    expectFailure(gateway, challenged, { ...invalidClient, isChallenged: true })

    expect(await aliveOf(gateway.live, app, tokens)).toEqual(allAlive)
  })

  test("leaves another app's token alone, with the same answer (docs/oauth-rules.md 101)", async () => {
    const { app, tokens } = await start()
    const [sibling, stranger] = await Promise.all([
      registerApp(gateway, { developer: app.developer }),
      registerApp(gateway),
    ])
    const before = await stored(app)

    for (const other of [sibling, stranger]) {
      for (const token of [tokens.accessToken, tokens.refreshToken, tokens.code]) {
        expectDone(await revoke(gateway.live, other, token))
      }
    }

    expect(await stored(app)).toEqual(before)
    expect(await aliveOf(gateway.live, app, tokens)).toEqual(allAlive)
  })

  test('answers unknown, ended and malformed tokens alike, and changes nothing (docs/oauth-rules.md 97, 101)', async () => {
    const { app, owner, tokens } = await start()
    const code = await approve(gateway, app, { owner })
    const before = await stored(app)

    for (const token of [
      'unknown',
      'svc_oat_unknown',
      `${tokens.accessToken}x`,
      sha256(tokens.accessToken),
      tokens.idToken,
      tokens.code,
      code,
      app.secret ?? '',
      app.clientId,
      '\0',
      '\ud800',
      '😀',
      'x'.repeat(15_000),
    ]) {
      expectDone(await revoke(gateway.live, app, token))
    }

    expect(await stored(app)).toEqual(before)
    expect((await redeem(gateway.live, app, code)).status).toBe(200)
  })

  test('has the same effect twice as once (docs/oauth-rules.md 101)', async () => {
    const { app, tokens } = await start()
    for (const token of [tokens.accessToken, tokens.refreshToken]) {
      expectDone(await revoke(gateway.live, app, token))
      const before = await stored(app)

      expectDone(await revoke(gateway.live, app, token))

      expect(await stored(app)).toEqual(before)
    }
  })

  test('leaves an API key alone, because it is not a token (docs/oauth-rules.md 104)', async () => {
    const { app, owner } = await start()
    const keys = [owner.liveKey, owner.sandboxKey, app.developer.liveKey]
    const records = () =>
      gateway.database.query(
        'SELECT id, revoked_at FROM keys.api_key WHERE account_id = ANY ($1) ORDER BY id',
        [[owner.id, app.developer.id]],
      )
    const before = await records()

    for (const key of keys) expectDone(await revoke(gateway.live, app, key))

    expect(await records()).toEqual(before)
    expect((await gateway.live.get('/v1/account', owner.liveKey)).status).toBe(200)
    expect((await gateway.sandbox.get('/v1/account', owner.sandboxKey)).status).toBe(200)
  })

  test('requires one token in the body (docs/oauth-rules.md 4, 5, 99)', async () => {
    const app = await registerApp(gateway)

    for (const [form, message] of [
      ['', 'is required'],
      ['token=', 'is required'],
      ['token=a&token=a', 'must be sent once'],
    ] as const) {
      const basic = basicOf(app.clientId, app.secret ?? '')
      const response = await postForm(gateway.live, `${path}?token=x`, form, basic)
      expectError(gateway, response, {
        status: 422,
        code: 'INVALID_REQUEST',
        details: [{ field: 'token', in: 'body', message }],
      })
    }
  })

  test.each(['GET', 'PUT', 'DELETE'])('refuses %s (docs/oauth-rules.md 6)', async (method) => {
    const response = await gateway.live.request(path, { method })

    expectError(gateway, response, { status: 405, code: 'METHOD_NOT_ALLOWED' })
    expect(response.headers.get('allow')).toBe('POST')
  })

  test('leaves one line in the trail of the account that granted, and none without an effect (docs/oauth-rules.md 10, 118)', async () => {
    const { app, owner, tokens } = await start()

    const done = await revoke(gateway.live, app, tokens.refreshToken)
    const nothing = await revoke(gateway.live, app, tokens.refreshToken)

    const linesOf = (response: TestResponse) =>
      gateway.database.query(
        `SELECT action, result, account_id, actor_kind, actor_id, resource_id, details
         FROM usage.audit_event WHERE request_id = $1`,
        [response.headers.get('x-request-id')],
      )
    await vi.waitFor(async () => {
      expect(await linesOf(done)).toEqual([
        {
          action: 'oauth.revoke_token',
          result: 'succeeded',
          account_id: owner.id,
          actor_kind: 'oauth_client',
          actor_id: app.clientId,
          resource_id: expect.stringMatching(/^grant_/),
          details: {},
        },
      ])
    }, patience)
    expect(await linesOf(nothing)).toEqual([])
  })
})

test('another gateway refuses a revoked token, also from its cache (docs/oauth-rules.md 102)', async () => {
  const database = await createTestDatabase()
  const variables = { ...withoutMinuteLimits, KEY_CACHE_SECONDS: '3600' }
  const one = await startTestGateway(variables, { database })
  const two = await startTestGateway(variables, { database })
  try {
    const [app, owner] = await Promise.all([registerApp(one), one.createAccount()])
    const [first, second] = [
      await authorize(one, app, { owner, scope: fullScope }),
      await authorize(one, app, { owner, scope: fullScope }),
    ]
    const status = async (token: string) => (await two.live.get('/v1/oauth/userinfo', token)).status
    const statuses = () => Promise.all([first, second].map((one) => status(one.accessToken)))
    expect(await statuses()).toEqual([200, 200])

    await revoke(one.live, app, first.accessToken)
    await revoke(one.live, app, second.refreshToken)

    await vi.waitFor(async () => expect(await statuses()).toEqual([401, 401]), patience)
    // The database is always up to date.
    for (const { accessToken, refreshToken } of [second]) {
      for (const token of [accessToken, refreshToken]) {
        expect((await introspect(two.live, app, token)).body).toEqual({ active: false })
      }
    }
  } finally {
    await Promise.all([one.close(), two.close()])
    await database.drop()
  }
})
