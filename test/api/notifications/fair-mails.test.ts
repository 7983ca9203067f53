import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
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

interface Receiver {
  readonly accountId: string
  readonly address: string
}

/** A confirmed address of a new account, and so many mails to it that have been due for a minute. */
async function plantMails(name: string, count: number): Promise<Receiver> {
  const { id: accountId } = await gateway.createAccount()
  const [id, address] = [newId('addr'), `${name}@acme.example`]
  await gateway.database.query(
    `WITH receiver AS (
       INSERT INTO account.notification_address (id, account_id, address, place, confirmed_at)
       VALUES ($1, $2, $3, 0, now())
     )
     INSERT INTO account.mail
       (id, account_id, address_id, address, template, message_id, data, happened_at, due_at)
     SELECT $1 || n, $2, $1, $3, 'credits.low', $1 || n, '{}', now(), now() - interval '1 min'
     FROM generate_series(1, $4::int) n`,
    [id, accountId, address, count],
  )
  return { accountId, address }
}

/** How many mails of each account are on their way. */
function sending() {
  return gateway.database.query<{ account: string; mails: number }>(
    `SELECT account_id AS account, count(*)::int AS mails FROM account.mail
     WHERE due_at > now() GROUP BY 1 ORDER BY 2`,
  )
}

test('more than a thousand mails of one account delay those of another by a few only', async () => {
  const many = await plantMails('many', 1500)
  await server.until(many.address, 10)
  const before = server.received.length

  const other = await plantMails('other', 3)

  await server.until(other.address, 3)
  const [busy, own] = [many, other].map(
    ({ address }) => server.received.slice(before).filter(({ to }) => to === address).length,
  )
  expect(own).toBe(3)
  // A claim may be on its way, and the planting itself takes a while.
  expect(busy).toBeLessThan(1000)
  await gateway.database.query('DELETE FROM account.mail WHERE due_at <= now()')
  // No mail is on its way when the other test begins.
  await vi.waitUntil(async () => (await sending()).length === 0, patience)
})

test('one account has four of the eight places, so mails that hang keep no other account waiting', async () => {
  const release = server.hold()
  const many = await plantMails('hanging', 20)
  await vi.waitUntil(() => server.mostHeld() >= 4, patience)

  const other = await plantMails('beside', 1)

  await vi.waitUntil(async () => (await sending()).length === 2, patience)
  expect(await sending()).toEqual([
    { account: other.accountId, mails: 1 },
    { account: many.accountId, mails: 4 },
  ])
  release()
  await server.until(many.address, 20)
  await vi.waitUntil(async () => (await sending()).length === 0, patience)
})
