import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { expectExactBooks } from '../../support/gateway/books.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { confirm, notify } from '../../support/gateway/notifications.ts'
import { notifySimulated, taken } from '../../support/gateway/payment-returns.ts'
import { press } from '../../support/payments/payer.ts'
import { type MailServer, openMailServer } from '../../support/stubs/mail-server.ts'
import { patience } from '../../support/time/patience.ts'

let server: MailServer
let gateway: TestGateway
beforeAll(async () => {
  server = await openMailServer()
  const variables = { SMTP_URL: server.url, MAIL_FROM: 'Billing <billing@api.example>' }
  gateway = await startTestGateway(variables)
})
afterAll(async () => {
  await expectExactBooks(gateway)
  await gateway.close()
  await server.stop()
})

/** The default method of an account. */
async function payBy({ id }: TestAccount, method: string): Promise<void> {
  await gateway.database.query(
    `INSERT INTO account.auto_recharge (account_id, environment, payment_method)
     VALUES ($1, 'live', $2) ON CONFLICT (account_id, environment)
     DO UPDATE SET payment_method = excluded.payment_method`,
    [id, method],
  )
}

/** Makes the period end a moment ago. */
async function endPeriod({ id }: TestAccount): Promise<void> {
  await gateway.database.query(
    `UPDATE account.subscription SET anchor_at = now() - period,
       current_period_start = now() - period, current_period_end = now()
     WHERE account_id = $1 AND environment = 'live'`,
    [id],
  )
}

interface Renewal {
  readonly id: string
  readonly status: string
  readonly page: string | null
}

/** The payments of periods, oldest first. */
function renewalsOf({ id }: TestAccount): Promise<Renewal[]> {
  return gateway.database.query<Renewal>(
    `SELECT id, status, action_url AS page FROM account.payment
     WHERE account_id = $1 AND environment = 'live' AND kind = 'subscription' ORDER BY created_at, id`,
    [id],
  )
}

interface Waiting {
  readonly id: string
  readonly page: string
}

/** The newest payment, once it waits for a confirmation. */
function untilWaiting(account: TestAccount, count = 1): Promise<Waiting> {
  return vi.waitUntil(async () => {
    const renewals = await renewalsOf(account)
    const { id, page } = renewals.at(-1) ?? {}
    return renewals.length === count && id && page ? { id, page } : undefined
  }, patience)
}

/** A renewal that waits for the holder of the card. */
async function renewing(account: TestAccount): Promise<Waiting> {
  await payBy(account, 'simulated_authenticate')
  await endPeriod(account)
  return untilWaiting(account)
}

function subscriber(): Promise<TestAccount> {
  return gateway.createAccount({ credits: 0, subscriptionTier: 'pro_sub' })
}

/** Moves a payment back, as when a day has passed since the holder was asked. */
async function waitADay(account: TestAccount, id: string): Promise<void> {
  await gateway.database.query(
    `UPDATE account.payment SET expires_at = now(), ask_at = now()
     WHERE id = $1 AND status = 'requires_action'`,
    [id],
  )
  await vi.waitUntil(async () => {
    const renewal = (await renewalsOf(account)).find((one) => one.id === id)
    return renewal?.status === 'expired'
  }, patience)
}

async function read({ liveKey }: TestAccount, path: string) {
  const { status, body } = await gateway.live.get(path, liveKey)
  expect(status).toBe(200)
  return Object(body)
}

async function invoicesOf(account: TestAccount) {
  const { items } = await read(account, '/v1/billing/invoices')
  return items.map((invoice: { type: string; status: string; total_cents: number }) => [
    invoice.type,
    invoice.status,
    invoice.total_cents,
  ])
}

async function balanceOf(account: TestAccount): Promise<number> {
  return (await read(account, '/v1/account/credits')).balance
}

interface Subscription {
  readonly status: string
  readonly endsAt: Date
}

async function subscriptionOf({ id }: TestAccount): Promise<Subscription> {
  const [subscription] = await gateway.database.query<Subscription>(
    `SELECT status, current_period_end AS "endsAt" FROM account.subscription
     WHERE account_id = $1 AND environment = 'live'`,
    [id],
  )
  if (!subscription) throw new Error('The account has no subscription.')
  return subscription
}

async function stateOf(account: TestAccount): Promise<string> {
  return (await subscriptionOf(account)).status
}

async function resume({ liveKey }: TestAccount): Promise<void> {
  const options = { method: 'POST', key: liveKey }
  const { status } = await gateway.live.request('/v1/account/subscription/resume', options)
  expect(status).toBe(200)
}

async function tell(id: string): Promise<void> {
  const payload = { payment_id: id, outcome: { status: 'succeeded' } }
  expect(await notifySimulated(gateway, payload)).toMatchObject(taken)
}

async function eventsOf({ id }: TestAccount): Promise<[type: string, data: object][]> {
  const events = await gateway.database.query<{ type: string; data: object }>(
    `SELECT type, data FROM account.event WHERE account_id = $1 AND environment = 'live'
     ORDER BY id`,
    [id],
  )
  return events.map(({ type, data }) => [type, data])
}

describe('a renewal that must be confirmed', () => {
  test('tells the holder by event and mail; confirmed, the invoice is paid and the subscription goes on', async () => {
    const account = await subscriber()
    const address = 'holder@acme.example'
    const set = await notify(gateway, account.liveKey, [address], ['payment_action_required'])
    expect(set.status).toBe(200)
    const [asked] = await server.until(address)
    await confirm(asked?.text ?? '')

    const { id, page } = await renewing(account)

    expect(await invoicesOf(account)).toEqual([['invoice', 'open', 3900]])
    expect(await balanceOf(account)).toBe(0)
    const [, mail] = await server.until(address, 2)
    expect(mail?.headers.get('subject')).toContain('a payment needs your confirmation')
    expect(mail?.text).toContain(page)
    expect((await press(page, 'confirm')).status).toBe(303)
    expect(await renewalsOf(account)).toEqual([{ id, status: 'paid', page: null }])
    expect(await invoicesOf(account)).toEqual([['invoice', 'paid', 3900]])
    expect(await balanceOf(account)).toBe(5000)
    expect(await stateOf(account)).toBe('active')
    const { items: lots } = await read(account, '/v1/account/credits/lots')
    const { endsAt } = await subscriptionOf(account)
    expect(lots).toMatchObject([
      {
        ...{ source: 'allowance', remaining_credits: 5000, payment_id: id },
        expires_at: endsAt.toISOString(),
      },
    ])
    const events = await eventsOf(account)
    expect(events.map(([type]) => type)).toEqual([
      'invoice.created',
      'subscription.renewed',
      'payment.action_required',
      'credits.granted',
      'invoice.paid',
    ])
    expect(events[2]?.[1]).toEqual({
      ...{ payment_id: id, action_url: page, expires_at: expect.stringMatching(/Z$/) },
    })
  })

  test('and is not within a day is declined: the invoice stays open and the subscription ends with its period', async () => {
    const account = await subscriber()
    const { id } = await renewing(account)

    await waitADay(account, id)

    expect(await invoicesOf(account)).toEqual([['invoice', 'open', 3900]])
    expect([await balanceOf(account), await stateOf(account)]).toEqual([0, 'scheduled_to_cancel'])
    const scheduled = (await eventsOf(account)).at(-1)
    expect(scheduled).toMatchObject([
      'subscription.cancel_scheduled',
      { failure_reason: 'The payment was not confirmed in time.' },
    ])
  })

  test('and is refused by the holder is declined', async () => {
    const account = await subscriber()
    const { page } = await renewing(account)

    expect((await press(page, 'decline')).status).toBe(303)

    expect(await invoicesOf(account)).toEqual([['invoice', 'open', 3900]])
    expect(await stateOf(account)).toBe('scheduled_to_cancel')
  })

  test('and is confirmed after its page was closed pays its invoice all the same', async () => {
    const account = await subscriber()
    const { id } = await renewing(account)
    await waitADay(account, id)

    await tell(id)
    await tell(id)

    expect(await invoicesOf(account)).toEqual([['invoice', 'paid', 3900]])
    expect(await balanceOf(account)).toBe(5000)
  })
})

describe('a renewal that is confirmed late, when another payment was begun for its period', () => {
  /** The payment whose page was closed, and the one that took its place. */
  async function replaced(method: string): Promise<{ account: TestAccount; id: string }> {
    const account = await subscriber()
    const { id } = await renewing(account)
    await waitADay(account, id)
    await payBy(account, method)
    await resume(account)
    return { account, id }
  }

  test('pays the invoice; the other one is closed, and then the subscription goes on', async () => {
    const { account, id } = await replaced('simulated_authenticate')
    const other = await untilWaiting(account, 2)

    await tell(id)

    expect(await invoicesOf(account)).toEqual([['invoice', 'paid', 3900]])
    expect(await balanceOf(account)).toBe(5000)
    await vi.waitFor(async () => {
      expect(await renewalsOf(account)).toEqual([
        { id, status: 'paid', page: null },
        { id: other.id, status: 'expired', page: null },
      ])
    }, patience)
    expect(await stateOf(account)).toBe('active')
    expect((await eventsOf(account)).map(([type]) => type).slice(-2)).toEqual([
      'credits.granted',
      'invoice.paid',
    ])
  })

  test('brings its credits a second time with an invoice of its own if the other one was paid', async () => {
    const { account, id } = await replaced('simulated')
    await vi.waitUntil(async () => (await renewalsOf(account))[1]?.status === 'paid', patience)

    await tell(id)
    await tell(id)

    expect(await invoicesOf(account)).toEqual([
      ['invoice', 'paid', 3900],
      ['invoice', 'paid', 3900],
    ])
    expect(await balanceOf(account)).toBe(10_000)
    const { items } = await read(account, '/v1/account/credits/lots')
    expect(items).toMatchObject([
      { source: 'allowance', remaining_credits: 5000 },
      { source: 'purchase', remaining_credits: 5000, payment_id: id, expires_at: null },
    ])
  })
})
