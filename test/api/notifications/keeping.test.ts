import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { plantTenant } from '../../support/database/planted-tenant.ts'

let graph: TestGraph
beforeAll(async () => {
  graph = await openTestGraph()
})
afterAll(() => graph.close())

test('mails are deleted after 30 days, unconfirmed addresses with their link, and limits after a day', async () => {
  const accountId = await plantTenant(graph)
  await graph.database.query(
    `INSERT INTO account.confirmation_request VALUES ('old', 'a', now() - interval '1 d'),
       ('new', 'a', now()), ('new', 'b', now() - interval '1 d')`,
  )
  const left = () =>
    graph.database.query(
      `SELECT (SELECT count(*)::int FROM account.mail) AS mails,
         (SELECT count(*)::int FROM account.notification_address) AS addresses,
         (SELECT array_agg(address_hash) FROM account.confirmation_request) AS requests`,
    )

  const early = await graph.asService('ForgetMails', { limit: 10 })
  const kept = await left()
  const queue = await graph.asService('GetMailQueue')
  await graph.database.query(
    `WITH m AS (UPDATE account.mail SET created_at = now() - interval '30 d 1 min' WHERE account_id = $1)
     UPDATE account.notification_address SET expires_at = now() - interval '1 min' WHERE account_id = $1`,
    [accountId],
  )
  const late = await graph.asService('ForgetMails', { limit: 10 })

  expect([early, late]).toEqual([2, 1])
  expect(kept).toEqual([{ mails: 1, addresses: 1, requests: ['new'] }])
  expect(queue).toEqual({ waiting: 1, oldestSeconds: expect.any(Number) })
  expect(await left()).toEqual([{ mails: 0, addresses: 0, requests: ['new'] }])
})
