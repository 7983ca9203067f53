import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isOAuthSecret } from '../../../../schema/credentials/oauth-secret-format.ts'
import { sha256 } from '../../../../schema/credentials/secrets.ts'
import { isId } from '../../../../schema/vocabulary/ids.ts'
import { expectError, expectStandardHeaders } from '../../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts'
import {
  type AskingApp,
  authorize,
  type Browser,
  consent,
  grantsOf,
  linesOf,
  refusalOf,
  registerApp,
  requestOf,
  rowCounts,
  shownTo,
  signIn,
} from '../../../support/oauth/asking.ts'
import { type Page, plantPage } from '../../../support/oauth/sessions.ts'

let gateway: TestGateway
let app: AskingApp
beforeAll(async () => {
  gateway = await startTestGateway({ OAUTH_LIMITS: 'authorize=0,register=0,failures=0' })
  app = await registerApp(gateway)
})
afterAll(() => gateway.close())

const path = '/v1/oauth/session'
const instant = expect.stringMatching(/^\d{4}-.*Z$/)

async function isSignedIn({ cookie }: Pick<Browser, 'cookie'>) {
  const { status, body } = await authorize(gateway.live, requestOf(app), undefined, { cookie })
  expect(status).toBe(200)
  return !Object(body).login_required
}

/** Sends the decision of the browser; if it is signed in, it is asked just before. */
async function decide(browser: Browser) {
  const query = requestOf(app)
  const token = await shownTo(gateway.live, browser, query)
  return consent(gateway.live, `${query}&consent_token=${token}`, undefined, browser.headers)
}

async function setSession(browser: Browser, change: string): Promise<void> {
  await gateway.database.query(`UPDATE oauth.session SET ${change} WHERE id = $1`, [
    browser.sessionId,
  ])
}

describe('POST /v1/oauth/session', () => {
  test('signs a browser in with a key, by a cookie for this browser alone (docs/oauth-rules.md §4)', async () => {
    const account = await gateway.createAccount()
    const { id: keyId, plaintext } = await gateway.createKey(account.id)

    const response = await gateway.live.post(path, {}, plaintext)

    const { id } = Object(response.body)
    expect(response.body).toEqual({
      id: expect.toSatisfy((text) => isId('ses', text)),
      account_id: account.id,
      auth_time: instant,
      expires_at: instant,
    })
    expect(response.status).toBe(201)
    expectStandardHeaders(response)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.getSetCookie()).toHaveLength(1)
    const [pair = '', ...attributes] = response.headers.get('set-cookie')?.split('; ') ?? []
    expect(attributes).toEqual(['Path=/', 'HttpOnly', 'Secure', 'SameSite=Strict'])
    const [name, secret = ''] = pair.split('=')
    expect(name).toBe('__Host-gw_session')
    expect(secret).toSatisfy((text) => isOAuthSecret(text, 'svc', 'osn'))
    const stored = await gateway.database.query(
      `SELECT secret_hash, account_id, environment, key_id, ended_at,
         extract(epoch FROM expires_at - auth_time)::int AS seconds
       FROM oauth.session WHERE id = $1`,
      [id],
    )
    expect(stored).toEqual([
      {
        secret_hash: sha256(secret),
        account_id: account.id,
        environment: 'live',
        key_id: keyId,
        ended_at: null,
        seconds: 12 * 3600,
      },
    ])
    expect(await linesOf(gateway, id, 1)).toEqual([
      {
        action: 'session.open',
        result: 'succeeded',
        account_id: account.id,
        environment: 'live',
        actor_kind: 'key',
        details: {},
      },
    ])
  })

  test('starts a new session at each sign-in, and ends the one before (docs/oauth-rules.md §4)', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const { plaintext: other } = await gateway.createKey(id)
    const first = await signIn(gateway.live, liveKey)

    const second = await signIn(gateway.live, other, first)

    expect(second.sessionId).not.toBe(first.sessionId)
    expect(second.cookie).not.toBe(first.cookie)
    expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([false, true])
  })

  test('ends the session of another account that was signed in before too (docs/oauth-rules.md §4)', async () => {
    const [one, two] = [await gateway.createAccount(), await gateway.createAccount()]
    const first = await signIn(gateway.live, one.liveKey)

    const second = await signIn(gateway.live, two.liveKey, first)

    expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([false, true])
    const [row] = await gateway.database.query(
      'SELECT ended_at IS NOT NULL AS is_over FROM oauth.session WHERE id = $1',
      [first.sessionId],
    )
    expect(row).toEqual({ is_over: true })
  })

  test('never adopts a session id that somebody else knows (docs/oauth-rules.md §4)', async () => {
    const { liveKey } = await gateway.createAccount()
    const planted = `__Host-gw_session=svc_osn_${'a'.repeat(43)}`

    const { headers } = await gateway.live.post(path, {}, liveKey, { cookie: planted })

    expect(headers.get('set-cookie')).not.toContain('aaaaa')
    expect(await isSignedIn({ cookie: planted })).toBe(false)
  })

  test('leaves other browsers signed in (docs/oauth-rules.md §4)', async () => {
    const { liveKey } = await gateway.createAccount()
    const first = await signIn(gateway.live, liveKey)

    const second = await signIn(gateway.live, liveKey)

    expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([true, true])
  })

  test.each([[['account:read']], [['oauth:read', 'oauth:write']]])(
    'takes any key, but one with %j approves nothing (docs/oauth-rules.md §4)',
    async (scopes) => {
      const account = await gateway.createAccount()
      const { plaintext } = await gateway.createKey(account.id, { scopes })

      const browser = await signIn(gateway.live, plaintext)
      const response = await decide(browser)

      expectError(gateway, response, {
        status: 403,
        code: 'FORBIDDEN',
        message: 'This API key lacks the scope oauth:consent.',
      })
      expect(await grantsOf(gateway, account)).toEqual([])
    },
  )

  test('needs a key: a session is not enough (docs/oauth-rules.md §4)', async () => {
    const { liveKey } = await gateway.createAccount()
    const browser = await signIn(gateway.live, liveKey)
    const before = await rowCounts(gateway)

    const response = await gateway.live.post(path, {}, undefined, browser.headers)

    expectError(gateway, response, { status: 401, code: 'AUTHENTICATION_REQUIRED' })
    expect(await rowCounts(gateway)).toEqual(before)
  })

  test('accepts no key in the body (docs/oauth-rules.md §4)', async () => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.post(path, { api_key: liveKey }, liveKey)

    expectError(gateway, response, {
      status: 422,
      code: 'INVALID_REQUEST',
      details: [{ field: 'api_key', in: 'body', message: 'is not known here' }],
    })
  })
})

describe('a signed-in browser', () => {
  test('decides as the account of its key, with the time of its newest proof (docs/oauth-rules.md 44, 46, 77)', async () => {
    const owner = await gateway.createAccount()
    const { id: keyId, plaintext } = await gateway.createKey(owner.id)
    const browser = await signIn(gateway.live, plaintext)
    await setSession(
      browser,
      "auth_time = now() - interval '2 hours', proven_at = now() - interval '14 minutes'",
    )

    const { status, body } = await decide(browser)

    expect([status, Object(body).status]).toEqual([200, 'approved'])
    const grants = await gateway.database.query(
      `SELECT g.approved_by_key_id, g.session_id, g.auth_time = s.proven_at AS is_of_proof
       FROM oauth.authorization_grant g JOIN oauth.session s ON s.id = g.session_id
       WHERE g.account_id = $1`,
      [owner.id],
    )
    expect(grants).toEqual([
      { approved_by_key_id: keyId, session_id: browser.sessionId, is_of_proof: true },
    ])
  })

  test('approves as a person whose role may, and names nobody else (docs/oauth-rules.md 43, 46)', async () => {
    const owner = await gateway.createAccount()
    const page = await plantPage(gateway, owner, { role: 'OWNER', actor: 'jane@acme.example' })
    const developer = await plantPage(gateway, owner, { role: 'DEVELOPER' })
    const browserOf = ({ cookie, sessionId }: Page): Browser => ({
      ...{ cookie, sessionId, headers: { cookie, origin: gateway.baseUrl } },
    })

    const refused = await decide(browserOf(developer))
    const { status, body } = await decide(browserOf(page))

    expectError(gateway, refused, {
      ...{ status: 403, code: 'FORBIDDEN' },
      message: 'The role of this session lacks the scope oauth:consent.',
    })
    expect([status, Object(body).status]).toEqual([200, 'approved'])
    const grants = await gateway.database.query(
      `SELECT g.approved_by_key_id, g.session_id, c.key_id FROM oauth.authorization_grant g
       JOIN oauth.consent c USING (account_id, client_id) WHERE g.account_id = $1`,
      [owner.id],
    )
    expect(grants).toEqual([{ approved_by_key_id: null, session_id: page.sessionId, key_id: null }])
  })

  test('must sign in again at once when its key is revoked (docs/oauth-rules.md §4)', async () => {
    const account = await gateway.createAccount()
    const { id, plaintext } = await gateway.createKey(account.id)
    const browser = await signIn(gateway.live, plaintext)
    const query = requestOf(app)
    const token = await shownTo(gateway.live, browser, query)

    const keyPath = `/v1/account/keys/${id}`
    await gateway.live.request(keyPath, { method: 'DELETE', key: account.liveKey })
    const decided = `${query}&consent_token=${token}`
    const { status, body } = await consent(gateway.live, decided, undefined, browser.headers)

    expect([status, Object(body).status]).toEqual([200, 'login_required'])
    expect(body).not.toHaveProperty('redirect_to')
    expect(await isSignedIn(browser)).toBe(false)
    expect(await grantsOf(gateway, account)).toEqual([])
  })

  test.each([
    ['its key has expired', `UPDATE keys.api_key SET expires_at = now() WHERE id = $2`],
    [
      'its key may not be used from here any more',
      `UPDATE keys.api_key SET ip_allowlist = '{203.0.113.9}' WHERE id = $2`,
    ],
    ['its account is closed', `UPDATE account.account SET status = 'CLOSED' WHERE id = $1`],
  ])('is signed out when %s (docs/oauth-rules.md §4)', async (_, sql) => {
    const { id } = await gateway.createAccount()
    const { id: keyId, plaintext } = await gateway.createKey(id)
    const browser = await signIn(gateway.live, plaintext)
    expect(await isSignedIn(browser)).toBe(true)

    await gateway.database.query(sql.includes('$1') ? sql : sql.replace('$2', '$1'), [
      sql.includes('$1') ? id : keyId,
    ])

    expect(await isSignedIn(browser)).toBe(false)
  })

  test('grants no more than its key may at that time (docs/oauth-rules.md 43, 48)', async () => {
    const account = await gateway.createAccount()
    const { id, plaintext } = await gateway.createKey(account.id)
    const browser = await signIn(gateway.live, plaintext)
    const query = requestOf(app, { scope: 'openid account:read' })
    const token = await shownTo(gateway.live, browser, query)
    const change = (scopes: readonly string[]) =>
      gateway.live.request(`/v1/account/keys/${id}`, {
        method: 'PATCH',
        key: account.liveKey,
        body: { scopes },
      })
    const decided = () =>
      consent(gateway.live, `${query}&consent_token=${token}`, undefined, browser.headers)

    await change(['oauth:consent'])
    const lacking = await decided()
    await change(['account:read'])
    const forbidden = await decided()

    expectError(gateway, lacking, {
      status: 403,
      code: 'FORBIDDEN',
      message: 'This API key lacks the scope account:read.',
    })
    expectError(gateway, forbidden, {
      status: 403,
      code: 'FORBIDDEN',
      message: 'This API key lacks the scope oauth:consent.',
    })
    expect(await grantsOf(gateway, account)).toEqual([])
  })

  test.each([
    ["proven_at = now() - interval '14 minutes', auth_time = now() - interval '1 hour'", true],
    ["proven_at = now() - interval '16 minutes', auth_time = now() - interval '1 hour'", false],
    ["auth_time = now(), proven_at = now() - interval '1 ms'", false],
    ["expires_at = now() - interval '1 second'", false],
    ['ended_at = now()', false],
  ])('with %s is signed in: %s (docs/oauth-rules.md §4)', async (change, isIn) => {
    const { liveKey } = await gateway.createAccount()
    const browser = await signIn(gateway.live, liveKey)

    await setSession(browser, change)

    expect(await isSignedIn(browser)).toBe(isIn)
  })

  test('is signed in no longer after a decision: its end stays (docs/oauth-rules.md §4)', async () => {
    const { liveKey } = await gateway.createAccount()
    const browser = await signIn(gateway.live, liveKey)
    const endOf = async () => {
      const [row] = await gateway.database.query<{ expires_at: Date }>(
        'SELECT expires_at FROM oauth.session WHERE id = $1',
        [browser.sessionId],
      )
      return row?.expires_at
    }
    const before = await endOf()

    const { body } = await decide(browser)

    expect(Object(body).status).toBe('approved')
    expect(await endOf()).toEqual(before)
  })

  test.each([
    'no_such',
    'svc_osn_',
    `svc_osn_${'a'.repeat(42)}`,
    `svc_osn_${'a'.repeat(44)}`,
    `svc_oat_${'a'.repeat(43)}`,
    `"svc_osn_${'a'.repeat(43)}"`,
    '',
  ])('is anonymous with the cookie %j (docs/oauth-rules.md §4)', async (value) => {
    expect(await isSignedIn({ cookie: `__Host-gw_session=${value}` })).toBe(false)
  })

  test('is recognised among other cookies, and by the right name only (docs/oauth-rules.md §4)', async () => {
    const { liveKey } = await gateway.createAccount()
    const { cookie } = await signIn(gateway.live, liveKey)
    const value = cookie.split('=')[1]

    expect(await isSignedIn({ cookie: `a=b; ${cookie}; c="d"` })).toBe(true)
    for (const name of [
      'gw_session',
      '__Secure-gw_session',
      '__host-gw_session',
      'x__Host-gw_session',
    ]) {
      expect([name, await isSignedIn({ cookie: `${name}=${value}` })]).toEqual([name, false])
    }
  })

  test('of the sandbox is anonymous on the live listener, whatever its cookie is called', async () => {
    const { sandboxKey, liveKey } = await gateway.createAccount()
    const played = await registerApp(gateway, {}, 'sandbox')
    const there = await signIn(gateway.sandbox, sandboxKey)
    const here = await signIn(gateway.live, liveKey)
    const ask = (cookie: string) =>
      authorize(gateway.sandbox, requestOf(played), undefined, { cookie })
    const [, secret] = there.cookie.split('=')

    expect(there.cookie).toMatch(/^__Host-gw_sandbox_session=/)
    expect(Object((await ask(there.cookie)).body).login_required).toBe(false)
    expect(Object((await ask(here.cookie)).body).login_required).toBe(true)
    const renamed = here.cookie.replace('gw_session', 'gw_sandbox_session')
    expect(Object((await ask(renamed)).body).login_required).toBe(true)
    expect(await isSignedIn(there)).toBe(false)
    expect(await isSignedIn({ cookie: `__Host-gw_session=${secret}` })).toBe(false)
  })
})

describe('DELETE /v1/oauth/session', () => {
  test('signs the browser out, and changes nothing the second time (docs/oauth-rules.md §4)', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const browser = await signIn(gateway.live, liveKey)
    const signOut = () => gateway.live.request(path, { method: 'DELETE', headers: browser.headers })

    const first = await signOut()
    const second = await signOut()

    for (const { status, body, headers } of [first, second]) {
      expect([status, body]).toEqual([200, {}])
      expect(headers.get('set-cookie')).toBe(
        '__Host-gw_session=; Path=/; HttpOnly; Secure; SameSite=Strict; Max-Age=0',
      )
      // Cookies of the other listener would go too.
      expect(headers.get('clear-site-data')).toBe('"cache", "storage"')
    }
    expect(await isSignedIn(browser)).toBe(false)
    const lines = await linesOf(gateway, browser.sessionId, 2)
    expect(lines).toMatchObject([
      { action: 'session.open', account_id: id },
      { action: 'session.end', account_id: id, result: 'succeeded', environment: 'live' },
    ])
    expect(lines).toHaveLength(2)
  })

  test('is refused for the page of another site (docs/oauth-rules.md §4)', async () => {
    const { liveKey } = await gateway.createAccount()
    const browser = await signIn(gateway.live, liveKey)
    const headers = { cookie: browser.cookie, origin: 'https://evil.example' }

    const response = await gateway.live.request(path, { method: 'DELETE', headers })

    expectError(gateway, response, { status: 403, code: 'FORBIDDEN' })
    expect(await isSignedIn(browser)).toBe(true)
  })

  test('answers without a session too (docs/oauth-rules.md §4)', async () => {
    const { status, body } = await gateway.live.request(path, { method: 'DELETE' })

    expect([status, body]).toEqual([200, {}])
  })

  test('leaves other sessions signed in, and an ended session decides nothing (docs/oauth-rules.md §4)', async () => {
    const { liveKey } = await gateway.createAccount()
    const [one, two] = [await signIn(gateway.live, liveKey), await signIn(gateway.live, liveKey)]
    const query = requestOf(app)
    const token = await shownTo(gateway.live, one, query)

    await gateway.live.request(path, { method: 'DELETE', headers: one.headers })
    const decided = `${query}&consent_token=${token}`
    const byEnded = await consent(gateway.live, decided, undefined, one.headers)
    const byOther = await consent(gateway.live, decided, undefined, two.headers)

    expect(Object(byEnded.body).status).toBe('login_required')
    expect(refusalOf(gateway, byOther)).toEqual(['consent_token: is not for this request'])
  })
})
