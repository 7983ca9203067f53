import { createHash } from 'node:crypto'
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  jwtVerify,
} from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts'
import {
  approve,
  authorize,
  credentialsOf,
  newVerifier,
  postForm,
  redeem,
  redirectUri,
  refresh,
  registerApp,
  tokensOf,
  withoutMinuteLimits,
} from '../../../support/oauth/oauth-flow.ts'
import { patience } from '../../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway(withoutMinuteLimits)
})
afterAll(() => gateway.close())

/** Left half of the SHA-256 (OpenID Connect Core §3.1.3.6). */
function halfHash(accessToken: string): string {
  const digest = createHash('sha256').update(accessToken, 'ascii').digest()
  return digest.subarray(0, 16).toString('base64url')
}

function seconds(): number {
  return Math.floor(Date.now() / 1000)
}

/** The published keys; a loaded machine may answer late. */
function keysOf(baseUrl: string) {
  const url = new URL(`${baseUrl}/v1/.well-known/jwks.json`)
  return createRemoteJWKSet(url, { timeoutDuration: patience.timeout })
}

async function start(scope: string, nonce?: string) {
  const [app, owner] = await Promise.all([registerApp(gateway), gateway.createAccount()])
  return { app, owner, tokens: await authorize(gateway, app, { owner, scope, nonce }) }
}

describe('id tokens', () => {
  test('have exactly the documented header and claims, verified by JWKS (docs/oauth-rules.md 1, 75-82)', async () => {
    const before = seconds()
    const nonce = 'n-0S6_WzA2Mj "quoted" äöü 🔑'
    const { app, owner, tokens } = await start('openid profile email account:read', nonce)

    const { keys } = Object((await gateway.live.get('/v1/.well-known/jwks.json')).body)
    const jwks = keysOf(gateway.baseUrl)
    const { payload, protectedHeader } = await jwtVerify(tokens.idToken, jwks, {
      issuer: `${gateway.baseUrl}/v1`,
      audience: app.clientId,
      algorithms: ['RS256'],
    })

    expect(protectedHeader).toEqual({ alg: 'RS256', kid: expect.any(String) })
    expect(keys.map(({ kid }: { kid: string }) => kid)).toContain(protectedHeader.kid)
    expect(payload).toEqual({
      iss: `${gateway.baseUrl}/v1`,
      sub: owner.id,
      aud: app.clientId,
      iat: expect.any(Number),
      exp: expect.any(Number),
      auth_time: expect.any(Number),
      acr: '0',
      at_hash: halfHash(tokens.accessToken),
      nonce,
    })
    const { iat = 0, exp = 0, auth_time: authTime } = payload
    expect([iat, exp, authTime].every(Number.isInteger)).toBe(true)
    expect(exp - iat).toBe(3600)
    expect(iat).toBeGreaterThanOrEqual(before)
    expect(iat).toBeLessThanOrEqual(seconds())
    expect(authTime).toBeGreaterThanOrEqual(before - 1)
    expect(authTime).toBeLessThanOrEqual(iat)
    expect(owner.id).toMatch(/^[\x21-\x7e]{1,255}$/)
  })

  test('name the configured issuer, whatever host a header names (docs/oauth-rules.md 1)', async () => {
    const [app, owner] = await Promise.all([registerApp(gateway), gateway.createAccount()])
    const code = await approve(gateway, app, { owner, scope: 'openid' })

    const response = await postForm(
      gateway.live,
      '/v1/oauth/token',
      {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        ...credentialsOf(app),
      },
      {
        'x-forwarded-host': 'attacker.example',
        'x-forwarded-proto': 'https',
        forwarded: 'host=attacker.example;proto=https',
        origin: 'https://attacker.example',
      },
    )

    expect(decodeJwt(tokensOf(response).idToken).iss).toBe(`${gateway.baseUrl}/v1`)
  })

  test('have no nonce when none was sent, and no null (docs/oauth-rules.md 78, 82)', async () => {
    const { tokens } = await start('openid')

    const claims = decodeJwt(tokens.idToken)

    expect(Object.keys(claims).sort()).toEqual(
      ['acr', 'at_hash', 'aud', 'auth_time', 'exp', 'iat', 'iss', 'sub'].sort(),
    )
    expect(JSON.stringify(claims)).not.toContain('null')
  })

  test('ignore a nonce without openid (docs/oauth-rules.md 35)', async () => {
    const { app, tokens } = await start('account:read offline_access', 'n')

    const refreshed = await refresh(gateway.live, app, tokens.refreshToken)

    expect(tokens.idToken).toBe('')
    expect(Object(refreshed.body)).not.toHaveProperty('id_token')
  })

  test('repeat subject and sign-in time when they are refreshed, and are new otherwise (docs/oauth-rules.md 72, 79)', async () => {
    const { app, tokens } = await start('openid offline_access', 'once')
    const first = decodeJwt(tokens.idToken)
    // The sign-in is moved back, as if the token was refreshed an hour later.
    await gateway.database.query(
      `UPDATE oauth.authorization_grant SET auth_time = auth_time - interval '1 hour'
       WHERE client_id = $1`,
      [app.clientId],
    )

    const next = tokensOf(await refresh(gateway.live, app, tokens.refreshToken))

    const { nonce, ...rest } = first
    const claims = decodeJwt(next.idToken)
    expect(nonce).toBe('once')
    expect(claims).toEqual({
      ...rest,
      iat: expect.any(Number),
      exp: Number(claims.iat) + 3600,
      auth_time: Number(first.auth_time) - 3600,
      at_hash: halfHash(next.accessToken),
    })
    expect(Number(claims.iat)).toBeGreaterThanOrEqual(Number(first.iat))
    expect(claims.at_hash).not.toBe(first.at_hash)
  })

  test('never date the sign-in after the token, however clocks differ (docs/oauth-rules.md 76, 77)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    const code = await approve(gateway, app, { owner, scope: 'openid' })
    await gateway.database.query(
      `UPDATE oauth.authorization_grant SET auth_time = now() + interval '1 h'
       WHERE client_id = $1`,
      [app.clientId],
    )

    const { auth_time: authTime, iat } = decodeJwt(
      tokensOf(await redeem(gateway.live, app, code)).idToken,
    )

    expect(authTime).toBe(iat)
  })

  test('have one audience for each app, and one subject for an owner in all apps (docs/oauth-rules.md 76)', async () => {
    const owner = await gateway.createAccount()
    const apps = await Promise.all([registerApp(gateway), registerApp(gateway)])

    const claims = await Promise.all(
      apps.map(async (app) =>
        decodeJwt((await authorize(gateway, app, { owner, scope: 'openid' })).idToken),
      ),
    )

    expect(claims.map(({ aud }) => aud)).toEqual(apps.map(({ clientId }) => clientId))
    expect(claims.map(({ sub }) => sub)).toEqual([owner.id, owner.id])
  })

  test('are signed in the sandbox with its own key and issuer (docs/oauth-rules.md 1, 75)', async () => {
    const client = gateway.sandbox
    const [developer, owner] = [await gateway.createAccount(), await gateway.createAccount()]
    const app = await registerApp(gateway, { developer, client })
    const { idToken } = await authorize(gateway, app, { owner, client, scope: 'openid' })

    const jwks = keysOf(client.url)
    const { payload } = await jwtVerify(idToken, jwks, { audience: app.clientId })

    expect(payload.iss).toBe(`${client.url}/v1`)
    expect(payload.sub).toBe(owner.id)
    const live = await gateway.live.get('/v1/.well-known/jwks.json')
    await expect(jwtVerify(idToken, createLocalJWKSet(Object(live.body)))).rejects.toMatchObject({
      code: 'ERR_JWKS_NO_MATCHING_KEY',
    })
  })

  test('fail the verification when they were changed (docs/oauth-rules.md 75)', async () => {
    const { tokens } = await start('openid')
    const [header = '', payload = '', signature = ''] = tokens.idToken.split('.')
    const jwks = keysOf(gateway.baseUrl)
    const forged = Buffer.from(
      JSON.stringify({ ...decodeJwt(tokens.idToken), sub: 'acct_somebody' }),
    ).toString('base64url')
    const unsigned = Buffer.from('{"alg":"none"}').toString('base64url')

    await expect(jwtVerify(`${header}.${payload}.${signature}`, jwks)).resolves.toBeTruthy()
    await expect(jwtVerify(`${header}.${forged}.${signature}`, jwks)).rejects.toThrow()
    await expect(jwtVerify(`${unsigned}.${payload}.`, jwks)).rejects.toThrow()
    expect(decodeProtectedHeader(tokens.idToken)).not.toHaveProperty('jwk')
  })

  test('do not use up the code when they cannot be signed (docs/oauth-rules.md 58, 75)', async () => {
    const own = await startTestGateway(withoutMinuteLimits)
    try {
      const app = await registerApp(own)
      const owner = await own.createAccount()
      const verifier = newVerifier()
      const code = await approve(own, app, { owner, scope: 'openid offline_access', verifier })
      const form = { code_verifier: verifier }
      // The key is made when it is first needed.
      await own.live.get('/v1/.well-known/jwks.json')
      // The sealed key is changed, so it looks like that of another GATEWAY_SECRET.
      const [row] = await own.database.query<{ column_name: string }>(
        `SELECT column_name FROM information_schema.columns
         WHERE table_schema = 'oauth' AND table_name = 'signing_key'
           AND column_name LIKE '%private%'`,
      )
      const column = row?.column_name ?? ''
      await own.database.query(`UPDATE oauth.signing_key SET ${column} = 'x' || ${column} || 'x'`)

      const failed = await redeem(own.live, app, code, form)

      await own.database.query(
        `UPDATE oauth.signing_key SET ${column} = substr(${column}, 2, length(${column}) - 2)`,
      )
      expect([failed.status, Object(Object(failed.body).error).code]).toEqual([
        500,
        'INTERNAL_ERROR',
      ])
      const again = await redeem(own.live, app, code, form)
      expect([again.status, Object.keys(Object(again.body)).includes('id_token')]).toEqual([
        200,
        true,
      ])
    } finally {
      await own.close()
    }
  })
})
