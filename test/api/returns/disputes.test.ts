import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestAccount, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  buyPackage,
  type DisputeStatus,
  disputeOf,
  notifySimulated,
  refundOf,
  returnsOf,
  taken,
} from '../../support/gateway/payment-returns.ts'
import { press } from '../../support/payments/payer.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(async () => {
  await expectExactBooks(gateway)
  await gateway.close()
})

async function buyer(subscriptionTier?: string) {
  const account = await gateway.createAccount({ credits: 0, subscriptionTier })
  return { account, paymentId: await buyPackage(gateway, account) }
}

async function notify(payload: object): Promise<void> {
  expect(await notifySimulated(gateway, payload)).toMatchObject(taken)
}

async function tell(paymentId: string, ...statuses: readonly DisputeStatus[]): Promise<void> {
  for (const status of statuses) await notify(disputeOf(paymentId, 1000, status))
}

async function eventsOf(
  { id }: TestAccount,
  nouns = 'payment|auto_recharge|subscription',
): Promise<[type: string, data: object][]> {
  const events = await gateway.database.query<{ type: string; data: object }>(
    `SELECT type, data FROM account.event WHERE account_id = $1
       AND split_part(type, '.', 1) = ANY ($2) ORDER BY id`,
    [id, nouns.split('|')],
  )
  return events.map(({ type, data }) => [type, data])
}

async function balanceOf({ liveKey }: TestAccount): Promise<number> {
  const { status, body } = await gateway.live.get('/v1/account/credits', liveKey)
  expect(status).toBe(200)
  return Object(body).balance
}

function patchRecharge({ liveKey }: TestAccount, body: object) {
  const options = { method: 'PATCH', body, key: liveKey }
  return gateway.live.request('/v1/account/auto-recharge', options)
}

const setUp = { enabled: true, threshold_credits: 10, package_id: 'pack_starter' }

function lift(account: TestAccount, idempotencyKey: string = crypto.randomUUID()) {
  const input = { accountId: account.id, environment: 'LIVE', idempotencyKey }
  return gateway.graphql(
    'mutation ($input: LiftPaymentBlockInput!) { liftPaymentBlock(input: $input) { id } }',
    { input },
  )
}

const lost = { balance: 0, entries: [['clawback', -1000]] }
const untouched = { balance: 1000, entries: [] }
const given = {
  balance: 1000,
  entries: [
    ['clawback', -1000],
    ['reinstatement', 1000],
  ],
}

describe('a dispute', () => {
  test.each([
    [['inquiry'], untouched],
    [['open'], untouched],
    [['open', 'funds_withdrawn'], lost],
    [['funds_withdrawn', 'open', 'inquiry'], lost],
    [['open', 'lost'], lost],
    [['lost', 'funds_withdrawn', 'open'], lost],
    [['open', 'funds_withdrawn', 'funds_reinstated', 'won'], given],
    [['open', 'funds_withdrawn', 'won', 'funds_withdrawn', 'funds_reinstated'], given],
    [['funds_reinstated', 'funds_withdrawn', 'open', 'won'], untouched],
    [['won', 'funds_withdrawn', 'open'], untouched],
  ] as const)('that is told as %j ends exactly', async (statuses, effect) => {
    const { account, paymentId } = await buyer()

    for (const status of statuses) await tell(paymentId, status, status)

    expect(await returnsOf(gateway, account)).toEqual(effect)
  })

  test('and refunds of the same payment take no more than was bought', async () => {
    const { account, paymentId } = await buyer()

    await notify(refundOf(paymentId, 600))
    await tell(paymentId, 'funds_withdrawn')
    await notify(refundOf(paymentId, 600, { status: 'failed' }))
    await tell(paymentId, 'won')

    const { balance, entries } = await returnsOf(gateway, account)
    expect(balance).toBe(1000)
    expect(entries).toEqual([
      ['clawback', -600],
      ['clawback', -400],
      ['reinstatement', 400],
      ['reinstatement', 600],
    ])
  })

  test('is told of once when it begins and once when it is decided', async () => {
    const { account, paymentId } = await buyer()

    await tell(paymentId, 'inquiry', 'open', 'open', 'funds_withdrawn', 'lost', 'lost')

    const events = await eventsOf(account, 'payment')
    const [[, disputed] = []] = events
    const data = {
      ...{ payment_id: paymentId, dispute_id: expect.stringMatching(/^dsp_/) },
      ...{ amount_cents: 1000, currency: 'USD' },
    }
    expect(events).toEqual([
      ['payment.disputed', data],
      ['payment.dispute_closed', { ...disputed, outcome: 'lost' }],
    ])
  })
})

describe('while a payment is disputed', () => {
  test('recharging is suspended, however it is set up, until an operator lifts the block', async () => {
    const { account, paymentId } = await buyer()
    expect(await patchRecharge(account, setUp)).toMatchObject({ status: 200 })

    await tell(paymentId, 'open')
    const suspended = { state: 'suspended', failure_reason: 'disputed', enabled: true }
    const again = await patchRecharge(account, { ...setUp, threshold_credits: 999 })
    await tell(paymentId, 'won')
    const afterwards = await gateway.live.get('/v1/account/billing', account.liveKey)
    await lift(account)
    const lifted = await gateway.live.get('/v1/account/billing', account.liveKey)

    expect(again).toMatchObject({ status: 200, body: suspended })
    expect(Object(afterwards.body).auto_recharge).toMatchObject(suspended)
    expect(Object(lifted.body).auto_recharge).toMatchObject({
      ...{ state: 'idle', failure_reason: null, enabled: true },
    })
    const types = (await eventsOf(account)).map(([type]) => type)
    expect(types.filter((type) => type === 'auto_recharge.suspended')).toHaveLength(1)
  })

  test('a recharge that is under way ends, and then recharging is suspended', async () => {
    const { account, paymentId } = await buyer()
    expect(await patchRecharge(account, setUp)).toMatchObject({ status: 200 })
    await gateway.database.query(
      `UPDATE account.auto_recharge SET state = 'pending' WHERE account_id = $1`,
      [account.id],
    )
    const recharge = newId('pay')
    await gateway.database.query(
      `INSERT INTO account.payment (id, account_id, environment, kind, package_id, package_name, tier,
         credits, price_cents, total_cents, currency, payment_method, reference, provider, ask_at)
       VALUES ($1, $2, 'live', 'auto_recharge', 'pack_starter', 'Starter', 'STARTER', 1000, 1000,
         1000, 'USD', 'simulated_slow', $1, 'simulated', now() + interval '1 d')`,
      [recharge, account.id],
    )

    await tell(paymentId, 'open')
    expect(
      await notifySimulated(gateway, { payment_id: recharge, outcome: { status: 'succeeded' } }),
    ).toMatchObject(taken)

    const { body } = await gateway.live.get('/v1/account/billing', account.liveKey)
    expect(Object(body)).toMatchObject({
      current_balance: 2000,
      auto_recharge: { state: 'suspended', failure_reason: 'disputed' },
    })
  })

  test('its card buys nothing, and another one does', async () => {
    const { account, paymentId } = await buyer()
    const buy = (payment_method: string) => {
      const order = { package_id: 'pack_starter', payment_method }
      return gateway.live.post('/v1/billing/checkout', order, account.liveKey)
    }

    await tell(paymentId, 'funds_withdrawn')
    const message = 'is barred, because a payment with it was disputed'
    expectError(gateway, await buy('simulated'), {
      status: 422,
      code: 'INVALID_REQUEST',
      message: `payment_method: ${message}`,
      details: [{ field: 'payment_method', in: 'body', message }],
    })
    expect(await buy('simulated_slow')).toMatchObject({ status: 201 })

    await lift(account)
    expect(await buy('simulated')).toMatchObject({ status: 201 })
  })

  test('its card is declined on a page, which another card can pay', async () => {
    const { account, paymentId } = await buyer()
    await tell(paymentId, 'open')
    const order = { package_id: 'pack_starter' }
    const begun = await gateway.live.post('/v1/billing/checkout', order, account.liveKey)
    expect(begun.status).toBe(201)
    const { id, action_url: page } = Object(begun.body)
    const shown = async () => {
      const { status, body } = await gateway.live.get(
        `/v1/billing/checkouts/${id}`,
        account.liveKey,
      )
      expect(status).toBe(200)
      return body
    }

    const refused = await press(page, 'pay', 'simulated')

    expect(refused.status).toBe(200)
    expect(await refused.text()).toContain(
      'This card is barred, because a payment with it was disputed.',
    )
    expect(await shown()).toMatchObject({ status: 'requires_action', action_url: page })
    expect(await balanceOf(account)).toBe(1000)
    expect((await press(page, 'pay', 'simulated_authenticate')).status).toBe(200)
    expect((await press(page, 'confirm')).status).toBe(303)
    expect(await shown()).toMatchObject({ status: 'paid' })
    expect(await balanceOf(account)).toBe(2000)
  })

  test.each([
    ['that asks for a confirmation of it', { payment_method: 'simulated_authenticate' }],
    ['on which it was chosen before', {}],
  ])('its card is not confirmed on a page %s', async (_page, method) => {
    const account = await gateway.createAccount({ credits: 0 })
    const begin = async (more: object) => {
      const order = { package_id: 'pack_starter', ...more }
      const { status, body } = await gateway.live.post(
        '/v1/billing/checkout',
        order,
        account.liveKey,
      )
      expect([status, Object(body).status]).toEqual([201, 'requires_action'])
      return Object(body)
    }
    const paid = await begin({ payment_method: 'simulated_authenticate' })
    expect((await press(paid.action_url, 'confirm')).status).toBe(303)
    const begun = await begin(method)
    if (!('payment_method' in method)) {
      expect((await press(begun.action_url, 'pay', 'simulated_authenticate')).status).toBe(200)
    }
    await tell(paid.id, 'open')

    await press(begun.action_url, 'confirm')

    const { status, body } = await gateway.live.get(
      `/v1/billing/checkouts/${begun.id}`,
      account.liveKey,
    )
    const failed = { status: 'failed', failure_reason: 'disputed' }
    const open = { status: 'requires_action', failure_reason: null }
    expect(status).toBe(200)
    expect(body).toMatchObject('payment_method' in method ? failed : open)
    expect(await balanceOf(account)).toBe(1000)
  })

  test('its card cannot be made the default, and a payment that is confirmed late does not make it so', async () => {
    const { account, paymentId } = await buyer()
    const methods = async () => {
      const { status, body } = await gateway.live.get(
        '/v1/billing/payment-methods',
        account.liveKey,
      )
      expect(status).toBe(200)
      return Object(body).items
    }
    const [disputed] = await methods()
    const choose = () =>
      gateway.live.post(
        `/v1/billing/payment-methods/${disputed.id}/default`,
        undefined,
        account.liveKey,
      )
    const order = { package_id: 'pack_starter' }
    const late = await gateway.live.post('/v1/billing/checkout', order, account.liveKey)
    expect(late.status).toBe(201)
    await tell(paymentId, 'open')
    const withOther = { ...order, payment_method: 'simulated_authenticate' }
    const other = await gateway.live.post('/v1/billing/checkout', withOther, account.liveKey)
    expect(other.status).toBe(201)
    expect((await press(Object(other.body).action_url, 'confirm')).status).toBe(303)
    const before = await methods()

    const refused = await choose()
    const outcome = { status: 'succeeded', method: 'simulated' }
    const told = await notifySimulated(gateway, { payment_id: Object(late.body).id, outcome })

    expectError(gateway, refused, {
      status: 409,
      code: 'CONFLICT',
      message: 'This payment method is barred, because a payment with it was disputed.',
    })
    expect(told).toMatchObject(taken)
    expect(await balanceOf(account)).toBe(3000)
    expect(await methods()).toEqual(before)
    expect(before).toEqual([
      expect.objectContaining({ last4: '3155', default: true }),
      { ...disputed, default: false },
    ])
    await lift(account)
    expect(await choose()).toMatchObject({ status: 200, body: { ...disputed, default: true } })
  })

  test('the subscription ends with its period, and is resumed only after the block', async () => {
    const { account, paymentId } = await buyer('pro_sub')
    const resume = () => gateway.live.post('/v1/account/subscription/resume', {}, account.liveKey)

    await tell(paymentId, 'open')
    const refused = await resume()
    await lift(account)
    const resumed = await resume()

    expectError(gateway, refused, {
      status: 409,
      code: 'CONFLICT',
      message: 'A payment was disputed: the subscription cannot renew until we lift the block.',
    })
    expect(resumed).toMatchObject({ status: 200, body: { status: 'active' } })
    expect((await eventsOf(account)).map(([type]) => type)).toEqual([
      'subscription.cancel_scheduled',
      'payment.disputed',
      'subscription.resumed',
    ])
  })

  test('an inquiry blocks nothing', async () => {
    const { account, paymentId } = await buyer('pro_sub')
    expect(await patchRecharge(account, setUp)).toMatchObject({ status: 200 })

    await tell(paymentId, 'inquiry')

    expect(await eventsOf(account)).toEqual([])
    const { body } = await gateway.live.get('/v1/account/billing', account.liveKey)
    expect(Object(body).auto_recharge).toMatchObject({ state: 'idle' })
    await buyPackage(gateway, account)
  })

  test('a repeated notification does not block again what was lifted', async () => {
    const { account, paymentId } = await buyer()

    await tell(paymentId, 'open')
    await lift(account)
    await tell(paymentId, 'open', 'funds_withdrawn', 'lost')

    await buyPackage(gateway, account)
  })
})

describe('liftPaymentBlock', () => {
  test('is for administrators, has a key and a line in the audit trail', async () => {
    const { account, paymentId } = await buyer()
    await tell(paymentId, 'open')
    const query =
      'mutation ($input: LiftPaymentBlockInput!) { liftPaymentBlock(input: $input) { id } }'
    const ask = async (role: 'admin' | 'support', idempotencyKey: string, id = account.id) => {
      const variables = { input: { accountId: id, environment: 'LIVE', idempotencyKey } }
      const token = await gateway.internalToken(role)
      const { body } = await gateway.internal.post('/graphql', { query, variables }, token)
      return Object(body).errors?.[0].extensions.code ?? Object(body).data.liftPaymentBlock.id
    }

    expect(await ask('support', 'one')).toBe('FORBIDDEN')
    expect(await ask('admin', '')).toBe('INVALID_REQUEST')
    expect(await ask('admin', 'one', 'acct_none')).toBe('NOT_FOUND')
    expect(await ask('admin', 'one')).toBe(account.id)
    expect(await ask('admin', 'one')).toBe(account.id)

    await vi.waitFor(async () => {
      const lines = await gateway.database.query(
        `SELECT result, details FROM usage.audit_event
         WHERE account_id = $1 AND action = 'payment_block.lift' ORDER BY id`,
        [account.id],
      )
      expect(lines).toEqual([
        { result: 'INVALID_REQUEST', details: {} },
        {
          result: 'succeeded',
          details: {
            disputes: 1,
            before: { is_payment_blocked: true },
            after: { is_payment_blocked: false },
          },
        },
      ])
    }, patience)
  })
})
