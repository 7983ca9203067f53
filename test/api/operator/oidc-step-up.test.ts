import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  newOperator,
  operate,
  operatorBaseUrl,
  signInOperator,
  withOperators,
} from '../../support/gateway/operator-page.ts'
import {
  callbackUrl,
  comeBack,
  newPerson,
  sessionOf,
  signInAtIssuer,
  signInUrl,
} from '../../support/operator/sign-in.ts'
import {
  type Person,
  startTestIssuer,
  type TestIssuer,
} from '../../support/operator/test-issuer.ts'
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

const me = (cookie: string | null) => operate(gateway, 'Me', {}, { cookie: cookie ?? '' })
const stepUpUrl = `${signInUrl}?step_up=1`

/** Signs somebody in who had signed in at the issuer so long ago. */
async function signedInBefore(person: Person, seconds: number) {
  const loginAt = Math.floor(Date.now() / 1000) - seconds
  issuer.loginAt = loginAt
  const signedIn = await signInAtIssuer(gateway, issuer, person)
  issuer.loginAt = null
  return { ...signedIn, loginAt }
}

function actionsOf({ sub }: Person) {
  return gateway.database.query<{ action: string }>(
    'SELECT action FROM usage.audit_event WHERE actor_id = $1 ORDER BY id',
    [`ann (${sub})`],
  )
}

describe('GET /operator/sign-in?step_up=1', () => {
  test('asks the issuer for a new sign-in, which proves the session anew, under another cookie and to the same end', async () => {
    const { browser, person, cookie } = await signedInBefore(newPerson('gw-admins'), 3600)
    const before = await me(cookie)
    expect(before.body).toMatchObject({ data: { isProofFresh: false } })
    const { expiresAt } = Object(before.body).data

    const visit = await browser.visit(`${stepUpUrl}&return=/operator/accounts/1`)

    expect(visit.url).toBe(`${operatorBaseUrl}/operator/accounts/1`)
    expect(issuer.authorizations.at(-1)?.get('max_age')).toBe('0')
    expect((await me(cookie)).status).toBe(401)
    expect((await me(sessionOf(browser))).body).toMatchObject({
      data: { name: `ann (${person.sub})`, role: 'admin', isProofFresh: true, expiresAt },
    })
    await vi.waitFor(async () => {
      expect(await actionsOf(person)).toEqual([
        { action: 'operator.sign_in' },
        { action: 'operator.step_up' },
      ])
    }, patience)
  })

  test.each([5, 3600])(
    'without a new sign-in is refused, and the session is as before: one of %s seconds ago',
    async (seconds) => {
      const { browser, cookie, loginAt } = await signedInBefore(newPerson('gw-admins'), seconds)
      const before = (await me(cookie)).body
      // The browser takes out of the URL what would make the issuer ask.
      const { location } = await browser.visit(stepUpUrl, { stopBefore: issuer.url })
      const silent = new URL(location ?? '')
      silent.searchParams.delete('max_age')
      issuer.forge = (claims) => ({ claims: { ...claims, auth_time: loginAt } })
      const { location: back } = await browser.visit(silent.href, { stopBefore: callbackUrl })

      const visit = await browser.visit(back ?? '', { comesFromElsewhere: true })

      expect(visit.status).toBe(403)
      expect(visit.text).toContain('Nobody has signed in again')
      expect((await me(cookie)).body).toEqual(before)
    },
  )

  test('without auth_time is refused', async () => {
    const { browser, cookie } = await signedInBefore(newPerson('gw-admins'), 3600)
    issuer.forge = (claims) => ({ claims: { ...claims, auth_time: undefined } })

    const visit = await browser.visit(stepUpUrl)

    expect([visit.status, (await me(cookie)).status]).toEqual([403, 200])
    expect(visit.text).toContain('Nobody has signed in again')
  })

  test('by somebody else is refused, and the session is as before', async () => {
    const { browser, cookie } = await signedInBefore(newPerson('gw-admins'), 3600)
    browser.forgetIssuers()
    issuer.person = newPerson('gw-admins')

    const visit = await browser.visit(stepUpUrl)

    expect(visit.status).toBe(403)
    expect(visit.text).toContain('This is somebody else')
    expect((await me(cookie)).body).toMatchObject({ data: { isProofFresh: false } })
  })

  test('with a role that was lowered meanwhile gives the lower one', async () => {
    const { browser, person } = await signedInBefore(newPerson('gw-admins'), 3600)
    issuer.person = { ...person, groups: ['gw-support'] }

    await browser.visit(stepUpUrl)

    expect((await me(sessionOf(browser))).body).toMatchObject({
      data: { role: 'support', isProofFresh: true },
    })
  })

  test('of a session of a link signs in at the issuer instead', async () => {
    const linked = await signInOperator(gateway, newOperator('readonly'))
    const { browser } = await signedInBefore(newPerson('gw-admins'), 3600)
    browser.takeOperatorCookies(linked)

    await browser.visit(stepUpUrl)

    expect((await me(linked)).status).toBe(401)
    expect((await me(sessionOf(browser))).body).toMatchObject({ data: { role: 'admin' } })
  })
})

describe('an act that needs a fresh proof', () => {
  test('names the issuer as the way to give one', async () => {
    const { cookie } = await signedInBefore(newPerson('gw-admins'), 3600)

    const { status, body } = await operate(gateway, 'GrantCredits', {}, { cookie })

    expect([status, Object(body).error]).toEqual([
      403,
      expect.objectContaining({ code: 'STEP_UP_REQUIRED', details: { methods: ['oidc'] } }),
    ])
  })
})

describe('SignOut of a session of an issuer', () => {
  test('ends it, revokes the refresh token, and says where the session at the issuer ends', async () => {
    const { browser, cookie } = await signInAtIssuer(gateway, issuer, newPerson('gw-admins'))
    const before = issuer.requests.length

    const { status, body } = await operate(gateway, 'SignOut', {}, { cookie })

    const { signOutUrl } = Object(body).data
    const { origin, pathname, searchParams } = new URL(signOutUrl)
    expect([status, origin, pathname]).toEqual([200, issuer.url, '/session/end'])
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: 'gateway',
      id_token_hint: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      post_logout_redirect_uri: `${operatorBaseUrl}/operator`,
    })
    expect(issuer.requests.slice(before)).toContain('POST /token/revocation')
    expect((await me(cookie)).status).toBe(401)
    expect((await browser.visit(signOutUrl)).status).toBe(200)
  })

  test('ends it also while the issuer does not answer', async () => {
    const { cookie } = await signInAtIssuer(gateway, issuer, newPerson('gw-admins'))
    issuer.brokenWith = 500

    const { status } = await operate(gateway, 'SignOut', {}, { cookie })

    expect([status, (await me(cookie)).status]).toEqual([200, 401])
  })
})

test('a link signs in beside the issuer, and is in the audit trail', async () => {
  const operator = newOperator('support')

  const cookie = await signInOperator(gateway, operator)

  expect((await me(cookie)).body).toMatchObject({
    data: { ...operator, signInMethods: ['oidc', 'link'] },
  })
  await vi.waitFor(async () => {
    const lines = await gateway.database.query<{ action: string }>(
      'SELECT action FROM usage.audit_event WHERE actor_id = $1',
      [operator.name],
    )
    expect(lines).toEqual([{ action: 'operator.sign_in' }])
  }, patience)
})

test('a sign-in that was begun before a step-up does not take its place', async () => {
  const { browser, cookie } = await signedInBefore(newPerson('gw-admins'), 3600)
  const first = await comeBack(browser)
  await browser.visit(stepUpUrl)

  const late = await browser.visit(first)

  expect(late.status).toBe(400)
  expect([(await me(cookie)).status, (await me(sessionOf(browser))).status]).toEqual([401, 200])
})
