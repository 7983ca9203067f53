import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { isOAuthSecret } from '../../../../schema/credentials/oauth-secret-format.ts'
import { sha256 } from '../../../../schema/credentials/secrets.ts'
import { expectStandardHeaders } from '../../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts'
import {
  aliveOf,
  allAlive,
  allDead,
  approve,
  authorize,
  expectFailure,
  expectNotStored,
  familiesOf,
  fullScope,
  introspect,
  invalidGrant,
  type RegisteredApp,
  redeem,
  refresh,
  registerApp,
  revoke,
  type Tokens,
  tokensOf,
  withoutMinuteLimits,
} from '../../../support/oauth/oauth-flow.ts'
import { patience } from '../../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway(withoutMinuteLimits)
})
afterAll(() => gateway.close())

const days = 86_400

async function setStatus(accountId: string, status: string): Promise<void> {
  await gateway.graphql(
    'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { id } }',
    { input: { id: accountId, status } },
  )
}

/** An app of a new account, with tokens of another. */
async function start(scope = fullScope) {
  const [app, owner] = await Promise.all([registerApp(gateway), gateway.createAccount()])
  return { app, owner, tokens: await authorize(gateway, app, { owner, scope }) }
}

/** Moves all that an app has back in time, but for access tokens. */
async function age(place: Pick<TestGateway, 'database'>, app: RegisteredApp, interval: string) {
  const values = [app.clientId, interval]
  await place.database.query(
    `UPDATE oauth.refresh_token r SET expires_at = r.expires_at - $2::interval,
       consumed_at = r.consumed_at - $2::interval, created_at = r.created_at - $2::interval
     FROM oauth.authorization_grant g WHERE g.id = r.grant_id AND g.client_id = $1`,
    values,
  )
  await place.database.query(
    `UPDATE oauth.authorization_grant SET expires_at = expires_at - $2::interval,
       created_at = created_at - $2::interval, auth_time = auth_time - $2::interval
     WHERE client_id = $1`,
    values,
  )
}

describe('POST /v1/oauth/token with a refresh token', () => {
  test('issues new tokens of each kind, and spends the old one (docs/oauth-rules.md 2, 3, 65, 68)', async () => {
    const { app, tokens } = await start()

    const response = await refresh(gateway.live, app, tokens.refreshToken)

    const secretOf = (kind: 'oat' | 'ort', old: string) =>
      expect.toSatisfy((text) => isOAuthSecret(text, 'svc', kind) && text !== old)
    expect([response.status, response.body]).toEqual([
      200,
      {
        access_token: secretOf('oat', tokens.accessToken),
        token_type: 'Bearer',
        expires_in: 3600,
        scope: fullScope,
        refresh_token: secretOf('ort', tokens.refreshToken),
        id_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      },
    ])
    expectStandardHeaders(response)
    expectNotStored(response)
    expect(response.headers.get('pragma')).toBe('no-cache')
    const alive = await aliveOf(gateway.live, app, tokensOf(response))
    expect(alive).toEqual(allAlive)
    expect(await familiesOf(gateway, app)).toEqual([
      {
        isAlive: true,
        because: null,
        codeIsConsumed: true,
        accessTokens: 2,
        refreshTokens: 2,
        consumedRefreshTokens: 1,
      },
    ])
  })

  test('rotates the token of every app, each time (docs/oauth-rules.md 68)', async () => {
    const owner = await gateway.createAccount()
    const app = await registerApp(gateway, { isPublic: true })
    const verifier = 'v'.repeat(43)
    let tokens: Tokens = await authorize(gateway, app, { owner, verifier })
    const seen = new Set([tokens.refreshToken])

    for (let round = 0; round < 5; round += 1) {
      tokens = tokensOf(await refresh(gateway.live, app, tokens.refreshToken))
      seen.add(tokens.refreshToken)
    }

    expect(seen.size).toBe(6)
    expect(await familiesOf(gateway, app)).toMatchObject([
      { isAlive: true, refreshTokens: 6, consumedRefreshTokens: 5 },
    ])
  })

  test('refuses another app, and changes nothing (docs/oauth-rules.md 67)', async () => {
    const { app, tokens } = await start()
    const thief = await registerApp(gateway, { developer: app.developer })
    const spent = tokens.refreshToken
    const next = tokensOf(await refresh(gateway.live, app, spent))

    for (const token of [spent, next.refreshToken]) {
      expectFailure(gateway, await refresh(gateway.live, thief, token), invalidGrant)
    }

    expect(await aliveOf(gateway.live, app, next)).toEqual(allAlive)
  })

  test('gives every unknown refresh token the same answer (docs/oauth-rules.md 67)', async () => {
    const { app, tokens } = await start()

    for (const token of [
      'svc_ort_unknown',
      tokens.code,
      tokens.accessToken,
      tokens.idToken,
      `${tokens.refreshToken}x`,
      sha256(tokens.refreshToken),
      app.developer.liveKey,
      app.secret ?? '',
      '\0',
      '\ud800',
      'x'.repeat(12_000),
    ]) {
      expectFailure(gateway, await refresh(gateway.live, app, token), invalidGrant)
    }

    expect(await aliveOf(gateway.live, app, tokens)).toEqual(allAlive)
  })

  test('ends the grant of a used token, and no other grant of the owner (docs/oauth-rules.md 69, 118)', async () => {
    const { app, owner, tokens } = await start()
    const other = await authorize(gateway, app, { owner })
    const second = tokensOf(await refresh(gateway.live, app, tokens.refreshToken))
    const third = tokensOf(await refresh(gateway.live, app, second.refreshToken))

    expectFailure(gateway, await refresh(gateway.live, app, tokens.refreshToken), invalidGrant)

    for (const dead of [tokens, second, third]) {
      expect(await aliveOf(gateway.live, app, dead)).toEqual(allDead)
    }
    expectFailure(gateway, await refresh(gateway.live, app, third.refreshToken), invalidGrant)
    expect(await aliveOf(gateway.live, app, other)).toEqual(allAlive)
    expect(await familiesOf(gateway, app)).toMatchObject([
      { isAlive: false, because: 'refresh_reuse' },
      { isAlive: true },
    ])
  })

  test('recognises a used token after its expiry, and while its owner is suspended (docs/oauth-rules.md 69)', async () => {
    const [late, suspended] = [await start(), await start()]
    const [latest, last] = await Promise.all(
      [late, suspended].map(async ({ app, tokens }) =>
        tokensOf(await refresh(gateway.live, app, tokens.refreshToken)),
      ),
    )
    await gateway.database.query(
      `UPDATE oauth.refresh_token SET expires_at = now() - interval '1 s' WHERE token_hash = $1`,
      [sha256(late.tokens.refreshToken)],
    )
    await setStatus(suspended.owner.id, 'SUSPENDED')

    for (const { app, tokens } of [late, suspended]) {
      expectFailure(gateway, await refresh(gateway.live, app, tokens.refreshToken), invalidGrant)
    }

    await setStatus(suspended.owner.id, 'ACTIVE')
    for (const [{ app }, tokens] of [
      [late, latest],
      [suspended, last],
    ] as const) {
      if (!tokens) throw new Error('Nothing was refreshed.')
      expect(await aliveOf(gateway.live, app, tokens)).toEqual(allDead)
    }
  })

  test('can narrow one access token; the grant keeps all scopes (docs/oauth-rules.md 70)', async () => {
    const { app, tokens } = await start()

    const narrow = await refresh(gateway.live, app, tokens.refreshToken, {
      scope: 'account:read account:read',
    })
    const whole = await refresh(gateway.live, app, tokensOf(narrow).refreshToken)

    const narrowed = tokensOf(narrow)
    expect(narrow.body).toEqual({
      access_token: narrowed.accessToken,
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'account:read',
      refresh_token: narrowed.refreshToken,
    })
    expect(Object(whole.body).scope).toBe(fullScope)
    expect(Object(whole.body).id_token).toEqual(expect.any(String))
    const { body } = await introspect(gateway.live, app, narrowed.accessToken)
    expect(Object(body).scope).toBe('account:read')
    expect((await gateway.live.get('/v1/oauth/userinfo', narrowed.accessToken)).status).toBe(403)
    expect((await gateway.live.get('/v1/account', narrowed.accessToken)).status).toBe(200)
  })

  test.each([
    `${fullScope} email`,
    'email',
    'openid contacts:write',
    'oauth:write',
    '*',
    'unknown',
    'openid  profile',
    ' openid',
    'openid ',
    'openid\tprofile',
    'openid,profile',
    'OPENID',
    'openid\0',
    '"openid"',
    'x'.repeat(9000),
    '__proto__',
  ])(
    'never grants more scopes, nor accepts malformed ones: %j (docs/oauth-rules.md 70)',
    async (scope) => {
      const { app, tokens } = await start()

      const response = await refresh(gateway.live, app, tokens.refreshToken, { scope })

      expectFailure(gateway, response, {
        error: 'invalid_scope',
        description: 'The grant does not cover this scope.',
      })
      // The refused request has not used up the token.
      expect((await refresh(gateway.live, app, tokens.refreshToken)).status).toBe(200)
    },
  )

  test('refuses a token after fourteen days without use (docs/oauth-rules.md 71)', async () => {
    const { app, tokens } = await start()
    const next = tokensOf(await refresh(gateway.live, app, tokens.refreshToken))
    const [left] = await gateway.database.query(
      `SELECT round(extract(epoch FROM expires_at - created_at))::int AS seconds
       FROM oauth.refresh_token WHERE token_hash = $1`,
      [sha256(next.refreshToken)],
    )
    await age(gateway, app, '13 days 23 hours 59 minutes')
    const fresh = tokensOf(await refresh(gateway.live, app, next.refreshToken))
    await age(gateway, app, '14 days')

    expectFailure(gateway, await refresh(gateway.live, app, fresh.refreshToken), invalidGrant)

    expect(left).toEqual({ seconds: 14 * days })
    expect(Object((await introspect(gateway.live, app, fresh.refreshToken)).body)).toEqual({
      active: false,
    })
    // An expired token is not a replay.
    expect(await familiesOf(gateway, app)).toMatchObject([{ isAlive: true }])
  })

  test('ends the grant after ninety days, however often it is used, with all its tokens (docs/oauth-rules.md 71)', async () => {
    const { app, tokens } = await start()
    let { refreshToken } = tokens
    for (let step = 0; step < 9; step += 1) {
      await age(gateway, app, '9 days 23 hours')
      ;({ refreshToken } = tokensOf(await refresh(gateway.live, app, refreshToken)))
    }
    // 90 days less 9 hours by now; ten minutes are left.
    await age(gateway, app, '8 hours 50 minutes')

    const last = await refresh(gateway.live, app, refreshToken)

    const { access_token, refresh_token, expires_in } = Object(last.body)
    expect(expires_in).toBeGreaterThan(500)
    expect(expires_in).toBeLessThanOrEqual(600)
    for (const token of [access_token, refresh_token]) {
      const { body } = await introspect(gateway.live, app, token)
      const { exp, iat } = Object(body)
      expect(exp - iat).toBeGreaterThan(500)
      expect(exp - iat).toBeLessThanOrEqual(601)
    }
    await age(gateway, app, '10 minutes')
    expect(
      await aliveOf(gateway.live, app, { accessToken: access_token, refreshToken: refresh_token }),
    ).toEqual(allDead)
    expectFailure(gateway, await refresh(gateway.live, app, refresh_token), invalidGrant)
  })

  test('is refused while the owner is suspended, until it is active again (docs/oauth-rules.md 73)', async () => {
    const { app, owner, tokens } = await start()
    expect(await aliveOf(gateway.live, app, tokens)).toEqual(allAlive)
    await setStatus(owner.id, 'SUSPENDED')

    expectFailure(gateway, await refresh(gateway.live, app, tokens.refreshToken), invalidGrant)

    expect(await aliveOf(gateway.live, app, tokens)).toEqual({ ...allDead, userinfo: 403 })
    await setStatus(owner.id, 'ACTIVE')
    expect(await aliveOf(gateway.live, app, tokens)).toEqual(allAlive)
    expect((await refresh(gateway.live, app, tokens.refreshToken)).status).toBe(200)
  })

  test('is refused for good after the account was closed (docs/oauth-rules.md 71, 73)', async () => {
    const { app, owner, tokens } = await start()
    expect(await aliveOf(gateway.live, app, tokens)).toEqual(allAlive)
    await setStatus(owner.id, 'CLOSED')

    expectFailure(gateway, await refresh(gateway.live, app, tokens.refreshToken), invalidGrant)

    expect(await aliveOf(gateway.live, app, tokens)).toEqual(allDead)
    await vi.waitFor(async () => {
      expect(await familiesOf(gateway, app)).toMatchObject([{ because: 'account_closed' }])
    }, patience)
    await setStatus(owner.id, 'ACTIVE')
    expect(await aliveOf(gateway.live, app, tokens)).toEqual(allDead)
    expectFailure(gateway, await refresh(gateway.live, app, tokens.refreshToken), invalidGrant)
  })

  test('is refused after the consent was withdrawn, but not after the approving key was revoked (docs/oauth-rules.md 71)', async () => {
    const { app, owner } = await start()
    const key = await gateway.createKey(owner.id)
    const byKey = await authorize(gateway, app, { owner: { ...owner, liveKey: key.plaintext } })
    await gateway.graphql('mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { id: key.id })

    const next = tokensOf(await refresh(gateway.live, app, byKey.refreshToken))
    await gateway.live.request(`/v1/oauth/consents/${app.clientId}`, {
      method: 'DELETE',
      key: owner.liveKey,
    })

    expectFailure(gateway, await refresh(gateway.live, app, next.refreshToken), invalidGrant)
    expect(await aliveOf(gateway.live, app, next)).toEqual(allDead)
  })

  test('is refused after a token of it was revoked (docs/oauth-rules.md 71)', async () => {
    const { app, tokens } = await start()
    await revoke(gateway.live, app, tokens.refreshToken)

    expectFailure(gateway, await refresh(gateway.live, app, tokens.refreshToken), invalidGrant)
  })

  test('records a replay in the audit trail of the account that granted (docs/oauth-rules.md 10, 118)', async () => {
    const { app, owner, tokens } = await start()
    const next = tokensOf(await refresh(gateway.live, app, tokens.refreshToken))
    const reuse = await refresh(gateway.live, app, tokens.refreshToken)
    const again = await refresh(gateway.live, app, tokens.refreshToken)
    const second = await authorize(gateway, app, { owner })
    const replay = await redeem(gateway.live, app, second.code)

    const lineOf = (requestId: string | null) =>
      gateway.database.query(
        `SELECT action, result, account_id, actor_kind, actor_id, resource_id, address, details
         FROM usage.audit_event WHERE request_id = $1`,
        [requestId],
      )
    const [line] = await vi.waitUntil(async () => {
      const lines = await lineOf(replay.headers.get('x-request-id'))
      return lines.length > 0 ? lines : null
    }, patience)
    const reused = await vi.waitUntil(async () => {
      const lines = await lineOf(reuse.headers.get('x-request-id'))
      return lines.length > 0 ? lines : null
    }, patience)

    const common = {
      result: 'succeeded',
      account_id: owner.id,
      actor_kind: 'oauth_client',
      actor_id: app.clientId,
      resource_id: expect.stringMatching(/^grant_/),
      address: '127.0.0.1',
      details: {},
    }
    expect(line).toEqual({ action: 'oauth.code_replay', ...common })
    expect(reused).toEqual([{ action: 'oauth.refresh_reuse', ...common }])
    // An ended grant cannot end again.
    expect(await lineOf(again.headers.get('x-request-id'))).toEqual([])
    expect(next.accessToken).not.toBe('')
  })
})

describe('OAUTH_REFRESH_GRACE_SECONDS=30', () => {
  let patient: TestGateway
  beforeAll(async () => {
    patient = await startTestGateway({
      ...withoutMinuteLimits,
      OAUTH_REFRESH_GRACE_SECONDS: '30',
    })
  })
  afterAll(() => patient.close())

  test('gives many tabs tokens of one grant; after the grace it is a replay (docs/oauth-rules.md 69)', async () => {
    const app = await registerApp(patient)
    const owner = await patient.createAccount()
    const first = await authorize(patient, app, { owner })

    const tabs = await Promise.all(
      Array.from({ length: 5 }, () => refresh(patient.live, app, first.refreshToken)),
    )
    // A busy machine has the rest of the 30 seconds for this call.
    await age(patient, app, '15 seconds')
    const inTime = tokensOf(await refresh(patient.live, app, first.refreshToken))

    const siblings = [...tabs.map(tokensOf), inTime]
    expect(new Set(siblings.map(({ refreshToken }) => refreshToken)).size).toBe(6)
    for (const tokens of siblings) {
      expect(await aliveOf(patient.live, app, tokens)).toEqual(allAlive)
    }
    expect(await familiesOf(patient, app)).toMatchObject([
      { isAlive: true, refreshTokens: 7, consumedRefreshTokens: 1 },
    ])
    // Counted from its first use, not from the last.
    await age(patient, app, '16 seconds')
    expectFailure(patient, await refresh(patient.live, app, first.refreshToken), invalidGrant)
    for (const tokens of siblings) {
      expect(await aliveOf(patient.live, app, tokens)).toEqual(allDead)
    }
  })

  test('gives codes no grace (docs/oauth-rules.md 63, 69)', async () => {
    const app = await registerApp(patient)
    const owner = await patient.createAccount()
    const code = await approve(patient, app, { owner })
    const tokens = tokensOf(await redeem(patient.live, app, code))

    expectFailure(patient, await redeem(patient.live, app, code), invalidGrant)

    expect(await aliveOf(patient.live, app, tokens)).toEqual(allDead)
  })

  test('reports a used token as inactive, with and without grace (docs/oauth-rules.md 96)', async () => {
    const app = await registerApp(patient)
    const first = await authorize(patient, app, { owner: await patient.createAccount() })
    await refresh(patient.live, app, first.refreshToken)

    const { body } = await introspect(patient.live, app, first.refreshToken)

    expect(body).toEqual({ active: false })
  })
})
