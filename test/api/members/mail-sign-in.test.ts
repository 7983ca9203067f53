import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import type { PersonRole } from '../../../schema/vocabulary/roles.ts'
import { whileHeld } from '../../support/database/held-transaction.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  type Asked,
  askAndRead,
  askCookieOf,
  askForMail,
  cookieNamed,
  pageOfSignIn,
  secretsIn,
  signInByMail,
} from '../../support/oauth/mail-sign-in.ts'
import { joinByMail, type MailedMember } from '../../support/oauth/mailed-members.ts'
import { joinAccount, newAddress } from '../../support/oauth/members.ts'
import { plantPage, setSession } from '../../support/oauth/sessions.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { type MailServer, openMailServer } from '../../support/stubs/mail-server.ts'
import { patience } from '../../support/time/patience.ts'

const path = '/v1/account/sessions/mail'

let server: MailServer
let gateway: TestGateway
beforeAll(async () => {
  server = await openMailServer()
  const MAIL_FROM = 'Gateway <gw@api.example>'
  // Each request of a test may come from a network of its own.
  gateway = await startTestGateway({ SMTP_URL: server.url, MAIL_FROM, TRUST_PROXY: '1' })
})
afterAll(async () => {
  await gateway.close()
  await server.stop()
})

/** A member whose address is confirmed: the invitation came by mail. */
function member(
  role: PersonRole = 'DEVELOPER',
  email = newAddress('mail'),
  account?: { readonly id: string },
): Promise<MailedMember> {
  return joinByMail(gateway, server, { email, role, account })
}

let networks = 0

/** A client address of a network that no other request has. */
function elsewhere(): Record<string, string> {
  networks += 1
  return { 'x-forwarded-for': `10.${networks >> 8}.${networks & 255}.7` }
}

const ask = (email: string, headers: Record<string, string> = elsewhere()): Promise<Asked> =>
  askAndRead(gateway.live, server, email, headers)

const enter = (proof: object, ...cookies: string[]): Promise<TestResponse> =>
  signInByMail(gateway.live, proof, ...cookies)

const message =
  'This link or code does not work here. Use the browser in which you asked for it, or ask for another one.'

function expectRefused(...answers: readonly TestResponse[]): void {
  for (const answer of answers) {
    expectError(gateway, answer, { status: 404, code: 'NOT_FOUND', message })
    expect(answer.headers.getSetCookie()).toEqual([])
  }
}

/** Waits until every job of requests for mails is done, and every mail that they caused has left. */
async function untilMailed(): Promise<void> {
  await vi.waitFor(async () => {
    const waiting = await gateway.database.query(
      `SELECT 1 FROM jobs.job WHERE name IN ('MailSignIn', 'MailPeople') AND state < 'completed'
       UNION ALL SELECT 1 FROM account.mail WHERE due_at IS NOT NULL`,
    )
    expect(waiting).toEqual([])
  }, patience)
}

const mailsTo = (email: string) =>
  server.received.filter(({ to, text }) => to === email && text.includes('/console/sign-in#'))

function wrongFor({ code }: Asked): string {
  let other = code
  while (other === code) other = String(randomInt(10 ** 8)).padStart(8, '0')
  return other
}

describe('POST /v1/account/sessions/mail/request', () => {
  test('mails a link and a code, and says nothing but their end', async () => {
    const { email } = await member()

    const answer = await askForMail(gateway.live, email.toUpperCase(), elsewhere())
    await untilMailed()

    expect([answer.status, answer.body]).toEqual([
      202,
      { expires_at: expect.stringMatching(/^\d{4}-.*Z$/) },
    ])
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-gw_ask=svc_oak_[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict; Max-Age=900$/,
      ),
    ])
    const [mail] = mailsTo(email)
    expect(mail?.headers.get('subject')).toBe('Your link and code to sign in')
    const { token, code } = secretsIn(mail?.text ?? '')
    expect(mail?.text).toContain(`${gateway.baseUrl}/console/sign-in#${token}`)
    expect(code).toMatch(/^\d{8}$/)
    expect(mail?.html).toContain(code)
    expect(mail?.headers.has('list-unsubscribe')).toBe(false)
    expect(mail?.raw).not.toContain('Unsubscribe')
  })

  test('stores nothing that signs in, and no address', async () => {
    const { email } = await member()
    const asked = await ask(email)

    const [row] = await gateway.database.query<{ rows: string; mails: string }>(
      `SELECT (SELECT jsonb_agg(to_jsonb(s))::text FROM oauth.mail_sign_in s) AS rows,
         (SELECT jsonb_agg(to_jsonb(m))::text FROM account.mail m WHERE m.address = $1) AS mails`,
      [email],
    )

    const secret = asked.cookie.split('=')[1] ?? ''
    const signature = asked.token.split('.')[1] ?? ''
    for (const text of [row?.rows, row?.mails]) {
      for (const one of [secret, signature, asked.code]) expect(text).not.toContain(one)
    }
    expect(row?.rows).not.toContain(email)
  })

  test('answers members, strangers and removed people alike; only members get a mail', async () => {
    const { email } = await member()
    const removed = await member()
    await gateway.database.query(`UPDATE oauth.membership SET removed_at = now() WHERE id = $1`, [
      removed.memberId,
    ])
    const stranger = newAddress('stranger')

    const answers = []
    for (const address of [email, stranger, removed.email]) {
      answers.push(await askForMail(gateway.live, address, elsewhere()))
    }
    await untilMailed()

    for (const answer of answers) {
      expect([answer.status, Object.keys(Object(answer.body))]).toEqual([202, ['expires_at']])
      expect(answer.headers.getSetCookie()).toHaveLength(1)
    }
    expect(mailsTo(email)).toHaveLength(1)
    for (const other of [stranger, removed.email]) expect(mailsTo(other)).toHaveLength(0)
  })

  test.each(['nobody', 'a@', 'a b@acme.example', `${'x'.repeat(250)}@a.example`, ''])(
    'refuses the address %j with 422',
    async (email) => {
      const answer = await askForMail(gateway.live, email, elsewhere())

      expect([answer.status, Object(answer.body).error.code]).toEqual([422, 'INVALID_REQUEST'])
      expect(Object(answer.body).error.details).toMatchObject([{ field: 'email', in: 'body' }])
      expect(answer.headers.getSetCookie()).toEqual([])
    },
  )

  test('is a conflict in the sandbox, and for pages of others forbidden', async () => {
    const sandbox = await askForMail(gateway.sandbox, newAddress())
    const foreign = await gateway.live.post(`${path}/request`, { email: newAddress() }, undefined, {
      'sec-fetch-site': 'cross-site',
    })

    expectError(gateway, sandbox, { status: 409, code: 'CONFLICT' })
    expectError(gateway, foreign, { status: 403, code: 'FORBIDDEN' })
  })

  test('mails an unconfirmed member nothing', async () => {
    const email = newAddress('unconfirmed')
    const account = await gateway.createAccount()
    const page = await member('VIEWER', email, account)
    await gateway.database.query(
      'UPDATE oauth.membership SET confirmed_at = NULL, is_mailed = false WHERE id = $1',
      [page.memberId],
    )

    expect((await askForMail(gateway.live, email, elsewhere())).status).toBe(202)
    await untilMailed()

    expect(mailsTo(email)).toHaveLength(0)
  })

  test('mails 3 an hour to an address for one network (IPv4 /24, IPv6 /56), and answers the 4th alike', async () => {
    for (const [same, other] of [
      [['192.0.2.1', '192.0.2.2', '192.0.2.77', '192.0.2.255'], '192.0.3.1'],
      [
        ['2001:db8:1:1200::1', '2001:db8:1:12ff::2', '2001:db8:1:1201:9::', '2001:db8:1:12aa::'],
        '2001:db8:1:1300::1',
      ],
    ] as const) {
      const { email } = await member()
      const answers = []
      for (const address of same) {
        answers.push(await askForMail(gateway.live, email, { 'x-forwarded-for': address }))
      }
      await untilMailed()
      expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202])
      expect(mailsTo(email)).toHaveLength(3)
      expectRefused(
        await enter(
          { mail_code: secretsIn(mailsTo(email)[0]?.text ?? '').code },
          askCookieOf(answers[3] as TestResponse),
        ),
      )

      expect((await askForMail(gateway.live, email, { 'x-forwarded-for': other })).status).toBe(202)
      await untilMailed()
      expect(mailsTo(email)).toHaveLength(4)
    }
  })

  test('mails 10 an hour to an address; a browser that signed in as this person before has 5 of its own', async () => {
    const { email } = await member()
    const signedIn = await (async () => {
      const asked = await ask(email)
      return enter({ mail_code: asked.code }, asked.cookie)
    })()
    const known = cookieNamed(signedIn, '__Host-gw_known') ?? ''
    expect(signedIn.headers.getSetCookie().at(-1)).toMatch(
      /^__Host-gw_known=\S+; Path=\/; HttpOnly; Secure; SameSite=Strict; Max-Age=7776000$/,
    )
    for (let count = 1; count < 12; count += 1) {
      expect((await askForMail(gateway.live, email, elsewhere())).status).toBe(202)
    }
    await untilMailed()
    expect(mailsTo(email)).toHaveLength(10)

    for (let count = 0; count < 6; count += 1) {
      const headers = { 'x-forwarded-for': '198.51.100.1', cookie: known }
      expect((await askForMail(gateway.live, email, headers)).status).toBe(202)
    }
    await untilMailed()
    expect(mailsTo(email)).toHaveLength(15)

    const stranger = await member()
    for (const cookie of [known, known, '__Host-gw_known=', `${known}x`, '__Host-gw_known=a.b.c']) {
      const headers = { 'x-forwarded-for': '198.51.100.1', cookie }
      expect((await askForMail(gateway.live, stranger.email, headers)).status).toBe(202)
    }
    await untilMailed()
    expect(mailsTo(stranger.email)).toHaveLength(3)
  })
})

describe('an invitation that is accepted', () => {
  const accepted = (more: Partial<Parameters<typeof joinByMail>[2]> = {}) =>
    joinByMail(gateway, server, { email: newAddress('mail'), role: 'DEVELOPER', ...more })

  test('makes the browser known as that person, as a sign-in by mail does', async () => {
    const { email, known } = await accepted()
    expect(known).toMatch(/^__Host-gw_known=\S+$/)
    const stranger = await accepted()
    for (let count = 0; count < 12; count += 1) {
      expect((await askForMail(gateway.live, email, elsewhere())).status).toBe(202)
    }
    await untilMailed()
    expect(mailsTo(email)).toHaveLength(10)

    for (const address of [email, stranger.email]) {
      for (let count = 0; count < 6; count += 1) {
        const headers = { 'x-forwarded-for': '198.51.101.1', cookie: known ?? '' }
        expect((await askForMail(gateway.live, address, headers)).status).toBe(202)
      }
    }
    await untilMailed()

    expect(mailsTo(email)).toHaveLength(15)
    // To anybody else, this browser is one of its network.
    expect(mailsTo(stranger.email)).toHaveLength(3)
  })

  test('does not, where the link was shown', async () => {
    expect((await accepted({ isShown: true })).known).toBeNull()
  })

  test('does not make known the browser of somebody else', async () => {
    const other = await accepted()
    const account = await gateway.createAccount()
    const email = newAddress('mail')
    const portal = await plantPage(gateway, account, { role: 'OWNER', actor: email })

    expect((await accepted({ cookie: other.cookie })).known).toBeNull()
    // The backend of a provider may give a person any name.
    expect((await accepted({ email, account, cookie: portal.cookie })).known).toBeNull()
  })

  test('makes known the browser that the same person has signed in elsewhere', async () => {
    const { email, cookie } = await accepted()

    expect((await accepted({ email, cookie })).known).toMatch(/^__Host-gw_known=/)
  })
})

describe('POST /v1/account/sessions/mail', () => {
  test.each(['mail_code', 'mail_token'] as const)(
    '%s signs in the browser that asked, once',
    async (kind) => {
      const me = await member('ADMIN')
      const asked = await ask(me.email)
      const proof = kind === 'mail_code' ? { mail_code: asked.code } : { mail_token: asked.token }

      const answer = await enter(proof, asked.cookie)
      const again = await enter(proof, asked.cookie)

      const page = pageOfSignIn(gateway.live, answer)
      expect(Object(answer.body).session.account_id).toBe(me.accountId)
      const { body } = await page.get('/v1/account/sessions/current')
      expect(body).toMatchObject({ role: 'ADMIN', actor: me.email, account_id: me.accountId })
      expect(Object(body).step_up_ends_at).not.toBeNull()
      expectRefused(again)
      await vi.waitFor(async () => {
        const owner = await plantPage(gateway, { id: me.accountId }, { role: 'OWNER' })
        const { body: trail } = await owner.get('/v1/account/audit/events?limit=20')
        expect(Object(trail).items).toContainEqual(
          expect.objectContaining({ action: 'session.open', resource_id: page.sessionId }),
        )
      }, patience)
    },
  )

  test('a mail that was forwarded opens nothing in another browser', async () => {
    const me = await member()
    const asked = await ask(me.email)
    const other = askCookieOf(await askForMail(gateway.live, newAddress(), elsewhere()))

    expectRefused(
      await enter({ mail_token: asked.token }),
      await enter({ mail_code: asked.code }),
      await enter({ mail_token: asked.token }, other),
      await enter({ mail_code: asked.code }, other),
      await enter({ mail_token: asked.token }, `__Host-gw_ask=${'x'.repeat(40)}`),
    )

    pageOfSignIn(gateway.live, await enter({ mail_token: asked.token }, asked.cookie))
  })

  test('of many requests with one code at once, one gets the session', async () => {
    const me = await member()
    const asked = await ask(me.email)

    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        enter(at % 2 ? { mail_code: asked.code } : { mail_token: asked.token }, asked.cookie),
      ),
    )

    const opened = answers.filter(({ status }) => status === 200)
    expect(opened).toHaveLength(1)
    expectRefused(...answers.filter(({ status }) => status !== 200))
    const sessions = await gateway.database.query(
      `SELECT 1 FROM oauth.session WHERE member_id = $1 AND ended_at IS NULL`,
      [me.memberId],
    )
    // The other one is that of the invitation.
    expect(sessions).toHaveLength(2)
  })

  test('works for 15 minutes', async () => {
    const me = await member()
    const asked = await ask(me.email)
    const [row] = await gateway.database.query<{ seconds: number }>(
      `UPDATE oauth.mail_sign_in SET expires_at = now()
       WHERE person_id = (SELECT person_id FROM oauth.membership WHERE id = $1)
       RETURNING extract(epoch FROM (SELECT o.expires_at FROM oauth.mail_sign_in o
         WHERE o.id = mail_sign_in.id) - created_at)::int AS seconds`,
      [me.memberId],
    )

    expect(row?.seconds).toBe(900)
    expectRefused(
      await enter({ mail_code: asked.code }, asked.cookie),
      await enter({ mail_token: asked.token }, asked.cookie),
    )
  })

  test('five wrong codes end the request, and its link', async () => {
    const me = await member()
    const four = await ask(me.email)
    for (let count = 0; count < 4; count += 1) {
      expectRefused(await enter({ mail_code: wrongFor(four) }, four.cookie))
    }
    pageOfSignIn(gateway.live, await enter({ mail_code: four.code }, four.cookie))

    const five = await ask(me.email)
    const wrong = await Promise.all(
      Array.from({ length: 5 }, () => enter({ mail_code: wrongFor(five) }, five.cookie)),
    )

    expectRefused(...wrong)
    expectRefused(
      await enter({ mail_code: five.code }, five.cookie),
      await enter({ mail_token: five.token }, five.cookie),
    )
  })

  test('20 wrong codes in a day end codes for the address; links go on', async () => {
    const me = await member()
    for (let request = 0; request < 4; request += 1) {
      const cookie = askCookieOf(await askForMail(gateway.live, me.email, elsewhere()))
      for (let count = 0; count < 5; count += 1) {
        expectRefused(await enter({ mail_code: '0000000' }, cookie))
      }
    }
    await untilMailed()

    const asked = await ask(me.email)

    expect(asked.code).toBe('')
    expect(mailsTo(me.email).at(-1)?.headers.get('subject')).toBe('Your link to sign in')
    pageOfSignIn(gateway.live, await enter({ mail_token: asked.token }, asked.cookie))
  })

  test('a code that was mailed before the 20th wrong one does not work afterwards', async () => {
    const me = await member()
    const asked = await ask(me.email)
    await gateway.database.query(`UPDATE oauth.mail_sign_in SET wrong_codes = 20 WHERE id = $1`, [
      asked.token.split('.')[0],
    ])

    expectRefused(await enter({ mail_code: asked.code }, asked.cookie))
    pageOfSignIn(gateway.live, await enter({ mail_token: asked.token }, asked.cookie))
  })

  test('a person of several accounts chooses, after the code was proven and never before', async () => {
    const email = newAddress('several')
    const first = await member('OWNER', email)
    const second = await member('VIEWER', email)
    const asked = await ask(email)

    const wrong = await enter({ mail_code: wrongFor(asked) }, asked.cookie)
    const unproven = await enter(
      { mail_code: wrongFor(asked), account_id: second.accountId },
      asked.cookie,
    )
    const shown = await enter({ mail_code: asked.code }, asked.cookie)
    const stranger = await gateway.createAccount()
    const notTheirs = await enter({ mail_code: asked.code, account_id: stranger.id }, asked.cookie)
    const opened = await enter(
      { mail_code: asked.code, account_id: second.accountId },
      asked.cookie,
    )

    expectRefused(wrong, unproven, notTheirs)
    const accounts = [
      { account_id: first.accountId, account_name: 'Test', role: 'OWNER' },
      { account_id: second.accountId, account_name: 'Test', role: 'VIEWER' },
    ]
    expect([shown.status, shown.body, cookieNamed(shown, '__Host-gw_session')]).toEqual([
      200,
      {
        session: null,
        accounts: accounts.toSorted((a, b) => (a.account_id < b.account_id ? -1 : 1)),
      },
      null,
    ])
    const page = pageOfSignIn(gateway.live, opened)
    const { body } = await page.get('/v1/account/sessions/current')
    expect(body).toMatchObject({ role: 'VIEWER', account_id: second.accountId })
  })

  test('who was removed meanwhile is not signed in, and who was demoted has the lower role', async () => {
    const account = await gateway.createAccount()
    const owner = await member('OWNER', newAddress('owner'), account)
    const gone = await member('ADMIN', newAddress('gone'), account)
    const lower = await member('ADMIN', newAddress('lower'), account)
    const [ofGone, ofLower] = [await ask(gone.email), await ask(lower.email)]

    const removed = await owner.send('DELETE', `/v1/account/members/${gone.memberId}?keys=keep`)
    const demoted = await owner.send('PATCH', `/v1/account/members/${lower.memberId}`, {
      role: 'VIEWER',
    })

    expect([removed.status, demoted.status]).toEqual([200, 200])
    expectRefused(await enter({ mail_code: ofGone.code }, ofGone.cookie))
    const page = pageOfSignIn(
      gateway.live,
      await enter({ mail_code: ofLower.code }, ofLower.cookie),
    )
    const { body } = await page.get('/v1/account/sessions/current')
    expect(Object(body).role).toBe('VIEWER')
  })

  test('opens the session of a suspended account, which says so, and none of a closed one', async () => {
    const me = await member()
    const asked = await ask(me.email)
    const setStatus = (status: string) =>
      gateway.database.query(`UPDATE account.account SET status = $2 WHERE id = $1`, [
        me.accountId,
        status,
      ])
    await setStatus('SUSPENDED')
    const suspended = await enter({ mail_token: asked.token }, asked.cookie)
    const page = pageOfSignIn(gateway.live, suspended)
    await vi.waitFor(async () => {
      const refused = await page.get('/v1/account/sessions/current')
      expect([refused.status, Object(refused.body).error.code]).toEqual([403, 'ACCOUNT_SUSPENDED'])
    }, patience)

    await setStatus('ACTIVE')
    const again = await ask(me.email)
    await setStatus('CLOSED')
    await vi.waitFor(async () => {
      const answer = await enter({ mail_token: again.token }, again.cookie)
      expectRefused(answer)
    }, patience)
  })

  test('ends another session of the browser', async () => {
    const [me, other] = [await member(), await member()]
    const asked = await ask(me.email)

    pageOfSignIn(gateway.live, await enter({ mail_code: asked.code }, asked.cookie, other.cookie))

    expect((await other.get('/v1/account/sessions/current')).status).toBe(401)
  })

  test('needs a link or a code, and no more than one', async () => {
    for (const proof of [{}, { mail_token: 'a', mail_code: '12345678' }, { code: '1' }]) {
      const answer = await enter(proof)
      expect([answer.status, Object(answer.body).error.code]).toEqual([422, 'INVALID_REQUEST'])
    }
  })
})

test('a sign-in by mail beside the first passkey of the person waits for it, and proves nothing', async () => {
  const me = await member('OWNER')
  const asked = await ask(me.email)
  const adding = `
    WITH held AS (SELECT id FROM oauth.person WHERE email = $1 FOR UPDATE)
    INSERT INTO oauth.passkey (id, person_id, name, credential_id, public_key, counter, transports,
      rp_id, vouched_in, vouched_at)
    SELECT $2, id, 'Phone', $2, 'key', 0, '{}', 'localhost', $3, now() FROM held`

  const signedIn = await whileHeld(
    gateway.database,
    [adding, [me.email, newId('psk'), me.accountId]],
    { started: () => enter({ mail_code: asked.code }, asked.cookie), waiting: 1 },
  )

  const page = pageOfSignIn(gateway.live, signedIn)
  const { body } = await page.get('/v1/account/sessions/current')
  expect(body).toMatchObject({ account_id: me.accountId, step_up_until: null })
})

describe('a member whose proof is too old', () => {
  test('is told mail_code, and proves the session by it: the same session, a new cookie', async () => {
    const me = await member('OWNER')
    await setSession(
      gateway,
      me,
      "proven_at = now() - interval '1 hour', auth_time = now() - interval '2 h'",
    )
    const input = { email: newAddress(), role: 'VIEWER' }

    const refused = await me.send('POST', '/v1/account/members', input)
    const asked = await ask(me.email)
    const proven = await enter({ mail_code: asked.code }, asked.cookie, me.cookie)
    const page = pageOfSignIn(gateway.live, proven)
    const done = await page.send('POST', '/v1/account/members', input)

    expect([refused.status, Object(refused.body).error.code]).toEqual([403, 'STEP_UP_REQUIRED'])
    expect(Object(refused.body).error.details).toEqual({
      methods: ['mail_code'],
      return_url: null,
    })
    expect([page.sessionId, page.cookie === me.cookie]).toEqual([me.sessionId, false])
    expect(done.status).toBe(201)
    await vi.waitFor(async () => {
      const { body } = await page.get('/v1/account/audit/events?limit=20')
      expect(Object(body).items).toContainEqual(
        expect.objectContaining({ action: 'session.step_up', resource_id: me.sessionId }),
      )
    }, patience)
  })
})

test('a member without mails: POST /v1/account/sessions/mail/request is a conflict, the same for all', async () => {
  const silent = await startTestGateway()
  try {
    const account = await silent.createAccount()
    const email = newAddress('silent')
    await joinAccount(silent, account, 'VIEWER', email)
    for (const address of [email, newAddress()]) {
      const answer = await askForMail(silent.live, address)
      expectError(silent, answer, { status: 409, code: 'CONFLICT' })
    }
  } finally {
    await silent.close()
  }
})

describe('GET /v1/account/members/me/passkeys', () => {
  test('says whether the member can sign in by mail, and otherwise why not', async () => {
    const state = async (page: MailedMember) =>
      Object((await page.get('/v1/account/members/me/passkeys')).body).mail_sign_in
    const confirmed = await member()
    const unconfirmed = await joinByMail(gateway, server, {
      ...{ email: newAddress('shown'), role: 'VIEWER', isShown: true },
    })
    expect(await state(confirmed)).toBe('possible')
    expect(await state(unconfirmed)).toBe('unconfirmed')

    await gateway.database.query(
      'INSERT INTO oauth.sign_in_setting (account_id, passkey_only) VALUES ($1, true)',
      [confirmed.accountId],
    )
    expect(await state(confirmed)).toBe('passkeys_only')
    expect(await state(unconfirmed)).toBe('unconfirmed')
  })
})
