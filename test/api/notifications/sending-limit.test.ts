import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { isOfRoles, startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { notify } from '../../support/gateway/notifications.ts'
import { type MailServer, openMailServer } from '../../support/stubs/mail-server.ts'
import { patience } from '../../support/time/patience.ts'

let server: MailServer
let gateway: TestGateway
beforeAll(async () => {
  server = await openMailServer()
  gateway = await startTestGateway({ SMTP_URL: server.url })
})
afterAll(async () => {
  await gateway.close()
  await server.stop()
})

// With roles there are several workers, and each has its eight.
test.skipIf(isOfRoles)(
  'a mail server that is slow has eight mails at a time, and gets all others afterwards',
  async () => {
    const release = server.hold()
    const owners = await Promise.all([1, 2, 3].map(() => gateway.createAccount()))
    const emails = owners.map((_, owner) =>
      [1, 2, 3, 4, 5].map((at) => `p${owner}-${at}@acme.example`),
    )

    for (const [index, { liveKey }] of owners.entries()) {
      expect((await notify(gateway, liveKey, emails[index] ?? [])).status).toBe(200)
    }
    await vi.waitUntil(() => server.mostHeld() >= 8, patience)
    release()

    for (const address of emails.flat()) await server.until(address)
    expect(server.mostHeld()).toBe(8)
    expect(server.received).toHaveLength(15)
  },
)
