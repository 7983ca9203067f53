import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestAccount, type TestGateway } from '../../support/gateway/gateway.ts'
import { type Environment, returnsOf } from '../../support/gateway/payment-returns.ts'
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

interface Paid {
  readonly account: TestAccount
  readonly id: string
  /** The address of its page. */
  readonly page: string
}

async function begin(account: TestAccount, environment: Environment = 'live') {
  const key = environment === 'live' ? account.liveKey : account.sandboxKey
  const order = { package_id: 'pack_starter' }
  const { status, body } = await gateway[environment].post('/v1/billing/checkout', order, key)
  expect(status).toBe(201)
  const { id, action_url: page }: { id: string; action_url: string } = Object(body)
  return { id, page }
}

/** Buys 1000 credits for 10.00 USD on a page. */
async function buy(account: TestAccount, environment: Environment = 'live'): Promise<Paid> {
  const begun = await begin(account, environment)
  expect((await press(begun.page, 'pay')).status).toBe(303)
  return { account, ...begun }
}

async function buyer(): Promise<Paid> {
  return buy(await gateway.createAccount({ tier: 'STARTER', credits: 0 }))
}

/** The choices of a page. */
function choicesOf(html: string): string[] {
  return [...html.matchAll(/name="choice" value="(\w+)"/g)].map(([, choice = '']) => choice)
}

/** Presses a button, and returns what the page then says and offers. */
async function choose(page: string, choice: string) {
  const answer = await press(page, choice)
  const html = await answer.text()
  expect(answer.status).toBe(200)
  const [, notice] = /role="alert">([^<]*)</.exec(html) ?? []
  return { notice, choices: choicesOf(html) }
}

async function read({ liveKey }: TestAccount, path: string) {
  const { status, body } = await gateway.live.get(path, liveKey)
  expect(status).toBe(200)
  return Object(body)
}

async function remainingOf(account: TestAccount): Promise<number[]> {
  const { items } = await read(account, '/v1/account/credits/lots')
  return items.map((lot: { remaining_credits: number }) => lot.remaining_credits)
}

function reveal({ liveKey }: TestAccount) {
  return gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey)
}

const afterDispute = 'The bank of the buyer has taken the money back.'
const impossible = 'This is not possible now.'

describe('the page of a simulated payment', () => {
  test('lets money come back only once the payment is paid', async () => {
    const account = await gateway.createAccount({ credits: 7 })
    const { id, page } = await begin(account)
    expect(choicesOf(await (await fetch(page)).text())).toEqual(['decline', 'pay', 'close'])

    for (const choice of ['refund', 'refund_part', 'dispute', 'win', 'lose']) {
      expect((await choose(page, choice)).notice).toBe(impossible)
    }

    expect(await read(account, `/v1/billing/checkouts/${id}`)).toMatchObject({
      status: 'requires_action',
      refunded_cents: 0,
    })
    expect(await returnsOf(gateway, account)).toEqual({ balance: 7, entries: [] })
  })

  test('refunds all: credits, lot, ledger, credit note and checkout say so', async () => {
    const { account, id, page } = await buyer()
    expect(choicesOf(await (await fetch(page)).text())).toEqual([
      'refund',
      'refund_part',
      'dispute',
    ])
    expect(await remainingOf(account)).toEqual([1000])

    const shown = await choose(page, 'refund')

    expect(shown).toEqual({
      notice: 'The provider has returned the money.',
      choices: ['dispute'],
    })
    expect(await returnsOf(gateway, account)).toEqual({
      balance: 0,
      entries: [['clawback', -1000]],
    })
    expect(await remainingOf(account)).toEqual([])
    expect(await read(account, `/v1/billing/checkouts/${id}`)).toMatchObject({
      ...{ status: 'paid', total_cents: 1000, refunded_cents: 1000 },
    })
    const { items: invoices } = await read(account, '/v1/billing/invoices')
    expect(invoices).toMatchObject([
      {
        type: 'credit_note',
        status: 'paid',
        total_cents: 1000,
        original_invoice_id: invoices[1].id,
      },
      { type: 'invoice', status: 'paid', total_cents: 1000 },
    ])
    const { items: entries } = await read(account, '/v1/account/credits/ledger')
    expect(entries[0]).toMatchObject({ kind: 'clawback', credits: -1000, balance_after: 0 })
    expect((await choose(page, 'refund')).notice).toBe(impossible)
  })

  test('refunds a part of what is left, each time with a credit note of its own', async () => {
    const { account, id, page } = await buyer()

    const first = await choose(page, 'refund_part')
    const second = await choose(page, 'refund_part')

    const notice = 'The provider has returned a part of the money.'
    const shown = { notice, choices: ['refund', 'refund_part', 'dispute'] }
    expect([first, second]).toEqual([shown, shown])
    expect(await returnsOf(gateway, account)).toEqual({
      balance: 250,
      entries: [
        ['clawback', -500],
        ['clawback', -250],
      ],
    })
    expect(await remainingOf(account)).toEqual([250])
    expect(await read(account, `/v1/billing/checkouts/${id}`)).toMatchObject({
      refunded_cents: 750,
    })
    const { items } = await read(account, '/v1/billing/invoices')
    expect(items).toMatchObject([
      { type: 'credit_note', total_cents: 250 },
      { type: 'credit_note', total_cents: 500 },
      { type: 'invoice', total_cents: 1000 },
    ])
  })

  test('refunds once when the button is pressed many times at once', async () => {
    const { account, id, page } = await buyer()

    const answers = await Promise.all(Array.from({ length: 8 }, () => press(page, 'refund')))

    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    const refunds = await gateway.database.query(
      'SELECT amount_cents::int AS cents, status FROM account.payment_refund WHERE payment_id = $1',
      [id],
    )
    expect(refunds).toEqual([{ cents: 1000, status: 'succeeded' }])
    expect((await returnsOf(gateway, account)).entries).toEqual([['clawback', -1000]])
  })

  test('makes the balance negative if credits were used: calls are 402 until the debt is paid', async () => {
    const { account, page } = await buyer()
    expect(await reveal(account)).toMatchObject({ status: 200 })

    await choose(page, 'refund')

    expect((await returnsOf(gateway, account)).balance).toBe(-5)
    expect(await remainingOf(account)).toEqual([])
    expectError(gateway, await reveal(account), { status: 402, code: 'INSUFFICIENT_CREDITS' })
    await buy(account)
    expect(await remainingOf(account)).toEqual([995])
    await vi.waitUntil(async () => (await reveal(account)).status === 200, patience)
  })

  test('disputes and wins: the credits go and come back into their lot; the block stays until it is lifted', async () => {
    const { account, id, page } = await buyer()
    const options = { enabled: true, threshold_credits: 10, package_id: 'pack_starter' }
    const set = await gateway.live.request('/v1/account/auto-recharge', {
      ...{ method: 'PATCH', body: options, key: account.liveKey },
    })
    expect(set.status).toBe(200)
    const rechargeOf = async () => (await read(account, '/v1/account/billing')).auto_recharge
    const order = { package_id: 'pack_starter', payment_method: 'simulated' }
    const buyByCard = () => gateway.live.post('/v1/billing/checkout', order, account.liveKey)

    const disputed = await choose(page, 'dispute')
    const taken = await returnsOf(gateway, account)
    const refused = await buyByCard()
    const won = await choose(page, 'win')

    expect(disputed).toEqual({ notice: afterDispute, choices: ['win', 'lose'] })
    expect(taken).toEqual({ balance: 0, entries: [['clawback', -1000]] })
    const message = 'is barred, because a payment with it was disputed'
    expectError(gateway, refused, {
      status: 422,
      code: 'INVALID_REQUEST',
      message: `payment_method: ${message}`,
      details: [{ field: 'payment_method', in: 'body', message }],
    })
    expect(won).toEqual({
      notice: 'The dispute is won: the bank has given the money back.',
      choices: [],
    })
    expect(await returnsOf(gateway, account)).toEqual({
      balance: 1000,
      entries: [
        ['clawback', -1000],
        ['reinstatement', 1000],
      ],
    })
    const { items: lots } = await read(account, '/v1/account/credits/lots')
    expect(lots).toMatchObject([
      { source: 'purchase', payment_id: id, remaining_credits: 1000, expires_at: null },
    ])
    expect(await rechargeOf()).toMatchObject({ state: 'suspended', failure_reason: 'disputed' })
    await gateway.graphql(
      'mutation ($input: LiftPaymentBlockInput!) { liftPaymentBlock(input: $input) { id } }',
      { input: { accountId: account.id, environment: 'LIVE', idempotencyKey: 'lift' } },
    )
    expect(await rechargeOf()).toMatchObject({ state: 'idle', failure_reason: null })
    expect(await buyByCard()).toMatchObject({ status: 201, body: { status: 'paid' } })
  })

  test('disputes and loses: the credits stay away, and there is no credit note', async () => {
    const { account, page } = await buyer()

    await choose(page, 'dispute')
    const lost = await choose(page, 'lose')

    expect(lost).toEqual({ notice: 'The dispute is lost.', choices: [] })
    expect(await returnsOf(gateway, account)).toEqual({
      balance: 0,
      entries: [['clawback', -1000]],
    })
    const { items } = await read(account, '/v1/billing/invoices')
    expect(items).toMatchObject([{ type: 'invoice', total_cents: 1000 }])
    for (const choice of ['refund', 'refund_part', 'dispute', 'win']) {
      expect((await choose(page, choice)).notice).toBe(impossible)
    }
  })

  test('in the sandbox moves nothing live', async () => {
    const account = await gateway.createAccount({ credits: 7 })
    const [before] = await gateway.database.query<{ balance: number }>(
      `SELECT balance::int FROM account.balance WHERE account_id = $1 AND environment = 'sandbox'`,
      [account.id],
    )
    const { page } = await buy(account, 'sandbox')

    await choose(page, 'refund')

    expect(await returnsOf(gateway, account, 'sandbox')).toEqual({
      balance: before?.balance,
      entries: [['clawback', -1000]],
    })
    expect(await returnsOf(gateway, account)).toEqual({ balance: 7, entries: [] })
  })

  test('refuses a choice that it does not know, and a changed address', async () => {
    const { account, page } = await buyer()

    const unknown = await press(page, 'steal')
    const changed = await press(page.replace(/signature=./, 'signature=_'), 'refund')

    expect([unknown.status, changed.status]).toEqual([422, 404])
    expect(await returnsOf(gateway, account)).toEqual({ balance: 1000, entries: [] })
  })
})
