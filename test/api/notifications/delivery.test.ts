import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import {
  isOfRoles,
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { confirm, linkIn, notify, visit } from '../../support/gateway/notifications.ts'
import { press } from '../../support/payments/payer.ts'
import {
  type MailServer,
  openMailServer,
  type ReceivedMail,
} from '../../support/stubs/mail-server.ts'
import { answering, createEndpoint, openReceiver } from '../../support/stubs/webhook-receiver.ts'
import { patience } from '../../support/time/patience.ts'

let server: MailServer
let gateway: TestGateway
/** On the same database: both send mails. */
let another: TestGateway
beforeAll(async () => {
  server = await openMailServer()
  const variables = {
    ...{ SMTP_URL: server.url, MAIL_FROM: 'Billing <billing@api.example>' },
    WEBHOOK_ALLOW_LOOPBACK: 'true',
  }
  gateway = await startTestGateway(variables)
  another = await startTestGateway(variables, { database: gateway.database })
})
afterAll(async () => {
  await another.close()
  await gateway.close()
  await server.stop()
})
afterEach(() => server.refuse(false))

let addresses = 0
/** No other test has it. */
function newAddress(): string {
  addresses += 1
  return `person-${addresses}@acme.example`
}

/** Addresses of an account that their holders have confirmed. */
async function confirmed(
  { liveKey }: TestAccount,
  count: number,
  kinds: readonly string[],
): Promise<string[]> {
  const emails = Array.from({ length: count }, newAddress)
  expect((await notify(gateway, liveKey, emails, kinds)).status).toBe(200)
  for (const address of emails) {
    const [mail] = await server.until(address)
    await confirm(mail?.text ?? '')
  }
  return emails
}

/** Takes credits, so that an account runs low at 900 and out at 0. */
async function take({ id }: TestAccount, credits: number, by = gateway): Promise<void> {
  const input = {
    ...{ accountId: id, credits: -credits, reason: 'Test' },
    idempotencyKey: crypto.randomUUID(),
  }
  await by.graphql(
    'mutation ($input: AdjustCreditsInput!) { adjustCredits(input: $input) { id } }',
    {
      input,
    },
  )
}

/** Mails of an account that no mail server has taken. */
function waitingOf({ id }: TestAccount) {
  return gateway.database.query<{ template: string; tries: number }>(
    `SELECT template, tries FROM account.mail
     WHERE account_id = $1 AND due_at IS NOT NULL ORDER BY id`,
    [id],
  )
}

async function untilNoneWaits(owner: TestAccount): Promise<void> {
  await vi.waitUntil(async () => (await waitingOf(owner)).length === 0, patience)
}

function about(mails: readonly ReceivedMail[], subject: string): ReceivedMail[] {
  return mails.filter(({ headers }) => headers.get('subject')?.includes(subject))
}

/** An event of the account, by its type. */
async function eventOf({ id }: TestAccount, type: string): Promise<string> {
  const [event] = await gateway.database.query<{ id: string }>(
    `SELECT id FROM account.event WHERE account_id = $1 AND type = $2`,
    [id, type],
  )
  return event?.id ?? ''
}

describe('a webhook endpoint that answers 410 Gone', () => {
  test('is disabled at once, and a mail, an event to the others and the audit trail say why', async () => {
    const owner = await gateway.createAccount()
    const [address = ''] = await confirmed(owner, 1, ['webhook_disabled'])
    const [gone, other] = [await openReceiver(answering(410)), await openReceiver()]
    const { id } = await createEndpoint(gateway, owner.liveKey, gone.url)
    await createEndpoint(gateway, owner.liveKey, other.url)

    const path = `/v1/account/webhooks/${id}`
    const tested = await gateway.live.post(`${path}/test`, undefined, owner.liveKey)
    expect(tested.status).toBe(202)
    const [event] = await other.until('webhook_endpoint.disabled')
    const [, mail] = await server.until(address, 2)

    const { origin } = new URL(gone.url)
    const { failing_since, ...data } = event?.data ?? {}
    expect(data).toEqual({ endpoint_id: id, origin, reason: 'gone' })
    expect(mail?.headers.get('subject')).toContain('a webhook endpoint was disabled')
    const text = mail?.text.replaceAll(/\s+/g, ' ')
    expect(text).toContain(`The webhook endpoint ${id}`)
    expect(text).toContain('because it answered 410 Gone')
    const { body } = await gateway.live.get('/v1/account/webhooks?limit=2', owner.liveKey)
    expect(Object(body).items).toMatchObject([
      { status: 'enabled', failing_since: null },
      { id, status: 'disabled', failing_since },
    ])
    const lines = await vi.waitUntil(async () => {
      const answer = await gateway.live.get('/v1/account/audit/events', owner.liveKey)
      const { items } = Object(answer.body)
      const found = items.filter(({ action }: { action: string }) => action === 'webhook.disable')
      return found.length > 0 ? found : null
    }, patience)
    expect(lines).toMatchObject([
      { resource_id: id, actor_kind: 'system', details: { failing_since, reason: 'gone' } },
    ])
    expect(gone.received).toHaveLength(1)
    await gone.close()
    await other.close()
  })
})

describe('an event', () => {
  test('causes one mail to each confirmed address, each with an id of its own, with two processes that send', async () => {
    const owner = await gateway.createAccount({ credits: 2000 })
    const emails = await confirmed(owner, 5, ['credits_low'])

    await take(owner, 1100, another)
    for (const address of emails) await server.until(address, 2)
    await take(owner, 900)
    for (const address of emails) await server.until(address, 3)
    await untilNoneWaits(owner)

    const low = await eventOf(owner, 'credits.low')
    const exhausted = await eventOf(owner, 'credits.exhausted')
    const ids = new Set<string>()
    for (const address of emails) {
      const mails = (await server.until(address)).slice(1)
      const [first = '', second = '', ...others] = mails.map(({ headers }) =>
        String(headers.get('message-id')),
      )
      expect(first).toMatch(new RegExp(`^<${low}\\.addr_\\w+@api\\.example>$`))
      expect(second).toMatch(new RegExp(`^<${exhausted}\\.addr_\\w+@api\\.example>$`))
      expect(others).toEqual([])
      ids.add(first).add(second)
    }
    expect(ids.size).toBe(2 * emails.length)
  })

  test('causes no mail to an address that nobody confirmed, or that was removed', async () => {
    const owner = await gateway.createAccount({ credits: 2000 })
    const [kept = '', removed = ''] = await confirmed(owner, 2, ['credits_low'])
    const stranger = newAddress()
    expect((await notify(gateway, owner.liveKey, [kept, stranger])).status).toBe(200)
    await server.until(stranger)
    await server.until(removed, 2)

    await take(owner, 1100)
    await server.until(kept, 2)
    await untilNoneWaits(owner)

    expect(await server.until(stranger)).toHaveLength(1)
    expect(about(await server.until(removed), 'credits are low')).toEqual([])
  })

  test('causes no mail about a threshold of a budget when the same call reached a higher one', async () => {
    const owner = await gateway.createAccount({ credits: 2000 })
    const [address = ''] = await confirmed(owner, 1, ['budget_threshold', 'credits_low'])
    const budgets = [
      { period: 'month', limit_credits: 6 },
      { period: 'total', limit_credits: 10 },
    ]
    const set = { method: 'PUT', key: owner.liveKey, body: { budgets } }
    expect((await gateway.live.request('/v1/account/budgets', set)).status).toBe(200)

    const call = { contact_id: 'con_1' }
    expect((await gateway.live.post('/v1/contacts/reveal', call, owner.liveKey)).status).toBe(200)
    await server.until(address, 3)
    await take(owner, 1100)
    await server.until(address, 4)
    await untilNoneWaits(owner)

    const events = await gateway.database.query(
      `SELECT data ->> 'period' || ' ' || (data ->> 'threshold_percent') AS reached
       FROM account.event WHERE account_id = $1 AND type = 'budget.threshold' ORDER BY id`,
      [owner.id],
    )
    expect(events.map((event) => Object(event).reached)).toEqual([
      'month 50',
      'month 80',
      'total 50',
    ])
    const [, ...mails] = await server.until(address)
    expect(mails).toHaveLength(3)
    expect(new Set(mails.map(({ headers }) => headers.get('subject')))).toEqual(
      new Set([
        'Test: 50 % of a budget is used',
        'Test: 80 % of a budget is used',
        'Test: credits are low',
      ]),
    )
  })

  test('about a recharge that needs a confirmation has the link to it', async () => {
    const owner = await gateway.createAccount({ credits: 10 })
    const [address = ''] = await confirmed(owner, 1, ['payment_action_required'])
    await gateway.database.query(
      `INSERT INTO account.auto_recharge (account_id, environment, enabled, threshold_credits,
         package_id, payment_method)
       VALUES ($1, 'live', true, 500, 'pack_starter', 'simulated_authenticate')`,
      [owner.id],
    )

    const [, mail] = await server.until(address, 2)

    expect(mail?.headers.get('subject')).toContain('a payment needs your confirmation')
    const link = /https?:\/\/\S+\/billing\/simulated\?\S+/.exec(mail?.text ?? '')?.[0] ?? ''
    expect((await press(link, 'confirm')).status).toBe(303)
    await vi.waitFor(async () => {
      const { body } = await gateway.live.get('/v1/account/credits', owner.liveKey)
      expect(body).toMatchObject({ balance: 1010 })
    }, patience)
  })

  test('causes mails only if its kind was chosen, and never for the sandbox', async () => {
    const owner = await gateway.createAccount({ credits: 2000 })
    const [address = ''] = await confirmed(owner, 1, ['export_ready'])

    await take(owner, 1100)
    const started = await gateway.live.post('/v1/account/audit/export', {}, owner.liveKey)
    const trial = await gateway.sandbox.post('/v1/account/audit/export', {}, owner.sandboxKey)
    expect([started.status, trial.status]).toEqual([202, 202])
    await server.until(address, 2)
    const published = `SELECT FROM account.event WHERE account_id = $1 AND type = $2`
    const exported = [owner.id, 'audit_export.completed']
    await vi.waitUntil(
      async () => (await gateway.database.query(published, exported)).length === 2,
      patience,
    )
    await untilNoneWaits(owner)

    const [, ...mails] = await server.until(address)
    expect(mails.map(({ headers }) => headers.get('subject'))).toEqual(['Test: an export is ready'])
  })

  test('is in a digest when its address had ten mails within an hour', async () => {
    const owner = await gateway.createAccount({ credits: 2000 })
    const [busy = '', calm = ''] = await confirmed(owner, 2, ['credits_low'])
    const idOf = async (address: string) => {
      const [row] = await gateway.database.query<{ id: string }>(
        `SELECT id FROM account.notification_address WHERE account_id = $1 AND address = $2`,
        [owner.id, address],
      )
      return row?.id ?? ''
    }
    const [busyId, calmId] = [await idOf(busy), await idOf(calm)]
    // The calm address had nine mails within this hour, and the tenth long ago.
    await gateway.database.query(
      `INSERT INTO account.mail (id, account_id, address_id, address, template, message_id, data,
         happened_at, due_at, created_at)
       SELECT one.address_id || n, $1, one.address_id, one.address, 'credits.low', 'planted' || n, '{}',
         now(), NULL, now() - CASE WHEN one.address_id = $4 AND n = 1 THEN interval '61 min'
           ELSE interval '1 min' END
       FROM generate_series(1, 10) n, unnest($2::text[], $3::text[]) AS one (address_id, address)`,
      [owner.id, [busyId, calmId], [busy, calm], calmId],
    )

    await take(owner, 1100)
    await take(owner, 900)
    await server.until(calm, 2)
    await vi.waitFor(async () => {
      const rows = await gateway.database.query(
        `SELECT template, digest_id IS NOT NULL AS "inDigest", due_at IS NOT NULL AS waits
         FROM account.mail WHERE address_id = $1 AND message_id NOT LIKE 'planted%' AND template <> 'confirmation'
         ORDER BY template`,
        [busyId],
      )
      expect(rows).toEqual([
        { template: 'credits.exhausted', inDigest: true, waits: false },
        { template: 'credits.low', inDigest: true, waits: false },
        { template: 'digest', inDigest: false, waits: true },
      ])
    }, patience)
    expect(await server.until(busy)).toHaveLength(1)
    await gateway.database.query(
      `UPDATE account.mail SET due_at = now() WHERE address_id = $1 AND template = 'digest'`,
      [busyId],
    )

    const [, digest] = await server.until(busy, 2)
    expect(digest?.headers.get('subject')).toContain('2 more events')
    expect(digest?.text).toMatch(/1 × credits\.(low|exhausted), 1 × credits\.(low|exhausted)\./)
    // The calm address has its tenth mail, so the next event of it is in a digest too.
    expect(await server.until(calm, 2)).toHaveLength(2)
    await vi.waitUntil(async () => {
      const [row] = await gateway.database.query<{ sent: number }>(
        `SELECT count(*)::int AS sent FROM account.mail
         WHERE address_id = $1 AND template = 'digest' AND sent_at IS NOT NULL`,
        [busyId],
      )
      return row?.sent === 1
    }, patience)
  })

  test('on which somebody has to act is a mail of its own, however many its address had', async () => {
    const owner = await gateway.createAccount()
    const [address = ''] = await confirmed(owner, 1, ['payment_action_required'])
    await gateway.database.query(
      `INSERT INTO account.mail (id, account_id, address_id, address, template, message_id, data,
         happened_at, due_at)
       SELECT a.id || n, $1, a.id, a.address, 'credits.low', 'planted' || n, '{}', now(), NULL
       FROM generate_series(1, 10) n, account.notification_address a WHERE a.account_id = $1`,
      [owner.id],
    )
    const event = {
      ...{ id: newId('evt'), accountId: owner.id, environment: 'live' },
      ...{ type: 'payment.action_required', createdAt: new Date().toISOString() },
      data: { payment_id: newId('pay'), action_url: 'https://pay.example/confirm' },
    }
    await gateway.database.query(`SELECT jobs.enqueue('PublishEvents', $1::jsonb, now())`, [
      JSON.stringify({ events: [event] }),
    ])

    const [, mail] = await server.until(address, 2)

    expect(mail?.text).toContain('https://pay.example/confirm')
    await untilNoneWaits(owner)
  })

  test('waits while the mail server is unavailable, delays no call, and is sent once', async () => {
    const owner = await gateway.createAccount({ credits: 2000 })
    const [address = ''] = await confirmed(owner, 1, ['credits_low'])
    await server.stop()

    await take(owner, 1100)
    const call = await gateway.live.get('/v1/account', owner.liveKey)
    await vi.waitUntil(async () => (await waitingOf(owner))[0]?.tries, patience)
    await server.start()
    await server.until(address, 2)
    await untilNoneWaits(owner)

    expect(call.status).toBe(200)
    expect(about(await server.until(address), 'credits are low')).toHaveLength(1)
  })

  test('waits while the mail server refuses its mail', async () => {
    const owner = await gateway.createAccount({ credits: 2000 })
    const [address = ''] = await confirmed(owner, 1, ['credits_low'])
    const before = server.refused()
    server.refuse(true)

    await take(owner, 1100)
    await vi.waitUntil(async () => (await waitingOf(owner))[0]?.tries, patience)
    expect(server.refused()).toBeGreaterThan(before)
    server.refuse(false)

    expect(about(await server.until(address, 2), 'credits are low')).toHaveLength(1)
  })

  test('is given up when its attempts have failed for three days', async () => {
    const owner = await gateway.createAccount({ credits: 2000 })
    const [address = ''] = await confirmed(owner, 1, ['credits_low'])
    server.refuse(true)

    await take(owner, 1100)
    await vi.waitUntil(async () => (await waitingOf(owner))[0]?.tries, patience)
    await gateway.database.query(
      `UPDATE account.mail SET created_at = now() - interval '3 d', due_at = now()
       WHERE account_id = $1 AND due_at IS NOT NULL`,
      [owner.id],
    )
    await untilNoneWaits(owner)

    const [given] = await gateway.database.query(
      `SELECT sent_at FROM account.mail WHERE account_id = $1 AND template = 'credits.low'`,
      [owner.id],
    )
    expect(given).toEqual({ sent_at: null })
    expect(await server.until(address)).toHaveLength(1)
  })

  test('causes a second mail when the process that sent the first died before it could record that', async () => {
    const owner = await gateway.createAccount({ credits: 2000 })
    const [address = ''] = await confirmed(owner, 1, ['credits_low'])
    await take(owner, 1100)
    await server.until(address, 2)
    await untilNoneWaits(owner)

    await gateway.database.query(
      `UPDATE account.mail SET due_at = now(), sent_at = NULL
       WHERE account_id = $1 AND template = 'credits.low'`,
      [owner.id],
    )
    const [, first, second] = await server.until(address, 3)

    expect(second?.headers.get('message-id')).toBe(first?.headers.get('message-id'))
  })
})

describe('a mail', () => {
  test('comes from MAIL_FROM, as text and HTML, and can be unsubscribed by a mail program', async () => {
    const owner = await gateway.createAccount({ credits: 2000 })
    const [address = ''] = await confirmed(owner, 1, ['credits_low'])
    await take(owner, 1100)

    const [, mail] = await server.until(address, 2)

    const link = linkIn(mail?.text ?? '', 'unsubscribe')
    const headers = Object.fromEntries(mail?.headers ?? [])
    expect(headers).toMatchObject({
      from: 'Billing <billing@api.example>',
      to: address,
      subject: 'Test: credits are low',
      'auto-submitted': 'auto-generated',
      'list-unsubscribe': `<${link}>`,
      'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
    })
    expect(headers['content-type']).toMatch(/^multipart\/alternative/)
    expect(mail?.text).toContain('fell below 1,000 credits')
    expect(mail?.text).toContain('\n-- \n')
    expect(mail?.html).toContain('<p>The balance of Test fell below 1,000 credits')
    expect(await visit(link, { method: 'POST' })).toMatchObject({ status: 200 })
  })

  test('escapes what a customer wrote, and no line break of it reaches a header', async () => {
    const owner = await gateway.createAccount({ credits: 2000 })
    const [address = ''] = await confirmed(owner, 1, ['credits_low'])
    await gateway.database.query(`UPDATE account.account SET name = $2 WHERE id = $1`, [
      owner.id,
      'A<b>&"\r\nBcc: victim@example.org\r\n\r\n\u202eevil',
    ])
    await take(owner, 1100)

    const [, mail] = await server.until(address, 2)

    expect(mail?.headers.has('bcc')).toBe(false)
    expect(mail?.headers.get('subject')).toBe(
      'A<b>&" Bcc: victim@example.org evil: credits are low',
    )
    expect(mail?.html).toContain('A&lt;b&gt;&amp;&quot; Bcc: victim@example.org evil')
    expect(mail?.html).not.toContain('<b>')
    expect(server.received.some(({ to }) => to.includes('victim'))).toBe(false)
  })
})

describe.skipIf(isOfRoles)('metrics', () => {
  test('count attempts by their outcome', async () => {
    const text = await (await fetch(`${gateway.internal.url}/metrics`)).text()

    expect(text).toMatch(/gateway_mail_attempts_total\{outcome="sent"\} \d+/)
    expect(text).toMatch(/gateway_mails_waiting \d+/)
  })
})
