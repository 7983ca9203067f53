import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { expectError } from '../../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts'
import {
  type AskingApp,
  consent,
  grantsOf,
  registerApp,
  requestOf,
  rowCounts,
  shownTo,
  signIn,
} from '../../../support/oauth/asking.ts'
import { patience } from '../../../support/time/patience.ts'

let gateway: TestGateway
let app: AskingApp
beforeAll(async () => {
  gateway = await startTestGateway({ OAUTH_LIMITS: 'authorize=0,register=0,failures=0' })
  app = await registerApp(gateway)
})
afterAll(() => gateway.close())

const path = '/v1/oauth/session'

describe('a decision by cookie must come from a first-party page', () => {
  const foreign = {
    status: 403,
    code: 'FORBIDDEN',
    message: 'The session may not be used from the page of another origin.',
  } as const

  test.each<[string, Record<string, string>, boolean]>([
    ['its own origin', { origin: 'OWN' }, true],
    ['its own origin, as a browser says', { origin: 'OWN', 'sec-fetch-site': 'same-origin' }, true],
    [
      'a form of a page without referrer',
      { origin: 'null', 'sec-fetch-site': 'same-origin' },
      true,
    ],
    ['no origin, but the same', { 'sec-fetch-site': 'same-origin' }, true],
    ['nowhere', {}, false],
    ['null', { origin: 'null' }, false],
    ['another origin', { origin: 'https://evil.example' }, false],
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, false],
    ['null of another site', { origin: 'null', 'sec-fetch-site': 'cross-site' }, false],
    ['the same site', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }, false],
    ['the address bar', { 'sec-fetch-site': 'none' }, false],
    ['another scheme', { origin: 'OWN'.replace('OWN', 'HTTPS') }, false],
    ['its own origin with a slash', { origin: 'OWN/' }, false],
    ['its own origin and more', { origin: 'OWN.evil.example' }, false],
    ['an origin that ends as its own', { origin: 'https://evil.example/?OWN' }, false],
  ])('is checked for %s (docs/oauth-rules.md §4)', async (_, from, isAllowed) => {
    const owner = await gateway.createAccount()
    const browser = await signIn(gateway.live, owner.liveKey)
    const own = gateway.baseUrl
    const headers = Object.fromEntries(
      Object.entries(from).map(([name, value]) => [
        name,
        value.replace('OWN', own).replace('HTTPS', own.replace('http:', 'https:')),
      ]),
    )

    const query = requestOf(app)
    const token = await shownTo(gateway.live, browser, query)
    const response = await consent(gateway.live, `${query}&consent_token=${token}`, undefined, {
      cookie: browser.cookie,
      ...headers,
    })

    if (isAllowed)
      expect([response.status, Object(response.body).status]).toEqual([200, 'approved'])
    else expectError(gateway, response, foreign)
    expect(await grantsOf(gateway, owner)).toHaveLength(isAllowed ? 1 : 0)
  })

  test('a refused one leaves a line in the audit trail (docs/oauth-rules.md §4, 118)', async () => {
    const owner = await gateway.createAccount()
    const { id: keyId, plaintext } = await gateway.createKey(owner.id)
    const { cookie } = await signIn(gateway.live, plaintext)
    const headers = { cookie, origin: 'https://evil.example' }

    const { headers: answered } = await consent(gateway.live, requestOf(app), undefined, headers)

    await vi.waitFor(async () => {
      const lines = await gateway.database.query(
        `SELECT action, result, account_id, actor_kind, actor_id FROM usage.audit_event
         WHERE request_id = $1`,
        [answered.get('x-request-id')],
      )
      expect(lines).toEqual([
        {
          action: 'access.deny',
          result: 'FORBIDDEN',
          account_id: owner.id,
          actor_kind: 'key',
          actor_id: keyId,
        },
      ])
    }, patience)
  })

  test('a sign-in by form must too, so no site can sign a browser in with its own key (docs/oauth-rules.md §4)', async () => {
    const { liveKey } = await gateway.createAccount()
    const form = (origin: string) =>
      fetch(gateway.baseUrl + path, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin },
        body: new URLSearchParams({ api_key: liveKey, return_to: 'a=b' }),
      })
    const before = await rowCounts(gateway)

    const foreignForm = await form('https://evil.example')
    const afterForeign = await rowCounts(gateway)
    const own = await form(gateway.baseUrl)

    expect([foreignForm.status, foreignForm.headers.get('set-cookie')]).toEqual([403, null])
    expect(afterForeign).toEqual(before)
    expect([own.status, own.headers.get('location')]).toEqual([303, '/v1/oauth/authorize?a=b'])
  })

  test.each(['//evil.example', 'https://evil.example', '\r\nLocation: x', '#', '?x', '../../'])(
    'a sign-in continues at the consent page, not at %j (docs/oauth-rules.md 11)',
    async (return_to) => {
      const { liveKey } = await gateway.createAccount()

      const { status, headers } = await fetch(gateway.baseUrl + path, {
        method: 'POST',
        redirect: 'manual',
        headers: { origin: gateway.baseUrl },
        body: new URLSearchParams({ api_key: liveKey, return_to }),
      })

      const location = new URL(headers.get('location') ?? '', gateway.baseUrl)
      expect([status, location.origin, location.pathname, location.hash]).toEqual([
        303,
        gateway.baseUrl,
        '/v1/oauth/authorize',
        '',
      ])
    },
  )

  test('origins that the operator names may decide, and may replace the built-in one (docs/oauth-rules.md §4)', async () => {
    const dashboard = 'https://dashboard.example'
    const named = await startTestGateway(
      { FIRST_PARTY_ORIGINS: dashboard, OAUTH_LIMITS: 'authorize=0' },
      { database: gateway.database },
    )
    try {
      const owner = await gateway.createAccount()
      const browser = await signIn(named.live, owner.liveKey)
      const query = requestOf(app)
      const ask = async (origin: string) => {
        const token = await shownTo(named.live, browser, query)
        const headers = { cookie: browser.cookie, origin }
        return consent(named.live, `${query}&consent_token=${token}`, undefined, headers)
      }

      expect((await ask(dashboard)).status).toBe(200)
      expect((await ask(named.baseUrl)).status).toBe(403)
      expect((await ask('https://dashboard.example.evil')).status).toBe(403)
    } finally {
      await named.close()
    }
  })
})

describe('a caller who tries many keys at the sign-in is slowed down (docs/oauth-rules.md 116)', () => {
  test('after ten a minute, with a whole number of seconds to wait; a valid key still signs in', async () => {
    const slow = await startTestGateway({ OAUTH_LIMITS: 'failures=10' })
    try {
      const { liveKey } = await slow.createAccount()
      const wrong = `${liveKey.slice(0, -1)}${liveKey.endsWith('x') ? 'y' : 'x'}`
      const statuses = []
      for (let attempt = 0; attempt < 10; attempt += 1) {
        statuses.push((await slow.live.post(path, {}, wrong)).status)
      }
      const refused = await slow.live.post(path, {}, wrong)
      const right = await slow.live.post(path, {}, liveKey)

      expect(statuses).toEqual(Array.from({ length: 10 }, () => 401))
      expectError(slow, refused, {
        status: 429,
        code: 'RATE_LIMIT_EXCEEDED',
        page: 'rate-limits',
        message: 'The limit of 10 requests per minute is exceeded.',
      })
      expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d?$/)
      expect(right.status).toBe(201)
    } finally {
      await slow.close()
    }
  })
})
