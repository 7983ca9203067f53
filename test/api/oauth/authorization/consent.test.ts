import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isOAuthSecret } from '../../../../schema/credentials/oauth-secret-format.ts'
import { sha256 } from '../../../../schema/credentials/secrets.ts'
import { isId } from '../../../../schema/vocabulary/ids.ts'
import { expectError, expectStandardHeaders } from '../../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts'
import {
  approve,
  authorize,
  consent,
  grantsOf,
  linesOf,
  newChallenge,
  type Parameters,
  queryOf,
  redirectUri,
  refusalOf,
  registerApp,
  requestOf,
  rowCounts,
} from '../../../support/oauth/asking.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ OAUTH_LIMITS: 'authorize=0,register=0' })
})
afterAll(() => gateway.close())

/** The consents of an account, which has one here. */
async function consentsOf(accountId: string): Promise<object[]> {
  return gateway.database.query(
    `SELECT client_id, scopes, key_id, revoked_at FROM oauth.consent WHERE account_id = $1`,
    [accountId],
  )
}

describe('POST /v1/oauth/consent from an owner with a key', () => {
  test('issues a code that is bound to the whole request and to the owner (docs/oauth-rules.md 2, 3, 44, 46, 74)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    const { id: keyId, plaintext: key } = await gateway.createKey(owner.id)
    const challenge = newChallenge()
    const query = requestOf(app, {
      scope: 'openid offline_access account:read',
      state: 'xyz',
      nonce: 'n-0S6',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    })

    const response = await consent(gateway.live, query, key)

    const { code } = Object(response.body)
    expect(code).toSatisfy((text) => isOAuthSecret(text, 'svc', 'oac'))
    const iss = `${gateway.baseUrl}/v1`
    const answer = new URLSearchParams({ code, state: 'xyz', iss })
    expect(response.body).toEqual({
      status: 'approved',
      redirect_to: `${redirectUri}?${answer}`,
      code,
      state: 'xyz',
      iss,
      expires_in: 60,
      granted_scope: 'openid offline_access account:read',
    })
    expect(response.status).toBe(200)
    expectStandardHeaders(response)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const stored = await gateway.database.query(
      `SELECT g.id, g.environment, g.account_id, g.client_id, g.scopes, g.approved_by_key_id,
         g.session_id, g.nonce, g.revoked_at, c.account_id AS code_of, c.redirect_uri,
         c.code_challenge, c.consumed_at,
         extract(epoch FROM c.expires_at - g.created_at)::int AS code_seconds,
         extract(epoch FROM g.expires_at - g.created_at)::int / 86400 AS grant_days,
         g.auth_time = g.created_at AS is_auth_now
       FROM oauth.authorization_code c JOIN oauth.authorization_grant g ON g.id = c.grant_id
       WHERE c.code_hash = $1`,
      [sha256(code)],
    )
    expect(stored).toEqual([
      {
        id: expect.toSatisfy((id) => isId('grant', id)),
        environment: 'live',
        account_id: owner.id,
        client_id: app.clientId,
        scopes: ['openid', 'offline_access', 'account:read'],
        approved_by_key_id: keyId,
        session_id: null,
        nonce: 'n-0S6',
        revoked_at: null,
        code_of: owner.id,
        redirect_uri: redirectUri,
        code_challenge: challenge,
        consumed_at: null,
        code_seconds: 60,
        grant_days: 90,
        is_auth_now: true,
      },
    ])
    expect(await consentsOf(owner.id)).toEqual([
      {
        client_id: app.clientId,
        scopes: ['openid', 'offline_access', 'account:read'],
        key_id: keyId,
        revoked_at: null,
      },
    ])
  })

  test('approves for the account of the caller, never for the owner of the app (docs/oauth-rules.md 46)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()

    await approve(gateway.live, requestOf(app), owner.liveKey)

    expect(await grantsOf(gateway, app.developer)).toEqual([])
    expect(await grantsOf(gateway, owner)).toMatchObject([{ client_id: app.clientId }])
    // Also where it is the same account, it approves for itself.
    await approve(gateway.live, requestOf(app), app.developer.liveKey)
    expect(await grantsOf(gateway, app.developer)).toHaveLength(1)
    expect(await grantsOf(gateway, owner)).toHaveLength(1)
  })

  test('drops a nonce without openid (docs/oauth-rules.md 35)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()

    const query = requestOf(app, { scope: 'account:read', nonce: 'n', max_age: '5' })
    const { grantedScope } = await approve(gateway.live, query, owner.liveKey)

    expect(grantedScope).toBe('account:read')
    const grants = await gateway.database.query(
      'SELECT nonce FROM oauth.authorization_grant WHERE account_id = $1',
      [owner.id],
    )
    expect(grants).toEqual([{ nonce: null }])
  })

  test('grants each requested scope once, without unknown ones (docs/oauth-rules.md 34, 43)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()

    const query = requestOf(app, { scope: 'email colour openid email' })
    const { grantedScope } = await approve(gateway.live, query, owner.liveKey)

    expect(grantedScope).toBe('email openid')
    expect(await grantsOf(gateway, owner)).toMatchObject([{ scopes: ['email', 'openid'] }])
  })

  test('remembers all granted scopes together, and asks all the same (docs/oauth-rules.md 47)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    const { id: keyId, plaintext } = await gateway.createKey(owner.id)

    await approve(gateway.live, requestOf(app, { scope: 'openid email' }), owner.liveKey)
    await approve(gateway.live, requestOf(app, { scope: 'account:read openid' }), plaintext)

    expect(await consentsOf(owner.id)).toEqual([
      {
        client_id: app.clientId,
        scopes: ['account:read', 'email', 'openid'],
        key_id: keyId,
        revoked_at: null,
      },
    ])
    expect(await grantsOf(gateway, owner)).toMatchObject([
      { scopes: ['openid', 'email'] },
      { scopes: ['account:read', 'openid'] },
    ])
    const { body } = await authorize(gateway.live, requestOf(app), owner.liveKey)
    expect(body).not.toHaveProperty('code')
    expect(body).not.toHaveProperty('redirect_to')
  })

  test('does not remember withdrawn scopes (docs/oauth-rules.md 47)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    await approve(gateway.live, requestOf(app, { scope: 'openid email' }), owner.liveKey)
    const path = `/v1/oauth/consents/${app.clientId}`
    await gateway.live.request(path, { method: 'DELETE', key: owner.liveKey })
    const { body } = await authorize(gateway.live, requestOf(app), owner.liveKey)

    await approve(gateway.live, requestOf(app, { scope: 'account:read' }), owner.liveKey)

    expect(Object(body)).toMatchObject({
      consent_required: true,
      requested_scope: [{ name: 'openid', already_granted: false }],
    })
    expect(await consentsOf(owner.id)).toMatchObject([
      { scopes: ['account:read'], revoked_at: null },
    ])
    const grants = await gateway.database.query(
      `SELECT revoked_because FROM oauth.authorization_grant WHERE account_id = $1 ORDER BY id`,
      [owner.id],
    )
    expect(grants).toEqual([{ revoked_because: 'consent_withdrawn' }, { revoked_because: null }])
  })

  test('redirects with the denial, and grants nothing (docs/oauth-rules.md §4)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    const before = await rowCounts(gateway)
    const iss = `${gateway.baseUrl}/v1`

    const query = `${requestOf(app, { state: 'xyz' })}&decision=deny`
    const { status, body } = await consent(gateway.live, query, owner.liveKey)

    const answer = new URLSearchParams({ error: 'access_denied', state: 'xyz', iss })
    expect({ status, body }).toEqual({
      status: 200,
      body: { status: 'denied', redirect_to: `${redirectUri}?${answer}`, state: 'xyz', iss },
    })
    expect(await rowCounts(gateway)).toEqual(before)
  })

  test('with prompt=none approves only earlier grants (docs/oauth-rules.md 36)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    const silent = (scope: string) => requestOf(app, { scope, prompt: 'none' })

    const first = await consent(gateway.live, silent('openid'), owner.liveKey)
    const afterFirst = await grantsOf(gateway, owner)
    await approve(gateway.live, requestOf(app, { scope: 'openid email' }), owner.liveKey)
    const covered = await consent(gateway.live, silent('openid'), owner.liveKey)
    const wider = await consent(gateway.live, silent('openid account:read'), owner.liveKey)

    expect([first.status, first.body]).toEqual([200, { status: 'consent_required' }])
    expect(afterFirst).toEqual([])
    expect(Object(covered.body).status).toBe('approved')
    expect([wider.status, wider.body]).toEqual([200, { status: 'consent_required' }])
    expect(await grantsOf(gateway, owner)).toHaveLength(2)
  })

  test('counts a key as a sign-in at this moment, whatever max_age and prompt ask (docs/oauth-rules.md 36, 37)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()

    const asked: readonly Parameters[] = [{ max_age: '0' }, { prompt: 'login' }]
    for (const changes of asked) {
      await approve(gateway.live, requestOf(app, changes), owner.liveKey)
    }

    expect(await grantsOf(gateway, owner)).toHaveLength(2)
  })
})

describe('POST /v1/oauth/consent, parameters', () => {
  test('checks each parameter again, as the consent page does (docs/oauth-rules.md 42)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    const before = await rowCounts(gateway)
    const wrong: readonly Parameters[] = [
      { client_id: 'app_nobody' },
      { client_id: null },
      { redirect_uri: 'https://evil.example/' },
      { redirect_uri: `${redirectUri}/` },
      { response_type: 'token' },
      { response_mode: 'fragment' },
      { code_challenge: newChallenge() },
      { code_challenge: newChallenge(), code_challenge_method: 'plain' },
      { code_challenge: 'x', code_challenge_method: 'S256' },
      { scope: 'keys:write' },
      { scope: 'openid  email' },
      { scope: 'colour' },
      { state: '\n' },
      { nonce: 'n'.repeat(513) },
      { prompt: 'none login' },
      { max_age: '-1' },
      { resource: 'https://elsewhere.example' },
      { request: 'x' },
      { request_uri: 'x' },
      { registration: 'x' },
    ]

    for (const changes of wrong) {
      const query = requestOf(app, changes)
      const here = await consent(gateway.live, query, owner.liveKey)
      const there = await authorize(gateway.live, query, owner.liveKey)
      const anonymous = await consent(gateway.live, query)
      expect([here.status, anonymous.status]).toEqual([422, 422])
      const { request_id: _, request_log_url: __, ...error } = Object(here.body).error
      expect(Object(there.body).error).toMatchObject(error)
    }

    expect(await rowCounts(gateway)).toEqual(before)
  })

  test.each([null, ''])('requires a scope, not %j (docs/oauth-rules.md 42)', async (scope) => {
    const app = await registerApp(gateway)

    const response = await consent(gateway.live, requestOf(app, { scope, response_type: 'x' }))

    const members = { oauth_error: 'unsupported_response_type' }
    expect(refusalOf(gateway, response, members)).toEqual([
      'response_type: must be code',
      'scope: is required',
    ])
  })

  test('requires all of client_id, redirect_uri and scope (docs/oauth-rules.md 42)', async () => {
    expect(refusalOf(gateway, await consent(gateway.live, ''))).toEqual([
      'client_id: is required',
      'redirect_uri: is required',
      'scope: is required',
    ])
  })

  test.each(['ALLOW', 'yes', 'denied', '1'])('refuses the decision %j', async (decision) => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()

    const response = await consent(gateway.live, requestOf(app, { decision }), owner.liveKey)

    expect(refusalOf(gateway, response)).toEqual(['decision: must be allow or deny'])
    expect(await grantsOf(gateway, owner)).toEqual([])
  })

  test.each(['scope', 'state', 'nonce', 'redirect_uri', 'decision', 'consent_token'])(
    'refuses %s twice (docs/oauth-rules.md 4)',
    async (name) => {
      const app = await registerApp(gateway)
      const owner = await gateway.createAccount()
      const value = name === 'decision' ? ['allow', 'deny'] : ['x', 'y']

      const query = requestOf(app, { [name]: value })
      const response = await consent(gateway.live, query, owner.liveKey)

      const problem = name === 'decision' ? 'must be allow or deny' : 'must be sent once'
      expect(refusalOf(gateway, response)).toEqual([`${name}: ${problem}`])
      expect(await grantsOf(gateway, owner)).toEqual([])
    },
  )

  test('ignores a body (docs/oauth-rules.md 5)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    const { baseUrl } = gateway
    const form = queryOf({ decision: 'deny', scope: 'openid email', state: 'x' }).slice(1)

    const response = await fetch(`${baseUrl}/v1/oauth/consent${requestOf(app)}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${owner.liveKey}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: form,
    })
    const bodyOnly = await fetch(`${baseUrl}/v1/oauth/consent`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.liveKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: app.clientId, redirect_uri: redirectUri, scope: 'openid' }),
    })

    expect(await response.json()).toMatchObject({ status: 'approved', granted_scope: 'openid' })
    expect(bodyOnly.status).toBe(422)
    expect(await grantsOf(gateway, owner)).toHaveLength(1)
  })

  test.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'])(
    'refuses %s (docs/oauth-rules.md 6)',
    async (method) => {
      const app = await registerApp(gateway)
      const owner = await gateway.createAccount()
      const path = `/v1/oauth/consent${requestOf(app)}`

      const response = await gateway.live.request(path, { method, key: owner.liveKey })

      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
      if (method !== 'HEAD') {
        expectError(gateway, response, { status: 405, code: 'METHOD_NOT_ALLOWED' })
      }
      expect(await grantsOf(gateway, owner)).toEqual([])
    },
  )
})

describe('the database requires of a code', () => {
  test('that it and its grant have an owner (docs/oauth-rules.md §1.3)', async () => {
    const app = await registerApp(gateway)
    const { id } = await gateway.createAccount()
    const grant = (account: string | null, key: string | null, session: string | null) =>
      gateway.database.query(
        `INSERT INTO oauth.authorization_grant (id, account_id, environment, client_id, scopes,
           approved_by_key_id, session_id, auth_time, expires_at)
         VALUES ('grant_' || gen_random_uuid(), $1, 'live', $2, '{openid}', $3, $4, now(),
           now() + interval '1 h') RETURNING id`,
        [account, app.clientId, key, session],
      )
    const code = (grantId: string, account: string | null) =>
      gateway.database.query(
        `INSERT INTO oauth.authorization_code (code_hash, grant_id, account_id, redirect_uri,
           expires_at) VALUES (gen_random_uuid()::text, $1, $2, 'https://x.example', now() + interval '1 h')`,
        [grantId, account],
      )

    await expect(grant(null, 'key_x', null)).rejects.toMatchObject({ code: '23502' })
    await expect(grant(id, null, null)).rejects.toMatchObject({ code: '23514' })
    const [granted] = await grant(id, 'key_x', null)
    const grantId: string = Object(granted).id
    await expect(code(grantId, null)).rejects.toMatchObject({ code: '23502' })
    await expect(code('grant_none', id)).rejects.toMatchObject({ code: '23503' })
    await code(grantId, id)
    // One approval, one code.
    await expect(code(grantId, id)).rejects.toMatchObject({ code: '23505' })
  })
})

describe('the audit trail of a consent', () => {
  test('has one line for each grant, denial and refusal, with its actor (docs/oauth-rules.md 118)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    const { plaintext: weak } = await gateway.createKey(owner.id, { scopes: ['account:read'] })
    const query = requestOf(app, { scope: 'openid email', state: 's', nonce: 'n' })

    const { code } = await approve(gateway.live, query, owner.liveKey)
    await consent(gateway.live, `${query}&decision=deny`, owner.liveKey)
    await consent(gateway.live, query, weak)
    await consent(gateway.live, query)

    const line = {
      account_id: owner.id,
      environment: 'live',
      actor_kind: 'key',
      details: { scope: 'openid email' },
    }
    const lines = await linesOf(gateway, app.clientId, 3)
    expect(lines).toEqual([
      { ...line, action: 'consent.grant', result: 'succeeded' },
      { ...line, action: 'consent.deny', result: 'succeeded' },
      { ...line, action: 'consent.grant', result: 'FORBIDDEN', details: {} },
    ])
    expect(JSON.stringify(lines)).not.toContain(code)
  })
})
