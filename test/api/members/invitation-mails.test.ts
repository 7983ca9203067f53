import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { accept, invitationTokenIn, invite, newAddress } from '../../support/oauth/members.ts'
import { type Page, plantPage } from '../../support/oauth/sessions.ts'
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
    await vi.waitFor(async () => {
      const waiting = await gateway.database.query(
        `SELECT 1 FROM jobs.job WHERE name = 'SendInvitation' AND state < 'completed'`,
      )
      expect(waiting).toEqual([])
    }, patience)
    expect(server.received.filter(({ to }) => to === email)).toHaveLength(3)
  })
})
