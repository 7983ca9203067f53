import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../../gateway/trial/embedded-postgres/free-port.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { Authenticator } from '../../support/oauth/authenticator.ts'
import { invitationTokenIn, joinByMail, newAddress } from '../../support/oauth/members.ts'
import {
  addPasskey,
  answerSignIn,
  beginSignIn,
  passkeysPath,
} from '../../support/oauth/passkeys.ts'
import { setSession } from '../../support/oauth/sessions.ts'
import { type MailServer, openMailServer } from '../../support/stubs/mail-server.ts'

let server: MailServer
let gateway: TestGateway
let origin: string
beforeAll(async () => {
  server = await openMailServer()
  const port = String(await freePort())
  origin = `http://localhost:${port}`
  const MAIL_FROM = 'Gateway <gw@api.example>'
  gateway = await startTestGateway({
    ...{ SMTP_URL: server.url, MAIL_FROM, PORT: port, BASE_URL: origin },
  })
})
afterAll(async () => {
  await gateway.close()
  await server.stop()
})

async function join(account: TestAccount, role: 'OWNER' | 'VIEWER', email = newAddress()) {
  const before = server.received.filter(({ to }) => to === email).length
  await gateway.graphql(
    'mutation ($input: InviteMemberInput!) { inviteToAccount(input: $input) { id } }',
    { input: { accountId: account.id, email, role } },
  )
  const mails = await server.until(email, before + 1)
  const page = await joinByMail(gateway, invitationTokenIn(mails.at(-1)?.text ?? ''))
  return { page, email }
}

/** The subject of the newest mail to the address, once it has so many. */
async function newest(address: string, count: number): Promise<string> {
  const mails = await server.until(address, count)
  return mails.at(-1)?.headers.get('subject') ?? ''
}

test('a new passkey, a wait, a reset, a copied counter and a removal without a proof are told to the person and the OWNERs of all accounts', async () => {
  const [one, two] = [await gateway.createAccount(), await gateway.createAccount()]
  const { page, email } = await join(one, 'VIEWER')
  await join(two, 'VIEWER', email)
  const owners = [(await join(one, 'OWNER')).email, (await join(two, 'OWNER')).email]
  const { email: stranger } = await join(two, 'VIEWER')
  const authenticator = new Authenticator(origin, { counter: 7 })

  /** Everybody has one mail more, with this subject; the person has one invitation more than the OWNERs. */
  async function expectTold(count: number, subject: RegExp): Promise<void> {
    expect(await newest(email, 2 + count)).toMatch(subject)
    for (const owner of owners) expect(await newest(owner, 1 + count)).toMatch(subject)
  }

  const id = await addPasskey(page, authenticator)
  await expectTold(1, /^A passkey was added for person-\d+@acme\.example$/)

  await setSession(gateway, page, "proven_at = auth_time - interval '1 ms'")
  expect((await page.send('DELETE', `${passkeysPath}/${id}`)).status).toBe(202)
  // Asked again, it is not told again.
  expect((await page.send('DELETE', `${passkeysPath}/${id}`)).status).toBe(202)
  await expectTold(2, /^Passkeys of .+ can be removed without one, from \d.+ UTC$/)

  await gateway.graphql(
    'mutation ($input: ResetPasskeysInput!) { resetPasskeys(input: $input) { email } }',
    { input: { email, reason: 'Lost.' } },
  )
  await expectTold(3, /^All passkeys of .+ are removed at \d.+ UTC$/)

  const begun = await beginSignIn(gateway)
  const credential = authenticator.sign(begun.options, { counter: 7 })
  expect((await answerSignIn(gateway, begun, { credential })).status).toBe(403)
  await expectTold(4, /^A passkey of .+ was disabled$/)

  await gateway.database.query(
    "UPDATE oauth.passkey_removal SET ready_at = now() WHERE asked_by = 'person'",
  )
  expect((await page.send('DELETE', `${passkeysPath}/${id}`)).status).toBe(200)
  await expectTold(5, /^A passkey of .+ was removed without one$/)

  for (const { text } of server.received.filter(({ to }) => to === owners[1])) {
    expect(text).not.toContain('Unsubscribe')
    // What a text has no value for.
    expect(text).not.toContain('—')
  }
  expect(server.received.filter(({ to }) => to === stranger)).toHaveLength(1)
})
