import { decodeJwt, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  newOAuthSecret,
  type OAuthSecretKind,
} from '../../../../schema/credentials/oauth-secret-format.ts'
import { sha256 } from '../../../../schema/credentials/secrets.ts'
import { expectError, expectStandardHeaders } from '../../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../../support/gateway/gateway.ts'
import {
  aliveOf,
  allDead,
  approve,
  authorize,
  basicOf,
  credentialsOf,
  expectFailure,
  expectNotStored,
  fullScope,
  introspect,
  invalidClient,
  newVerifier,
  postForm,
  type RegisteredApp,
  redeem,
  refresh,
  registerApp,
  type Tokens,
  tokensOf,
  withoutMinuteLimits,
} from '../../../support/oauth/oauth-flow.ts'
import type { TestResponse } from '../../../support/requests/client.ts'
import { patience } from '../../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway(withoutMinuteLimits)
})
afterAll(() => gateway.close())

const path = '/v1/oauth/introspect'

async function start(scope = fullScope) {
  const [app, owner] = await Promise.all([registerApp(gateway), gateway.createAccount()])
  return { app, owner, tokens: await authorize(gateway, app, { owner, scope }) }
}

function expectInactive(response: TestResponse): void {
  expect([response.status, response.body]).toEqual([200, { active: false }])
  expectStandardHeaders(response)
  expectNotStored(response)
  expect(response.headers.get('www-authenticate')).toBeNull()
}

interface Lifetime {
  readonly iat: number
  readonly exp: number
}

async function lifetimeOf(table: string, token: string): Promise<Lifetime> {
  const [row] = await gateway.database.query<Lifetime>(
    `SELECT floor(extract(epoch FROM created_at))::int AS iat,
       floor(extract(epoch FROM expires_at))::int AS exp
     FROM oauth.${table} WHERE token_hash = $1`,
    [sha256(token)],
  )
  if (!row) throw new Error('No such token is stored.')
  return row
}

describe('POST /v1/oauth/introspect', () => {
  test('describes an active token completely, and its owner not at all (docs/oauth-rules.md 1, 2, 96)', async () => {
    const { app, owner, tokens } = await start()

    const access = await introspect(gateway.live, app, tokens.accessToken)
    const refreshed = await introspect(gateway.live, app, tokens.refreshToken)

    const common = {
      active: true,
      scope: fullScope,
      client_id: app.clientId,
      sub: owner.id,
      aud: app.clientId,
      iss: `${gateway.baseUrl}/v1`,
    }
    expect([access.status, access.body]).toEqual([
      200,
      {
        ...common,
        token_type: 'Bearer',
        ...(await lifetimeOf('access_token', tokens.accessToken)),
      },
    ])
    expect([refreshed.status, refreshed.body]).toEqual([
      200,
      { ...common, ...(await lifetimeOf('refresh_token', tokens.refreshToken)) },
    ])
    for (const response of [access, refreshed]) {
      expectStandardHeaders(response)
      expectNotStored(response)
    }
    const { iat, exp } = await lifetimeOf('access_token', tokens.accessToken)
    expect([3599, 3600]).toContain(exp - iat)
  })

  test.each([
    'access_token',
    'refresh_token',
    'unknown',
    'id_token',
    '__proto__',
    '',
    'x'.repeat(5000),
  ])('ignores the hint %j (docs/oauth-rules.md 98)', async (token_type_hint) => {
    const { app, tokens } = await start()

    for (const token of [tokens.accessToken, tokens.refreshToken]) {
      const hinted = await introspect(gateway.live, app, token, { token_type_hint })
      const plain = await introspect(gateway.live, app, token)

      expect(hinted.body).toEqual(plain.body)
      expect(Object(plain.body).active).toBe(true)
    }
    expectInactive(await introspect(gateway.live, app, 'unknown', { token_type_hint }))
  })

  test('answers only the app that has the token, and only with its secret (docs/oauth-rules.md 93, 94)', async () => {
    const { app, owner, tokens } = await start()
    const { developer } = app
    const [sibling, stranger, open] = await Promise.all([
      registerApp(gateway, { developer }),
      registerApp(gateway),
      registerApp(gateway, { developer, isPublic: true }),
    ])
    const verifier = newVerifier()
    const own = await authorize(gateway, open, { owner, verifier })

    for (const token of [tokens.accessToken, tokens.refreshToken, own.accessToken]) {
      for (const other of [sibling, stranger]) {
        expectInactive(await introspect(gateway.live, other, token))
      }
      expectFailure(gateway, await introspect(gateway.live, open, token), invalidClient)
      expectFailure(
        gateway,
        await introspect(gateway.live, app, token, { client_secret: 'x' }),
        invalidClient,
      )
      expectFailure(gateway, await postForm(gateway.live, path, { token }), invalidClient)
    }
    expectInactive(await introspect(gateway.live, app, own.accessToken))
  })

  test('requires one token in the body (docs/oauth-rules.md 5, 97, 99)', async () => {
    const app = await registerApp(gateway)
    const credentials = credentialsOf(app)
    const cases = [
      ['', 'is required'],
      ['token=', 'is required'],
      ['token=a&token=b', 'must be sent once'],
      ['token=&token=', 'must be sent once'],
    ] as const

    for (const [form, message] of cases) {
      const response = await postForm(
        gateway.live,
        `${path}?token=x`,
        form,
        basicOf(app.clientId, app.secret ?? ''),
      )
      expectError(gateway, response, {
        status: 422,
        code: 'INVALID_REQUEST',
        details: [{ field: 'token', in: 'body', message }],
      })
      expectNotStored(response)
    }
    expect(credentials.client_id).toBe(app.clientId)
  })

  test.each(['GET', 'PUT', 'DELETE'])('refuses %s (docs/oauth-rules.md 6)', async (method) => {
    const response = await gateway.live.request(path, { method })

    expectError(gateway, response, { status: 405, code: 'METHOD_NOT_ALLOWED' })
    expect(response.headers.get('allow')).toBe('POST')
    expectNotStored(response)
  })

  test('does not accept an API key as an app (docs/oauth-rules.md 53, 93)', async () => {
    const { app, tokens } = await start()

    for (const form of [{}, { client_id: app.clientId }]) {
      const response = await postForm(
        gateway.live,
        path,
        { token: tokens.accessToken, ...form },
        { authorization: `Bearer ${app.developer.liveKey}` },
      )
      expectError(gateway, response, {
        status: 422,
        code: 'INVALID_REQUEST',
        details: [
          {
            field: 'Authorization',
            in: 'header',
            message: 'must be Basic with client_id and client_secret',
          },
        ],
      })
    }
  })
})

interface Known {
  readonly app: RegisteredApp
  readonly owner: TestAccount
  readonly tokens: Tokens & { readonly code: string }
  readonly freshCode: string
}

type Forge = (known: Known) => string | Promise<string>

const other: Readonly<Record<OAuthSecretKind, string>> = {
  oac: newOAuthSecret('svc', 'oac'),
  oat: newOAuthSecret('svc', 'oat'),
  ort: newOAuthSecret('svc', 'ort'),
  ocs: newOAuthSecret('svc', 'ocs'),
  osn: newOAuthSecret('svc', 'osn'),
  opl: newOAuthSecret('svc', 'opl'),
  ohc: newOAuthSecret('svc', 'ohc'),
  olk: newOAuthSecret('svc', 'olk'),
  ops: newOAuthSecret('svc', 'ops'),
  oak: newOAuthSecret('svc', 'oak'),
  opk: newOAuthSecret('svc', 'opk'),
}

function flipped(token: string, index: number): string {
  const at = index < 0 ? token.length + index : index
  return token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
}

const key = new TextEncoder().encode('a key of thirty-two bytes or more')

const forgeries: Readonly<Record<string, Forge>> = {
  'an access token that was never issued': () => other.oat,
  'a refresh token that was never issued': () => other.ort,
  'a code that was never issued': () => other.oac,
  'a session that was never opened': () => other.osn,
  'a portal link that was never made': () => other.opl,
  'a handover that was never made': () => other.ohc,
  'an operator’s link that was never made': () => other.olk,
  'an operator’s session that was never opened': () => other.ops,
  'its first random character changed': ({ tokens }) => flipped(tokens.accessToken, 8),
  'its last character changed': ({ tokens }) => flipped(tokens.accessToken, -1),
  'a refresh token with its last character changed': ({ tokens }) =>
    flipped(tokens.refreshToken, -1),
  'one character less': ({ tokens }) => tokens.accessToken.slice(0, -1),
  'one character more': ({ tokens }) => `${tokens.accessToken}A`,
  'a space before': ({ tokens }) => ` ${tokens.accessToken}`,
  'a space behind': ({ tokens }) => `${tokens.accessToken} `,
  'a line behind': ({ tokens }) => `${tokens.accessToken}\n`,
  'NUL behind': ({ tokens }) => `${tokens.accessToken}\0`,
  'NUL alone': () => '\0',
  'half of a surrogate pair': () => '\ud800',
  'in upper case': ({ tokens }) => tokens.accessToken.toUpperCase(),
  'without its prefix': ({ tokens }) => tokens.accessToken.slice('svc_oat_'.length),
  'with the prefix of a refresh token': ({ tokens }) =>
    tokens.accessToken.replace('_oat_', '_ort_'),
  'with the prefix of another service': ({ tokens }) => tokens.accessToken.replace('svc', 'abc'),
  'with Bearer before it': ({ tokens }) => `Bearer ${tokens.accessToken}`,
  'two tokens': ({ tokens }) => `${tokens.accessToken} ${tokens.refreshToken}`,
  'percent-encoded twice': ({ tokens }) => tokens.accessToken.replaceAll('_', '%5F'),
  'its hash, as it is stored': ({ tokens }) => sha256(tokens.accessToken),
  'its hash in upper case': ({ tokens }) => sha256(tokens.accessToken).toUpperCase(),
  'base64 of it': ({ tokens }) => Buffer.from(tokens.accessToken).toString('base64'),
  'the code, redeemed': ({ tokens }) => tokens.code,
  'a code that is fresh': ({ freshCode }) => freshCode,
  'the secret of the app': ({ app }) => app.secret ?? '',
  'the id of the app': ({ app }) => app.clientId,
  'the id of the account': ({ owner }) => owner.id,
  "the owner's API key": ({ owner }) => owner.liveKey,
  "the owner's sandbox key": ({ owner }) => owner.sandboxKey,
  "the developer's API key": ({ app }) => app.developer.liveKey,
  'the id token': ({ tokens }) => tokens.idToken,
  'an unsigned JWT': ({ tokens }) => new UnsecuredJWT(decodeJwt(tokens.idToken)).encode(),
  'a JWT signed by somebody else': ({ tokens }) =>
    new SignJWT(decodeJwt(tokens.idToken))
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
      .sign(key),
  'a statement': () => "' OR '1'='1",
  'a pattern': () => '%',
  'a wildcard': () => '*',
  null: () => 'null',
  undefined: () => 'undefined',
  JSON: () => '{"active":true}',
  'an emoji': () => '🔑',
  'fifteen thousand characters': () => 'x'.repeat(15_000),
}

describe('POST /v1/oauth/introspect of an unknown token', () => {
  let known: Known
  beforeAll(async () => {
    const { app, owner, tokens } = await start()
    known = { app, owner, tokens, freshCode: await approve(gateway, app, { owner }) }
  })

  interface LastUse {
    readonly id: string
    readonly last_used_at: Date | null
  }

  const lastUses = (accountIds: readonly string[]) =>
    gateway.database.query<LastUse>(
      'SELECT id, last_used_at FROM keys.api_key WHERE account_id = ANY ($1) ORDER BY id',
      [accountIds],
    )

  test.each(Object.keys(forgeries))(
    'answers only that it is inactive: %s (docs/oauth-rules.md 74, 97, 117)',
    async (name) => {
      const forge = forgeries[name]
      if (!forge) throw new Error('The table has no such row.')

      expectInactive(await introspect(gateway.live, known.app, await forge(known)))
    },
  )

  test('does not look up a key (docs/oauth-rules.md 97, 104)', async () => {
    const [unused, used] = [await gateway.createAccount(), await gateway.createAccount()]
    for (const key of [unused.liveKey, unused.sandboxKey]) {
      expectInactive(await introspect(gateway.live, known.app, key))
    }

    // Uses are written in batches: when a later one is there, an earlier one would be too.
    await gateway.live.get('/v1/account', used.liveKey)
    await vi.waitFor(async () => {
      const uses = await lastUses([used.id])
      expect(uses.some(({ last_used_at }) => last_used_at !== null)).toBe(true)
    }, patience)
    const uses = await lastUses([unused.id])
    expect(uses.map(({ last_used_at }) => last_used_at)).toEqual([null, null])
    expect(Object.keys(forgeries).length).toBeGreaterThanOrEqual(30)
  })

  test('neither spends nor ends anything (docs/oauth-rules.md 94, 97)', async () => {
    const { app, tokens, freshCode } = known

    for (const token of [tokens.accessToken, tokens.refreshToken]) {
      expect(Object((await introspect(gateway.live, app, token)).body).active).toBe(true)
    }
    expect((await redeem(gateway.live, app, freshCode)).status).toBe(200)
  })
})

describe('POST /v1/oauth/introspect of an ended token', () => {
  const setTo = (table: string, column: string, token: string) =>
    gateway.database.query(
      `UPDATE oauth.${table} SET ${column} = now() - interval '1 s' WHERE token_hash = $1`,
      [sha256(token)],
    )

  test('answers only that it is inactive: expired, revoked and used tokens (docs/oauth-rules.md 96, 97)', async () => {
    const { app, tokens } = await start()
    const next = tokensOf(await refresh(gateway.live, app, tokens.refreshToken))
    const last = tokensOf(await refresh(gateway.live, app, next.refreshToken))
    await setTo('access_token', 'expires_at', tokens.accessToken)
    await setTo('access_token', 'revoked_at', next.accessToken)

    const inactive = [tokens.accessToken, tokens.refreshToken, next.accessToken, next.refreshToken]
    for (const token of inactive) expectInactive(await introspect(gateway.live, app, token))

    for (const token of [last.accessToken, last.refreshToken]) {
      expect(Object((await introspect(gateway.live, app, token)).body).active).toBe(true)
    }
    await setTo('refresh_token', 'expires_at', last.refreshToken)
    expectInactive(await introspect(gateway.live, app, last.refreshToken))
  })

  test.each([
    "revoked_at = now(), revoked_because = 'test'",
    "expires_at = now() - interval '1 s'",
    "environment = 'sandbox'",
  ])('all tokens of a grant with %s are inactive (docs/oauth-rules.md 71, 97)', async (change) => {
    const { app, tokens } = await start()

    await gateway.database.query(
      `UPDATE oauth.authorization_grant SET ${change} WHERE client_id = $1`,
      [app.clientId],
    )

    expect(await aliveOf(gateway.live, app, tokens)).toEqual(allDead)
  })

  test('tells many simultaneous apps about their own tokens only (docs/oauth-rules.md 94, 97)', async () => {
    const owner = await gateway.createAccount()
    const apps = await Promise.all(Array.from({ length: 5 }, () => registerApp(gateway)))
    const issued = await Promise.all(apps.map((app) => authorize(gateway, app, { owner })))

    const answers = await Promise.all(
      apps.flatMap((app) =>
        issued.flatMap(({ accessToken, refreshToken }) =>
          [accessToken, refreshToken, accessToken].map((token) =>
            introspect(gateway.live, app, token),
          ),
        ),
      ),
    )

    const expected = apps.flatMap(({ clientId }, asking) =>
      issued.flatMap((_, index) =>
        ['Bearer', undefined, 'Bearer'].map((token_type) =>
          asking === index
            ? expect.objectContaining({ active: true, client_id: clientId, token_type })
            : { active: false },
        ),
      ),
    )
    const bodies = answers.map(({ body }) =>
      Object(body).active ? { token_type: undefined, ...Object(body) } : body,
    )
    expect(bodies).toEqual(expected)
  })
})
