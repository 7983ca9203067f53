import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { chosen } from '../../../support/extent/extent.ts'
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts'
import {
  type AskingApp,
  type Browser,
  consent,
  grantsOf,
  linesOf,
  newChallenge,
  type Parameters,
  redirectUri,
  refusalOf,
  registerApp,
  requestOf,
  shownTo,
  signIn,
  signInFor,
} from '../../../support/oauth/asking.ts'

const otherUri = 'https://app.example/other'

let gateway: TestGateway
let app: AskingApp
beforeAll(async () => {
  gateway = await startTestGateway({ OAUTH_LIMITS: 'authorize=0,register=0' })
  app = await registerApp(gateway, { redirect_uris: [redirectUri, otherUri] })
})
afterEach(() => {
  vi.useRealTimers()
})
afterAll(() => gateway.close())

const asked: Parameters = {
  scope: 'openid email account:read',
  state: 'st',
  nonce: 'no',
  code_challenge: newChallenge(),
  code_challenge_method: 'S256',
  max_age: '3600',
  prompt: 'consent',
}

function send(browser: Browser, token: string | null, changes: Parameters = {}, of = app) {
  const query = requestOf(of, { ...asked, consent_token: token, ...changes })
  return consent(gateway.live, query, undefined, browser.headers)
}

/** Somebody who has just been shown the request. */
async function shown() {
  const owner = await gateway.createAccount()
  const browser = await signIn(gateway.live, owner.liveKey)
  const token = await shownTo(gateway.live, browser, requestOf(app, asked))
  return { owner, browser, token }
}

const notForThis = ['consent_token: is not for this request']

describe('a decision of a signed-in browser', () => {
  test('covers exactly the request that was shown, once (docs/oauth-rules.md §4)', async () => {
    const { owner, browser, token } = await shown()

    const first = await send(browser, token)
    const second = await send(browser, token)
    const denied = await send(browser, token, { decision: 'deny' })

    expect([first.status, Object(first.body).status]).toEqual([200, 'approved'])
    for (const again of [second, denied]) {
      expect(refusalOf(gateway, again)).toEqual(['consent_token: was used before'])
    }
    expect(await grantsOf(gateway, owner)).toHaveLength(1)
  })

  test('to approve is refused for a token that has denied (docs/oauth-rules.md §4)', async () => {
    const { owner, browser, token } = await shown()

    const denied = await send(browser, token, { decision: 'deny' })
    const approved = await send(browser, token)

    expect(Object(denied.body).status).toBe('denied')
    expect(refusalOf(gateway, approved)).toEqual(['consent_token: was used before'])
    expect(await grantsOf(gateway, owner)).toEqual([])
  })

  test.each([null, ''])(
    'is refused without a token, also to deny: %j (docs/oauth-rules.md §4)',
    async (token) => {
      const { owner, browser } = await shown()

      for (const decision of ['allow', 'deny']) {
        const response = await send(browser, token, { decision })
        expect(refusalOf(gateway, response)).toEqual(['consent_token: is required'])
      }
      expect(await grantsOf(gateway, owner)).toEqual([])
      expect(await linesOf(gateway, app.clientId, 2)).toContainEqual({
        action: 'consent.deny',
        result: 'INVALID_REQUEST',
        account_id: owner.id,
        environment: 'live',
        actor_kind: 'key',
        details: {},
      })
    },
  )

  const otherValues: readonly (readonly [string, Parameters])[] = [
    ['another redirect URI', { redirect_uri: otherUri }],
    ['another state', { state: 'sT' }],
    ['no state', { state: null }],
    ['another nonce', { nonce: 'other' }],
    ['no nonce', { nonce: null }],
    ['another challenge', { code_challenge: newChallenge() }],
    ['no challenge', { code_challenge: null, code_challenge_method: null }],
    ['another max_age', { max_age: '3601' }],
    ['max_age written otherwise', { max_age: '03600' }],
    ['no max_age', { max_age: null }],
    ['another prompt', { prompt: 'none' }],
    ['no prompt', { prompt: null }],
    ['a wider scope', { scope: 'openid email account:read usage:read' }],
    ['another scope', { scope: 'usage:read' }],
    ['offline access', { scope: 'openid offline_access' }],
  ]
  test.each(chosen('another value', otherValues, 5))(
    'is refused for another value of %s (docs/oauth-rules.md §4)',
    async (_, changes) => {
      const { owner, browser, token } = await shown()

      const refused = await send(browser, token, changes)
      const denied = await send(browser, token, { ...changes, decision: 'deny' })
      const kept = await send(browser, token)

      expect(refusalOf(gateway, refused)).toEqual(notForThis)
      expect(refusalOf(gateway, denied)).toEqual(notForThis)
      // The refused requests did not use it up.
      expect(Object(kept.body).status).toBe('approved')
      expect(await grantsOf(gateway, owner)).toHaveLength(1)
    },
  )

  test('is refused for another app (docs/oauth-rules.md §4)', async () => {
    const other = await registerApp(gateway)
    const { owner, browser, token } = await shown()

    const response = await send(browser, token, {}, other)

    expect(refusalOf(gateway, response)).toEqual(notForThis)
    expect(await grantsOf(gateway, owner)).toEqual([])
  })

  test('is refused in another session of the same or of another account (docs/oauth-rules.md §4)', async () => {
    const { owner, token } = await shown()
    const another = await gateway.createAccount()
    const sessions = [
      await signIn(gateway.live, owner.liveKey),
      await signIn(gateway.live, another.liveKey),
    ]

    for (const browser of sessions) {
      expect(refusalOf(gateway, await send(browser, token))).toEqual(notForThis)
    }
    expect(await grantsOf(gateway, owner)).toEqual([])
    expect(await grantsOf(gateway, another)).toEqual([])
  })

  test.each<[string, (token: string) => string]>([
    ['no dot', (token) => token.replace('.', '')],
    ['another signature', (token) => `${token.slice(0, -1)}${token.endsWith('A') ? 'E' : 'A'}`],
    ['no signature', (token) => token.replace(/\..*/, '.')],
    ['a part more', (token) => `${token}.x`],
    ['padding', (token) => `${token}=`],
    ['a space', (token) => `${token} `],
    ['an empty body', (token) => token.replace(/^.*\./, '.')],
    ['a later end', (token) => forged(token, { exp: 9_999_999_999 })],
    ['more scopes', (token) => forged(token, { scope: ['openid', 'usage:read'] })],
    ['another id', (token) => forged(token, { jti: 'ses_other' })],
    ['anything', () => 'anything'],
    ['8192 characters', () => 'x'.repeat(8192)],
  ])('is refused for a token with %s (docs/oauth-rules.md §4)', async (_, change) => {
    const { owner, browser, token } = await shown()

    expect(refusalOf(gateway, await send(browser, change(token)))).toEqual(notForThis)
    expect(await grantsOf(gateway, owner)).toEqual([])
  })

  test('is refused after ten minutes (docs/oauth-rules.md §4)', async () => {
    const { owner, browser, token } = await shown()
    const now = Date.now()
    vi.useFakeTimers({ toFake: ['Date'] })

    vi.setSystemTime(now + 590_000)
    const wrong = await send(browser, token, { state: 'other' })
    vi.setSystemTime(now + 601_000)
    const late = await send(browser, token)
    vi.setSystemTime(now + 590_000)
    const inTime = await send(browser, token)

    expect(refusalOf(gateway, wrong)).toEqual(notForThis)
    expect(refusalOf(gateway, late)).toEqual(notForThis)
    expect(Object(inTime.body).status).toBe('approved')
    expect(await grantsOf(gateway, owner)).toHaveLength(1)
  })

  test.each(['openid', 'email openid', 'account:read openid email'])(
    'may cover the scopes that were shown or fewer: %s (docs/oauth-rules.md 43)',
    async (scope) => {
      const { owner, browser, token } = await shown()

      const { status, body } = await send(browser, token, { scope })

      expect([status, Object(body).granted_scope]).toEqual([200, scope])
      expect(await grantsOf(gateway, owner)).toMatchObject([{ scopes: scope.split(' ') }])
    },
  )

  test('is refused when the sign-in has become older than max_age (docs/oauth-rules.md 37)', async () => {
    const { owner, browser, token } = await shown()
    await gateway.database.query(
      `UPDATE oauth.session SET auth_time = now() - interval '3601 seconds',
         proven_at = now() - interval '3601 seconds' WHERE id = $1`,
      [browser.sessionId],
    )

    const { status, body } = await send(browser, token)

    expect([status, Object(body).status]).toEqual([200, 'login_required'])
    expect(body).not.toHaveProperty('redirect_to')
    expect(await grantsOf(gateway, owner)).toEqual([])
  })

  test.each(['1', '720'])(
    'needs a proof of at most 15 minutes where STEP_UP_MINUTES is %s (docs/oauth-rules.md 137)',
    async (minutes) => {
      const own = await startTestGateway({ STEP_UP_MINUTES: minutes }, gateway)
      try {
        const { liveKey } = await gateway.createAccount()
        const browser = await signIn(own.live, liveKey)
        const token = await shownTo(own.live, browser, requestOf(app, asked))
        const decide = async (seconds: number) => {
          await gateway.database.query(
            `UPDATE oauth.session SET auth_time = now() - make_interval(secs => $2),
               proven_at = now() - make_interval(secs => $2) WHERE id = $1`,
            [browser.sessionId, seconds],
          )
          const query = requestOf(app, { ...asked, consent_token: token })
          const { status, body } = await consent(own.live, query, undefined, browser.headers)
          return [status, Object(body).status]
        }

        const decided = [await decide(901), await decide(840)]

        expect(decided).toEqual([
          [200, 'login_required'],
          [200, 'approved'],
        ])
      } finally {
        await own.close()
      }
    },
  )

  test('may come a while after the sign-in that was asked for (docs/oauth-rules.md 36)', async () => {
    const owner = await gateway.createAccount()
    const request = { prompt: 'login', max_age: null }
    const query = requestOf(app, { ...asked, ...request })
    const { browser, asked: continued } = await signInFor(gateway.live, owner.liveKey, query)
    const token = await shownTo(gateway.live, browser, continued)
    await gateway.database.query(
      `UPDATE oauth.session SET auth_time = now() - interval '5 minutes',
         proven_at = now() - interval '5 minutes' WHERE id = $1`,
      [browser.sessionId],
    )

    const { body } = await send(browser, token, request)

    expect(Object(body).status).toBe('approved')
  })

  test('with prompt=none does not use up the token (docs/oauth-rules.md 36)', async () => {
    const owner = await gateway.createAccount()
    const browser = await signIn(gateway.live, owner.liveKey)
    const request = { prompt: 'none' }
    const token = await shownTo(gateway.live, browser, requestOf(app, { ...asked, ...request }))

    const first = await send(browser, token, request)
    const other = await shownTo(gateway.live, browser, requestOf(app, asked))
    await send(browser, other)
    const second = await send(browser, token, request)

    expect([first.status, first.body]).toEqual([200, { status: 'consent_required' }])
    expect(Object(second.body).status).toBe('approved')
    expect(await grantsOf(gateway, owner)).toHaveLength(2)
  })

  test('by a key needs no token, and ignores one (docs/oauth-rules.md §4)', async () => {
    const { owner, browser, token } = await shown()

    const query = requestOf(app, { ...asked, consent_token: 'anything' })
    const byKey = await consent(gateway.live, query, owner.liveKey, browser.headers)
    const byBrowser = await send(browser, token)

    expect(Object(byKey.body).status).toBe('approved')
    expect(Object(byBrowser.body).status).toBe('approved')
    const grants = await gateway.database.query(
      'SELECT session_id FROM oauth.authorization_grant WHERE account_id = $1 ORDER BY id',
      [owner.id],
    )
    expect(grants).toEqual([{ session_id: null }, { session_id: browser.sessionId }])
  })
})

/** A token with other contents and the old signature, which is then wrong. */
function forged(token: string, changes: object): string {
  const [body = '', signature] = token.split('.')
  const content = JSON.parse(Buffer.from(body, 'base64url').toString())
  const changed = JSON.stringify({ ...content, ...changes })
  return `${Buffer.from(changed).toString('base64url')}.${signature}`
}
