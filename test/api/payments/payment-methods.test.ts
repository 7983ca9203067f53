import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { whileHeld } from '../../support/database/held-transaction.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestAccount, type TestGateway } from '../../support/gateway/gateway.ts'
import { press } from '../../support/payments/payer.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

const path = '/v1/billing/payment-methods'

interface Method {
  readonly id: string
  readonly last4: string
  readonly default: boolean
}

/** An account whose subscription does not use its cards any more. */
async function createAccount(): Promise<TestAccount> {
  const account = await gateway.createAccount({ credits: 10 })
  await gateway.live.post('/v1/account/subscription/cancel', undefined, account.liveKey)
  return account
}

async function buy({ liveKey }: TestAccount, payment_method: string): Promise<void> {
  const order = { package_id: 'pack_starter', payment_method }
  const { body } = await gateway.live.post('/v1/billing/checkout', order, liveKey)
  if (Object(body).action_url) await press(Object(body).action_url, 'confirm')
}

async function methodsOf({ liveKey }: TestAccount): Promise<readonly Method[]> {
  return Object((await gateway.live.get(path, liveKey)).body).items
}

const shortly = (methods: readonly Method[]) =>
  methods.map(({ last4, default: isDefault }) => [last4, isDefault])

function remove(
  { liveKey: key }: TestAccount,
  id: string,
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  return gateway.live.request(`${path}/${id}`, { method: 'DELETE', key, headers })
}

function recharge({ liveKey: key }: TestAccount, enabled: boolean): Promise<TestResponse> {
  const body = { enabled, threshold_credits: 1, package_id: 'pack_starter' }
  return gateway.live.request('/v1/account/auto-recharge', { method: 'PATCH', key, body })
}

describe('GET /v1/billing/payment-methods', () => {
  test('lists the cards that purchases have saved; the last one is the default', async () => {
    const account = await createAccount()
    await buy(account, 'simulated_declined')
    expect(await methodsOf(account)).toEqual([])

    await buy(account, 'simulated')
    await buy(account, 'simulated_authenticate')
    await buy(account, 'simulated')

    const [newest, oldest] = await methodsOf(account)
    expect(shortly(await methodsOf(account))).toEqual([
      ['3155', false],
      ['4242', true],
    ])
    expect(oldest).toEqual({
      id: expect.stringMatching(/^pm_[0-9a-z]{26}$/),
      ...{ brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2040, default: true },
      created_at: expect.stringMatching(/Z$/),
    })
    const one = await gateway.live.get(`${path}/${newest?.id}`, account.liveKey)
    expect([one.status, one.body]).toEqual([200, newest])
    const sandbox = await gateway.sandbox.get(path, account.sandboxKey)
    expect(sandbox.body).toEqual({ items: [], next_cursor: null })
  })

  test('has what a page has saved, and a checkout can be paid with it', async () => {
    const account = await createAccount()
    const order = { package_id: 'pack_starter' }
    const { body } = await gateway.live.post('/v1/billing/checkout', order, account.liveKey)
    await press(Object(body).action_url, 'pay')
    const [method] = await methodsOf(account)

    const again = { ...order, payment_method: method?.id }
    const paid = await gateway.live.post('/v1/billing/checkout', again, account.liveKey)

    expect([paid.status, Object(paid.body).status]).toEqual([201, 'paid'])
    expect(await methodsOf(account)).toEqual([method])
  })

  test("hides another account's methods behind NOT_FOUND, and from its checkouts", async () => {
    const [owner, stranger] = [await createAccount(), await createAccount()]
    await buy(owner, 'simulated')
    const [method] = await methodsOf(owner)

    for (const id of [method?.id ?? '', newId('pm'), 'pm_x']) {
      for (const answer of [
        await gateway.live.get(`${path}/${id}`, stranger.liveKey),
        await remove(stranger, id),
        await gateway.live.post(`${path}/${id}/default`, undefined, stranger.liveKey),
      ]) {
        expectError(gateway, answer, {
          status: 404,
          code: 'NOT_FOUND',
          message: 'No payment method has this id.',
        })
      }
      const order = { package_id: 'pack_starter', payment_method: id }
      const refused = await gateway.live.post('/v1/billing/checkout', order, stranger.liveKey)
      expect(refused.status).toBe(422)
      expect(Object(refused.body).error.details).toEqual([
        {
          field: 'payment_method',
          in: 'body',
          message:
            'must be one of simulated, simulated_slow, simulated_duplicated, simulated_authenticate, simulated_declined',
        },
      ])
    }
    expect(await methodsOf(owner)).toEqual([method])
  })
})

describe('POST /v1/billing/payment-methods/{payment_method_id}/default', () => {
  test('makes recharges use it, and answers the method', async () => {
    const account = await createAccount()
    await buy(account, 'simulated_authenticate')
    await buy(account, 'simulated')
    const [, card] = await methodsOf(account)

    const answer = await gateway.live.post(
      `${path}/${card?.id}/default`,
      undefined,
      account.liveKey,
    )

    expect([answer.status, answer.body]).toEqual([200, { ...card, default: true }])
    expect(shortly(await methodsOf(account))).toEqual([
      ['4242', false],
      ['3155', true],
    ])
  })
})

describe('DELETE /v1/billing/payment-methods/{payment_method_id}', () => {
  test('removes a method and answers it, once', async () => {
    const account = await createAccount()
    await buy(account, 'simulated')
    const [method] = await methodsOf(account)

    const key = { 'idempotency-key': 'once' }
    const first = await remove(account, method?.id ?? '', key)
    // The claim is deleted, as when its process died before the answer was kept.
    await gateway.database.query('DELETE FROM account.key_claim WHERE account_id = $1', [
      account.id,
    ])
    const again = await remove(account, method?.id ?? '', key)
    const second = await remove(account, method?.id ?? '')

    expect([first.status, first.body]).toEqual([200, method])
    expect([again.status, again.body]).toEqual([200, method])
    expect(second.status).toBe(404)
    expect(await methodsOf(account)).toEqual([])
  })

  test('and a purchase with the same card wait for each other, and neither fails', async () => {
    const account = await createAccount()
    await buy(account, 'simulated')
    const [method] = await methodsOf(account)
    const settings = 'SELECT 1 FROM account.auto_recharge WHERE account_id = $1 FOR UPDATE'

    const [removed, bought] = await whileHeld(gateway.database, [settings, [account.id]], {
      waiting: 2,
      async started(untilOneWaits) {
        const removing = remove(account, method?.id ?? '')
        await untilOneWaits()
        const order = { package_id: 'pack_starter', payment_method: 'simulated' }
        return Promise.all([
          removing,
          gateway.live.post('/v1/billing/checkout', order, account.liveKey),
        ])
      },
    })

    expect([removed.status, removed.body]).toEqual([200, method])
    expect([bought.status, Object(bought.body).status]).toEqual([201, 'paid'])
    // The card that was used last is stored again.
    expect(shortly(await methodsOf(account))).toEqual([['4242', true]])
  })

  test('is 409 for the default while recharging is on or a subscription is active', async () => {
    const account = await createAccount()
    const subscribed = await gateway.createAccount()
    for (const one of [account, subscribed]) {
      await buy(one, 'simulated_authenticate')
      await buy(one, 'simulated')
    }
    await recharge(account, true)

    for (const one of [account, subscribed]) {
      const [normal, other] = await methodsOf(one)
      const refused = await remove(one, normal?.id ?? '')
      expectError(gateway, refused, {
        status: 409,
        code: 'CONFLICT',
        message:
          'This is the default payment method, and automatic recharging or a subscription uses it: make another one the default first.',
      })
      expect((await remove(one, other?.id ?? '')).status).toBe(200)
    }
    await recharge(account, false)
    const [normal] = await methodsOf(account)
    expect((await remove(account, normal?.id ?? '')).status).toBe(200)
  })
})

describe('a recharge that needs a confirmation', () => {
  /** An account whose recharge waits for its holder. */
  async function waiting() {
    const account = await createAccount()
    await buy(account, 'simulated_authenticate')
    await gateway.graphql(
      'mutation ($input: AdjustCreditsInput!) { adjustCredits(input: $input) { id } }',
      { input: { accountId: account.id, credits: -1000, reason: 'Test', idempotencyKey: 'down' } },
    )
    const body = { enabled: true, threshold_credits: 500, package_id: 'pack_starter' }
    await gateway.live.request('/v1/account/auto-recharge', {
      ...{ method: 'PATCH', key: account.liveKey, body },
    })
    await recharging(account, { state: 'action_required', failure_reason: null })
    const [event] = await gateway.database.query<{
      data: { payment_id: string; action_url: string; expires_at: string }
    }>(
      `SELECT data FROM account.event WHERE account_id = $1 AND type = 'payment.action_required'`,
      [account.id],
    )
    if (!event) throw new Error('Nobody was told.')
    return { account, ...event.data }
  }

  function recharging({ liveKey }: TestAccount, expected: object): Promise<void> {
    return vi.waitFor(async () => {
      const { body } = await gateway.live.get('/v1/account/billing', liveKey)
      expect(Object(body).auto_recharge).toMatchObject(expected)
    }, patience)
  }

  test('waits for it, and brings the credits when it is confirmed', async () => {
    const { account, payment_id, action_url, expires_at } = await waiting()
    const left = Date.parse(expires_at) - Date.now()
    expect(left).toBeGreaterThan(23 * 3_600_000)
    expect(left).toBeLessThanOrEqual(24 * 3_600_000)
    expect(await (await fetch(action_url)).text()).toContain('>Confirm</button>')

    await press(action_url, 'confirm')

    await recharging(account, { state: 'idle', last_recharge_at: expect.any(String) })
    const { body } = await gateway.live.get('/v1/account/credits', account.liveKey)
    expect(body).toMatchObject({ balance: 1010 })
    const list = await gateway.live.get('/v1/billing/checkouts', account.liveKey)
    const ids = Object(list.body).items.map(({ id }: { id: string }) => id)
    expect(ids).not.toContain(payment_id)
  })

  test('counts as declined after a day, and brings the credits if it is confirmed later', async () => {
    const { account, payment_id } = await waiting()

    await gateway.database.query(
      `UPDATE account.payment SET expires_at = now(), ask_at = now() WHERE id = $1`,
      [payment_id],
    )

    await recharging(account, {
      state: 'idle',
      failure_reason: 'The payment was not confirmed in time.',
    })
    const [row] = await gateway.database.query(
      `SELECT declines, try_at > now() + interval '50 min' AS waits FROM account.auto_recharge
       WHERE account_id = $1`,
      [account.id],
    )
    expect(row).toEqual({ declines: 1, waits: true })
  })

  test('starts no other one meanwhile', async () => {
    const { account } = await waiting()
    await gateway.graphql(
      'mutation ($input: AdjustCreditsInput!) { adjustCredits(input: $input) { id } }',
      { input: { accountId: account.id, credits: -5, reason: 'Test', idempotencyKey: 'more' } },
    )

    const payments = await gateway.database.query(
      `SELECT status FROM account.payment WHERE account_id = $1 AND kind = 'auto_recharge'`,
      [account.id],
    )
    expect(payments).toEqual([{ status: 'requires_action' }])
  })
})
