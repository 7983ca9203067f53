import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { freePort } from '../../../gateway/trial/embedded-postgres/free-port.ts'
import type { PersonRole } from '../../../schema/vocabulary/roles.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { Authenticator } from '../../support/oauth/authenticator.ts'
import {
  askAndRead,
  askForMail,
  pageOfSignIn,
  signInByMail,
} from '../../support/oauth/mail-sign-in.ts'
import { joinByMail, type MailedMember } from '../../support/oauth/mailed-members.ts'
import { newAddress } from '../../support/oauth/members.ts'
import { addPasskey, passkeysPath } from '../../support/oauth/passkeys.ts'
import { type Page, plantPage, setSession } from '../../support/oauth/sessions.ts'
import { type MailServer, openMailServer } from '../../support/stubs/mail-server.ts'
import { patience } from '../../support/time/patience.ts'

const me = '/v1/account/members/me'
const current = '/v1/account/sessions/current'
const linkPath = '/console/confirm-address#'

let server: MailServer
let gateway: TestGateway
let origin: string
beforeAll(async () => {
  server = await openMailServer()
  const port = String(await freePort())
  origin = `http://localhost:${port}`
  gateway = await startTestGateway({
    ...{ PORT: port, BASE_URL: origin },
    ...{ SMTP_URL: server.url, MAIL_FROM: 'Gateway <gw@api.example>' },
  })
})
afterAll(async () => {
  await gateway.close()
  await server.stop()
})

function join(email = newAddress('own'), role: PersonRole = 'OWNER', account?: { id: string }) {
  return joinByMail(gateway, server, { email, role, ...(account && { account }) })
}

/** A member whose link no mail has brought. */
function joinShown(email: string, account?: { id: string }): Promise<MailedMember> {
  const options = { email, role: 'VIEWER', isShown: true, ...(account && { account }) } as const
  return joinByMail(gateway, server, options)
}

const ask = (by: Page, email: string) => by.send('PATCH', me, { email })
const confirm = (by: Page, token: string) => by.send('POST', `${me}/email`, { token })

/** The token of the newest of `count` links that were mailed to the address. */
async function tokenTo(email: string, count = 1): Promise<string> {
  return vi.waitFor(() => {
    const links = mailsTo(email, linkPath)
    expect(links).toHaveLength(count)
    return /\/console\/confirm-address#(\S+)/.exec(links.at(-1)?.text ?? '')?.[1] ?? ''
  }, patience)
}

async function tokenFor(by: Page, email: string): Promise<string> {
  const { status, body } = await ask(by, email)
  expect([status, body]).toEqual([200, expect.anything()])
  return tokenTo(email)
}

async function untilMailed(): Promise<void> {
  await vi.waitFor(async () => {
    const waiting = await gateway.database.query(
      `SELECT 1 FROM jobs.job WHERE name IN ('MailAddressChange', 'MailPeople', 'MailSignIn')
         AND state < 'completed'
       UNION ALL SELECT 1 FROM account.mail WHERE due_at IS NOT NULL`,
    )
    expect(waiting).toEqual([])
  }, patience)
}

const mailsTo = (email: string, text: string) =>
  server.received.filter((one) => one.to === email && one.text.includes(text))

async function actorOf(page: Page): Promise<unknown> {
  return Object((await page.get(current)).body).actor
}

async function personOf({ memberId }: MailedMember): Promise<string> {
  const [row] = await gateway.database.query<{ id: string }>(
    'SELECT person_id AS id FROM oauth.membership WHERE id = $1',
    [memberId],
  )
  return row?.id ?? ''
}

function expectUnproven(
  answer: Awaited<ReturnType<typeof confirm>>,
  methods: readonly ('mail_code' | 'passkey')[],
): void {
  const details = { methods: [...methods], return_url: null }
  expectError(gateway, answer, { status: 403, code: 'STEP_UP_REQUIRED', details })
}

const makeStale = (page: Page) =>
  setSession(
    gateway,
    page,
    "auth_time = now() - interval '2 h', proven_at = now() - interval '2 h'",
  )

function expectRefused(answer: Awaited<ReturnType<typeof confirm>>): void {
  expectError(gateway, answer, {
    ...{ status: 404, code: 'NOT_FOUND' },
    message:
      'This link confirms nothing here. Sign in as the member who asked for it, or ask for another one.',
  })
}

describe('PATCH /v1/account/members/me { email }', () => {
  test('changes nothing before the link of the mail is posted, and then all accounts of the person', async () => {
    const email = newAddress('before')
    const here = await join(email)
    const there = await join(email, 'VIEWER')
    const next = newAddress('after')

    const asked = await ask(here, next.toUpperCase())
    expect([asked.status, Object(asked.body).email]).toEqual([200, email])
    const token = await tokenTo(next)
    expect(await actorOf(here)).toBe(email)
    const late = await askAndRead(gateway.live, server, email)
    const changed = await confirm(here, token)

    expect([changed.status, changed.body]).toEqual([200, { ...Object(asked.body), email: next }])
    expect([await actorOf(here), await actorOf(there)]).toEqual([next, next])
    const old = await signInByMail(gateway.live, { mail_token: late.token }, late.cookie)
    expectError(gateway, old, { status: 404, code: 'NOT_FOUND' })
    expect((await askForMail(gateway.live, email)).status).toBe(202)
    await untilMailed()
    expect(mailsTo(email, '/console/sign-in#')).toHaveLength(1)
    expect(mailsTo(email, 'This address no longer signs you in.')).toHaveLength(1)
    const again = await askAndRead(gateway.live, server, next)
    const chosen = { mail_code: again.code, account_id: there.accountId }
    pageOfSignIn(gateway.live, await signInByMail(gateway.live, chosen, again.cookie))
    for (const { accountId } of [here, there]) {
      const owner = await plantPage(gateway, { id: accountId }, { role: 'OWNER' })
      await vi.waitFor(async () => {
        const { body } = await owner.get('/v1/account/audit/events?limit=50')
        const actions = Object(body).items.map(({ action }: { action: string }) => action)
        expect(actions).toContain('member.confirm_address')
      }, patience)
    }
  })

  test('needs a fresh proof; the own confirmed address is a conflict', async () => {
    const page = await join()
    await makeStale(page)

    expectUnproven(await ask(page, newAddress('stale')), ['mail_code'])
    expectError(gateway, await ask(page, page.email), { status: 409, code: 'CONFLICT' })
    expect((await page.send('PATCH', me, { name: 'Jane' })).status).toBe(200)
    const nothing = await page.send('PATCH', me, {})
    expect([nothing.status, nothing.body]).toMatchObject([200, { name: 'Jane', email: page.email }])
  })

  test("answers another person's address alike, and mails it no link but a warning", async () => {
    const [page, other] = [await join(), await join()]

    const taken = await ask(page, other.email)
    await untilMailed()
    const free = await ask(page, newAddress('free'))

    expect([taken.status, free.status]).toEqual([200, 200])
    expect(taken.body).toEqual(free.body)
    expect(mailsTo(other.email, linkPath)).toEqual([])
    expect(mailsTo(other.email, 'It is yours, so nothing has changed.')).toHaveLength(1)
  })

  test('mails an address three times a day, whoever asks and invites, and then answers the same', async () => {
    const next = newAddress('often')
    await join(next)
    const answers = []
    for (let count = 0; count < 3; count += 1) {
      answers.push((await ask(await join(), next)).status)
      await untilMailed()
    }

    expect(answers).toEqual([200, 200, 200])
    expect(mailsTo(next, 'It is yours, so nothing has changed.')).toHaveLength(2)
  })

  test('is for members alone', async () => {
    const portal = await plantPage(gateway, await gateway.createAccount(), { role: 'OWNER' })

    expectError(gateway, await ask(portal, newAddress()), { status: 404, code: 'NOT_FOUND' })
    expectRefused(await confirm(portal, 'x'))
  })
})

describe('POST /v1/account/members/me/email', () => {
  test('works once; of two requests with one link at once, one changes the address', async () => {
    const page = await join()
    const token = await tokenFor(page, newAddress('twice'))

    const answers = await Promise.all([confirm(page, token), confirm(page, token)])

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404])
    expectRefused(await confirm(page, token))
  })

  test('of two persons who confirm one address at once, one gets it', async () => {
    const [one, other] = [await join(), await join()]
    const next = newAddress('raced')
    const first = await tokenFor(one, next)
    expect((await ask(other, next)).status).toBe(200)
    const second = await tokenTo(next, 2)

    const answers = await Promise.all([confirm(one, first), confirm(other, second)])

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404])
    const actors = [await actorOf(one), await actorOf(other)]
    expect(actors.filter((actor) => actor === next)).toHaveLength(1)
  })

  test('takes the newest link of the member who asked alone, until it expires', async () => {
    const [page, other] = [await join(), await join()]
    const older = await tokenFor(page, newAddress('first'))
    const newer = await tokenFor(page, newAddress('second'))

    expectRefused(await confirm(other, newer))
    expectRefused(await confirm(page, older))
    expectRefused(await confirm(page, `${newer}x`))
    const { rows } = Object(
      (
        await gateway.database.query(
          `UPDATE oauth.address_change SET expires_at = expires_at - interval '24 h'
           WHERE member_id = $1 RETURNING to_jsonb(address_change)::text AS rows`,
          [page.memberId],
        )
      )[0],
    )
    expectRefused(await confirm(page, newer))

    expect(rows).not.toContain(newer)
    expect(rows).not.toContain(newer.split('.')[1])
    expect(await actorOf(page)).toBe(page.email)
  })

  test('refuses an address that somebody has got meanwhile', async () => {
    const page = await join()
    const next = newAddress('meanwhile')
    const token = await tokenFor(page, next)
    const other = await join(next)

    expectRefused(await confirm(page, token))

    expect([await actorOf(page), await actorOf(other)]).toEqual([page.email, next])
  })

  test('ends an invitation of the new address, and leaves a member who goes by it', async () => {
    const email = newAddress('both')
    const here = await join(email)
    const there = await join(email, 'OWNER')
    const next = newAddress('both-next')
    const invited = await here.send('POST', '/v1/account/members', { email: next, role: 'VIEWER' })
    expect(invited.status).toBe(201)
    await server.until(next)
    const unconfirmed = await joinShown(next, { id: there.accountId })

    const changed = await confirm(here, await tokenFor(here, next))

    expect([changed.status, Object(changed.body).email]).toEqual([200, next])
    const { items } = Object((await here.get('/v1/account/members')).body)
    expect(items.map((one: { email: string }) => one.email)).toEqual([next])
    expect([await actorOf(there), await actorOf(unconfirmed)]).toEqual([email, next])
    const asked = await askAndRead(gateway.live, server, next)
    const chosen = { mail_code: asked.code, account_id: there.accountId }
    const page = pageOfSignIn(gateway.live, await signInByMail(gateway.live, chosen, asked.cookie))
    expect(Object((await page.get(current)).body).role).toBe('OWNER')
    // The day of the three mails is over.
    await gateway.database.query(
      `UPDATE account.invitation_request SET requested_at = requested_at - interval '1 d'`,
    )
    // A person is one member of an account.
    expectRefused(await confirm(unconfirmed, await tokenForOwn(unconfirmed, 2)))
  })
})

/** The link to the own address, as any session of an unconfirmed member gets it. */
async function tokenForOwn(page: MailedMember, count = 1): Promise<string> {
  expect((await ask(page, page.email)).status).toBe(200)
  return tokenTo(page.email, count)
}

describe('an unconfirmed member', () => {
  test('is proven by no mail, and is active once the own address is confirmed', async () => {
    const email = newAddress('shown')
    const page = await joinShown(email)
    await makeStale(page)
    expectUnproven(await ask(page, newAddress('other')), [])

    const changed = await confirm(page, await tokenForOwn(page))

    expect([changed.status, changed.body]).toMatchObject([200, { email, state: 'active' }])
    expectUnproven(await ask(page, newAddress('other')), ['mail_code'])
    const asked = await askAndRead(gateway.live, server, email)
    const proof = { mail_code: asked.code }
    pageOfSignIn(gateway.live, await signInByMail(gateway.live, proof, asked.cookie))
  })

  test('takes another address too, but none of another person', async () => {
    const page = await joinShown(newAddress('typo'))
    const other = await join()
    expect((await ask(page, other.email)).status).toBe(200)
    await untilMailed()
    expect(mailsTo(other.email, linkPath)).toEqual([])
    const next = newAddress('right')

    const changed = await confirm(page, await tokenFor(page, next))

    expect([changed.status, changed.body]).toMatchObject([200, { email: next, state: 'active' }])
  })

  test('becomes the person who has the address elsewhere, without the passkeys of before', async () => {
    const mine = await join()
    const page = await joinShown(mine.email)
    await addPasskey(page, new Authenticator(origin, { counter: 1 }))

    const changed = await confirm(page, await tokenForOwn(page))

    expect([changed.status, changed.body]).toMatchObject([200, { state: 'active', passkeys: 0 }])
    expect(await personOf(page)).toBe(await personOf(mine))
    expect(Object((await mine.get(passkeysPath)).body).items).toEqual([])
    const asked = await askAndRead(gateway.live, server, mine.email)
    const proof = { mail_code: asked.code, account_id: page.accountId }
    pageOfSignIn(gateway.live, await signInByMail(gateway.live, proof, asked.cookie))
  })

  test('is not proven as a person with passkeys by the mail', async () => {
    const mine = await join()
    const id = await addPasskey(mine, new Authenticator(origin, { counter: 1 }))
    const page = await joinShown(mine.email)
    const token = await tokenForOwn(page)

    expect((await confirm(page, token)).status).toBe(200)

    expectUnproven(await page.send('POST', `${passkeysPath}/options`), ['passkey'])
    expect((await page.send('DELETE', `${passkeysPath}/${id}`)).status).toBe(202)
    expect(Object((await mine.get(passkeysPath)).body).items).toHaveLength(1)
  })
})
