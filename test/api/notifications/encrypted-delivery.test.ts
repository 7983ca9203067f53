import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createSmtpSender } from '../../../subgraphs/account/notifications/sender/smtp-sender.ts'
import { startTestGateway } from '../../support/gateway/gateway.ts'
import { notify } from '../../support/gateway/notifications.ts'
import { openMailServer } from '../../support/stubs/mail-server.ts'
import { selfSigned } from '../../support/stubs/self-signed.ts'
import { patience } from '../../support/time/patience.ts'

/** Another address of this machine than those to which a password may go in the clear. */
const host = '127.0.0.2'
const login = { user: 'gateway', password: 'p@ss/word' }
const from = { name: '', address: 'no-reply@api.example' }

let certificate: { key: string; cert: string }
let ofAnother: { key: string; cert: string }
beforeAll(async () => {
  certificate = await selfSigned(host)
  ofAnother = await selfSigned('mail.example')
})
const usual = getCACertificates('default')
afterEach(() => setDefaultCACertificates(usual))

/** Trusts a certificate as NODE_EXTRA_CA_CERTS does at the start of a process. */
function trust({ cert }: { cert: string }): void {
  setDefaultCACertificates([...usual, cert])
}

const mail = {
  ...{ id: 'evt_1', to: 'person@acme.example', subject: 'Test', text: 'Text', html: '<p>Text</p>' },
  unsubscribeUrl: 'https://api.example/unsubscribe',
}

async function send(url: string): Promise<void> {
  const sender = await createSmtpSender({ url, from })
  await sender.send(mail, AbortSignal.timeout(60_000)).finally(() => sender.close())
}

describe('a mail server with a login', () => {
  test.each([
    ['STARTTLS', false],
    ['TLS from the beginning', true],
  ])('gets the password and the mail encrypted, by %s', async (_, isTlsOnly) => {
    const server = await openMailServer({ host, login, tls: certificate, isTlsOnly })
    trust(certificate)

    await send(server.url)
    await server.stop()

    expect(server.passwords).toEqual([login.password])
    const sent = { to: mail.to, user: login.user, isEncrypted: true, text: 'Text\n' }
    expect(server.received).toMatchObject([sent])
  })

  test.each([
    ['nobody trusts', () => ({ tls: certificate, trusted: ofAnother })],
    ['has another name', () => ({ tls: ofAnother, trusted: ofAnother })],
  ])('whose certificate %s gets neither', async (_, found) => {
    const { tls, trusted } = found()
    const server = await openMailServer({ host, login, tls })
    trust(trusted)

    await expect(send(server.url)).rejects.toThrow(/certificate|altnames/i)
    await server.stop()

    expect([server.passwords, server.received]).toEqual([[], []])
  })

  test('that offers no TLS gets neither', async () => {
    const server = await openMailServer({ host, login })

    await expect(send(server.url)).rejects.toThrow()
    await server.stop()

    expect([server.passwords, server.received]).toEqual([[], []])
  })

  test('that refuses the password gets no mail, and the failure does not repeat the password', async () => {
    const server = await openMailServer({ host, login, tls: certificate })
    trust(certificate)

    await expect(send(server.url.replace('p%40ss', 'wrong'))).rejects.toThrow(
      'The mail server answered 535 to AUTH PLAIN.',
    )
    await server.stop()

    expect(server.received).toEqual([])
  })
})

test('a mail waits while its certificate is not trusted, and is sent as soon as it is', async () => {
  const server = await openMailServer({ host, login, tls: certificate })
  const gateway = await startTestGateway({ SMTP_URL: server.url })
  const { id, liveKey } = await gateway.createAccount()
  const address = 'waiting@acme.example'
  expect((await notify(gateway, liveKey, [address])).status).toBe(200)
  await vi.waitUntil(async () => {
    const [waiting] = await gateway.database.query<{ tries: number }>(
      'SELECT tries FROM account.mail WHERE account_id = $1',
      [id],
    )
    return waiting?.tries
  }, patience)
  expect(server.passwords).toEqual([])

  trust(certificate)
  const [sent] = await server.until(address)
  await gateway.close()
  await server.stop()

  expect(sent).toMatchObject({ user: login.user, isEncrypted: true })
})
