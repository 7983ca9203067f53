import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { isOfRoles, startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { linkIn, notificationsPath, notify, visit } from '../../support/gateway/notifications.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
/** Without SMTP_URL, on the same database. */
let silent: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ SMTP_URL: 'mailbox:' })
  silent = await startTestGateway({}, { database: gateway.database })
})
afterAll(async () => {
  await silent.close()
  await gateway.close()
})

describe.skipIf(isOfRoles)('GET /mailbox with SMTP_URL=mailbox:', () => {
  test('shows the mails as JSON, and to a browser as a page, escaped', async () => {
    const { liveKey } = await gateway.createAccount()
    const address = "o'brien@acme.example"
    expect((await notify(gateway, liveKey, [address])).status).toBe(200)

    const { items } = await vi.waitUntil(async () => {
      const { status, body } = await gateway.internal.get('/mailbox')
      expect(status).toBe(200)
      return Object(body).items.length > 0 ? Object(body) : null
    }, patience)
    const page = await visit(`${gateway.internal.url}/mailbox`)

    const [mail] = items
    expect(items).toEqual([
      {
        ...{ id: expect.stringMatching(/^mail_/), from: 'no-reply@localhost', to: address },
        subject: 'Confirm this address for notifications',
        text: expect.stringContaining('/v1/account/notifications/confirm?token=addr_'),
        html: expect.stringContaining('<a href='),
        unsubscribe_url: linkIn(mail.text, 'unsubscribe'),
        sent_at: expect.stringMatching(/Z$/),
      },
    ])
    expect(page).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' })
    expect(page.text).toContain('o&#39;brien@acme.example')
    expect(page.text).toContain(`<a href="${linkIn(mail.text, 'confirm')}"`)
  })
})

/** An IPv4 address of this machine that others may reach. */
const reachable = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address

test.skipIf(isOfRoles || reachable === undefined)(
  'GET /mailbox answers this machine alone, whatever address the internal listener has',
  async () => {
    const variables = { SMTP_URL: 'mailbox:', INTERNAL_HOST: '0.0.0.0' }
    const open = await startTestGateway(variables, { database: gateway.database })
    const { port } = new URL(open.internal.url)
    const ask = async (host: string, path: string) =>
      (await fetch(`http://${host}:${port}${path}`)).status

    const statuses = [
      await ask('127.0.0.1', '/mailbox'),
      await ask(reachable ?? '', '/live'),
      await ask(reachable ?? '', '/mailbox'),
    ]
    await open.close()

    expect(statuses).toEqual([200, 200, 404])
  },
)

describe('a gateway without SMTP_URL', () => {
  test('answers 409, and has no mailbox', async () => {
    const { liveKey } = await gateway.createAccount()
    const refusal = {
      ...{ status: 409, code: 'CONFLICT' },
      message: "This gateway doesn't send e-mail yet.",
    }
    const pages = ['confirm', 'unsubscribe'].map((page) => `${notificationsPath}/${page}?token=x`)

    expectError(silent, await silent.live.get(notificationsPath, liveKey), refusal)
    expectError(silent, await notify(silent, liveKey, []), refusal)
    for (const path of pages) {
      expectError(silent, await silent.live.get(path), refusal)
      expectError(silent, await silent.live.request(path, { method: 'POST' }), refusal)
    }
    expect((await silent.internal.get('/mailbox')).status).toBe(404)
  })
})
