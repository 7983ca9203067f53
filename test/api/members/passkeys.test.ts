import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { freePort } from '../../../gateway/trial/embedded-postgres/free-port.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { Authenticator } from '../../support/oauth/authenticator.ts'
import { cookieNamed } from '../../support/oauth/mail-sign-in.ts'
import {
  invite,
  joinAccount,
  joinConfirmed,
  type MemberPage,
  newAddress,
} from '../../support/oauth/members.ts'
import {
  addPasskey,
  answerSignIn,
  beginSignIn,
  optionsFrom,
  passkeysPath,
  proveByPasskey,
  signInByPasskey,
  signInPath,
} from '../../support/oauth/passkeys.ts'
import { ofOwnPage, type Page, plantPage, setSession } from '../../support/oauth/sessions.ts'
import { patience } from '../../support/time/patience.ts'

const current = '/v1/account/sessions/current'
const members = '/v1/account/members'

let gateway: TestGateway
let origin: string
beforeAll(async () => {
  const port = String(await freePort())
  origin = `http://localhost:${port}`
  gateway = await startTestGateway({ PORT: port, BASE_URL: origin })
})
afterAll(() => gateway.close())

/** A member with a passkey, whose account has nobody else. */
async function memberWithPasskey(role: 'OWNER' | 'VIEWER' = 'OWNER') {
  const account = await gateway.createAccount()
  const page = await joinConfirmed(gateway, account, role)
  const authenticator = new Authenticator(origin, { counter: 1 })
  const id = await addPasskey(page, authenticator)
  return { account, page, authenticator, id }
}

/** The session of the member as a mail opens one for somebody who has a passkey. */
function asMail(page: Page): Promise<void> {
  return setSession(gateway, page, "proven_at = auth_time - interval '1 ms'")
}

async function passkeysOf(page: Page): Promise<Record<string, unknown>> {
  const { status, body } = await page.get(passkeysPath)
  expect(status).toBe(200)
  return Object(body)
}

const refusal = {
  ...{ status: 403, code: 'FORBIDDEN' },
  message: 'This passkey was not accepted. Try again, or use another one.',
} as const

const stepUp = {
  ...{ status: 403, code: 'STEP_UP_REQUIRED' },
  details: { methods: ['passkey' as const], return_url: null },
}

describe('POST /v1/account/members/me/passkeys', () => {
  test('adds a passkey, which is listed by name and counted for the member', async () => {
    const account = await gateway.createAccount()
    const page = await joinConfirmed(gateway, account, 'OWNER')
    const options = await optionsFrom(page, passkeysPath)

    const credential = new Authenticator(origin).create(options)
    const { status, body } = await page.send('POST', passkeysPath, { name: 'Phone', credential })

    const passkey = {
      ...{
        id: expect.stringMatching(/^psk_/),
        name: 'Phone',
        last_used_at: null,
        disabled_at: null,
      },
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    }
    expect(options).toMatchObject({
      ...{ rp: { id: 'localhost' }, attestation: 'none' },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
    expect([status, body]).toEqual([201, passkey])
    expect(await passkeysOf(page)).toEqual({
      ...{ items: [passkey], removable_from: null, removable_until: null, unavailable: null },
      // This gateway sends no mails.
      mail_sign_in: 'off',
    })
    expect(Object((await page.get(members)).body).items).toMatchObject([{ passkeys: 1 }])
  })

  test.each([
    ['of another origin', { origin: 'https://evil.example' }],
    ['of a page in a foreign frame', { isFramed: true }],
    ['without a check of the person', { isVerified: false }],
  ])('refuses a passkey %s, and uses the challenge up', async (_, given) => {
    const page = await joinConfirmed(gateway, await gateway.createAccount(), 'OWNER')
    const options = await optionsFrom(page, passkeysPath)
    const authenticator = new Authenticator(origin)

    const wrong = authenticator.create(options, given)
    const answer = await page.send('POST', passkeysPath, { name: 'Phone', credential: wrong })
    const right = authenticator.create(options)
    const later = await page.send('POST', passkeysPath, { name: 'Phone', credential: right })

    const message = 'does not answer the newest request of this session: ask for options again'
    const details = [{ field: 'credential', in: 'body', message } as const]
    for (const refused of [answer, later]) {
      expectError(gateway, refused, { status: 422, code: 'INVALID_REQUEST', details })
    }
    expect((await passkeysOf(page)).items).toEqual([])
  })

  test('takes the challenge of no other session, and none after five minutes', async () => {
    const account = await gateway.createAccount()
    const [one, other] = [
      await joinConfirmed(gateway, account, 'OWNER'),
      await joinConfirmed(gateway, account, 'VIEWER'),
    ]
    const ofOther = new Authenticator(origin).create(await optionsFrom(other, passkeysPath))
    const late = new Authenticator(origin).create(await optionsFrom(one, passkeysPath))
    await gateway.database.query(
      'UPDATE oauth.passkey_challenge SET expires_at = now() WHERE holder = $1',
      [one.sessionId],
    )

    const answers = [
      await one.send('POST', passkeysPath, { name: 'Late', credential: late }),
      await one.send('POST', passkeysPath, { name: 'Foreign', credential: ofOther }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([422, 422])
  })

  test('has at most 10 of a person, also of requests at once', async () => {
    const { page, authenticator } = await memberWithPasskey()
    for (let count = 1; count < 9; count += 1) await addPasskey(page, new Authenticator(origin))
    const other = await signInByPasskey(gateway, authenticator)
    const answers = await Promise.all(
      [page, other].map(async (one) => {
        const credential = new Authenticator(origin).create(await optionsFrom(one, passkeysPath))
        return one.send('POST', passkeysPath, { name: 'Tenth', credential })
      }),
    )
    const full = await page.send('POST', `${passkeysPath}/options`)

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
    expectError(gateway, full, { status: 409, code: 'CONFLICT' })
    expect((await passkeysOf(page)).items).toHaveLength(10)
  })

  test('is 429 after 20 of a person within a day, as is the beginning of a wait', async () => {
    const { page, id } = await memberWithPasskey('VIEWER')
    const told = (ago: string, times: number) =>
      gateway.database.query(
        `UPDATE oauth.person SET told_at = array_fill(now()::timestamptz(3) - $2::interval, ARRAY[$3::int])
         WHERE id = (SELECT person_id FROM oauth.membership WHERE id = $1)`,
        [page.memberId, ago, times],
      )
    await told('23 hours', 20)

    const credential = new Authenticator(origin).create(await optionsFrom(page, passkeysPath))
    const added = await page.send('POST', passkeysPath, { name: 'Phone', credential })
    await asMail(page)
    const begun = await page.send('DELETE', `${passkeysPath}/${id}`)

    for (const refused of [added, begun]) {
      expect([refused.status, Object(refused.body).error.code]).toEqual([
        429,
        'RATE_LIMIT_EXCEEDED',
      ])
      const wait = Number(refused.headers.get('retry-after'))
      expect([wait > 0, wait <= 3600]).toEqual([true, true])
    }
    expect(await passkeysOf(page)).toMatchObject({ items: [{ id }], removable_from: null })
    await told('25 hours', 20)
    expect((await page.send('DELETE', `${passkeysPath}/${id}`)).status).toBe(202)
    expect(
      await gateway.database.query(
        `SELECT cardinality(told_at) AS told FROM oauth.person
         WHERE id = (SELECT person_id FROM oauth.membership WHERE id = $1)`,
        [page.memberId],
      ),
    ).toEqual([{ told: 1 }])
  })

  test('is 404 for a key and for a person of a portal link', async () => {
    const account = await gateway.createAccount()
    const portal = await plantPage(gateway, account, { role: 'OWNER' })

    const answers = [
      await portal.get(passkeysPath),
      await portal.send('POST', `${passkeysPath}/options`),
      await gateway.live.get(passkeysPath, account.liveKey),
    ]

    for (const answer of answers) expectError(gateway, answer, { status: 404, code: 'NOT_FOUND' })
  })

  test('ends the proofs that mails gave to other sessions of the person', async () => {
    const [one, two] = [await gateway.createAccount(), await gateway.createAccount()]
    const email = newAddress()
    const page = await joinConfirmed(gateway, one, 'OWNER', email)
    const elsewhere = await joinConfirmed(gateway, two, 'OWNER', email)

    await addPasskey(page, new Authenticator(origin))

    const invited = await invite(elsewhere, newAddress(), 'VIEWER')
    expectError(gateway, invited, stepUp)
    expect((await invite(page, newAddress(), 'VIEWER')).status).toBe(201)
  })
})

describe('POST /v1/account/sessions/passkey', () => {
  test('signs a browser in as the member, with a fresh proof', async () => {
    const { account, page, authenticator } = await memberWithPasskey()

    const signedIn = await signInByPasskey(gateway, authenticator)

    expect((await signedIn.get(current)).body).toMatchObject({
      ...{ account_id: account.id, role: 'OWNER', actor: expect.stringMatching(/^owner-/) },
    })
    expect((await invite(signedIn, newAddress(), 'VIEWER')).status).toBe(201)
    expect((await passkeysOf(page)).items).toMatchObject([{ last_used_at: expect.any(String) }])
  })

  test('makes the browser known as the person, whose address is confirmed', async () => {
    const cookieFor = async (page: MemberPage) => {
      const authenticator = new Authenticator(origin)
      await addPasskey(page, authenticator)
      const begun = await beginSignIn(gateway)
      const credential = authenticator.sign(begun.options)
      const answer = await answerSignIn(gateway, begun, { credential })
      expect(answer.status).toBe(200)
      return cookieNamed(answer, '__Host-gw_known')
    }
    const account = await gateway.createAccount()

    const known = await cookieFor(await joinConfirmed(gateway, account, 'VIEWER'))
    const unconfirmed = await cookieFor(await joinAccount(gateway, account, 'VIEWER'))

    expect([known, unconfirmed]).toEqual([expect.stringMatching(/^__Host-gw_known=\S+$/), null])
  })

  test('proves the session of the same member anew: it stays, and its cookie is new', async () => {
    const { page, authenticator } = await memberWithPasskey()
    await setSession(gateway, page, "proven_at = now() - interval '2 hours'")
    const begun = await beginSignIn(gateway)

    const credential = authenticator.sign(begun.options)
    const cookie = `${begun.cookie}; ${page.cookie}`
    const answer = await answerSignIn(gateway, { cookie }, { credential })

    expect([answer.status, Object(answer.body).session.id]).toEqual([200, page.sessionId])
    expect(answer.headers.get('set-cookie')).not.toContain(page.cookie)
  })

  test.each([
    ['a signature of another origin', { origin: 'https://evil.example' }],
    ['a page in a foreign frame', { isFramed: true }],
    ['no check of the person', { isVerified: false }],
  ])('refuses %s, and the challenge is used up', async (_, given) => {
    const { authenticator } = await memberWithPasskey()
    const begun = await beginSignIn(gateway)

    const wrong = authenticator.sign(begun.options, given)
    const answers = [
      await answerSignIn(gateway, begun, { credential: wrong }),
      await answerSignIn(gateway, begun, { credential: authenticator.sign(begun.options) }),
    ]

    for (const answer of answers) {
      expectError(gateway, answer, refusal)
      expect(answer.headers.get('set-cookie')).toBeNull()
    }
    expect((await signInByPasskey(gateway, authenticator)).sessionId).toMatch(/^ses_/)
  })

  test('refuses a passkey that nobody has added, one of another person, and a second use', async () => {
    const { authenticator } = await memberWithPasskey()
    const stranger = new Authenticator(origin)
    const begun = await beginSignIn(gateway)
    const credential = authenticator.sign(begun.options)

    const unknown = await beginSignIn(gateway)
    const answers = [
      await answerSignIn(gateway, unknown, { credential: stranger.sign(unknown.options) }),
      // The name of one passkey, the signature of another.
      await answerSignIn(gateway, await beginSignIn(gateway), {
        credential: { ...stranger.sign(begun.options), id: credential.id, rawId: credential.id },
      }),
    ]
    const first = await answerSignIn(gateway, begun, { credential })
    answers.push(await answerSignIn(gateway, begun, { credential }))

    expect(first.status).toBe(200)
    for (const answer of answers) expectError(gateway, answer, refusal)
  })

  test('takes the challenge of no other browser', async () => {
    const { authenticator } = await memberWithPasskey()
    const [one, other] = [await beginSignIn(gateway), await beginSignIn(gateway)]

    const credential = authenticator.sign(one.options)
    const foreign = await answerSignIn(gateway, other, { credential })
    const without = await gateway.live.post(signInPath, { credential }, undefined, ofOwnPage)
    const ofOtherPage = await gateway.live.post(signInPath, { credential }, undefined, {
      ...{ cookie: one.cookie, 'sec-fetch-site': 'cross-site' },
    })

    for (const answer of [foreign, without, ofOtherPage]) {
      expectError(gateway, answer, { status: 403, code: 'FORBIDDEN' })
    }
  })

  test.each([[5], [4]])(
    'disables a passkey whose counter does not grow from 5: %i',
    async (counter) => {
      const { page, authenticator, id } = await memberWithPasskey()
      const used = await beginSignIn(gateway)
      const five = authenticator.sign(used.options, { counter: 5 })
      expect((await answerSignIn(gateway, used, { credential: five })).status).toBe(200)

      const begun = await beginSignIn(gateway)
      const copied = authenticator.sign(begun.options, { counter })
      const answer = await answerSignIn(gateway, begun, { credential: copied })
      const later = await beginSignIn(gateway)
      const grown = authenticator.sign(later.options, { counter: 9 })

      expectError(gateway, answer, refusal)
      expectError(gateway, await answerSignIn(gateway, later, { credential: grown }), refusal)
      expect((await passkeysOf(page)).items).toMatchObject([
        { id, disabled_at: expect.any(String) },
      ])
      expect(Object((await page.get(members)).body).items).toMatchObject([{ passkeys: 0 }])
    },
  )

  test('does not disable a passkey for a counter that it has not signed', async () => {
    const { page, authenticator } = await memberWithPasskey()
    const used = await beginSignIn(gateway)
    const signed = authenticator.sign(used.options, { counter: 5 })
    expect((await answerSignIn(gateway, used, { credential: signed })).status).toBe(200)
    const begun = await beginSignIn(gateway)

    const forged = authenticator.sign(begun.options, { counter: 1 })
    const { response, ...rest } = forged
    const credential = { ...rest, response: { ...response, signature: 'AAAA' } }
    expectError(gateway, await answerSignIn(gateway, begun, { credential }), refusal)

    expect((await passkeysOf(page)).items).toMatchObject([{ disabled_at: null }])
  })

  test('takes a passkey that does not count, always with 0', async () => {
    const page = await joinConfirmed(gateway, await gateway.createAccount(), 'VIEWER')
    const authenticator = new Authenticator(origin)
    await addPasskey(page, authenticator)

    for (const _ of [1, 2]) await signInByPasskey(gateway, authenticator)

    expect((await passkeysOf(page)).items).toMatchObject([{ disabled_at: null }])
  })

  test('shows a person of several accounts all of them, and opens the one that is chosen, once', async () => {
    const { account, page, authenticator } = await memberWithPasskey()
    const other = await gateway.createAccount()
    const { body: me } = await page.get(current)
    await joinConfirmed(gateway, other, 'VIEWER', Object(me).actor)
    const begun = await beginSignIn(gateway)

    const credential = authenticator.sign(begun.options)
    const shown = await answerSignIn(gateway, begun, { credential })
    const chosen = await answerSignIn(gateway, begun, { account_id: other.id })
    const again = await answerSignIn(gateway, begun, { account_id: account.id })

    expect([shown.status, shown.body]).toEqual([
      200,
      {
        session: null,
        accounts: [
          { account_id: account.id, account_name: 'Test', role: 'OWNER' },
          { account_id: other.id, account_name: 'Test', role: 'VIEWER' },
        ],
      },
    ])
    expect([chosen.status, Object(chosen.body).session.account_id]).toEqual([200, other.id])
    expectError(gateway, again, refusal)
  })

  test('signs in to no account that the person does not belong to', async () => {
    const { authenticator } = await memberWithPasskey()
    const foreign = await gateway.createAccount()
    const begun = await beginSignIn(gateway)

    const credential = authenticator.sign(begun.options)
    const answer = await answerSignIn(gateway, begun, { credential, account_id: foreign.id })

    expectError(gateway, answer, refusal)
  })
})

describe('step-up of a member with a passkey', () => {
  test('a mail opens a session that is never fresh; the passkey proves it', async () => {
    const { page, authenticator } = await memberWithPasskey()
    const other = await gateway.createAccount()
    const { body: me } = await page.get(current)
    // The link of an invitation comes by mail, as that of a sign-in.
    const byMail = await joinConfirmed(gateway, other, 'OWNER', Object(me).actor)
    expect((await byMail.get(current)).body).toMatchObject({ step_up_until: null })
    expectError(gateway, await invite(byMail, newAddress(), 'VIEWER'), stepUp)
    const proven = await proveByPasskey(byMail, authenticator)

    expect([proven.status, Object(proven.body).id]).toEqual([200, byMail.sessionId])
    const cookie = proven.headers.get('set-cookie')?.split(';')[0] ?? ''
    const headers = { ...ofOwnPage, cookie }
    const body = { email: newAddress(), role: 'VIEWER' }
    expect((await gateway.live.request(members, { method: 'POST', body, headers })).status).toBe(
      201,
    )
  })

  test('is asked for to add a passkey and to decide how members sign in', async () => {
    const { page } = await memberWithPasskey()
    const options = await optionsFrom(page, passkeysPath)
    const credential = new Authenticator(origin).create(options)
    await asMail(page)

    const answers = [
      await page.send('POST', `${passkeysPath}/options`),
      await page.send('POST', passkeysPath, { name: 'Thief', credential }),
      await page.send('PUT', '/v1/account/sign-in', { passkey_only: false }),
    ]

    for (const answer of answers) expectError(gateway, answer, stepUp)
  })

  test('takes the passkey of no other person', async () => {
    const { page } = await memberWithPasskey()
    const other = await memberWithPasskey()

    expectError(gateway, await proveByPasskey(page, other.authenticator), refusal)
  })

  test('without a passkey there is nothing to prove a session with', async () => {
    const page = await joinConfirmed(gateway, await gateway.createAccount(), 'OWNER')

    const answer = await page.send('POST', '/v1/account/sessions/current/passkey/options')

    expectError(gateway, answer, { status: 409, code: 'CONFLICT' })
  })
})

describe('DELETE /v1/account/members/me/passkeys/{passkey_id}', () => {
  const hour = 3_600_000

  function remove(page: Page, id: string) {
    return page.send('DELETE', `${passkeysPath}/${id}`)
  }

  function endWait({ memberId }: Pick<MemberPage, 'memberId'>, hours = 0) {
    return gateway.database.query(
      `UPDATE oauth.passkey_removal SET ready_at = now() - make_interval(hours => $2),
         ends_at = ready_at + interval '7 d'
       WHERE person_id = (SELECT person_id FROM oauth.membership WHERE id = $1)`,
      [memberId, hours],
    )
  }

  test('removes it with a proof', async () => {
    const { page, authenticator, id } = await memberWithPasskey()
    const signedIn = await signInByPasskey(gateway, authenticator)

    const { status, body } = await remove(signedIn, id)

    expect([status, body]).toMatchObject([200, { id, removable_from: null, removable_until: null }])
    expect((await passkeysOf(page)).items).toEqual([])
    expectError(gateway, await remove(signedIn, id), { status: 404, code: 'NOT_FOUND' })
  })

  test('asks a session that a passkey has proven before for the passkey', async () => {
    const { authenticator, id } = await memberWithPasskey()
    const signedIn = await signInByPasskey(gateway, authenticator)
    await setSession(gateway, signedIn, "proven_at = now() - interval '2 hours'")
    await setSession(gateway, signedIn, 'auth_time = proven_at')

    const answer = await remove(signedIn, id)

    expectError(gateway, answer, stepUp)
  })

  test('of a mail session waits 24 hours; afterwards any mail session repeats it', async () => {
    const { page, id } = await memberWithPasskey()
    await asMail(page)

    const first = await remove(page, id)
    const again = await remove(page, id)
    const list = await passkeysOf(page)
    await endWait(page)
    const last = await remove(page, id)

    const { removable_from: from, removable_until: until } = Object(first.body)
    expect([first.status, again.status, last.status]).toEqual([202, 202, 200])
    expect(Date.parse(until) - Date.parse(from)).toBe(7 * 24 * hour)
    expect(Math.round((Date.parse(from) - Date.now()) / hour)).toBe(24)
    expect(again.body).toEqual(first.body)
    expect(list).toMatchObject({ items: [{ id }], removable_from: from, removable_until: until })
    expect((await passkeysOf(page)).items).toEqual([])
  })

  test('waits anew where nobody has used the wait for seven days', async () => {
    const { page, id } = await memberWithPasskey()
    await asMail(page)
    await remove(page, id)
    await endWait(page, 7 * 24 + 25)
    await gateway.database.query('UPDATE oauth.passkey_removal SET ends_at = now()')

    const { status, body } = await remove(page, id)

    expect(status).toBe(202)
    expect(Date.parse(Object(body).removable_from)).toBeGreaterThan(Date.now() + 23 * hour)
  })

  test('a sign-in with a passkey ends the wait', async () => {
    const { page, authenticator, id } = await memberWithPasskey()
    await asMail(page)
    await remove(page, id)
    await endWait(page)

    await signInByPasskey(gateway, authenticator)
    const { status } = await remove(page, id)

    expect(status).toBe(202)
    expect((await passkeysOf(page)).items).toHaveLength(1)
  })

  test('with the last passkey the wait is used up: a later one is removed only after another', async () => {
    const { page, id } = await memberWithPasskey()
    await asMail(page)
    await remove(page, id)
    await endWait(page)
    expect((await remove(page, id)).status).toBe(200)
    expect(await passkeysOf(page)).toMatchObject({ items: [], removable_from: null })
    await setSession(gateway, page, 'proven_at = now()')

    const later = await addPasskey(page, new Authenticator(origin))
    await asMail(page)

    expect((await remove(page, later)).status).toBe(202)
    expect((await passkeysOf(page)).items).toMatchObject([{ id: later }])
  })

  test('a new passkey ends what was asked for before, with a line in the audit trail', async () => {
    const { account, page, id } = await memberWithPasskey()
    const { body: me } = await page.get(current)
    await asMail(page)
    await remove(page, id)
    await gateway.graphql(
      'mutation ($input: ResetPasskeysInput!) { resetPasskeys(input: $input) { email } }',
      { input: { email: Object(me).actor, reason: 'Lost.' } },
    )
    await setSession(gateway, page, 'proven_at = now()')

    await addPasskey(page, new Authenticator(origin))

    const left = await gateway.database.query(
      `SELECT 1 FROM oauth.passkey_removal r JOIN oauth.membership m USING (person_id) WHERE m.id = $1`,
      [page.memberId],
    )
    expect(left).toEqual([])
    const cancelled = async () => {
      const url = '/v1/account/audit/events?action=passkey.removal_cancel'
      return Object((await gateway.live.get(url, account.liveKey)).body).items
    }
    await expect.poll(cancelled, patience).toMatchObject([{ resource_id: page.memberId }])
  })

  test('finds no passkey of another person', async () => {
    const { page } = await memberWithPasskey()
    const other = await memberWithPasskey()

    expectError(gateway, await remove(page, other.id), { status: 404, code: 'NOT_FOUND' })
  })
})

describe('the passkeys of who is removed', () => {
  async function remove(account: TestAccount, { memberId }: MemberPage): Promise<void> {
    const owner = await plantPage(gateway, account, { role: 'OWNER' })
    const { status } = await owner.send('DELETE', `${members}/${memberId}?keys=keep`)
    expect(status).toBe(200)
  }

  async function expectNotAccepted(authenticator: Authenticator): Promise<void> {
    const begun = await beginSignIn(gateway)
    const credential = authenticator.sign(begun.options)
    expectError(gateway, await answerSignIn(gateway, begun, { credential }), refusal)
  }

  test('are deleted with the last membership: an invitation later brings none back', async () => {
    const account = await gateway.createAccount()
    const email = newAddress()
    const page = await joinConfirmed(gateway, account, 'ADMIN', email)
    const authenticator = new Authenticator(origin)
    const id = await addPasskey(page, authenticator)
    await asMail(page)
    expect((await page.send('DELETE', `${passkeysPath}/${id}`)).status).toBe(202)

    await remove(account, page)
    const again = await joinConfirmed(gateway, account, 'ADMIN', email)

    expect(await passkeysOf(again)).toMatchObject({ items: [], removable_from: null })
    expect((await invite(again, newAddress(), 'VIEWER')).status).toBe(201)
    await expectNotAccepted(authenticator)
  })

  test('stay with who belongs to another account', async () => {
    const [one, two] = [await gateway.createAccount(), await gateway.createAccount()]
    const email = newAddress()
    const page = await joinConfirmed(gateway, one, 'ADMIN', email)
    await joinConfirmed(gateway, two, 'VIEWER', email)
    const authenticator = new Authenticator(origin)
    await addPasskey(page, authenticator)

    await remove(one, page)

    const signedIn = await signInByPasskey(gateway, authenticator)
    expect((await signedIn.get(current)).body).toMatchObject({ account_id: two.id })
  })

  test('are deleted by the next invitation that is accepted, where they were left', async () => {
    const account = await gateway.createAccount()
    const email = newAddress()
    const page = await joinConfirmed(gateway, account, 'ADMIN', email)
    const authenticator = new Authenticator(origin)
    await addPasskey(page, authenticator)
    await gateway.database.query('UPDATE oauth.membership SET removed_at = now() WHERE id = $1', [
      page.memberId,
    ])

    const again = await joinConfirmed(gateway, await gateway.createAccount(), 'ADMIN', email)

    expect((await passkeysOf(again)).items).toEqual([])
    await expectNotAccepted(authenticator)
  })
})

describe('PUT /v1/account/sign-in', () => {
  const path = '/v1/account/sign-in'

  function set(page: Page, passkeyOnly: boolean) {
    return page.send('PUT', path, { passkey_only: passkeyOnly })
  }

  test('needs one OWNER with two passkeys, or two OWNERs with one', async () => {
    const { account, page } = await memberWithPasskey()
    const admin = await joinConfirmed(gateway, account, 'ADMIN')
    for (const _ of [1, 2]) await addPasskey(admin, new Authenticator(origin))

    const early = await set(page, true)
    const second = await joinConfirmed(gateway, account, 'OWNER')
    await addPasskey(second, new Authenticator(origin))
    const done = await set(page, true)

    expectError(gateway, early, { status: 409, code: 'CONFLICT' })
    expect([done.status, done.body]).toEqual([200, { passkey_only: true }])
    expect((await second.get(path)).body).toEqual({ passkey_only: true })
  })

  test('keeps what it needs: a passkey, a role and a member stay until it is turned off', async () => {
    const { account, page, id } = await memberWithPasskey()
    const second = await joinConfirmed(gateway, account, 'OWNER')
    await addPasskey(second, new Authenticator(origin))
    expect((await set(page, true)).status).toBe(200)

    const changes = () => [
      () => page.send('DELETE', `${passkeysPath}/${id}`),
      () => page.send('PATCH', `${members}/${second.memberId}`, { role: 'ADMIN' }),
      () => page.send('DELETE', `${members}/${second.memberId}?keys=keep`),
    ]
    for (const change of changes()) {
      expectError(gateway, await change(), { status: 409, code: 'CONFLICT' })
    }
    expect((await set(page, false)).status).toBe(200)
    for (const change of changes()) expect((await change()).status).toBe(200)
  })

  test('refuses no other change where a passkey was disabled, and no further loss is permitted', async () => {
    const { account, page, id } = await memberWithPasskey()
    const authenticator = new Authenticator(origin)
    const copied = await addPasskey(page, authenticator)
    const viewer = await joinConfirmed(gateway, account, 'VIEWER')
    const owner = await joinConfirmed(gateway, account, 'OWNER')
    const ofViewer = await addPasskey(viewer, new Authenticator(origin))
    expect((await set(page, true)).status).toBe(200)
    for (const [counter, status] of [
      [5, 200],
      [4, 403],
    ] as const) {
      const begun = await beginSignIn(gateway)
      const credential = authenticator.sign(begun.options, { counter })
      expect((await answerSignIn(gateway, begun, { credential })).status).toBe(status)
    }

    const lost = [
      await page.send('DELETE', `${passkeysPath}/${id}`),
      await plantPage(gateway, account, { role: 'OWNER' }).then((by) =>
        by.send('DELETE', `${members}/${page.memberId}?keys=keep`),
      ),
    ]
    const others = [
      await viewer.send('DELETE', `${passkeysPath}/${ofViewer}`),
      await page.send('DELETE', `${passkeysPath}/${copied}`),
      await page.send('PATCH', `${members}/${viewer.memberId}`, { role: 'BILLING' }),
      await page.send('DELETE', `${members}/${viewer.memberId}?keys=keep`),
      await page.send('DELETE', `${members}/${owner.memberId}?keys=keep`),
    ]

    for (const answer of lost) expectError(gateway, answer, { status: 409, code: 'CONFLICT' })
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  })

  test('of an account that is closed keeps no passkey: nobody could turn it off', async () => {
    const email = newAddress()
    const [closing, other] = [await gateway.createAccount(), await gateway.createAccount()]
    const owner = await joinConfirmed(gateway, closing, 'OWNER', email)
    const ids = [
      await addPasskey(owner, new Authenticator(origin)),
      await addPasskey(owner, new Authenticator(origin)),
    ]
    expect((await set(owner, true)).status).toBe(200)
    const page = await joinConfirmed(gateway, other, 'VIEWER', email)
    await setSession(gateway, page, 'proven_at = now()')
    const removal = () => page.send('DELETE', `${passkeysPath}/${ids[0]}`)

    expectError(gateway, await removal(), { status: 409, code: 'CONFLICT' })
    await gateway.database.query(`UPDATE account.account SET status = 'CLOSED' WHERE id = $1`, [
      closing.id,
    ])

    await vi.waitFor(async () => expect((await removal()).status).toBe(200), patience)
    const items = (await passkeysOf(page)).items
    expect(items).toMatchObject([{ id: ids[1] }])
  })

  describe('and a passkey for which a mail has vouched in another account', () => {
    /** An account that takes passkeys alone, and a member of it who has none. */
    async function memberWithout() {
      const { account, page } = await memberWithPasskey()
      await addPasskey(page, new Authenticator(origin))
      expect((await set(page, true)).status).toBe(200)
      const email = newAddress()
      return {
        account,
        owner: page,
        email,
        page: await joinConfirmed(gateway, account, 'ADMIN', email),
      }
    }

    test('is not taken: neither for a sign-in, nor a proof, nor with another one that it vouches for', async () => {
      const { account, email, page } = await memberWithout()
      const other = await gateway.createAccount()
      const [first, second] = [new Authenticator(origin), new Authenticator(origin)]
      await addPasskey(await joinConfirmed(gateway, other, 'VIEWER', email), first)
      const byPasskey = await signInByPasskey(gateway, first)
      await addPasskey(byPasskey, second)

      for (const authenticator of [first, second]) {
        const signedIn = await signInByPasskey(gateway, authenticator)
        expect((await signedIn.get(current)).body).toMatchObject({ account_id: other.id })
        const begun = await beginSignIn(gateway)
        const credential = authenticator.sign(begun.options)
        const chosen = { credential, account_id: account.id }
        expectError(gateway, await answerSignIn(gateway, begun, chosen), refusal)
        expectError(gateway, await proveByPasskey(page, authenticator), refusal)
      }
      const { items } = Object((await page.get(members)).body)
      expect(items).toContainEqual(expect.objectContaining({ email, passkeys: 0 }))
    })

    test('is taken if it stood before the account stopped taking mails, or before the member joined', async () => {
      const { account, owner, email } = await memberWithout()
      const authenticator = new Authenticator(origin)
      expect((await set(owner, false)).status).toBe(200)
      const other = await gateway.createAccount()
      await addPasskey(await joinConfirmed(gateway, other, 'VIEWER', email), authenticator)
      expect((await set(owner, true)).status).toBe(200)
      const { account: third } = await memberWithout()
      await joinConfirmed(gateway, third, 'VIEWER', email)

      for (const { id } of [account, third]) {
        const signedIn = await signInByPasskey(gateway, authenticator, id)
        expect((await signedIn.get(current)).body).toMatchObject({ account_id: id })
      }
    })

    test('does not count for the OWNERs that the account needs', async () => {
      const { account, owner } = await memberWithout()
      const email = newAddress()
      await joinConfirmed(gateway, account, 'OWNER', email)
      const elsewhere = await joinConfirmed(gateway, await gateway.createAccount(), 'VIEWER', email)
      await addPasskey(elsewhere, new Authenticator(origin))
      const [one] = Object(await passkeysOf(owner)).items

      const answer = await owner.send('DELETE', `${passkeysPath}/${one.id}`)

      expectError(gateway, answer, { status: 409, code: 'CONFLICT' })
    })
  })

  test('is for OWNERs alone', async () => {
    const { account, page } = await memberWithPasskey()
    await addPasskey(page, new Authenticator(origin))
    const admin = await joinConfirmed(gateway, account, 'ADMIN')

    expectError(gateway, await set(admin, true), { status: 403, code: 'FORBIDDEN' })
    expect((await set(page, true)).status).toBe(200)
  })
})

describe('resetPasskeys', () => {
  const mutation = `mutation ($input: ResetPasskeysInput!) { resetPasskeys(input: $input) { email readyAt } }`
  const setting = '/v1/account/sign-in'

  async function begin(page: Page) {
    const { body: me } = await page.get(current)
    const input = { email: Object(me).actor, reason: 'Lost both devices, passport seen.' }
    return Object(await gateway.graphql(mutation, { input })).resetPasskeys
  }

  /** Lets the wait of the member end, and has the job of the reset run. */
  async function letADayPass({ memberId }: MemberPage): Promise<void> {
    await gateway.database.query(
      `WITH due AS (
         UPDATE oauth.passkey_removal SET ready_at = now()
         WHERE person_id = (SELECT person_id FROM oauth.membership WHERE id = $1) RETURNING person_id
       ) UPDATE jobs.job SET start_after = now()
         WHERE name = 'FinishPasskeyReset' AND data->>'personId' = (SELECT person_id FROM due)`,
      [memberId],
    )
  }

  test('removes all passkeys a day later; accounts that took nothing else take mails again', async () => {
    const { page } = await memberWithPasskey()
    await addPasskey(page, new Authenticator(origin))
    expect((await page.send('PUT', setting, { passkey_only: true })).status).toBe(200)

    const begun = await begin(page)
    const again = await begin(page)
    const before = (await passkeysOf(page)).items
    await letADayPass(page)

    expect(begun).toEqual({ email: expect.any(String), readyAt: expect.any(String) })
    expect(Math.round((Date.parse(begun.readyAt) - Date.now()) / 3_600_000)).toBe(24)
    expect(again).toEqual(begun)
    expect(before).toHaveLength(2)
    await vi.waitFor(async () => expect((await passkeysOf(page)).items).toEqual([]), patience)
    expect((await page.get(setting)).body).toEqual({ passkey_only: false })
  })

  test('a sign-in with a passkey ends it', async () => {
    const { page, authenticator } = await memberWithPasskey()
    await begin(page)

    await signInByPasskey(gateway, authenticator)
    const left = await gateway.database.query(
      `SELECT 1 FROM oauth.passkey_removal r JOIN oauth.membership m USING (person_id) WHERE m.id = $1`,
      [page.memberId],
    )

    expect(left).toEqual([])
  })

  test('finds a member whose address nobody has confirmed; of several with one address, by the id', async () => {
    const email = newAddress()
    const unconfirmed = async () => {
      const page = await joinAccount(gateway, await gateway.createAccount(), 'OWNER', email)
      await addPasskey(page, new Authenticator(origin))
      return page
    }
    const reset = (named: string) =>
      gateway.graphql(mutation, { input: { email: named, reason: 'Lost both devices.' } })
    const first = await unconfirmed()
    const begun = Object(await reset(email.toUpperCase())).resetPasskeys
    await letADayPass(first)
    await vi.waitFor(async () => expect((await passkeysOf(first)).items).toEqual([]), patience)

    const [second, third] = [await unconfirmed(), await unconfirmed()]
    await expect(reset(email)).rejects.toThrow(/Several members have this address/)
    const byId = Object(await reset(third.memberId)).resetPasskeys
    await letADayPass(third)

    expect([begun.email, byId.email]).toEqual([email, email])
    await vi.waitFor(async () => expect((await passkeysOf(third)).items).toEqual([]), patience)
    expect((await passkeysOf(second)).items).toHaveLength(1)
  })

  test('needs a reason, and an address of a member with passkeys', async () => {
    const page = await joinConfirmed(gateway, await gateway.createAccount(), 'OWNER')
    const { body: me } = await page.get(current)
    const email = Object(me).actor

    for (const [reason, problem] of [
      ['Lost.', /No member with passkeys has this address/],
      [' ', /must have 1 to 500 characters/],
    ] as const) {
      const asked = gateway.graphql(mutation, { input: { email, reason } })
      await expect(asked).rejects.toThrow(problem)
    }
  })
})

test('passkeys are off, and say why, where BASE_URL has an address of digits', async () => {
  const plain = await startTestGateway()
  const page = await joinConfirmed(plain, await plain.createAccount(), 'OWNER')
  const message =
    'Passkeys are off: BASE_URL has an address of digits, and browsers keep passkeys for names alone.'

  const list = await page.get(passkeysPath)
  const answers = [
    await page.send('POST', `${passkeysPath}/options`),
    await plain.live.post(`${signInPath}/options`, undefined, undefined, ofOwnPage),
  ]

  expect([list.status, Object(list.body).unavailable]).toEqual([200, message])
  for (const answer of answers) {
    expectError(plain, answer, { status: 409, code: 'CONFLICT', message })
  }
  await plain.close()
})
