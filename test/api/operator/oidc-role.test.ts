import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { operate, operatorBaseUrl, withOperators } from '../../support/gateway/operator-page.ts'
import { newPerson, sessionOf, signInAtIssuer, signInUrl } from '../../support/operator/sign-in.ts'
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

const me = (cookie: string) => operate(gateway, 'Me', {}, { cookie })

/** Lets 15 minutes pass since the issuer was asked for the role of somebody. */
async function makeRoleDue({ sub }: Person): Promise<void> {
  const changed = await gateway.database.query(
    `UPDATE keys.operator_session SET role_asked_at = now() - interval '15 minutes'
     WHERE subject = $1 AND ended_at IS NULL RETURNING id`,
    [sub],
  )
  expect(changed).toHaveLength(1)
}

async function sessionRowOf({ sub }: Person) {
  const [row] = await gateway.database.query<{
    role: string
    refresh_token: string | null
    ended_at: Date | null
    role_asking_until: Date | null
    age: number
  }>(
    `SELECT role, refresh_token, ended_at, role_asking_until,
       extract(epoch FROM now() - role_asked_at)::int AS age
     FROM keys.operator_session WHERE subject = $1`,
    [sub],
  )
  return row
}

function linesOf({ sub }: Person) {
  return gateway.database.query<{ action: string; details: object }>(
    `SELECT action, details FROM usage.audit_event
     WHERE actor_id = $1 AND action <> 'operator.sign_in' ORDER BY id`,
    [`ann (${sub})`],
  )
}

const askedTimes = () => issuer.requests.filter((request) => request === 'POST /token').length

const over = {
  ...{ status: 401, code: 'AUTHENTICATION_REQUIRED' },
  message: 'The issuer no longer confirms your role, so you were signed out.',
  details: { methods: ['oidc', 'link'] },
}
const unknown = { ...over, message: 'Sign in to the page of operators.' }

describe('the role of an operator of an issuer', () => {
  test('is not asked again within 15 minutes', async () => {
    const { person, cookie } = await signInAtIssuer(gateway, issuer, newPerson('gw-support'))
    issuer.person = { ...person, groups: [] }
    const before = askedTimes()

    expect((await me(cookie)).body).toMatchObject({ data: { role: 'support' } })
    expect(askedTimes()).toBe(before)
  })

  test('is asked again after 15 minutes, and stays where nothing has changed', async () => {
    const { person, cookie } = await signInAtIssuer(gateway, issuer, newPerson('gw-support'))
    const before = await sessionRowOf(person)
    await makeRoleDue(person)
    const asked = askedTimes()

    expect((await me(cookie)).body).toMatchObject({ data: { role: 'support' } })
    expect((await me(cookie)).status).toBe(200)

    expect(askedTimes()).toBe(asked + 1)
    const after = await sessionRowOf(person)
    expect(after).toMatchObject({ role: 'support', ended_at: null, role_asking_until: null })
    expect(after?.age).toBeLessThan(60)
    expect(after?.refresh_token).not.toBe(before?.refresh_token)
    await makeRoleDue(person)
    expect((await me(cookie)).status).toBe(200)
    expect(await linesOf(person)).toEqual([])
  })

  test('that the issuer has taken away ends the session', async () => {
    const { person, cookie } = await signInAtIssuer(gateway, issuer, newPerson('gw-support'))
    issuer.person = { ...person, groups: ['others'] }
    await makeRoleDue(person)

    expectError(gateway, await me(cookie), over)
    expectError(gateway, await me(cookie), unknown)

    expect(await sessionRowOf(person)).toMatchObject({
      ended_at: expect.any(Date),
      refresh_token: null,
    })
    await vi.waitFor(async () => {
      expect(await linesOf(person)).toEqual([
        { action: 'operator.lose_role', details: { role: null, previous_role: 'support' } },
      ])
    }, patience)
  })

  test('that is lower now shrinks the session, also for the request that asks', async () => {
    const { person, cookie } = await signInAtIssuer(gateway, issuer, newPerson('gw-admins'))
    issuer.person = { ...person, groups: ['gw-readers'] }
    await makeRoleDue(person)

    expect((await me(cookie)).body).toMatchObject({ data: { role: 'readonly' } })

    await vi.waitFor(async () => {
      expect(await linesOf(person)).toEqual([
        { action: 'operator.update', details: { role: 'readonly', previous_role: 'admin' } },
      ])
    }, patience)
  })

  test('that is higher now needs a new sign-in', async () => {
    const { browser, person, cookie } = await signInAtIssuer(
      gateway,
      issuer,
      newPerson('gw-readers'),
    )
    issuer.person = { ...person, groups: ['gw-admins'] }
    await makeRoleDue(person)

    expect((await me(cookie)).body).toMatchObject({ data: { role: 'readonly' } })
    await browser.visit(signInUrl)

    expect((await me(sessionOf(browser) ?? '')).body).toMatchObject({ data: { role: 'admin' } })
  })

  test('is over where the issuer knows the person no more', async () => {
    const { person, cookie } = await signInAtIssuer(gateway, issuer, newPerson('gw-admins'))
    issuer.person = null
    await makeRoleDue(person)

    expectError(gateway, await me(cookie), over)
  })

  test.each<[string, TestIssuer['forge']]>([
    ['about somebody else', (claims) => ({ claims: { ...claims, sub: 'another' } })],
    ['for another client', (claims) => ({ claims: { ...claims, aud: 'another' } })],
    ['signed by another key', (claims) => ({ claims, isSignedByStranger: true })],
  ])('is over after an answer %s', async (_what, forge) => {
    const { person, cookie } = await signInAtIssuer(gateway, issuer, newPerson('gw-admins'))
    issuer.forge = forge
    await makeRoleDue(person)

    expectError(gateway, await me(cookie), over)
  })

  test.each([500, 429, 404])(
    'is waited for while the issuer answers with %s: requests are 503 until it answers, and the person may sign out',
    async (status) => {
      const { person, cookie } = await signInAtIssuer(gateway, issuer, newPerson('gw-admins'))
      await makeRoleDue(person)
      issuer.brokenWith = status

      for (const answer of [await me(cookie), await me(cookie)]) {
        expectError(gateway, answer, {
          ...{ status: 503, code: 'SERVICE_UNAVAILABLE' },
          message:
            'The issuer at which you signed in cannot be asked for your role at the moment. Try again.',
        })
      }
      expect(await sessionRowOf(person)).toMatchObject({ ended_at: null, role_asking_until: null })

      issuer.brokenWith = null
      expect((await me(cookie)).body).toMatchObject({ data: { role: 'admin' } })
      issuer.brokenWith = status
      await makeRoleDue(person)
      const answer = await operate(gateway, 'SignOut', {}, { cookie })
      expect(answer.status).toBe(200)
      expect(await sessionRowOf(person)).toMatchObject({ ended_at: expect.any(Date) })
    },
  )

  test('is asked once for many requests at the same time, because a second use of a refresh token ends all', async () => {
    const { person, cookie } = await signInAtIssuer(gateway, issuer, newPerson('gw-admins'))
    await makeRoleDue(person)
    const asked = askedTimes()

    const answers = await Promise.all(Array.from({ length: 10 }, () => me(cookie)))

    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
    expect(askedTimes()).toBe(asked + 1)
    await makeRoleDue(person)
    expect((await me(cookie)).status).toBe(200)
  })

  test('is asked by another process when the one that began has not said what it heard', async () => {
    const { person, cookie } = await signInAtIssuer(gateway, issuer, newPerson('gw-admins'))
    await makeRoleDue(person)
    await gateway.database.query(
      'UPDATE keys.operator_session SET role_asking_until = now() WHERE subject = $1',
      [person.sub],
    )

    expect((await me(cookie)).status).toBe(200)
  })

  test('of an issuer that gives no refresh token lasts 15 minutes', async () => {
    const other = await startTestIssuer({ operatorUrl: operatorBaseUrl, givesNoRefreshToken: true })
    const own = await startTestGateway({ ...withOperators, ...other.variables })
    try {
      const { cookie } = await signInAtIssuer(own, other, newPerson('gw-admins'))
      expect((await operate(own, 'Me', {}, { cookie })).status).toBe(200)
      await own.database.query(
        "UPDATE keys.operator_session SET role_asked_at = now() - interval '15 minutes'",
      )

      expectError(own, await operate(own, 'Me', {}, { cookie }), over)
    } finally {
      await own.close()
      other.close()
    }
  })

  test('is nothing to a gateway without an issuer: its sessions are over', async () => {
    const { database } = gateway
    const { cookie } = await signInAtIssuer(gateway, issuer, newPerson('gw-admins'))
    const other = await startTestGateway(withOperators, { database })
    try {
      const answer = await operate(other, 'Me', {}, { cookie })
      expectError(other, answer, { ...over, details: { methods: ['link'] } })
    } finally {
      await other.close()
    }
  })
})
