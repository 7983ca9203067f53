import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestAccount, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  buyPackage,
  notifySimulated,
  refundOf,
  returnsOf,
  taken,
} from '../../support/gateway/payment-returns.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(async () => {
  await expectExactBooks(gateway)
  await gateway.close()
})

/** An account that has the credits of one package only. */
async function buyer(packageId = 'pack_starter', credits = 0) {
  const account = await gateway.createAccount({ tier: 'STARTER', credits })
  return { account, paymentId: await buyPackage(gateway, account, packageId) }
}

async function notify(payload: object): Promise<void> {
  expect(await notifySimulated(gateway, payload)).toMatchObject(taken)
}

async function paymentOf(id: string): Promise<object> {
  const [payment] = await gateway.database.query<object>(
    `SELECT p.refunded_cents::int AS refunded,
       array(SELECT r.amount_cents || ' ' || r.status FROM account.payment_refund r
         WHERE r.payment_id = p.id ORDER BY r.id) AS refunds
     FROM account.payment p WHERE p.id = $1`,
    [id],
  )
  return payment ?? {}
}

async function tierOf({ liveKey }: TestAccount): Promise<string> {
  const { body } = await gateway.live.get('/v1/account', liveKey)
  return Object(body).tier
}

describe('a refund', () => {
  test('takes all credits at the full amount, once, and is one entry of the ledger', async () => {
    const { account, paymentId } = await buyer('pack_growth')

    const refund = refundOf(paymentId, 4500)
    await Promise.all(Array.from({ length: 5 }, () => notify(refund)))
    await notify(refundOf(paymentId, 4500, { status: 'pending' }))

    expect(await returnsOf(gateway, account)).toEqual({
      balance: 0,
      entries: [['clawback', -5000]],
    })
    expect(await paymentOf(paymentId)).toEqual({ refunded: 4500, refunds: ['4500 succeeded'] })
  })

  test('takes the rounded share of what came back so far, and the rest with the last cent', async () => {
    const { account, paymentId } = await buyer('pack_growth')

    for (const [index, cents] of [1, 1, 1499, 2999].entries()) {
      await notify(refundOf(paymentId, cents, { reference: `sim_re_${index}` }))
    }

    const share = (cents: number) => Math.floor((5000 * cents) / 4500)
    expect((await returnsOf(gateway, account)).entries).toEqual([
      ['clawback', -share(1)],
      ['clawback', share(1) - share(2)],
      ['clawback', share(2) - share(1501)],
      ['clawback', share(1501) - 5000],
    ])
  })

  test('takes nothing while it is pending', async () => {
    const { account, paymentId } = await buyer()

    await notify(refundOf(paymentId, 1000, { status: 'pending' }))

    expect(await returnsOf(gateway, account)).toEqual({ balance: 1000, entries: [] })
    expect(await paymentOf(paymentId)).toEqual({ refunded: 0, refunds: ['1000 pending'] })
  })

  test('that fails later gives back exactly what it took', async () => {
    const { account, paymentId } = await buyer('pack_growth')

    await notify(refundOf(paymentId, 1234))
    await notify(refundOf(paymentId, 1234, { status: 'failed' }))
    await notify(refundOf(paymentId, 1234))

    const share = Math.floor((5000 * 1234) / 4500)
    expect(await returnsOf(gateway, account)).toEqual({
      balance: 5000,
      entries: [
        ['clawback', -share],
        ['reinstatement', share],
      ],
    })
    expect(await paymentOf(paymentId)).toEqual({ refunded: 0, refunds: ['1234 failed'] })
  })

  test('that is known to have failed takes nothing afterwards', async () => {
    const { account, paymentId } = await buyer()

    await notify(refundOf(paymentId, 1000, { status: 'failed' }))
    await notify(refundOf(paymentId, 1000))

    expect(await returnsOf(gateway, account)).toEqual({ balance: 1000, entries: [] })
  })

  test('of credits that were used makes the balance negative, and priced calls are refused until it is positive', async () => {
    const { account, paymentId } = await buyer()
    const reveal = () =>
      gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, account.liveKey)
    expect(await reveal()).toMatchObject({ status: 200 })

    await notify(refundOf(paymentId, 1000))

    expect(await returnsOf(gateway, account)).toEqual({
      balance: -5,
      entries: [['clawback', -1000]],
    })
    expectError(gateway, await reveal(), { status: 402, code: 'INSUFFICIENT_CREDITS' })
    const credits = await gateway.live.get('/v1/account/credits', account.liveKey)
    expect(credits).toMatchObject({ status: 200, body: { balance: -5, held: 0, available: -5 } })
    await buyPackage(gateway, account)
    expect((await returnsOf(gateway, account)).balance).toBe(995)
    await vi.waitUntil(async () => (await reveal()).status === 200, patience)
  })

  test("of a subscription's period takes its allowance, and gives it back with its expiry", async () => {
    const account = await gateway.createAccount({ credits: 0, subscriptionTier: 'pro_sub' })
    await gateway.database.query(
      `UPDATE account.subscription SET anchor_at = now() - period,
         current_period_start = now() - period, current_period_end = now()
       WHERE account_id = $1 AND environment = 'live'`,
      [account.id],
    )
    const paymentId = await vi.waitUntil(async () => {
      const [paid] = await gateway.database.query<{ id: string }>(
        `SELECT id FROM account.payment WHERE account_id = $1 AND kind = 'subscription'
           AND environment = 'live' AND status = 'paid'`,
        [account.id],
      )
      return paid?.id
    }, patience)
    const lots = async () => {
      const { body } = await gateway.live.get('/v1/account/credits/lots', account.liveKey)
      return Object(body).items
    }
    const [before] = await lots()

    await notify(refundOf(paymentId, 3900))
    expect((await returnsOf(gateway, account)).balance).toBe(0)
    expect(await lots()).toEqual([])
    await notify(refundOf(paymentId, 3900, { status: 'failed' }))

    expect(before).toMatchObject({ remaining_credits: 5000, payment_id: paymentId })
    expect(await lots()).toEqual([before])
  })

  test('in the sandbox moves nothing live', async () => {
    const account = await gateway.createAccount({ credits: 0 })
    const paymentId = await buyPackage(gateway, account, 'pack_starter', 'sandbox')

    const answer = await notifySimulated(gateway, refundOf(paymentId, 1000), 'sandbox')

    expect(answer).toMatchObject(taken)
    expect((await returnsOf(gateway, account, 'sandbox')).entries).toEqual([['clawback', -1000]])
    expect(await returnsOf(gateway, account)).toEqual({ balance: 0, entries: [] })
  })

  test('of a payment that is not settled yet is sent again', async () => {
    const { account, paymentId } = await buyer()
    await gateway.database.query(
      `UPDATE account.payment SET status = 'pending', settled_at = NULL,
         ask_at = now() + interval '1 d' WHERE id = $1`,
      [paymentId],
    )

    const early = await notifySimulated(gateway, refundOf(paymentId, 1000))
    await gateway.database.query(
      `UPDATE account.payment SET status = 'paid', settled_at = now() WHERE id = $1`,
      [paymentId],
    )

    expectError(gateway, early, { status: 503, code: 'SERVICE_UNAVAILABLE' })
    expect(await returnsOf(gateway, account)).toEqual({ balance: 1000, entries: [] })
    await notify(refundOf(paymentId, 1000))
    expect((await returnsOf(gateway, account)).balance).toBe(0)
  })

  test('starts no recharge, but the next charge does', async () => {
    const { account, paymentId } = await buyer('pack_starter', 700)
    const body = { enabled: true, threshold_credits: 800, package_id: 'pack_starter' }
    const options = { method: 'PATCH', body, key: account.liveKey }
    expect(await gateway.live.request('/v1/account/auto-recharge', options)).toMatchObject({
      status: 200,
    })
    const rechargesOf = async () =>
      (
        await gateway.database.query(
          `SELECT FROM account.payment WHERE account_id = $1 AND kind = 'auto_recharge'`,
          [account.id],
        )
      ).length

    await notify(refundOf(paymentId, 1000))
    // The balance has been looked at: a further change is noticed again.
    await vi.waitUntil(async () => {
      const [watched] = await gateway.database.query<{ watch_below: string | null }>(
        `SELECT watch_below FROM account.balance WHERE account_id = $1 AND environment = 'live'`,
        [account.id],
      )
      return watched?.watch_below === '700'
    }, patience)

    expect([await rechargesOf(), (await returnsOf(gateway, account)).balance]).toEqual([0, 700])
    const reveal = { contact_id: 'con_1' }
    expect(await gateway.live.post('/v1/contacts/reveal', reveal, account.liveKey)).toMatchObject({
      status: 200,
    })
    await vi.waitUntil(async () => (await rechargesOf()) === 1, patience)
  })
})

describe('the tier that a purchase gave', () => {
  test('is taken back with the last cent, and comes back if the refund fails', async () => {
    const { account, paymentId } = await buyer('pack_business')
    expect(await tierOf(account)).toBe('BUSINESS')

    await notify(refundOf(paymentId, 41_999))
    expect(await tierOf(account)).toBe('BUSINESS')
    await notify(refundOf(paymentId, 1, { reference: 'sim_re_2' }))
    expect(await tierOf(account)).toBe('STARTER')
    await notify(refundOf(paymentId, 1, { reference: 'sim_re_2', status: 'failed' }))

    expect(await tierOf(account)).toBe('BUSINESS')
  })

  test('stays while another purchase gives it, and goes with that one', async () => {
    const { account, paymentId: first } = await buyer('pack_growth')
    const second = await buyPackage(gateway, account, 'pack_growth')

    await notify(refundOf(first, 4500))
    expect(await tierOf(account)).toBe('GROWTH')
    await notify(refundOf(second, 4500))

    expect(await tierOf(account)).toBe('STARTER')
  })

  test('falls to the tier of the best purchase that is left', async () => {
    const { account } = await buyer('pack_growth')
    const best = await buyPackage(gateway, account, 'pack_professional')

    await notify(refundOf(best, 16_000))

    expect(await tierOf(account)).toBe('GROWTH')
  })

  test('stays if an operator has set it meanwhile', async () => {
    const { account, paymentId } = await buyer('pack_growth')
    await gateway.graphql(
      'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { id } }',
      { input: { id: account.id, tier: 'SCALE' } },
    )

    await notify(refundOf(paymentId, 4500))

    expect(await tierOf(account)).toBe('SCALE')
  })
})
