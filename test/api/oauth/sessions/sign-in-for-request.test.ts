import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { expectError } from '../../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts'
import {
  type AskingApp,
  authorize,
  type Browser,
  consent,
  grantsOf,
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
  gateway = await startTestGateway()
  app = await registerApp(gateway, { redirect_uris: [redirectUri, otherUri] })
})
afterEach(() => {
  vi.useRealTimers()
})
afterAll(() => gateway.close())

const asked: Parameters = {
  scope: 'openid email',
  state: 'st',
  nonce: 'no',
  code_challenge: newChallenge(),
  code_challenge_method: 'S256',
}
const askingAgain: readonly Parameters[] = [
  { prompt: 'login' },
  { prompt: 'select_account' },
  { prompt: 'login consent' },
  { max_age: '0' },
  { max_age: '000' },
  { prompt: 'login', max_age: '3600' },
]
const askedFor = (changes: Parameters) => requestOf(app, { ...asked, ...changes })

async function isAsked({ cookie }: Pick<Browser, 'cookie'>, query: string): Promise<boolean> {
  const { status, body } = await authorize(gateway.live, query, undefined, { cookie })
  expect(status).toBe(200)
  const { login_required: isAskedFor, consent_token: token } = Object(body)
  expect(typeof token).toBe(isAskedFor ? 'undefined' : 'string')
  return isAskedFor
}

function decide(browser: Browser, query: string, token: string, decision = 'allow') {
  const decided = `${query}&${new URLSearchParams({ consent_token: token, decision })}`
  return consent(gateway.live, decided, undefined, browser.headers)
}

async function continueTokenOf(query: string): Promise<string> {
  return Object((await authorize(gateway.live, query)).body).continue_token
}

const withToken = (query: string, token: string) =>
  `${query}&${new URLSearchParams({ continue_token: token })}`

describe('a request that requires a sign-in of its own', () => {
  test.each(askingAgain)(
    '%j accepts a sign-in for it (docs/oauth-rules.md 36, 37)',
    async (changes) => {
      const owner = await gateway.createAccount()
      const before = await signIn(gateway.live, owner.liveKey)
      const query = askedFor(changes)
      // A moment ago is not for this.
      expect(await isAsked(before, query)).toBe(true)

      const { browser, asked: continued } = await signInFor(gateway.live, owner.liveKey, query)
      const token = await shownTo(gateway.live, browser, continued)
      const { status, body } = await decide(browser, query, token)

      expect([status, Object(body).status]).toEqual([200, 'approved'])
      const grants = await gateway.database.query(
        `SELECT g.session_id, g.auth_time = s.proven_at AS is_of_sign_in
       FROM oauth.authorization_grant g JOIN oauth.session s ON s.id = g.session_id
       WHERE g.account_id = $1`,
        [owner.id],
      )
      expect(grants).toEqual([{ session_id: browser.sessionId, is_of_sign_in: true }])
    },
  )

  test.each<Parameters>([{}, { max_age: '3600' }, { prompt: 'consent' }])(
    '%j neither needs one nor takes a continue token (docs/oauth-rules.md 21)',
    async (changes) => {
      const { body } = await authorize(gateway.live, askedFor(changes))

      expect(Object(body).login_required).toBe(true)
      expect(body).not.toHaveProperty('continue_token')
    },
  )

  test('refuses a sign-in that was not for a request (docs/oauth-rules.md 36)', async () => {
    const owner = await gateway.createAccount()
    const query = askedFor({ prompt: 'login' })
    const continued = withToken(query, await continueTokenOf(query))

    for (const members of [{}, { continue_token: null }, { continue_token: '' }]) {
      const browser = await signIn(gateway.live, owner.liveKey, undefined, members)
      expect(await isAsked(browser, continued)).toBe(true)
    }
  })

  test.each<[string, Parameters]>([
    ['another redirect URI', { redirect_uri: otherUri }],
    ['another state', { state: 'sT' }],
    ['no nonce', { nonce: null }],
    ['another challenge', { code_challenge: newChallenge() }],
    ['another scope', { scope: 'openid' }],
    ['another prompt', { prompt: 'login consent' }],
    ['another max_age', { prompt: 'login', max_age: '10' }],
    ['max_age in place of prompt', { prompt: null, max_age: '0' }],
  ])('refuses a sign-in for a request with %s (docs/oauth-rules.md 36)', async (_, changes) => {
    const owner = await gateway.createAccount()
    const query = askedFor({ prompt: 'login' })
    const { browser, asked: continued } = await signInFor(gateway.live, owner.liveKey, query)
    const token = new URLSearchParams(continued).get('continue_token') ?? ''

    const other = askedFor({ prompt: 'login', ...changes })

    expect(await isAsked(browser, withToken(other, token))).toBe(true)
    expect(await isAsked(browser, continued)).toBe(false)
  })

  test('refuses a sign-in for another app (docs/oauth-rules.md 36)', async () => {
    const owner = await gateway.createAccount()
    const other = await registerApp(gateway)
    const query = requestOf(other, { ...asked, prompt: 'login' })
    const { browser, asked: continued } = await signInFor(gateway.live, owner.liveKey, query)
    const token = new URLSearchParams(continued).get('continue_token') ?? ''

    expect(await isAsked(browser, withToken(askedFor({ prompt: 'login' }), token))).toBe(true)
  })

  test('in two tabs: the tab without a sign-in of its own asks again (docs/oauth-rules.md 36)', async () => {
    const owner = await gateway.createAccount()
    const query = askedFor({ prompt: 'login' })
    const { browser, asked: first } = await signInFor(gateway.live, owner.liveKey, query)
    const second = withToken(query, await continueTokenOf(query))

    expect(await isAsked(browser, second)).toBe(true)
    expect(await isAsked(browser, query)).toBe(true)
    expect(await isAsked(browser, first)).toBe(false)
  })

  test('refuses the sign-in of another browser (docs/oauth-rules.md 36)', async () => {
    const [owner, attacker] = [await gateway.createAccount(), await gateway.createAccount()]
    const query = askedFor({ prompt: 'login' })
    const { asked: continued } = await signInFor(gateway.live, attacker.liveKey, query)
    const browser = await signIn(gateway.live, owner.liveKey)

    expect(await isAsked(browser, continued)).toBe(true)
  })

  test.each<[string, (token: string) => string]>([
    ['a later end', (token) => token.replace(/^\d+/, '9999999999999')],
    ['another signature', (token) => `${token.slice(0, -1)}${token.endsWith('A') ? 'E' : 'A'}`],
    ['no signature', (token) => token.replace(/\.[^.]*$/, '.')],
    ['a part more', (token) => `${token}.x`],
    ['no dot', (token) => token.replaceAll('.', '')],
    ['anything', () => 'anything'],
  ])('refuses a token with %s (docs/oauth-rules.md 36)', async (_, change) => {
    const owner = await gateway.createAccount()
    const query = askedFor({ prompt: 'login' })
    const forged = change(await continueTokenOf(query))

    const browser = await signIn(gateway.live, owner.liveKey, undefined, { continue_token: forged })

    expect(await isAsked(browser, withToken(query, forged))).toBe(true)
  })

  test('accepts the sign-in until the shown request has expired (docs/oauth-rules.md 36)', async () => {
    const owner = await gateway.createAccount()
    const query = askedFor({ prompt: 'login' })
    const { browser, asked: continued } = await signInFor(gateway.live, owner.liveKey, query)
    const now = Date.now()
    vi.useFakeTimers({ toFake: ['Date'] })

    vi.setSystemTime(now + 590_000)
    const inTime = await isAsked(browser, continued)
    vi.setSystemTime(now + 601_000)
    const late = await isAsked(browser, continued)

    expect([inTime, late]).toEqual([false, true])
  })

  test.each(['allow', 'deny'])(
    'accepts one decision for a sign-in: %s (docs/oauth-rules.md 36)',
    async (decision) => {
      const owner = await gateway.createAccount()
      const query = askedFor({ prompt: 'login' })
      const { browser, asked: continued } = await signInFor(gateway.live, owner.liveKey, query)
      const tokens = [
        await shownTo(gateway.live, browser, continued),
        await shownTo(gateway.live, browser, continued),
      ] as const

      const first = await decide(browser, query, tokens[0], decision)
      const second = await decide(browser, query, tokens[1])

      expect(Object(first.body).status).toBe(decision === 'allow' ? 'approved' : 'denied')
      expect([second.status, Object(second.body).status]).toEqual([200, 'login_required'])
      expect(await isAsked(browser, continued)).toBe(true)
      expect(await grantsOf(gateway, owner)).toHaveLength(decision === 'allow' ? 1 : 0)
    },
  )

  test('accepts one decision for a sign-in, also of many at the same time (docs/oauth-rules.md 36)', async () => {
    const owner = await gateway.createAccount()
    const query = askedFor({ max_age: '0' })
    const { browser, asked: continued } = await signInFor(gateway.live, owner.liveKey, query)
    const tokens = await Promise.all(
      Array.from({ length: 8 }, () => shownTo(gateway.live, browser, continued)),
    )

    const answers = await Promise.all(tokens.map((token) => decide(browser, query, token)))

    const approved = answers.filter(({ body }) => Object(body).status === 'approved')
    expect(approved).toHaveLength(1)
    for (const answer of answers) {
      if (answer.status === 200) continue
      expect(refusalOf(gateway, answer)).toEqual(['consent_token: is of a sign-in that is over'])
    }
    expect(await grantsOf(gateway, owner)).toHaveLength(1)
  })

  test('refuses the sign-in after max_age, though it was for this request (docs/oauth-rules.md 37)', async () => {
    const owner = await gateway.createAccount()
    const query = askedFor({ prompt: 'login', max_age: '300' })
    const { browser, asked: continued } = await signInFor(gateway.live, owner.liveKey, query)
    const token = await shownTo(gateway.live, browser, continued)
    await gateway.database.query(
      `UPDATE oauth.session SET auth_time = now() - interval '301 seconds',
         proven_at = now() - interval '301 seconds' WHERE id = $1`,
      [browser.sessionId],
    )

    const { status, body } = await decide(browser, query, token)

    expect([status, Object(body).status]).toEqual([200, 'login_required'])
    expect(await isAsked(browser, continued)).toBe(true)
    expect(await grantsOf(gateway, owner)).toEqual([])
  })

  test('accepts one continue token (docs/oauth-rules.md 4)', async () => {
    const query = askedFor({ prompt: 'login', continue_token: ['one', 'two'] })

    expect(refusalOf(gateway, await authorize(gateway.live, query))).toEqual([
      'continue_token: must be sent once',
    ])
  })

  test('POST /v1/oauth/session refuses a continue token that is not a string', async () => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.post('/v1/oauth/session', { continue_token: 7 }, liveKey)

    const details = [{ field: 'continue_token', in: 'body', message: 'must be text' }] as const
    expectError(gateway, response, { status: 422, code: 'INVALID_REQUEST', details })
  })
})

describe('the sign-in page of such a request', () => {
  const page = { accept: 'text/html', 'sec-fetch-site': 'same-origin' }

  function postKey(key: string, members: Readonly<Record<string, string>>) {
    return fetch(`${gateway.baseUrl}/v1/oauth/session`, {
      method: 'POST',
      redirect: 'manual',
      headers: page,
      body: new URLSearchParams({ api_key: key, ...members }),
    })
  }

  test('continues with the request and its own token, and no other (docs/oauth-rules.md 36)', async () => {
    const { liveKey } = await gateway.createAccount()
    const query = askedFor({ prompt: 'login' })
    const shown = await fetch(`${gateway.baseUrl}/v1/oauth/authorize${query}`, { headers: page })
    const [, token = ''] = /name="continue_token" value="([^"]+)"/.exec(await shown.text()) ?? []

    const wrong = await postKey('no key', { return_to: query.slice(1), continue_token: token })
    const right = await postKey(liveKey, {
      return_to: `${query.slice(1)}&continue_token=stale`,
      continue_token: token,
    })

    expect(wrong.status).toBe(401)
    expect(await wrong.text()).toContain(`name="continue_token" value="${token}"`)
    const location = new URL(right.headers.get('location') ?? '', gateway.baseUrl)
    expect([right.status, location.searchParams.getAll('continue_token')]).toEqual([303, [token]])
    const cookie = /^[^;]+/.exec(right.headers.get('set-cookie') ?? '')?.[0] ?? ''
    expect(await isAsked({ cookie }, location.search)).toBe(false)
    expect(await isAsked({ cookie }, query)).toBe(true)
  })
})
