import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  askInternal,
  operate,
  operatorBaseUrl,
  withOperators,
} from '../../support/gateway/operator-page.ts'
import { openBrowser } from '../../support/operator/browser.ts'
import {
  callbackUrl,
  comeBack,
  isSignedIn,
  newPerson,
  sessionOf,
  signInAtIssuer,
  signInUrl,
} from '../../support/operator/sign-in.ts'
import { startTestIssuer, type TestIssuer } from '../../support/operator/test-issuer.ts'
import { patience } from '../../support/time/patience.ts'

let issuer: TestIssuer
let gateway: TestGateway
beforeAll(async () => {
  issuer = await startTestIssuer({ operatorUrl: operatorBaseUrl })
  gateway = await startTestGateway({ ...withOperators, ...issuer.variables })
})
beforeEach(() =>
  Object.assign(issuer, { person: null, loginAt: null, forge: null, brokenWith: null }),
)
afterAll(async () => {
  await gateway.close()
  issuer.close()
})

/** The lines of the audit trail of an operator. */
function linesOf(name: string) {
  return gateway.database.query<{ action: string; actor_role: string; details: object }>(
    'SELECT action, actor_role, details FROM usage.audit_event WHERE actor_id = $1 ORDER BY id',
    [name],
  )
}

const stateCookie =
  /^__Host-gw_operator_sign_in=[\w-]+; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=600$/
const endedStateCookie =
  '__Host-gw_operator_sign_in=; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=0'
const sessionCookie =
  /^__Host-gw_operator=svc_ops_[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/

describe('GET /operator/sign-in', () => {
  test('leads to the issuer with PKCE, state and nonce, and the browser keeps a sealed state', async () => {
    const browser = openBrowser(gateway)

    const visit = await browser.visit(signInUrl, { stopBefore: issuer.url })

    const { origin, pathname, searchParams } = new URL(visit.location ?? '')
    expect([visit.status, origin, pathname]).toEqual([303, issuer.url, '/auth'])
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: 'gateway',
      redirect_uri: callbackUrl,
      response_type: 'code',
      scope: 'openid profile offline_access',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      max_age: '28800',
    })
    expect(visit.setCookies).toEqual([expect.stringMatching(stateCookie)])
    expect(decodeURIComponent(visit.setCookies.join())).not.toContain(searchParams.get('state'))
  })

  test.each(['cross-site', 'same-site'])(
    'from a page elsewhere (Sec-Fetch-Site: %s) leads to the page with its button, and nothing changes',
    async (site) => {
      const { browser } = await signInAtIssuer(gateway, issuer, newPerson('gw-admins'))
      const cookie = sessionOf(browser)
      const { host } = new URL(operatorBaseUrl)
      const headers = { host, 'sec-fetch-site': site }
      const asked = issuer.authorizations.length

      for (const query of ['', '&step_up=1']) {
        const answer = await askInternal(
          gateway,
          `/operator/sign-in?return=/operator/accounts${query}`,
          { headers },
        )
        expect([answer.status, answer.headers.get('location')]).toEqual([303, '/operator/accounts'])
        expect(answer.headers.get('set-cookie')).toBeNull()
      }

      expect(issuer.authorizations).toHaveLength(asked)
      const me = await operate(gateway, 'Me', {}, { cookie: cookie ?? '' })
      expect(me.status).toBe(200)
    },
  )

  test.each(['sign-in', 'callback'])('%s answers other methods with 405', async (path) => {
    const { host } = new URL(operatorBaseUrl)
    const answer = await askInternal(gateway, `/operator/${path}`, {
      method: 'POST',
      headers: { host },
    })

    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  test('is 503 with a page while the issuer does not answer, and works afterwards', async () => {
    const other = await startTestIssuer({ operatorUrl: operatorBaseUrl })
    const own = await startTestGateway({ ...withOperators, ...other.variables })
    try {
      other.brokenWith = 500
      const browser = openBrowser(own)

      const broken = await browser.visit(signInUrl)

      expect([broken.status, broken.setCookies]).toEqual([503, [endedStateCookie]])
      expect(broken.text).toContain('The issuer cannot be reached')
      other.brokenWith = null
      other.person = newPerson('gw-admins')
      expect(isSignedIn(await browser.visit(signInUrl), browser)).toBe(true)
    } finally {
      await own.close()
      other.close()
    }
  })
})

describe('GET /operator/callback', () => {
  test.each([
    [['gw-readers', 'gw-admins', 'others'], 'admin'],
    [['gw-support'], 'support'],
    [['gw-readers'], 'readonly'],
  ])('opens a session for a person with the groups %j as %s', async (groups, role) => {
    const person = newPerson(...groups)
    const name = `ann (${person.sub})`
    issuer.person = person
    issuer.loginAt = Math.floor(Date.now() / 1000) - 60
    const browser = openBrowser(gateway)
    const back = await comeBack(browser)

    const visit = await browser.visit(back, {
      comesFromElsewhere: true,
      stopBefore: operatorBaseUrl,
    })

    expect([visit.status, visit.location]).toEqual([303, `${operatorBaseUrl}/operator`])
    expect(visit.setCookies).toEqual([expect.stringMatching(sessionCookie), endedStateCookie])
    const me = await operate(gateway, 'Me', {}, { cookie: browser.operatorCookies() })
    expect([me.status, me.body]).toEqual([
      200,
      {
        data: {
          ...{ name, role, isProofFresh: true, signInMethods: ['oidc', 'link'] },
          provenAt: new Date(issuer.loginAt * 1000).toISOString(),
          expiresAt: expect.any(String),
        },
      },
    ])
    await vi.waitFor(async () => {
      expect(await linesOf(name)).toEqual([
        {
          ...{ action: 'operator.sign_in', actor_role: role },
          details: { role, subject: person.sub, link_id: null, ended_session_id: null },
        },
      ])
    }, patience)
    const [stored] = await gateway.database.query<{ refresh_token: string }>(
      'SELECT refresh_token FROM keys.operator_session WHERE subject = $1',
      [person.sub],
    )
    expect(stored?.refresh_token).toMatch(/^[\w-]{100,}$/)
  })

  test.each([
    ['?return=/operator/accounts%3Ffilter%3Dlow', '/operator/accounts?filter=low'],
    ['?return=https://elsewhere.example/operator', '/operator'],
    ['?return=//elsewhere.example/operator', '/operator'],
    ['?return=/operator/../graphql', '/operator'],
    ['?return=/operators', '/operator'],
    ['?return=/operator/sign-in', '/operator'],
    ['?return=/operator/x&return=/operator/y', '/operator'],
    [`?return=/operator/${'x'.repeat(500)}`, '/operator'],
  ])('leads from %s to %s', async (query, path) => {
    issuer.person = newPerson('gw-admins')
    const browser = openBrowser(gateway)
    const back = await comeBack(browser, query)

    const visit = await browser.visit(back, { stopBefore: operatorBaseUrl })

    expect([visit.status, visit.location]).toEqual([303, operatorBaseUrl + path])
  })

  test.each([[[]], [['others']], ['gw-admins-2'], [{ 'gw-admins': true }], [undefined]])(
    'refuses a person whose groups are %j, and names the claim and no group',
    async (groups) => {
      issuer.person = { ...newPerson(), groups }
      const browser = openBrowser(gateway)

      const visit = await browser.visit(signInUrl)

      expect([visit.status, visit.setCookies]).toEqual([403, [endedStateCookie]])
      expect(visit.text).toContain('<code><bdi>groups</bdi></code>')
      expect(visit.text).toContain(issuer.person?.sub)
      expect(visit.text).not.toMatch(/gw-|others/)
      expect(sessionOf(browser)).toBeNull()
    },
  )

  test('a person who declines at the issuer is not signed in', async () => {
    const browser = openBrowser(gateway)

    const visit = await browser.visit(signInUrl)

    expect(visit.url).toContain('error=access_denied')
    expect([visit.status, visit.setCookies]).toEqual([403, [endedStateCookie]])
    expect(visit.text).toContain('You are not signed in')
  })

  test('in another browser it signs nobody in', async () => {
    issuer.person = newPerson('gw-admins')
    const browser = openBrowser(gateway)
    const other = openBrowser(gateway)
    const back = await comeBack(browser)
    await comeBack(other)

    const withoutState = await openBrowser(gateway).visit(back)
    const withOwnState = await other.visit(back)

    expect([withoutState.status, withOwnState.status]).toEqual([400, 403])
    expect(withoutState.text).toContain('This sign-in does not go on here')
    expect(sessionOf(other)).toBeNull()
    expect(isSignedIn(await browser.visit(back), browser)).toBe(true)
  })

  test('a second time it signs nobody in, also with the state of before', async () => {
    issuer.person = newPerson('gw-admins')
    const browser = openBrowser(gateway)
    const back = await comeBack(browser)
    const before = browser.operatorCookies()
    expect(isSignedIn(await browser.visit(back), browser)).toBe(true)

    const again = await browser.visit(back)
    const thief = openBrowser(gateway)
    thief.takeOperatorCookies(before)
    const replayed = await thief.visit(back)

    expect([again.status, replayed.status]).toEqual([400, 403])
    expect(sessionOf(thief)).toBeNull()
  })

  test('a state that was changed, or is of another gateway, is none', async () => {
    issuer.person = newPerson('gw-admins')
    const browser = openBrowser(gateway)
    const back = await comeBack(browser)
    const cookies = browser.operatorCookies()
    for (const changed of [
      cookies.slice(0, -2),
      `${cookies}AA`,
      cookies.replace(/=(.)/, (_, first) => `=${first === 'A' ? 'B' : 'A'}`),
    ]) {
      const other = openBrowser(gateway)
      other.takeOperatorCookies(changed)
      expect([(await other.visit(back)).status, sessionOf(other)]).toEqual([400, null])
    }
  })

  test.each([
    [
      'of another issuer (RFC 9207)',
      (url: URL) => url.searchParams.set('iss', 'https://x.example'),
    ],
    ['without the issuer', (url: URL) => url.searchParams.delete('iss')],
    ['with two issuers', (url: URL) => url.searchParams.append('iss', 'https://x.example')],
    ['without a state', (url: URL) => url.searchParams.delete('state')],
    ['with another state', (url: URL) => url.searchParams.set('state', 'x'.repeat(43))],
    ['with another code', (url: URL) => url.searchParams.set('code', 'x'.repeat(43))],
    ['without a code', (url: URL) => url.searchParams.delete('code')],
  ])('an answer %s is refused', async (_what, change) => {
    issuer.person = newPerson('gw-admins')
    const browser = openBrowser(gateway)
    const back = new URL(await comeBack(browser))
    change(back)

    const visit = await browser.visit(back.href)

    expect([visit.status, visit.setCookies]).toEqual([403, [endedStateCookie]])
    expect(sessionOf(browser)).toBeNull()
  })

  const now = () => Math.floor(Date.now() / 1000)

  test.each<[string, TestIssuer['forge']]>([
    ['with another nonce', (claims) => ({ claims: { ...claims, nonce: 'another' } })],
    ['without a nonce', (claims) => ({ claims: { ...claims, nonce: undefined } })],
    [
      'that has expired',
      (claims) => ({ claims: { ...claims, exp: now() - 60, iat: now() - 120 } }),
    ],
    ['for another client', (claims) => ({ claims: { ...claims, aud: 'another' } })],
    ['for two clients', (claims) => ({ claims: { ...claims, aud: ['gateway', 'another'] } })],
    ['of another issuer', (claims) => ({ claims: { ...claims, iss: 'https://x.example' } })],
    ['without a subject', (claims) => ({ claims: { ...claims, sub: undefined } })],
    ['with a signature of another key', (claims) => ({ claims, isSignedByStranger: true })],
  ])('an id token %s is refused', async (_what, forge) => {
    issuer.person = newPerson('gw-admins')
    issuer.forge = forge
    const browser = openBrowser(gateway)

    const visit = await browser.visit(signInUrl)

    expect([visit.status, visit.setCookies]).toEqual([403, [endedStateCookie]])
    expect(visit.text).toContain('You are not signed in')
    expect(sessionOf(browser)).toBeNull()
  })

  test('an id token that the issuer has signed anew signs in', async () => {
    const person = newPerson('gw-readers')
    issuer.forge = (claims) => ({ claims: { ...claims, groups: ['gw-admins'] } })

    const { cookie } = await signInAtIssuer(gateway, issuer, person)

    expect((await operate(gateway, 'Me', {}, { cookie })).body).toMatchObject({
      data: { role: 'admin' },
    })
  })

  test('the code is redeemed with the verifier of this browser alone (PKCE)', async () => {
    issuer.person = newPerson('gw-admins')
    const browser = openBrowser(gateway)
    const { location } = await browser.visit(signInUrl, { stopBefore: issuer.url })
    const changed = new URL(location ?? '')
    changed.searchParams.set('code_challenge', 'x'.repeat(43))
    const { location: back } = await browser.visit(changed.href, { stopBefore: callbackUrl })

    const visit = await browser.visit(back ?? '')

    expect([visit.status, sessionOf(browser)]).toEqual([403, null])
  })

  test('the session that the browser had before ends, and its cookie opens nothing', async () => {
    const { browser, person, cookie } = await signInAtIssuer(
      gateway,
      issuer,
      newPerson('gw-admins'),
    )

    await browser.visit(signInUrl)

    expect((await operate(gateway, 'Me', {}, { cookie })).status).toBe(401)
    const name = `ann (${person.sub})`
    expect(
      (await operate(gateway, 'Me', {}, { cookie: browser.operatorCookies() })).body,
    ).toMatchObject({ data: { name } })
  })
})

test('without auth_time a sign-in is no fresh proof', async () => {
  issuer.forge = (claims) => ({ claims: { ...claims, auth_time: undefined } })

  const { cookie } = await signInAtIssuer(gateway, issuer, newPerson('gw-admins'))

  expect((await operate(gateway, 'Me', {}, { cookie })).body).toMatchObject({
    data: { provenAt: '1970-01-01T00:00:00.000Z', isProofFresh: false },
  })
})

describe('an issuer that gives claims at its userinfo endpoint, and a refresh token after a consent', () => {
  test('signs in, and is asked for the consent at once the next time', async () => {
    const strict = {
      operatorUrl: operatorBaseUrl,
      keepsClaimsOutOfIdToken: true,
      wantsConsent: true,
    }
    const other = await startTestIssuer(strict)
    const own = await startTestGateway({ ...withOperators, ...other.variables })
    try {
      const { cookie, person } = await signInAtIssuer(own, other, newPerson('gw-support'))
      await signInAtIssuer(own, other, newPerson('gw-admins'))

      expect((await operate(own, 'Me', {}, { cookie })).body).toMatchObject({
        data: { name: `ann (${person.sub})`, role: 'support' },
      })
      expect(other.authorizations.map((query) => query.get('prompt'))).toEqual([
        null,
        'consent',
        'consent',
      ])
    } finally {
      await own.close()
      other.close()
    }
  })
})
