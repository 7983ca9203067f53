import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isOAuthSecret } from '../../../../schema/credentials/oauth-secret-format.ts'
import { sha256 } from '../../../../schema/credentials/secrets.ts'
import { dumpDatabase } from '../../../support/database/database-dump.ts'
import { chosen } from '../../../support/extent/extent.ts'
import { expectError, expectStandardHeaders } from '../../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts'
import {
  aliveOf,
  allAlive,
  allDead,
  approve,
  authorize,
  credentialsOf,
  encodeForm,
  expectFailure,
  expectNotStored,
  type Form,
  familiesOf,
  formType,
  fullScope,
  invalidGrant,
  newVerifier,
  postForm,
  type RegisteredApp,
  redeem,
  redirectUri,
  refresh,
  registerApp,
  tokensOf,
  withoutMinuteLimits,
} from '../../../support/oauth/oauth-flow.ts'
import { findForms } from '../../../support/requests/needles.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway(withoutMinuteLimits)
})
afterAll(() => gateway.close())

const path = '/v1/oauth/token'

async function setStatus(accountId: string, status: 'ACTIVE' | 'SUSPENDED') {
  await gateway.graphql(
    'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { id } }',
    { input: { id: accountId, status } },
  )
}

/** Moves everything of an app's grants back in time. */
async function age({ clientId }: RegisteredApp, interval: string): Promise<void> {
  await gateway.database.query(
    `UPDATE oauth.authorization_code c SET expires_at = c.expires_at - $2::interval,
       consumed_at = c.consumed_at - $2::interval
     FROM oauth.authorization_grant g WHERE g.id = c.grant_id AND g.client_id = $1`,
    [clientId, interval],
  )
}

async function expectUnspent(app: RegisteredApp, code: string, form: Form = {}): Promise<void> {
  expect(await familiesOf(gateway, app)).toMatchObject([{ isAlive: true, codeIsConsumed: false }])
  expect((await redeem(gateway.live, app, code, form)).status).toBe(200)
}

describe('POST /v1/oauth/token with a code', () => {
  const secretOf = (kind: 'oat' | 'ort') =>
    expect.toSatisfy((text) => isOAuthSecret(text, 'svc', kind))
  const jwt = expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/)

  test.each([
    { scope: 'openid', has: ['id_token'] },
    { scope: 'account:read', has: [] },
    { scope: 'account:read offline_access', has: ['refresh_token'] },
    { scope: 'offline_access openid profile', has: ['id_token', 'refresh_token'] },
  ])(
    '$scope issues an access token and $has (docs/oauth-rules.md 2, 3, 65, 66)',
    async ({ scope, has }) => {
      const app = await registerApp(gateway)
      const code = await approve(gateway, app, { owner: await gateway.createAccount(), scope })

      const response = await redeem(gateway.live, app, code)

      expect([response.status, response.body]).toEqual([
        200,
        {
          access_token: secretOf('oat'),
          token_type: 'Bearer',
          expires_in: 3600,
          scope,
          ...(has.includes('id_token') ? { id_token: jwt } : {}),
          ...(has.includes('refresh_token') ? { refresh_token: secretOf('ort') } : {}),
        },
      ])
      expectStandardHeaders(response)
      expectNotStored(response)
      expect(response.headers.get('pragma')).toBe('no-cache')
      expect(response.headers.get('www-authenticate')).toBeNull()
      expect(await familiesOf(gateway, app)).toEqual([
        {
          isAlive: true,
          because: null,
          codeIsConsumed: true,
          accessTokens: 1,
          refreshTokens: has.includes('refresh_token') ? 1 : 0,
          consumedRefreshTokens: 0,
        },
      ])
    },
  )

  test('issues no refresh token for offline_access to an app without the refresh grant (docs/oauth-rules.md 66)', async () => {
    const app = await registerApp(gateway, { grantTypes: ['authorization_code'] })
    const owner = await gateway.createAccount()

    const response = await redeem(gateway.live, app, await approve(gateway, app, { owner }))

    expect(Object.keys(Object(response.body)).sort()).toEqual(
      ['access_token', 'expires_in', 'id_token', 'scope', 'token_type'].sort(),
    )
    expect(await familiesOf(gateway, app)).toMatchObject([{ refreshTokens: 0 }])
  })

  test('stores hashes only, in every table and log (docs/oauth-rules.md 10, 74)', async () => {
    const app = await registerApp(gateway)
    const verifier = newVerifier()
    const owner = await gateway.createAccount()
    const tokens = await authorize(gateway, app, { owner, verifier })
    const next = tokensOf(await refresh(gateway.live, app, tokens.refreshToken))
    await redeem(gateway.live, app, tokens.code, { code_verifier: verifier })

    const dump = [...(await dumpDatabase(gateway.database)).values()].flat().join('\n')

    const secrets = [tokens.code, tokens.accessToken, tokens.refreshToken, next.accessToken]
    secrets.push(next.refreshToken, app.secret ?? '', verifier)
    expect(secrets.map((secret) => findForms(dump, secret))).toEqual(secrets.map(() => []))
    for (const secret of secrets.slice(0, 6)) expect(dump).toContain(sha256(secret))
    for (const secret of secrets.slice(0, 6)) {
      expect(secret).toMatch(/^svc_(oac|oat|ort|ocs)_[A-Za-z0-9_-]{43}$/)
    }
    expect(new Set(secrets).size).toBe(7)
  })

  test('issues codes and id tokens that are not accepted as access tokens (docs/oauth-rules.md 20, 91)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    const { code, idToken, refreshToken } = await authorize(gateway, app, { owner })

    for (const token of [code, idToken, refreshToken]) {
      expect((await gateway.live.get('/v1/oauth/userinfo', token)).status).toBe(401)
      expect((await gateway.live.get('/v1/account', token)).status).toBe(401)
    }
  })

  test('gives every mismatch the same answer, and spends nothing (docs/oauth-rules.md 58)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    const verifier = newVerifier()
    const code = await approve(gateway, app, { owner, verifier })
    const good = { code_verifier: verifier }

    const mismatches: Form[] = [
      { ...good, code: 'svc_oac_unknown' },
      { ...good, code: `${code}x` },
      { ...good, code: code.toUpperCase() },
      { ...good, code: `\0${code}` },
      { ...good, code: 'x'.repeat(12_000) },
      { ...good, code: sha256(code) },
      { ...good, code: "' OR true --" },
      { ...good, code: '😀' },
      { ...good, redirect_uri: `${redirectUri}/` },
      { ...good, redirect_uri: `${redirectUri}?` },
      { ...good, redirect_uri: 'https://client.example:443/callback' },
      { ...good, redirect_uri: 'https://CLIENT.example/callback' },
      { ...good, redirect_uri: 'https://client.example/%63allback' },
      { ...good, redirect_uri: 'https://attacker.example/callback' },
      { ...good, redirect_uri: 'x'.repeat(9000) },
      { ...good, redirect_uri: 'not a uri\0' },
    ]
    for (const form of mismatches) {
      expectFailure(gateway, await redeem(gateway.live, app, code, form), invalidGrant)
    }

    await expectUnspent(app, code, good)
  })

  test('lets no other app redeem a code, spend it or end its grant (docs/oauth-rules.md 59, 100)', async () => {
    const developer = await gateway.createAccount()
    const [app, thief, open] = await Promise.all([
      registerApp(gateway, { developer }),
      registerApp(gateway, { developer }),
      registerApp(gateway, { developer, isPublic: true }),
    ])
    const owner = await gateway.createAccount()
    const code = await approve(gateway, app, { owner })

    for (const other of [thief, open]) {
      expectFailure(gateway, await redeem(gateway.live, other, code), invalidGrant)
    }
    const tokens = tokensOf(await redeem(gateway.live, app, code))
    for (const other of [thief, open]) {
      expectFailure(gateway, await redeem(gateway.live, other, code), invalidGrant)
    }

    expect(await aliveOf(gateway.live, app, tokens)).toEqual(allAlive)
    expect(await familiesOf(gateway, thief)).toEqual([])
  })

  test('requires the verifier of a bound challenge, and a wrong one does not spend the code (docs/oauth-rules.md 60)', async () => {
    const app = await registerApp(gateway)
    const verifier = newVerifier()
    const code = await approve(gateway, app, { owner: await gateway.createAccount(), verifier })

    const wrong = [
      undefined,
      '',
      newVerifier(),
      verifier.slice(0, -1),
      `${verifier}A`,
      verifier.slice(0, 42),
      'a'.repeat(42),
      'a'.repeat(129),
      'a'.repeat(10_000),
      `${verifier.slice(0, -1)}=`,
      `${verifier.slice(0, -1)}+`,
      `${verifier.slice(0, -1)}é`,
      `${verifier} `,
      `${verifier}\n`,
      `${verifier}\0`,
      ` ${verifier}`,
    ]
    for (const code_verifier of wrong) {
      const response = await redeem(gateway.live, app, code, { code_verifier })
      expectFailure(gateway, response, invalidGrant)
    }

    await expectUnspent(app, code, { code_verifier: verifier })
  })

  test.each([43, 64, 128])(
    'accepts a verifier of %i characters (docs/oauth-rules.md 60)',
    async (length) => {
      const app = await registerApp(gateway, { isPublic: true })
      const verifier = `-._~${newVerifier().repeat(4)}`.slice(0, length)
      const code = await approve(gateway, app, { owner: await gateway.createAccount(), verifier })

      const response = await redeem(gateway.live, app, code, { code_verifier: verifier })

      expect(response.status).toBe(200)
    },
  )

  test('refuses the challenge itself as verifier (docs/oauth-rules.md 60)', async () => {
    const app = await registerApp(gateway, { isPublic: true })
    const owner = await gateway.createAccount()
    const verifier = newVerifier()
    const code = await approve(gateway, app, { owner, verifier })
    const [row] = await gateway.database.query<{ code_challenge: string }>(
      'SELECT code_challenge FROM oauth.authorization_code WHERE code_hash = $1',
      [sha256(code)],
    )

    const response = await redeem(gateway.live, app, code, { code_verifier: row?.code_challenge })

    expectFailure(gateway, response, invalidGrant)
    await expectUnspent(app, code, { code_verifier: verifier })
  })

  test('refuses a verifier when no challenge was bound (docs/oauth-rules.md 61)', async () => {
    const app = await registerApp(gateway)
    const code = await approve(gateway, app, { owner: await gateway.createAccount() })

    for (const code_verifier of [newVerifier(), 'short']) {
      const response = await redeem(gateway.live, app, code, { code_verifier })
      expectFailure(gateway, response, invalidGrant)
    }

    await expectUnspent(app, code)
  })

  test('ends all tokens of a code that is replayed, and nothing else (docs/oauth-rules.md 62, 118)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    const first = await authorize(gateway, app, { owner })
    const second = await authorize(gateway, app, { owner })
    const next = tokensOf(await refresh(gateway.live, app, first.refreshToken))
    expect(await aliveOf(gateway.live, app, next)).toEqual(allAlive)

    const replayed = await redeem(gateway.live, app, first.code)

    expectFailure(gateway, replayed, invalidGrant)
    expect(await aliveOf(gateway.live, app, first)).toEqual(allDead)
    expect(await aliveOf(gateway.live, app, next)).toEqual(allDead)
    for (const token of [first.refreshToken, next.refreshToken]) {
      expectFailure(gateway, await refresh(gateway.live, app, token), invalidGrant)
    }
    expect(await aliveOf(gateway.live, app, second)).toEqual(allAlive)
    expect(await familiesOf(gateway, app)).toMatchObject([
      { isAlive: false, because: 'code_replay' },
      { isAlive: true, because: null },
    ])
  })

  test('recognises a replay long after the code has expired (docs/oauth-rules.md 62)', async () => {
    const app = await registerApp(gateway)
    const tokens = await authorize(gateway, app, { owner: await gateway.createAccount() })
    await age(app, '80 days')

    expectFailure(gateway, await redeem(gateway.live, app, tokens.code), invalidGrant)

    expect(await aliveOf(gateway.live, app, tokens)).toEqual(allDead)
  })

  test('ends the grant of a replayed code also while its owner is suspended (docs/oauth-rules.md 62, 73)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    const tokens = await authorize(gateway, app, { owner })
    await setStatus(owner.id, 'SUSPENDED')

    expectFailure(gateway, await redeem(gateway.live, app, tokens.code), invalidGrant)

    await setStatus(owner.id, 'ACTIVE')
    expect(await aliveOf(gateway.live, app, tokens)).toEqual(allDead)
  })

  test('does not count a request with other mismatches as a replay (docs/oauth-rules.md 58, 62)', async () => {
    const app = await registerApp(gateway)
    const verifier = newVerifier()
    const owner = await gateway.createAccount()
    const tokens = await authorize(gateway, app, { owner, verifier })

    for (const form of [
      { code_verifier: newVerifier() },
      {},
      { code_verifier: verifier, redirect_uri: 'https://other.example/' },
    ]) {
      expectFailure(gateway, await redeem(gateway.live, app, tokens.code, form), invalidGrant)
    }

    expect(await aliveOf(gateway.live, app, tokens)).toEqual(allAlive)
  })

  test('refuses a code after a minute (docs/oauth-rules.md 64)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    const code = await approve(gateway, app, { owner })
    const [kept] = await gateway.database.query(
      `SELECT c.expires_at - g.created_at <= interval '61 s' AS "isShort"
       FROM oauth.authorization_code c JOIN oauth.authorization_grant g ON g.id = c.grant_id
       WHERE c.code_hash = $1`,
      [sha256(code)],
    )
    await age(app, '60 seconds')

    expectFailure(gateway, await redeem(gateway.live, app, code), invalidGrant)

    expect(kept).toEqual({ isShort: true })
    expect(await familiesOf(gateway, app)).toMatchObject([
      { isAlive: true, codeIsConsumed: false, accessTokens: 0 },
    ])
  })

  test('issues nothing for the code of a suspended account until it is active again (docs/oauth-rules.md 73)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    const code = await approve(gateway, app, { owner })
    await setStatus(owner.id, 'SUSPENDED')

    expectFailure(gateway, await redeem(gateway.live, app, code), invalidGrant)

    await setStatus(owner.id, 'ACTIVE')
    await expectUnspent(app, code)
  })

  test('issues nothing for a suspended app, or for an app of a suspended account (docs/oauth-rules.md 18, 51)', async () => {
    const [app, orphan] = await Promise.all([registerApp(gateway), registerApp(gateway)])
    const owner = await gateway.createAccount()
    const codes = await Promise.all([app, orphan].map((one) => approve(gateway, one, { owner })))
    await gateway.live.request(`/v1/oauth/apps/${app.clientId}`, {
      method: 'DELETE',
      key: app.developer.liveKey,
    })
    await setStatus(orphan.developer.id, 'SUSPENDED')

    for (const [index, one] of [app, orphan].entries()) {
      const response = await redeem(gateway.live, one, codes[index] ?? '')
      expectFailure(gateway, response, {
        error: 'invalid_client',
        description: 'Client authentication failed.',
      })
    }
  })

  test('issues tokens for this API and no other (docs/oauth-rules.md 39)', async () => {
    const app = await registerApp(gateway)
    const code = await approve(gateway, app, { owner: await gateway.createAccount() })

    for (const resource of ['https://other.example', 'x', `${gateway.baseUrl}/v2`]) {
      const response = await redeem(gateway.live, app, code, { resource })
      expectFailure(gateway, response, {
        error: 'invalid_target',
        description: `The resource can only be ${gateway.baseUrl}/v1.`,
      })
    }

    await expectUnspent(app, code, { resource: `${gateway.baseUrl}/v1` })
  })

  test('keeps live and sandbox separate (docs/oauth-rules.md 1)', async () => {
    const [developer, owner] = [await gateway.createAccount(), await gateway.createAccount()]
    const client = gateway.sandbox
    const app = await registerApp(gateway, { developer, client })
    const code = await approve(gateway, app, { owner, client })

    const live = await redeem(gateway.live, app, code)

    expect([live.status, Object(live.body).error]).toEqual([401, 'invalid_client'])
    const tokens = tokensOf(await redeem(client, app, code))
    expect(await aliveOf(client, app, tokens)).toEqual(allAlive)
    expect((await gateway.live.get('/v1/oauth/userinfo', tokens.accessToken)).status).toBe(401)
  })
})

describe('POST /v1/oauth/token', () => {
  const issue = (field: string, message = 'is required') =>
    ({ field, in: 'body', message }) as const

  const otherGrantTypes = [
    'password',
    'implicit',
    'client_credentials',
    'AUTHORIZATION_CODE',
    'authorization_code ',
    'urn:ietf:params:oauth:grant-type:jwt-bearer',
    'urn:ietf:params:oauth:grant-type:device_code',
    'urn:ietf:params:oauth:grant-type:token-exchange',
    '__proto__',
    'constructor',
    'toString',
    'x'.repeat(2000),
    'a\0b',
    '😀',
  ]
  test.each(chosen('grant type', otherGrantTypes, 4))(
    'refuses the grant type %j (docs/oauth-rules.md 56)',
    async (grant_type) => {
      const app = await registerApp(gateway)

      const response = await postForm(gateway.live, path, { grant_type, ...credentialsOf(app) })

      expectFailure(gateway, response, {
        error: 'unsupported_grant_type',
        description: 'This grant type is not offered.',
      })
    },
  )

  test('refuses a grant type that the app has not registered (docs/oauth-rules.md 56)', async () => {
    const app = await registerApp(gateway, { grantTypes: ['authorization_code'] })

    const response = await refresh(gateway.live, app, 'svc_ort_any')

    expectFailure(gateway, response, {
      error: 'unauthorized_client',
      description: 'This app is not registered for the grant type.',
    })
  })

  const everything = {
    client_id: 'app_none',
    client_secret: 'svc_ocs_none',
    redirect_uri: redirectUri,
    code: 'svc_oac_none',
    refresh_token: 'svc_ort_none',
  }
  const code = { ...everything, grant_type: 'authorization_code' }

  test.each([
    ['nothing', '', [issue('client_id'), issue('grant_type')]],
    ['unknown fields', 'a=1&b=2', [issue('client_id'), issue('grant_type')]],
    ['an empty grant_type', encodeForm({ ...code, grant_type: '' }), [issue('grant_type')]],
    ['no grant_type', encodeForm(everything), [issue('grant_type')]],
    ['no client_id', encodeForm({ ...code, client_id: undefined }), [issue('client_id')]],
    ['an empty client_id', encodeForm({ ...code, client_id: '' }), [issue('client_id')]],
    ['no code', encodeForm({ ...code, code: undefined }), [issue('code')]],
    ['an empty code', encodeForm({ ...code, code: '' }), [issue('code')]],
    [
      'neither code nor redirect_uri nor client',
      'grant_type=authorization_code&redirect_uri=',
      [issue('client_id'), issue('code'), issue('redirect_uri')],
    ],
    [
      'no refresh_token',
      encodeForm({ ...everything, grant_type: 'refresh_token', refresh_token: '' }),
      [issue('refresh_token')],
    ],
    ['names without values', 'grant_type&code&', [issue('client_id'), issue('grant_type')]],
  ])('refuses %s (docs/oauth-rules.md 4, 56, 57)', async (_what, form, details) => {
    const response = await postForm(gateway.live, path, form)

    expectError(gateway, response, { status: 422, code: 'INVALID_REQUEST', details })
    expectNotStored(response)
    expect(response.headers.get('pragma')).toBe('no-cache')
    expect(response.headers.get('www-authenticate')).toBeNull()
  })

  const names = [
    'grant_type',
    'code',
    'redirect_uri',
    'client_id',
    'client_secret',
    'code_verifier',
    'refresh_token',
    'scope',
    'resource',
    'unknown',
    '__proto__',
    'constructor',
  ]
  test.each(chosen('a name twice', names, 3))(
    'refuses %s twice (docs/oauth-rules.md 4)',
    async (name) => {
      const twice = `${encodeForm({ ...code, [name]: 'a' })}&${name}=`

      const response = await postForm(gateway.live, path, twice)

      expectError(gateway, response, {
        status: 422,
        code: 'INVALID_REQUEST',
        details: [issue(name, 'must be sent once')],
      })
    },
  )

  test('names a repeated parameter once (docs/oauth-rules.md 4)', async () => {
    const response = await postForm(gateway.live, path, 'a=1&b=1&a=2&a=3&b=2&c=1&a=4')

    expectError(gateway, response, {
      status: 422,
      code: 'INVALID_REQUEST',
      details: [issue('a', 'must be sent once'), issue('b', 'must be sent once')],
    })
  })

  test('ignores unknown parameters, whatever their name (docs/oauth-rules.md 4)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    const spent = await approve(gateway, app, { owner })

    const response = await redeem(gateway.live, app, spent, {
      ['__proto__']: 'x',
      constructor: 'x',
      hasOwnProperty: 'x',
      'code[]': 'x',
      'a[b]': 'x',
      audience: 'x',
      '': 'x',
      scope: '',
    })

    expect([response.status, Object(response.body).scope]).toEqual([200, fullScope])
  })

  test('ignores parameters in the query (docs/oauth-rules.md 5)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    const fresh = await approve(gateway, app, { owner })
    const form = { grant_type: 'authorization_code', redirect_uri: redirectUri }
    const inAddress = `${path}?${encodeForm({ ...form, code: fresh, ...credentialsOf(app) })}`

    const bare = await postForm(gateway.live, inAddress, '')
    const half = await postForm(gateway.live, inAddress, { ...form, ...credentialsOf(app) })
    const whole = await postForm(gateway.live, `${path}?client_secret=wrong&code=wrong&x=1&x=2`, {
      ...form,
      code: fresh,
      ...credentialsOf(app),
    })

    expectError(gateway, bare, {
      status: 422,
      code: 'INVALID_REQUEST',
      details: [issue('client_id'), issue('grant_type')],
    })
    expectError(gateway, half, { status: 422, code: 'INVALID_REQUEST', details: [issue('code')] })
    expect(whole.status).toBe(200)
  })

  test.each([
    'application/json',
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencodedx',
    '',
  ])('refuses a body of type %j (docs/oauth-rules.md 5)', async (type) => {
    const body = type === 'application/json' ? JSON.stringify(code) : encodeForm(code)

    const response = await postForm(gateway.live, path, body, { 'content-type': type })

    expectError(gateway, response, {
      status: 415,
      code: 'UNSUPPORTED_MEDIA_TYPE',
      message: `Send the body as ${formType}.`,
    })
    expect(response.headers.get('pragma')).toBe('no-cache')
  })

  test('accepts a charset in the media type, in any case (docs/oauth-rules.md 5)', async () => {
    const app = await registerApp(gateway)
    const form = { grant_type: 'refresh_token', refresh_token: 'x', ...credentialsOf(app) }

    for (const type of [`${formType}; charset=UTF-8`, formType.toUpperCase()]) {
      const response = await postForm(gateway.live, path, form, { 'content-type': type })
      expectFailure(gateway, response, invalidGrant)
    }
  })

  test('accepts up to 16 KiB (docs/oauth-rules.md 4)', async () => {
    const app = await registerApp(gateway)
    const form = { grant_type: 'refresh_token', refresh_token: 'x', ...credentialsOf(app) }
    const room = 16 * 1024 - encodeForm(form).length - '&padding='.length

    const full = await postForm(gateway.live, path, { ...form, padding: 'x'.repeat(room) })
    const over = await postForm(gateway.live, path, { ...form, padding: 'x'.repeat(room + 1) })

    expectFailure(gateway, full, invalidGrant)
    expectError(gateway, over, {
      status: 413,
      code: 'PAYLOAD_TOO_LARGE',
      message: 'The body exceeds 16 KiB.',
    })
  })

  test.each(['GET', 'PUT', 'PATCH', 'DELETE'])(
    'refuses %s (docs/oauth-rules.md 6)',
    async (method) => {
      const response = await gateway.live.request(`${path}?grant_type=refresh_token`, { method })

      expectError(gateway, response, {
        status: 405,
        code: 'METHOD_NOT_ALLOWED',
        message: `${method} is not possible here; POST is.`,
      })
      expect(response.headers.get('allow')).toBe('POST')
      expectNotStored(response)
      expect(response.headers.get('pragma')).toBe('no-cache')
    },
  )
})
