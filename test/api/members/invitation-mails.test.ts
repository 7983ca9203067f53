import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { accept, invitationTokenIn, invite, newAddress } from '../../support/oauth/members.ts'
import { cookieOf, type Page, pageOf, plantPage } from '../../support/oauth/sessions.ts'
import { type MailServer, openMailServer } from '../../support/stubs/mail-server.ts'
import { patience } from '../../support/time/patience.ts'

const path = '/v1/account/members'

let server: MailServer
let gateway: TestGateway
beforeAll(async () => {
  server = await openMailServer()
  const MAIL_FROM = 'Gateway <gw@api.example>'
  gateway = await startTestGateway({ SMTP_URL: server.url, MAIL_FROM })
})
afterAll(async () => {
  await gateway.close()
  await server.stop()
})

function ownerPage(account: { id: string }, actor = 'Jane Doe'): Promise<Page> {
  return plantPage(gateway, account, { role: 'OWNER', actor })
}

/** All mails of invitations are written, or will never be. */
async function jobsDone(): Promise<void> {
  await vi.waitFor(async () => {
    const waiting = await gateway.database.query(
      `SELECT 1 FROM jobs.job WHERE name LIKE '%Invitation%' AND state < 'completed'`,
    )
    expect(waiting).toEqual([])
  }, patience)
}

/** Runs the first jobs that mailed to these addresses as if they came only now. */
async function runAgain(addresses: readonly string[]): Promise<void> {
  const { database } = gateway
  const first = await database.query<{ data: { input: { invitationId: string } } }>(
    `SELECT DISTINCT ON (data->'input'->>'email') data FROM jobs.job
     WHERE name = 'SendInvitation' AND data->'input'->>'email' = ANY ($1)
     ORDER BY data->'input'->>'email', created_on`,
    [addresses],
  )
  expect(first).toHaveLength(addresses.length)
  for (const { data } of first) {
    const { invitationId } = data.input
    await database.query('DELETE FROM account.mail WHERE message_id = $1', [invitationId])
    await database.query('DELETE FROM account.invitation_request WHERE invitation_id = $1', [
      invitationId,
    ])
    await database.query("SELECT jobs.enqueue('SendInvitation', $1, now())", [JSON.stringify(data)])
  }
}

/** Whoever accepts the link in a mail. */
async function joined(text: string): Promise<Page> {
  const { status, body, headers } = await accept(gateway, invitationTokenIn(text))
  expect([status, body]).toEqual([201, expect.anything()])
  return pageOf(gateway.live, cookieOf(headers), Object(body).id)
}

describe('the mail of an invitation', () => {
  test('has the link, account, inviter and role; who accepts it is active', async () => {
    const owner = await ownerPage(await gateway.createAccount())
    const email = newAddress()

    const { status, body } = await invite(owner, email, 'ADMIN')
    const [mail] = await server.until(email)
    const joined = await accept(gateway, invitationTokenIn(mail?.text ?? ''))

    expect([status, Object(body).link]).toEqual([201, undefined])
    expect(mail?.headers.get('subject')).toBe('Jane Doe invites you to Test')
    expect(mail?.text).toContain('Jane Doe invites you to Test at this API, as ADMIN.')
    expect(mail?.text).not.toContain('Unsubscribe')
    expect(mail?.html).not.toContain('Unsubscribe')
    expect(mail?.headers.has('list-unsubscribe')).toBe(false)
    expect(joined.status).toBe(201)
    expect(Object((await owner.get(path)).body).items).toMatchObject([{ email, state: 'active' }])
  })

  test('names a member who invites, and the provider, without an address', async () => {
    const account = await gateway.createAccount()
    const owner = await ownerPage(account)
    const email = 'jane.doe+work@acme.example'
    expect((await invite(owner, email, 'OWNER')).status).toBe(201)
    const [first] = await server.until(email)
    const member = await joined(first?.text ?? '')
    const [unnamed, named, provided] = [newAddress(), newAddress(), newAddress()]

    expect((await invite(member, unnamed, 'VIEWER')).status).toBe(201)
    const [before] = await server.until(unnamed)
    const name = { name: 'Jane Doe' }
    expect((await member.send('PATCH', `${path}/me`, name)).status).toBe(200)
    expect((await invite(member, named, 'VIEWER')).status).toBe(201)
    const [after] = await server.until(named)
    await gateway.graphql(
      'mutation ($input: InviteMemberInput!) { inviteToAccount(input: $input) { id } }',
      { input: { accountId: account.id, email: provided, role: 'VIEWER' } },
    )
    const [byProvider] = await server.until(provided)

    expect([before, after, byProvider].map((mail) => mail?.headers.get('subject'))).toEqual([
      'jane doe invites you to Test',
      'Jane Doe invites you to Test',
      'The provider invites you to Test',
    ])
    expect(before?.text).not.toContain('acme')
  })

  test('has no link and no address in names', async () => {
    const owner = await ownerPage(
      await gateway.createAccount(),
      'Jane https://evil.example/x www.evil.example jane@evil.example',
    )
    const email = newAddress()

    expect((await invite(owner, email, 'VIEWER')).status).toBe(201)
    const [mail] = await server.until(email)

    expect(mail?.headers.get('subject')).toBe('Jane invites you to Test')
    expect(mail?.raw).not.toContain('evil')
  })

  test('sent again, makes the link of before void', async () => {
    const owner = await ownerPage(await gateway.createAccount())
    const email = newAddress()
    const { body } = await invite(owner, email, 'VIEWER')
    await server.until(email)

    const again = await owner.send('POST', `${path}/${Object(body).id}/resend`)
    const [first, second] = await server.until(email, 2)

    expect([again.status, Object(again.body).state]).toEqual([201, 'invited'])
    expect((await accept(gateway, invitationTokenIn(first?.text ?? ''))).status).toBe(404)
    expect((await accept(gateway, invitationTokenIn(second?.text ?? ''))).status).toBe(201)
  })

  test('is not sent by a job that comes after the invitation was removed or sent again', async () => {
    const owner = await ownerPage(await gateway.createAccount())
    const [removed, resent] = [newAddress(), newAddress()]
    const ids = []
    for (const email of [removed, resent]) {
      ids.push(Object((await invite(owner, email, 'VIEWER')).body).id)
      await server.until(email)
    }
    const answers = [
      await owner.send('DELETE', `${path}/${ids[0]}?keys=keep`),
      await owner.send('POST', `${path}/${ids[1]}/resend`),
    ]
    await server.until(resent, 2)
    await jobsDone()

    await runAgain([removed, resent])
    await jobsDone()

    expect(answers.map(({ status }) => status)).toEqual([200, 201])
    const mails = await gateway.database.query(
      'SELECT address FROM account.mail WHERE address = ANY ($1) ORDER BY created_at',
      [[removed, resent]],
    )
    expect(mails).toEqual([{ address: resent }])
  })

  test('that waits for the mail server is dropped when the invitation is removed', async () => {
    const account = await gateway.createAccount()
    const owner = await ownerPage(account)
    const email = newAddress()
    const { body } = await invite(owner, email, 'VIEWER')
    await server.until(email)
    const unsent = () =>
      gateway.database.query(
        'SELECT 1 FROM account.mail WHERE account_id = $1 AND sent_at IS NULL',
        [account.id],
      )
    await expect.poll(unsent, patience).toEqual([])
    // As a mail server leaves it that takes none for the moment.
    await gateway.database.query(
      `UPDATE account.mail SET due_at = now() + interval '1 hour', sent_at = NULL WHERE account_id = $1`,
      [account.id],
    )

    expect((await owner.send('DELETE', `${path}/${Object(body).id}?keys=keep`)).status).toBe(200)

    await expect
      .poll(
        () =>
          gateway.database.query('SELECT 1 FROM account.mail WHERE account_id = $1', [account.id]),
        patience,
      )
      .toEqual([])
  })

  test('counts for the mailbox, whatever the tag of the address', async () => {
    const mailbox = newAddress().replace('@', '')
    for (const tag of ['', '+a', '+b+c', '+D']) {
      const owner = await ownerPage(await gateway.createAccount())
      const email = `${mailbox}${tag}@acme.example`
      const answer = await invite(owner, email, 'VIEWER')
      expect([answer.status, Object(answer.body).state]).toEqual([201, 'invited'])
      await jobsDone()
      if (tag !== '+D') await server.until(email)
    }
    const last = newAddress()
    await invite(await ownerPage(await gateway.createAccount()), last, 'VIEWER')
    await server.until(last)

    const sent = server.received.filter(({ to }) => to.startsWith(mailbox))
    expect(sent.map(({ to }) => to)).toEqual(
      ['', '+a', '+b+c'].map((tag) => `${mailbox}${tag}@acme.example`),
    )
  })

  test('is one of fifty that an account sends within a day; a further one is answered alike', async () => {
    const owner = await ownerPage(await gateway.createAccount())
    const [first, unsent, last] = [newAddress(), newAddress(), newAddress()]
    expect((await invite(owner, first, 'VIEWER')).status).toBe(201)
    await server.until(first)
    await gateway.database.query(
      `INSERT INTO account.invitation_request (invitation_id, address_hash, sender_hash)
       SELECT r.invitation_id || n, r.address_hash || n, r.sender_hash
       FROM account.invitation_request r, generate_series(1, 49) AS n
       WHERE r.invitation_id = (SELECT invitation_id FROM oauth.membership WHERE email = $1)`,
      [first],
    )

    const answer = await invite(owner, unsent, 'VIEWER')
    await invite(await ownerPage(await gateway.createAccount()), last, 'VIEWER')
    await server.until(last)
    await jobsDone()

    expect([answer.status, Object(answer.body).state]).toEqual([201, 'invited'])
    expect(server.received.filter(({ to }) => to === unsent)).toEqual([])
  })

  test('goes to an address three times a day, whoever invites; the fourth is answered alike', async () => {
    const email = newAddress()
    const answers = []
    for (let count = 0; count < 3; count += 1) {
      const owner = await ownerPage(await gateway.createAccount())
      answers.push(await invite(owner, email, 'VIEWER'))
      await server.until(email, count + 1)
    }
    const fourth = await ownerPage(await gateway.createAccount())

    const answer = await invite(fourth, email, 'VIEWER')
    // Mails leave in the order of their jobs, so this one is behind that which must not come.
    const last = newAddress()
    await invite(fourth, last, 'VIEWER')
    await server.until(last)

    for (const { status, body } of [...answers, answer]) {
      expect([status, Object.keys(Object(body))]).toEqual([
        201,
        Object.keys(Object(answers[0]?.body)),
      ])
      expect(body).toMatchObject({ email, state: 'invited' })
    }
    await jobsDone()
    expect(server.received.filter(({ to }) => to === email)).toHaveLength(3)
  })
})
