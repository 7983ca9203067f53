import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type ErrorCode, statusByErrorCode } from '../../../schema/vocabulary/error-codes.ts'
import { notificationKindNames } from '../../../schema/vocabulary/notification-kinds.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import {
  confirm,
  linkIn,
  notificationsPath,
  notify,
  visit,
} from '../../support/gateway/notifications.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { type MailServer, openMailServer } from '../../support/stubs/mail-server.ts'
import { patience } from '../../support/time/patience.ts'

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

let addresses = 0
/** No other test has it. */
function newAddress(): string {
  addresses += 1
  return `person-${addresses}@acme.example`
}

async function settingsOf({ liveKey }: TestAccount) {
  const { status, body } = await gateway.live.get(notificationsPath, liveKey)
  expect(status).toBe(200)
  return Object(body)
}

function expectRefused({ status, body }: TestResponse, code: ErrorCode): void {
  const refusal = { status, code: Object(body).error?.code }
  expect(refusal).toEqual({ status: statusByErrorCode[code], code })
}

/** An account with one address that its holder has confirmed. */
async function confirmed(account: TestAccount, address: string): Promise<void> {
  expect((await notify(gateway, account.liveKey, [address])).status).toBe(200)
  const [mail] = await server.until(address)
  await confirm(mail?.text ?? '')
}

/** Lets a day pass, for the limits of new addresses. */
async function passADay(account: TestAccount): Promise<void> {
  await gateway.database.query(
    `UPDATE account.notification_setting
     SET added_at = ARRAY(SELECT at - interval '25 h' FROM unnest(added_at) AS at)
     WHERE account_id = $1`,
    [account.id],
  )
}

describe('GET /v1/account/notifications', () => {
  test('answers empty lists before anything is set', async () => {
    const account = await gateway.createAccount()

    expect(await settingsOf(account)).toEqual({ emails: [], kinds: [] })
  })

  test('needs a key with account:read', async () => {
    const { id } = await gateway.createAccount()
    const key = await gateway.createKey(id, { scopes: ['billing:read'] })

    expectRefused(await gateway.live.get(notificationsPath, key.plaintext), 'FORBIDDEN')
    expectRefused(await gateway.live.get(notificationsPath), 'AUTHENTICATION_REQUIRED')
  })
})

describe('PUT /v1/account/notifications', () => {
  test('replaces addresses and kinds, in their order', async () => {
    const account = await gateway.createAccount()
    const [first, second] = [newAddress(), newAddress()]
    const kinds = [...notificationKindNames]

    const set = await notify(gateway, account.liveKey, [first, second], kinds)
    const turned = await notify(gateway, account.liveKey, [second, first], ['export_ready'])

    expect(set).toMatchObject({
      status: 200,
      body: {
        emails: [
          { address: first, confirmed: false },
          { address: second, confirmed: false },
        ],
        kinds,
      },
    })
    expect(turned.status).toBe(200)
    expect(turned.body).toEqual(await settingsOf(account))
    expect(turned.body).toEqual({
      emails: [
        { address: second, confirmed: false },
        { address: first, confirmed: false },
      ],
      kinds: ['export_ready'],
    })
  })

  test('needs account:write', async () => {
    const { id } = await gateway.createAccount()
    const key = await gateway.createKey(id, { scopes: ['account:read'] })

    expectRefused(await notify(gateway, key.plaintext, []), 'FORBIDDEN')
  })

  test('names every wrong member in one answer', async () => {
    const { liveKey } = await gateway.createAccount()
    const emails = [
      'no address',
      'a@b.example\r\nBcc: x@y.example',
      'Ops@acme.example',
      'ops@ACME.example',
    ]

    const refused = await notify(gateway, liveKey, emails, ['credits_low', 'nothing'])

    const kinds = notificationKindNames.join(', ')
    expectError(gateway, refused, {
      ...{ status: 422, code: 'INVALID_REQUEST', message: expect.stringMatching(/emails\.3/) },
      details: [
        { field: 'emails.0', in: 'body', message: 'must be an email address' },
        { field: 'emails.1', in: 'body', message: 'must be an email address' },
        { field: 'emails.3', in: 'body', message: 'is there twice' },
        { field: 'kinds.1', in: 'body', message: `must be one of ${kinds}` },
      ],
    })
  })

  test.each([
    [
      'six addresses',
      {
        emails: Array(6)
          .fill('a@b.example')
          .map((a, i) => `${i}${a}`),
        kinds: [],
      },
    ],
    ['no kinds', { emails: [] }],
    ['no addresses', { kinds: [] }],
    ['an unknown member', { emails: [], kinds: [], email: 'a@b.example' }],
    ['an address that is too long', { emails: [`${'a'.repeat(250)}@b.example`], kinds: [] }],
    ['no body', undefined],
  ])('refuses %s', async (_, body) => {
    const { liveKey } = await gateway.createAccount()

    const refused = await gateway.live.request(notificationsPath, {
      ...{ method: 'PUT', key: liveKey, body },
    })

    expectRefused(refused, 'INVALID_REQUEST')
  })

  test('happens once with an idempotency key', async () => {
    const account = await gateway.createAccount()
    const address = newAddress()
    const request = {
      ...{ method: 'PUT', key: account.liveKey, headers: { 'idempotency-key': 'once' } },
      body: { emails: [address], kinds: [] },
    }

    const first = await gateway.live.request(notificationsPath, request)
    const second = await gateway.live.request(notificationsPath, request)

    expect(first.status).toBe(200)
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(await server.until(address)).toHaveLength(1)
  })

  test('leaves a line in the audit trail, without the addresses', async () => {
    const account = await gateway.createAccount()
    const address = newAddress()

    expect((await notify(gateway, account.liveKey, [address])).status).toBe(200)

    const lines = await vi.waitUntil(async () => {
      const found = await gateway.database.query<{ details: object }>(
        `SELECT details FROM usage.audit_event
         WHERE account_id = $1 AND action = 'notifications.update'`,
        [account.id],
      )
      return found.length > 0 ? found : null
    }, patience)
    expect(lines).toEqual([{ details: { emails: 1, kinds: ['credits_low'] } }])
  })
})

describe('a new address', () => {
  test('gets one mail with a link, and no text of a customer', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const address = newAddress()
    await gateway.database.query(`UPDATE account.account SET name = 'Evil Corp' WHERE id = $1`, [
      id,
    ])

    expect((await notify(gateway, liveKey, [address])).status).toBe(200)

    const [mail] = await server.until(address)
    expect(Object.fromEntries(mail?.headers ?? [])).toMatchObject({
      from: 'Gateway <gw@api.example>',
      to: address,
      subject: 'Confirm this address for notifications',
    })
    expect(`${mail?.raw}${mail?.text}${mail?.html}`).not.toContain('Evil Corp')
    expect(mail?.html).toContain(`<a href="${linkIn(mail?.text ?? '', 'confirm')}"`)
    expect(mail?.html).toContain(`<a href="${linkIn(mail?.text ?? '', 'unsubscribe')}"`)
  })

  test('is confirmed by the button of the page, not by the link', async () => {
    const account = await gateway.createAccount()
    const address = newAddress()
    expect((await notify(gateway, account.liveKey, [address])).status).toBe(200)
    const [mail] = await server.until(address)
    const link = linkIn(mail?.text ?? '', 'confirm')

    const page = await visit(link, { accept: '*/*' })
    const before = await settingsOf(account)
    const done = await visit(link, { method: 'POST' })
    const again = await visit(link, { method: 'POST' })
    const later = await visit(link)

    expect(page).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' })
    expect(page.text).toContain('<button type="submit">Confirm</button>')
    expect(before.emails).toEqual([{ address, confirmed: false }])
    expect([done.status, again.status, later.status]).toEqual([200, 200, 200])
    expect(later.text).not.toContain('<button')
    expect((await settingsOf(account)).emails).toEqual([{ address, confirmed: true }])
  })

  test('disappears after 7 days, and its link ends', async () => {
    const account = await gateway.createAccount()
    const address = newAddress()
    expect((await notify(gateway, account.liveKey, [address])).status).toBe(200)
    const [mail] = await server.until(address)
    const link = linkIn(mail?.text ?? '', 'confirm')
    await gateway.database.query(
      `UPDATE account.notification_address SET expires_at = now() WHERE account_id = $1`,
      [account.id],
    )

    expect((await settingsOf(account)).emails).toEqual([])
    expect(await visit(link)).toMatchObject({ status: 404, type: 'text/html; charset=utf-8' })
    const refused = await gateway.live.request(new URL(link).pathname + new URL(link).search, {
      method: 'POST',
    })
    expectRefused(refused, 'NOT_FOUND')
  })

  test.each([
    ['no token', ''],
    ['an empty token', '?token='],
  ])('is not confirmed with %s', async (_, query) => {
    expectRefused(await gateway.live.get(`${notificationsPath}/confirm${query}`), 'INVALID_REQUEST')
  })

  test('is not confirmed with a token that was changed, or that is for another purpose', async () => {
    const { liveKey } = await gateway.createAccount()
    const address = newAddress()
    expect((await notify(gateway, liveKey, [address])).status).toBe(200)
    const [mail] = await server.until(address)
    const token = new URL(linkIn(mail?.text ?? '', 'confirm')).searchParams.get('token') ?? ''
    const other = new URL(linkIn(mail?.text ?? '', 'unsubscribe')).searchParams.get('token')
    const changed = token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))

    for (const wrong of [changed, other, 'x', `${token}x`]) {
      const path = `${notificationsPath}/confirm?token=${wrong}`
      expectRefused(await gateway.live.request(path, { method: 'POST' }), 'NOT_FOUND')
    }
  })

  test('is one of five within a day; a sixth is refused and changes nothing', async () => {
    const account = await gateway.createAccount()
    const five = Array.from({ length: 5 }, newAddress)
    expect((await notify(gateway, account.liveKey, five)).status).toBe(200)

    const refused = await notify(gateway, account.liveKey, [newAddress()], ['export_ready'])
    const kept = await settingsOf(account)
    await passADay(account)
    const allowed = await notify(gateway, account.liveKey, [newAddress()])

    expectError(gateway, refused, {
      ...{ status: 429, code: 'RATE_LIMIT_EXCEEDED', page: 'rate-limits' },
      message: 'The limit of 5 new addresses for notifications a day is reached.',
    })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(80_000)
    expect(kept.emails.map(({ address }: { address: string }) => address)).toEqual(five)
    expect(kept.kinds).toEqual(['credits_low'])
    expect(allowed.status).toBe(200)
  })

  /** The mails that have asked an address of an account, sent or not. */
  async function askedOf({ id }: TestAccount, address: string): Promise<number> {
    const [row] = await gateway.database.query<{ mails: number }>(
      `SELECT count(*)::int AS mails FROM account.mail
       WHERE account_id = $1 AND lower(address) = lower($2) AND template = 'confirmation'`,
      [id, address],
    )
    return row?.mails ?? 0
  }

  test('is asked once a day by an account, and the answer does not say whether a mail was sent', async () => {
    const account = await gateway.createAccount()
    const address = newAddress()

    const first = await notify(gateway, account.liveKey, [address])
    await server.until(address)
    expect((await notify(gateway, account.liveKey, [])).status).toBe(200)
    const again = await notify(gateway, account.liveKey, [address.toUpperCase()])

    expect([first.status, first.body]).toEqual([
      200,
      { emails: [{ address, confirmed: false }], kinds: ['credits_low'] },
    ])
    expect([again.status, again.body]).toEqual([
      200,
      { emails: [{ address: address.toUpperCase(), confirmed: false }], kinds: ['credits_low'] },
    ])
    expect(await askedOf(account, address)).toBe(1)
  })

  test('is asked by three accounts a day; a fourth gets the same answer, and its mail by a request of the next day', async () => {
    const accounts = await Promise.all([1, 2, 3, 4].map(() => gateway.createAccount()))
    const address = newAddress()

    const answers = []
    for (const { liveKey } of accounts) answers.push(await notify(gateway, liveKey, [address]))

    const same = { emails: [{ address, confirmed: false }], kinds: ['credits_low'] }
    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      accounts.map(() => [200, same]),
    )
    const asked = () => Promise.all(accounts.map((account) => askedOf(account, address)))
    expect(await asked()).toEqual([1, 1, 1, 0])
    await gateway.database.query(
      `UPDATE account.confirmation_request SET requested_at = requested_at - interval '25 h'`,
    )
    for (const { liveKey } of accounts) {
      expect((await notify(gateway, liveKey, [address])).body).toEqual(same)
    }
    expect(await asked()).toEqual([1, 1, 1, 1])
    const mails = await server.until(address, 4)
    for (const { text } of mails) await confirm(text)
    for (const account of accounts) {
      expect((await settingsOf(account)).emails).toEqual([{ address, confirmed: true }])
    }
  })

  test('is asked by three of ten accounts that name it at once', async () => {
    const accounts = await Promise.all(Array.from({ length: 10 }, () => gateway.createAccount()))
    const address = newAddress()

    const answers = await Promise.all(
      accounts.map(({ liveKey }) => notify(gateway, liveKey, [address])),
    )

    expect(answers.map(({ status }) => status)).toEqual(accounts.map(() => 200))
    const counts = await Promise.all(accounts.map((account) => askedOf(account, address)))
    expect(counts.filter((count) => count === 1)).toHaveLength(3)
  })
})

describe('a confirmed address', () => {
  test('keeps its confirmation when it is named again, in another case too', async () => {
    const account = await gateway.createAccount()
    const address = newAddress()
    await confirmed(account, address)

    const { body } = await notify(gateway, account.liveKey, [address.toUpperCase()])

    expect(Object(body).emails).toEqual([{ address, confirmed: true }])
  })

  test('gets one mail when it is removed; an address that nobody confirmed gets none', async () => {
    const account = await gateway.createAccount()
    const [address, stranger] = [newAddress(), newAddress()]
    await confirmed(account, address)
    expect((await notify(gateway, account.liveKey, [address, stranger])).status).toBe(200)
    await server.until(stranger)

    expect((await notify(gateway, account.liveKey, [])).status).toBe(200)
    expect((await notify(gateway, account.liveKey, [])).status).toBe(200)

    const [, farewell] = await server.until(address, 2)
    const subject = farewell?.headers.get('subject')
    expect(subject).toBe('This address gets no more notifications')
    const link = linkIn(farewell?.text ?? '', 'unsubscribe')
    expect(await visit(link)).toMatchObject({ status: 200 })
    const waiting = () =>
      gateway.database.query(
        `SELECT FROM account.mail WHERE account_id = $1 AND due_at IS NOT NULL`,
        [account.id],
      )
    // The server has a mail before the sender notes that it went.
    await expect.poll(waiting, patience).toEqual([])
    expect(await server.until(address)).toHaveLength(2)
    expect(await server.until(stranger)).toHaveLength(1)
  })

  test('is removed by the button of the unsubscribe page, and by one click', async () => {
    const account = await gateway.createAccount()
    const address = newAddress()
    await confirmed(account, address)
    const [mail] = await server.until(address)
    const link = linkIn(mail?.text ?? '', 'unsubscribe')

    const page = await visit(link)
    const before = await settingsOf(account)
    // RFC 8058: a mail program sends this form.
    const clicked = await fetch(link, {
      method: 'POST',
      body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
    })
    const again = await visit(link)

    expect(page.text).toContain('<button type="submit">Unsubscribe</button>')
    expect(before.emails).toEqual([{ address, confirmed: true }])
    expect(clicked.status).toBe(200)
    expect(again).toMatchObject({ status: 200 })
    expect(again.text).not.toContain('<button')
    expect((await settingsOf(account)).emails).toEqual([])
  })
})

describe('the sandbox', () => {
  test('answers 409', async () => {
    const { sandboxKey } = await gateway.createAccount()
    const body = { emails: [], kinds: [] }

    expectRefused(await gateway.sandbox.get(notificationsPath, sandboxKey), 'CONFLICT')
    expectRefused(
      await gateway.sandbox.request(notificationsPath, { method: 'PUT', key: sandboxKey, body }),
      'CONFLICT',
    )
    expectRefused(await gateway.sandbox.get(`${notificationsPath}/confirm?token=x`), 'CONFLICT')
  })
})
