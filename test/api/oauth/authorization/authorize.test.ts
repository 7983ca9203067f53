import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError, expectStandardHeaders } from '../../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts'
import {
  type AskingApp,
  approve,
  authorize,
  type Parameters,
  redirectUri,
  refusalOf,
  registerApp,
  requestOf,
  rowCounts,
  shownClient,
  shownTo,
  signIn,
  unknownApp,
} from '../../../support/oauth/asking.ts'
import { plantGrant } from '../../../support/oauth/oauth.ts'

let gateway: TestGateway
let app: AskingApp
beforeAll(async () => {
  gateway = await startTestGateway({ OAUTH_LIMITS: 'authorize=0,register=0' })
  app = await registerApp(gateway)
})
afterAll(() => gateway.close())

/** For `toEqual`; a loaded machine may be some time late. */
const inTenMinutes = expect.toSatisfy((text) => {
  const seconds = (Date.parse(text) - Date.now()) / 1000
  return seconds > 500 && seconds <= 600
})

const openid = { name: 'openid', description: 'Know which account this is.' }

describe('GET /v1/oauth/authorize', () => {
  test('shows no link of an app that leads to the gateway since its address changed (docs/oauth-rules.md 14)', async () => {
    const linked = await registerApp(gateway, { client_uri: 'https://app.example/' })
    const ours = `${gateway.baseUrl}/v1/seo/keywords?topic=tea`
    const sandbox = `${gateway.sandbox.url}/console`
    await gateway.database.query(
      'UPDATE oauth.app SET logo_uri = $2, policy_uri = $2, tos_uri = $3 WHERE client_id = $1',
      [linked.clientId, ours, sandbox],
    )

    const { status, body } = await authorize(gateway.live, requestOf(linked))

    expect([status, Object(body).client]).toEqual([
      200,
      { ...shownClient(linked), client_uri: 'https://app.example/' },
    ])
  })

  test('shows an anonymous caller the request of the app, but not the owner of the app (docs/oauth-rules.md 3, 8, 21, 40)', async () => {
    const links = {
      logo_uri: 'https://app.example/logo.png',
      client_uri: 'https://app.example/',
      policy_uri: 'https://app.example/privacy',
      tos_uri: 'https://app.example/terms',
    }
    const linked = await registerApp(gateway, links)
    const query = requestOf(linked, { scope: 'openid account:read colour', state: 'a b' })

    const response = await authorize(gateway.live, query)

    expect(response.body).toEqual({
      client: { ...shownClient(linked), ...links },
      requested_scope: [
        { ...openid, already_granted: false },
        {
          name: 'account:read',
          description: 'See the account: its name and email address, tier, balance and add-ons.',
          already_granted: false,
        },
      ],
      ignored_scope: ['colour'],
      redirect_uri: redirectUri,
      state: 'a b',
      login_required: true,
      consent_required: true,
      expires_at: inTenMinutes,
    })
    expect(response.status).toBe(200)
    expectStandardHeaders(response)
    const { headers } = response
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  })

  test('shows an owner with a key the earlier consent and the owner of the app (docs/oauth-rules.md 21, 47)', async () => {
    const own = await registerApp(gateway)
    const owner = await gateway.createAccount()
    await approve(gateway.live, requestOf(own), owner.liveKey)

    const { status, body } = await authorize(
      gateway.live,
      requestOf(own, { scope: 'openid email' }),
      owner.liveKey,
    )

    expect({ status, body }).toEqual({
      status: 200,
      body: {
        client: { ...shownClient(own), owner_name: 'Test' },
        account_name: 'Test',
        requested_scope: [
          { ...openid, already_granted: true },
          {
            name: 'email',
            description: 'See the email address of the account.',
            already_granted: false,
          },
        ],
        ignored_scope: [],
        redirect_uri: redirectUri,
        login_required: false,
        consent_required: true,
        expires_at: inTenMinutes,
      },
    })
    const covered = await authorize(gateway.live, requestOf(own), owner.liveKey)
    expect(Object(covered.body).consent_required).toBe(false)
  })

  test('writes nothing, for every caller and every answer (docs/oauth-rules.md 41)', async () => {
    const owner = await gateway.createAccount()
    const browser = await signIn(gateway.live, owner.liveKey)
    await plantGrant(gateway, { ownerId: owner.id, accountId: owner.id, scopes: ['openid'] })
    const rows = () =>
      gateway.database.query('SELECT * FROM oauth.session WHERE id = $1', [browser.sessionId])
    const [countsBefore, sessionBefore] = [await rowCounts(gateway), await rows()]

    const statuses = []
    const requests: Parameters[] = [
      {},
      { prompt: 'none' },
      { scope: 'keys:write' },
      { client_id: 'app_x' },
    ]
    for (const changes of requests) {
      const query = requestOf(app, changes)
      const { cookie } = browser
      statuses.push((await authorize(gateway.live, query)).status)
      statuses.push((await authorize(gateway.live, query, owner.liveKey)).status)
      statuses.push((await authorize(gateway.live, query, undefined, { cookie })).status)
    }

    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 422, 422, 422, 422, 422, 422])
    expect(await rowCounts(gateway)).toEqual(countsBefore)
    expect(await rows()).toEqual(sessionBefore)
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'refuses %s (docs/oauth-rules.md 6)',
    async (method) => {
      const response = await gateway.live.request(`/v1/oauth/authorize${requestOf(app)}`, {
        method,
      })

      expectError(gateway, response, { status: 405, code: 'METHOD_NOT_ALLOWED' })
      expect(response.headers.get('allow')).toBe('GET, HEAD')
    },
  )

  test('answers HEAD as GET, also for a signed-in browser (docs/oauth-rules.md 6)', async () => {
    const owner = await gateway.createAccount()
    const { cookie } = await signIn(gateway.live, owner.liveKey)
    const path = `/v1/oauth/authorize${requestOf(app)}`

    const { status, body } = await gateway.live.request(path, {
      method: 'HEAD',
      headers: { cookie },
    })

    expect({ status, body }).toEqual({ status: 200, body: null })
  })

  test('names the configured issuer, whatever host a header names (docs/oauth-rules.md 1)', async () => {
    const owner = await gateway.createAccount()
    const { status, body } = await askAs('evil.example', owner.liveKey)

    expect(status).toBe(422)
    expect(new URL(Object(body).error.redirect_to).searchParams.get('iss')).toBe(
      `${gateway.baseUrl}/v1`,
    )
  })
})

/** A request that the app is told of, by way of a proxy that says it is for this host. */
async function askAs(host: string, key: string): Promise<{ status: number; body: unknown }> {
  const query = requestOf(app, { response_type: 'token' })
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: unknown }>()
  const outgoing = request(
    `${gateway.baseUrl}/v1/oauth/authorize${query}`,
    { headers: { authorization: `Bearer ${key}`, host, 'x-forwarded-host': host } },
    async (res) => resolve({ status: res.statusCode ?? 0, body: JSON.parse(await text(res)) }),
  )
  outgoing.on('error', reject).end()
  return promise
}

describe('GET /v1/oauth/authorize, answers to the app', () => {
  test('treats a suspended app as unknown (docs/oauth-rules.md 40, 18)', async () => {
    const own = await registerApp(gateway)
    const { developer, clientId } = own
    const path = `/v1/oauth/apps/${clientId}`
    await gateway.live.request(path, { method: 'DELETE', key: developer.liveKey })

    for (const key of [undefined, developer.liveKey]) {
      for (const client_id of [clientId, 'app_nobody', `${clientId} `, clientId.toLowerCase()]) {
        const response = await authorize(gateway.live, requestOf(own, { client_id }), key)
        expect(refusalOf(gateway, response)).toEqual([unknownApp])
      }
    }
  })

  test('does not know an app of the other environment', async () => {
    const played = await registerApp(gateway, {}, 'sandbox')

    const there = await authorize(gateway.sandbox, requestOf(app))
    const here = await authorize(gateway.live, requestOf(played))

    expect(refusalOf(gateway, there)).toEqual([unknownApp])
    expect(refusalOf(gateway, here)).toEqual([unknownApp])
    expect((await authorize(gateway.sandbox, requestOf(played))).status).toBe(200)
  })

  const wrong = { response_type: 'token', state: 'a b&c', scope: 'keys:write' }

  test('redirects to the app, with state and iss, only if the owner is authenticated (docs/oauth-rules.md §2)', async () => {
    const owner = await gateway.createAccount()
    const { cookie } = await signIn(gateway.live, owner.liveKey)
    const query = requestOf(app, wrong)
    const back = new URL(redirectUri)
    back.search = String(
      new URLSearchParams({
        error: 'unsupported_response_type',
        state: 'a b&c',
        iss: `${gateway.baseUrl}/v1`,
      }),
    )
    const members = { oauth_error: 'unsupported_response_type' }
    const named = ['response_type: must be code', 'scope: this app may not have keys:write']

    const anonymous = await authorize(gateway.live, query)
    const byKey = await authorize(gateway.live, query, owner.liveKey)
    const byCookie = await authorize(gateway.live, query, undefined, { cookie })

    expect(refusalOf(gateway, anonymous, members)).toEqual(named)
    const known = { ...members, redirect_to: back.href }
    expect(refusalOf(gateway, byKey, known)).toEqual(named)
    expect(refusalOf(gateway, byCookie, known)).toEqual(named)
  })

  test.each([
    ['another redirect URI', { redirect_uri: 'https://evil.example/' }, 'redirect_uri'],
    ['another app', { client_id: 'app_nobody' }, 'client_id'],
    ['the redirect URI of another app', { redirect_uri: 'https://other.example/' }, 'redirect_uri'],
  ])(
    'with %s does not redirect, also for an owner (docs/oauth-rules.md §2)',
    async (_, changes, name) => {
      await registerApp(gateway, { redirect_uris: ['https://other.example/'] })
      const owner = await gateway.createAccount()
      const query = requestOf(app, { response_type: 'token', ...changes })

      const response = await authorize(gateway.live, query, owner.liveKey)

      // Neither oauth_error nor redirect_to: the whole body is compared.
      expect(refusalOf(gateway, response)).toEqual([
        expect.stringContaining(name),
        'response_type: must be code',
      ])
    },
  )

  test('does not redirect when the state cannot be returned (docs/oauth-rules.md 31)', async () => {
    const owner = await gateway.createAccount()

    const response = await authorize(gateway.live, requestOf(app, { state: '\t' }), owner.liveKey)

    expect(refusalOf(gateway, response, { oauth_error: 'invalid_request' })).toHaveLength(1)
  })

  test('with prompt=none tells the app what is missing, if the owner is authenticated (docs/oauth-rules.md 36)', async () => {
    const own = await registerApp(gateway)
    const owner = await gateway.createAccount()
    const query = requestOf(own, { prompt: 'none', state: 's' })
    const back = (error: string) =>
      `${redirectUri}?${new URLSearchParams({ error, state: 's', iss: `${gateway.baseUrl}/v1` })}`

    const anonymous = await authorize(gateway.live, query)
    const byKey = await authorize(gateway.live, query, owner.liveKey)
    const { cookie, sessionId } = await signIn(gateway.live, owner.liveKey)
    const signedIn = await authorize(gateway.live, query, undefined, { cookie })
    await approve(gateway.live, requestOf(own), owner.liveKey)
    const covered = await authorize(gateway.live, query, owner.liveKey)
    await gateway.database.query(
      `UPDATE oauth.session SET auth_time = now() - interval '2 minutes',
         proven_at = now() - interval '2 minutes' WHERE id = $1`,
      [sessionId],
    )
    const stale = requestOf(own, { prompt: 'none', state: 's', max_age: '61' })
    const tooOld = await authorize(gateway.live, stale, undefined, { cookie })

    const flags = ({ body }: { body: unknown }) => {
      const { login_required, consent_required, redirect_to, consent_token } = Object(body)
      return [login_required, consent_required, redirect_to, consent_token]
    }
    expect(flags(anonymous)).toEqual([true, true, undefined, undefined])
    expect(flags(byKey)).toEqual([false, true, back('consent_required'), undefined])
    expect(flags(signedIn)).toEqual([
      false,
      true,
      back('consent_required'),
      expect.stringMatching(/\./),
    ])
    expect(flags(covered)).toEqual([false, false, undefined, undefined])
    expect(flags(tooOld)).toEqual([true, false, back('login_required'), undefined])
  })

  test.each([
    [{ max_age: '90' }, 80, false],
    [{ max_age: '90' }, 100, true],
    [{ max_age: '3' }, 5, true],
    [{ max_age: '0' }, 0, true],
    [{ prompt: 'login' }, 0, true],
    [{ prompt: 'login', max_age: '1000' }, 100, true],
    [{ prompt: 'select_account' }, 0, true],
    [{ prompt: 'select_account consent' }, 0, true],
    [{ prompt: 'consent' }, 100, false],
    [{}, 890, false],
    [{}, 910, true],
    [{ max_age: '7200' }, 910, true],
  ])(
    '%j of a browser that proved its key %i seconds ago: asks for another sign-in: %s (docs/oauth-rules.md §4, 36, 37)',
    async (changes, ageSeconds, isAsked) => {
      const owner = await gateway.createAccount()
      const { cookie, sessionId } = await signIn(gateway.live, owner.liveKey)
      await gateway.database.query(
        `UPDATE oauth.session SET auth_time = now() - make_interval(hours => 2),
           proven_at = now() - make_interval(secs => $2) WHERE id = $1`,
        [sessionId, ageSeconds],
      )

      const query = requestOf(app, changes)
      const { body } = await authorize(gateway.live, query, undefined, { cookie })
      const byKey = await authorize(gateway.live, query, owner.liveKey)

      const { login_required, consent_token, expires_at } = Object(body)
      expect([login_required, typeof consent_token, expires_at]).toEqual([
        isAsked,
        isAsked ? 'undefined' : 'string',
        inTenMinutes,
      ])
      // A key is proof of this moment.
      expect(Object(byKey.body).login_required).toBe(false)
    },
  )

  test('with prompt=consent asks again for granted scopes (docs/oauth-rules.md 36)', async () => {
    const own = await registerApp(gateway)
    const owner = await gateway.createAccount()
    await approve(gateway.live, requestOf(own), owner.liveKey)

    const query = requestOf(own, { prompt: 'consent' })
    const { body } = await authorize(gateway.live, query, owner.liveKey)

    expect(Object(body)).toMatchObject({
      consent_required: true,
      requested_scope: [{ already_granted: true }],
    })
  })

  test('gives a signed-in browser a consent token that lasts ten minutes (docs/oauth-rules.md §4)', async () => {
    const owner = await gateway.createAccount()
    const browser = await signIn(gateway.live, owner.liveKey)
    const { cookie } = browser

    const { body } = await authorize(gateway.live, requestOf(app), undefined, { cookie })

    expect(Object(body).expires_at).toEqual(inTenMinutes)
    const another = await shownTo(gateway.live, browser, requestOf(app))
    expect(another).not.toBe(Object(body).consent_token)
  })
})

describe('GET /v1/oauth/authorize in a browser', () => {
  test('with prompt=none shows a signed-in owner no page (docs/oauth-rules.md 36)', async () => {
    const own = await registerApp(gateway)
    const owner = await gateway.createAccount()
    const { cookie } = await signIn(gateway.live, owner.liveKey)
    const query = requestOf(own, { prompt: 'none', state: 's' })
    const open = (headers: Readonly<Record<string, string>>) =>
      fetch(`${gateway.baseUrl}/v1/oauth/authorize${query}`, {
        redirect: 'manual',
        headers: { accept: 'text/html', ...headers },
      })

    const known = await open({ cookie })
    const unknown = await open({})

    const iss = `${gateway.baseUrl}/v1`
    const answer = new URLSearchParams({ error: 'consent_required', state: 's', iss })
    expect([known.status, known.headers.get('location')]).toEqual([303, `${redirectUri}?${answer}`])
    // Only authenticated owners are redirected to an app (RFC 9700 §4.11.2).
    expect([unknown.status, unknown.headers.get('location')]).toEqual([200, null])
  })
})
