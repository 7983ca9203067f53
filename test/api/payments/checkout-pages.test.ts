import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { notifySimulated } from '../../support/gateway/payment-returns.ts'
import { press } from '../../support/payments/payer.ts'
import { patience } from '../../support/time/patience.ts'

const shop = 'https://shop.example'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ RETURN_ORIGINS: shop })
})
afterAll(() => gateway.close())

const instant = expect.stringMatching(/^\d{4}-.*Z$/)

const waiting = {
  id: expect.stringMatching(/^pay_[0-9a-z]{26}$/),
  status: 'requires_action',
  package_id: 'pack_starter',
  credits: 1000,
  price_cents: 1000,
  tax_cents: 0,
  total_cents: 1000,
  refunded_cents: 0,
  currency: 'USD',
  action_url: expect.stringMatching(/^http.*\/billing\/simulated\?/),
  invoice_id: null,
  failure_reason: null,
  client_reference_id: null,
  expires_at: instant,
  created_at: instant,
}
const paid = {
  ...waiting,
  status: 'paid',
  action_url: null,
  invoice_id: expect.stringMatching(/^inv_/),
}

interface Begun {
  readonly id: string
  readonly action_url: string
}

async function begin({ liveKey }: TestAccount, more: object = {}): Promise<Begun> {
  const body = { package_id: 'pack_starter', ...more }
  const answer = await gateway.live.post('/v1/billing/checkout', body, liveKey)
  expect([answer.status, Object(answer.body).status]).toEqual([201, 'requires_action'])
  return Object(answer.body)
}

async function checkoutOf({ liveKey }: TestAccount, id: string): Promise<object> {
  return Object((await gateway.live.get(`/v1/billing/checkouts/${id}`, liveKey)).body)
}

async function balanceOf({ liveKey }: TestAccount): Promise<number> {
  return Object((await gateway.live.get('/v1/account/credits', liveKey)).body).balance
}

/** Asks the provider again, as when a minute has passed since the last question. */
async function ask(id: string, sql = ''): Promise<void> {
  await gateway.database.query(
    `UPDATE account.payment SET ask_at = now() ${sql} WHERE id = $1 AND settled_at IS NULL`,
    [id],
  )
}

function until(account: TestAccount, id: string, expected: object): Promise<void> {
  return vi.waitFor(
    async () => expect(await checkoutOf(account, id)).toMatchObject(expected),
    patience,
  )
}

describe('POST /v1/billing/checkout without a method', () => {
  test('leads to a page; paying there brings the credits before the payer is back', async () => {
    const account = await gateway.createAccount({ credits: 7 })

    const answer = await gateway.live.post(
      '/v1/billing/checkout',
      { package_id: 'pack_starter', client_reference_id: 'order 7' },
      account.liveKey,
    )
    const begun: Begun = Object(answer.body)
    expect([answer.status, answer.body]).toEqual([
      201,
      { ...waiting, client_reference_id: 'order 7' },
    ])
    expect(await balanceOf(account)).toBe(7)
    const page = await fetch(begun.action_url)
    const html = await page.text()
    expect(page.status).toBe(200)
    for (const button of ['Pay', 'Decline']) expect(html).toContain(`>${button}</button>`)
    expect(html).not.toContain('<script')
    const back = await press(begun.action_url, 'pay')

    expect(back.status).toBe(303)
    const location = back.headers.get('location') ?? ''
    expect(location).toMatch(/\/billing\/return\?checkout_id=pay_\w+&expires=\d+&signature=[\w-]+$/)
    expect(await checkoutOf(account, begun.id)).toEqual({ ...paid, client_reference_id: 'order 7' })
    expect(await balanceOf(account)).toBe(1007)
    const shown = await fetch(location)
    expect([shown.status, await shown.text()]).toEqual([
      200,
      expect.stringContaining('<h1>Thank you</h1>'),
    ])
    await expectExactBooks(gateway)
  })

  test.each(['simulated_slow', 'simulated_duplicated'])(
    'with %s is pending, and paid once when the provider says so',
    async (card) => {
      const account = await gateway.createAccount({ credits: 7 })
      const { id, action_url } = await begin(account)

      expect((await press(action_url, 'pay', card)).status).toBe(303)

      await until(account, id, { status: 'paid' })
      expect(await balanceOf(account)).toBe(1007)
      await expectExactBooks(gateway)
    },
  )

  test('with a card that wants a confirmation asks for it, on the same page', async () => {
    const account = await gateway.createAccount({ credits: 7 })
    const { id, action_url } = await begin(account)

    const asked = await press(action_url, 'pay', 'simulated_authenticate')
    const html = await asked.text()

    expect([asked.status, html]).toEqual([200, expect.stringContaining('>Confirm</button>')])
    expect(await checkoutOf(account, id)).toEqual(waiting)
    expect((await press(action_url, 'confirm')).status).toBe(303)
    expect(await checkoutOf(account, id)).toEqual(paid)
    expect((await press(action_url, 'confirm')).status).toBe(303)
    expect(await balanceOf(account)).toBe(1007)
  })

  test('stays open after a declined card, so that another one can pay', async () => {
    const account = await gateway.createAccount({ credits: 7 })
    const { id, action_url } = await begin(account)

    const declined = await press(action_url, 'decline')

    expect([declined.status, await declined.text()]).toEqual([
      200,
      expect.stringContaining('The card was declined.'),
    ])
    expect(await checkoutOf(account, id)).toEqual(waiting)
    await press(action_url, 'pay')
    expect(await checkoutOf(account, id)).toEqual(paid)
  })

  test('is paid when its notification is lost, because the provider is asked', async () => {
    const account = await gateway.createAccount({ credits: 7 })
    const { id } = await begin(account)
    await gateway.database.query(
      `UPDATE account.simulated_payment SET state = 'paid', method = 'simulated', paid_at = now()
       WHERE payment_id = $1`,
      [id],
    )

    await ask(id)

    await until(account, id, paid)
    expect(await balanceOf(account)).toBe(1007)
  })

  test.each([
    ['minute', 'an hour', '59 min', 60],
    ['15 minutes', 'a day', '61 min', 900],
  ])('is asked about every %s for %s', async (_, __, age, seconds) => {
    const account = await gateway.createAccount()
    const { id } = await begin(account)

    await ask(id, `, created_at = now() - interval '${age}'`)

    await vi.waitFor(async () => {
      const [row] = await gateway.database.query<{ wait: number; isOpen: boolean }>(
        `SELECT extract(epoch FROM ask_at - now())::float8 AS wait, settled_at IS NULL AS "isOpen"
         FROM account.payment WHERE id = $1`,
        [id],
      )
      expect(row).toEqual({ wait: expect.any(Number), isOpen: true })
      expect(row?.wait).toBeGreaterThan(seconds - 30)
      expect(row?.wait).toBeLessThanOrEqual(seconds)
    }, patience)
  })

  test('expires once the provider has closed its page, and is paid if it is confirmed later', async () => {
    const account = await gateway.createAccount({ credits: 7 })
    const { id, action_url } = await begin(account)
    await ask(id, ', expires_at = now()')
    await until(account, id, { ...waiting, status: 'expired', action_url: null })
    expect(await (await fetch(action_url)).text()).toContain('This page is closed')

    await notifySimulated(gateway, { payment_id: id, outcome: { status: 'succeeded' } })

    expect(await checkoutOf(account, id)).toEqual(paid)
    expect(await balanceOf(account)).toBe(1007)
    await expectExactBooks(gateway)
  })

  test('gives no credits for another amount or currency, and asks an operator to look', async () => {
    const account = await gateway.createAccount({ credits: 7 })
    const { id, action_url } = await begin(account)

    for (const told of [
      { amount_cents: 999, currency: 'USD' },
      { amount_cents: 1000, currency: 'EUR' },
    ]) {
      const outcome = { status: 'succeeded', ...told }
      const answer = await notifySimulated(gateway, { payment_id: id, outcome })
      expect(answer.status).toBe(200)
    }

    expect(await checkoutOf(account, id)).toEqual(waiting)
    expect(await balanceOf(account)).toBe(7)
    await press(action_url, 'pay')
    expect(await checkoutOf(account, id)).toEqual(paid)
  })

  test('counts declined cards of pages: the fifth ends its page, and the next checkout is 429', async () => {
    const account = await gateway.createAccount({ credits: 7 })
    const other = await begin(account)
    const { id, action_url } = await begin(account)

    for (let count = 0; count < 5; count += 1) await press(action_url, 'decline')

    await until(account, id, { status: 'failed', failure_reason: 'Too many cards were declined.' })
    expect(await (await fetch(action_url)).text()).toContain('This page is closed')
    const body = { package_id: 'pack_starter' }
    const refused = await gateway.live.post('/v1/billing/checkout', body, account.liveKey)
    expectError(gateway, refused, {
      status: 429,
      code: 'RATE_LIMIT_EXCEEDED',
      page: 'rate-limits',
      message: 'The limit of 5 declined payments an hour is reached.',
    })
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(3600)
    expect(await checkoutOf(account, other.id)).toEqual(waiting)
  })

  test('is refused with ten open ones, however many come at once', async () => {
    const account = await gateway.createAccount()
    const body = { package_id: 'pack_starter' }

    const answers = await Promise.all(
      Array.from({ length: 15 }, () =>
        gateway.live.post('/v1/billing/checkout', body, account.liveKey),
      ),
    )

    const refused = answers.filter(({ status }) => status === 409)
    const begun = answers.filter(({ status }) => status === 201)
    expect([begun.length, refused.length]).toEqual([10, 5])
    for (const answer of refused) {
      expectError(gateway, answer, {
        status: 409,
        code: 'CONFLICT',
        message: '10 checkouts of this account are open: wait until one is paid or expires.',
      })
    }
    await press(Object(begun[0]?.body).action_url, 'pay')
    await begin(account)
  })
})

describe('POST /v1/billing/checkout with a method that wants a confirmation', () => {
  const more = { payment_method: 'simulated_authenticate' }

  test('has a page for that, and is paid once it is confirmed', async () => {
    const account = await gateway.createAccount({ credits: 7 })
    const { id, action_url } = await begin(account, more)

    const html = await (await fetch(action_url)).text()
    expect(html).toContain('>Confirm</button>')
    expect(html).not.toContain('>Pay</button>')
    expect((await press(action_url, 'confirm')).status).toBe(303)

    expect(await checkoutOf(account, id)).toEqual(paid)
    expect(await balanceOf(account)).toBe(1007)
  })

  test('fails when it is not confirmed, and does not count as a declined card', async () => {
    const account = await gateway.createAccount({ credits: 7 })
    for (let count = 0; count < 6; count += 1) {
      const { id, action_url } = await begin(account, more)
      await press(action_url, 'decline')
      expect(await checkoutOf(account, id)).toEqual({
        ...waiting,
        status: 'failed',
        action_url: null,
        failure_reason: 'The payment was not confirmed.',
      })
    }
    expect(await balanceOf(account)).toBe(7)
  })
})

describe('return_url', () => {
  test.each([
    [`${shop}/thanks`, `${shop}/thanks?checkout_id=`],
    [`${shop}/thanks?a=%20b+c`, `${shop}/thanks?a=%20b+c&checkout_id=`],
    [`${shop}/#/orders`, `${shop}/?checkout_id=`],
  ])('%s of a listed origin gets the id of the checkout and nothing else', async (url, start) => {
    const account = await gateway.createAccount()
    const { id, action_url } = await begin(account, { return_url: url })

    const back = await press(action_url, 'pay')

    const fragment = url.includes('#') ? '#/orders' : ''
    expect(back.headers.get('location')).toBe(`${start}${id}${fragment}`)
  })

  test.each([
    ['https://evil.example/', 'must be of this gateway, or of an origin that its operator permits'],
    [`${shop}.evil.example/`, 'must be of this gateway, or of an origin that its operator permits'],
    [`${shop}:8443/`, 'must be of this gateway, or of an origin that its operator permits'],
    ['http://shop.example/', 'must be https, or http on this machine'],
    ['javascript:alert(1)', 'must be https, or http on this machine'],
    ['/thanks', 'must be an absolute URL'],
    ['https://a@shop.example/', 'must not have a user name'],
    [`${shop}/?checkout_id=1`, 'must not have a parameter checkout_id'],
  ])('%s is refused, and nothing begins', async (return_url, message) => {
    const account = await gateway.createAccount()
    const body = { package_id: 'pack_x', return_url }

    const answer = await gateway.live.post('/v1/billing/checkout', body, account.liveKey)

    expect(answer.status).toBe(422)
    expect(Object(answer.body).error.details).toEqual([
      expect.objectContaining({ field: 'package_id' }),
      { field: 'return_url', in: 'body', message },
    ])
    const list = await gateway.live.get('/v1/billing/checkouts', account.liveKey)
    expect(list.body).toEqual({ items: [], next_cursor: null })
  })

  test('of this gateway is allowed', async () => {
    const account = await gateway.createAccount()
    await begin(account, { return_url: `${gateway.baseUrl}/docs` })
  })
})

describe('GET /billing/return/status', () => {
  /** The signed part of the address of our return page, without a payment. */
  async function linkOf(account: TestAccount): Promise<URLSearchParams> {
    const { action_url } = await begin(account)
    const [, url = ''] = /<a href="([^"]*billing\/return[^"]*)"/.exec(
      await (await fetch(action_url)).text(),
    ) ?? ['', '']
    return new URL(url.replaceAll('&amp;', '&')).searchParams
  }

  test('tells the holder of the link the status, and nothing else', async () => {
    const link = await linkOf(await gateway.createAccount())

    const answer = await gateway.live.get(`/billing/return/status?${link}`)

    expect([answer.status, answer.body]).toEqual([200, { status: 'requires_action' }])
    const page = await fetch(`${gateway.baseUrl}/billing/return?${link}`)
    expect(page.status).toBe(200)
  })

  test('refuses every changed link, also in the other environment', async () => {
    const link = await linkOf(await gateway.createAccount())
    const changed = (name: string, value: string) => {
      const other = new URLSearchParams(link)
      other.set(name, value)
      return other
    }
    const expires = Number(link.get('expires'))

    const answers = [
      await gateway.live.get(`/billing/return/status?${changed('checkout_id', newId('pay'))}`),
      await gateway.live.get(`/billing/return/status?${changed('expires', `${expires + 1}`)}`),
      await gateway.live.get(`/billing/return/status?${changed('signature', 'x')}`),
      await gateway.sandbox.get(`/billing/return/status?${link}`),
    ]

    for (const answer of answers) {
      expectError(gateway, answer, {
        status: 404,
        code: 'NOT_FOUND',
        message: 'This link is invalid or no longer works.',
      })
    }
  })
})

describe('GET /v1/billing/checkouts', () => {
  test("lists the account's own, newest first, in pages", async () => {
    const account = await gateway.createAccount()
    const stranger = await gateway.createAccount()
    const first = await begin(account)
    const second = await begin(account)
    const page = async (query: string) =>
      Object((await gateway.live.get(`/v1/billing/checkouts${query}`, account.liveKey)).body)

    const newest = await page('?limit=1')
    const oldest = await page(`?limit=1&cursor=${newest.next_cursor}`)

    expect([newest.items[0].id, oldest.items[0].id, oldest.next_cursor]).toEqual([
      second.id,
      first.id,
      null,
    ])
    for (const id of [first.id, newId('pay'), 'pay_x']) {
      const path = `/v1/billing/checkouts/${id}`
      expectError(gateway, await gateway.live.get(path, stranger.liveKey), {
        status: 404,
        code: 'NOT_FOUND',
        message: 'No checkout has this id.',
      })
    }
  })
})
