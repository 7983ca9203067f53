import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { openTestGraph } from '../../support/database/graph.ts'
import { whileHeld } from '../../support/database/held-transaction.ts'
import { callerOf } from '../../support/database/planted-tenant.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

const instant = expect.stringMatching(/^\d{4}-.*Z$/)

const autoRechargeOff = {
  enabled: false,
  threshold_credits: null,
  package_id: null,
  monthly_cap_cents: null,
  state: 'idle',
  last_recharge_at: null,
  failure_reason: null,
  missing: ['threshold_credits', 'package_id'],
}

const packages = [
  ['pack_starter', 'STARTER', 'Starter', 1000, 1000],
  ['pack_growth', 'GROWTH', 'Growth', 5000, 4500],
  ['pack_professional', 'PROFESSIONAL', 'Professional', 20_000, 16_000],
  ['pack_business', 'BUSINESS', 'Business', 60_000, 42_000],
  ['pack_enterprise', 'ENTERPRISE', 'Enterprise', 200_000, 120_000],
  ['pack_scale', 'SCALE', 'Scale', 1_000_000, 500_000],
].map(([id, tier, name, credits, price_cents]) => ({
  ...{ id, tier, name, credits, price_cents, currency: 'USD' },
}))

const bought = {
  id: expect.stringMatching(/^pay_[0-9a-z]{26}$/),
  status: 'paid',
  package_id: 'pack_professional',
  credits: 20_000,
  price_cents: 16_000,
  tax_cents: 0,
  total_cents: 16_000,
  refunded_cents: 0,
  currency: 'USD',
  action_url: null,
  invoice_id: expect.stringMatching(/^inv_[0-9a-z]{26}$/),
  failure_reason: null,
  client_reference_id: null,
  expires_at: null,
  created_at: instant,
}

function buy(key: string, body: object, headers: Record<string, string> = {}) {
  const order = { payment_method: 'simulated', ...body }
  return gateway.live.post('/v1/billing/checkout', order, key, headers)
}

function purchasesOf(accountId: string) {
  return gateway.database.query(
    `SELECT kind, credits::int, balance_after::int FROM account.ledger_entry
     WHERE account_id = $1 AND environment = 'live' ORDER BY seq`,
    [accountId],
  )
}

/** The account's recharging, once it is in this state. */
async function recharging(key: string, expected: object): Promise<void> {
  await vi.waitFor(
    async () => {
      const { body } = await gateway.live.get('/v1/account/billing', key)
      expect(Object(body).auto_recharge).toMatchObject(expected)
    },
    { ...patience, interval: 200 },
  )
}

describe('GET /v1/account/billing', () => {
  test('shows balance, usage, packages, auto-recharge, the newest entries and no invoice', async () => {
    const { liveKey } = await gateway.createAccount()
    const reveal = await gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey)
    await buy(liveKey, { package_id: 'pack_starter' })

    const response = await gateway.live.get('/v1/account/billing', liveKey)

    const entry = { id: expect.stringMatching(/^led_/), created_at: instant, request_id: null }
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      current_balance: 1995,
      month_to_date: {
        requests: 2,
        credits: 5,
        by_service: [
          { service: 'billing', requests: 1, credits: 0 },
          { service: 'contacts', requests: 1, credits: 5 },
        ],
      },
      credit_packages: packages,
      auto_recharge: autoRechargeOff,
      recent_ledger: [
        {
          ...entry,
          kind: 'purchase',
          credits: 1000,
          balance_after: 1995,
          description: 'Starter package',
        },
        {
          ...entry,
          kind: 'charge',
          credits: -5,
          balance_after: 995,
          description: '/v1/contacts/reveal',
          request_id: reveal.headers.get('x-request-id'),
        },
        {
          ...entry,
          kind: 'grant',
          credits: 1000,
          balance_after: 1000,
          description: 'Opening balance',
        },
      ],
      invoices: [],
    })
  })

  test('shows at most 20 entries', async () => {
    const { liveKey } = await gateway.createAccount()
    for (let count = 0; count < 21; count += 1) await buy(liveKey, { package_id: 'pack_starter' })

    const { body } = await gateway.live.get('/v1/account/billing', liveKey)

    expect(Object(body).recent_ledger).toHaveLength(20)
    expect(Object(body).recent_ledger[0]).toMatchObject({ balance_after: 22_000 })
  })
})

describe('POST /v1/billing/checkout', () => {
  test('adds the credits to the ledger, issues an invoice, and raises tier and limit at once', async () => {
    const { id, liveKey } = await gateway.createAccount({
      tier: 'STARTER',
      subscriptionTier: 'pro_sub',
      credits: 7,
    })
    await gateway.graphql(
      'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { id } }',
      { input: { id, subscriptionTier: null } },
    )

    const response = await buy(liveKey, { package_id: 'pack_professional' })

    expect(response.status).toBe(201)
    expect(response.body).toEqual(bought)
    expect(await purchasesOf(id)).toEqual([
      { kind: 'grant', credits: 7, balance_after: 7 },
      { kind: 'purchase', credits: 20_000, balance_after: 20_007 },
    ])
    await vi.waitFor(
      async () => {
        const { body, headers } = await gateway.live.get('/v1/account', liveKey)
        expect(body).toMatchObject({ tier: 'PROFESSIONAL', rate_limit_rps: 25 })
        expect(headers.get('x-ratelimit-limit')).toBe('25')
      },
      { ...patience, interval: 50 },
    )
    const invoice = await gateway.live.get(
      `/v1/billing/invoices/${Object(response.body).invoice_id}`,
      liveKey,
    )
    expect(invoice.body).toEqual({
      id: Object(response.body).invoice_id,
      number: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{8}-\d{4}-000001$/),
      type: 'invoice',
      status: 'paid',
      total_cents: 16_000,
      tax_cents: 0,
      currency: 'USD',
      credits: 20_000,
      description: 'Professional package',
      pdf_url: `${gateway.baseUrl}/v1/billing/invoices/${Object(response.body).invoice_id}.pdf`,
      original_invoice_id: null,
      created_at: instant,
    })
  })

  test('never lowers a tier, and changes nothing in the other environment', async () => {
    const { liveKey, sandboxKey } = await gateway.createAccount({ tier: 'BUSINESS' })

    await buy(liveKey, { package_id: 'pack_starter' })

    const live = await gateway.live.get('/v1/account', liveKey)
    const sandbox = await gateway.sandbox.get('/v1/account', sandboxKey)
    expect(live.body).toMatchObject({ tier: 'BUSINESS', balance: 2000 })
    expect(sandbox.body).toMatchObject({ tier: 'BUSINESS', balance: 100_000 })
  })

  test('charges nothing and adds nothing when it is declined, and gives the reason', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 7 })

    const response = await buy(liveKey, {
      package_id: 'pack_professional',
      payment_method: 'simulated_declined',
    })

    expect(response.status).toBe(201)
    expect(response.body).toEqual({
      ...bought,
      status: 'failed',
      invoice_id: null,
      failure_reason: 'The card was declined.',
    })
    expect(await purchasesOf(id)).toEqual([{ kind: 'grant', credits: 7, balance_after: 7 }])
  })

  test('is settled later when the provider needs time', async () => {
    const { liveKey } = await gateway.createAccount({ credits: 7 })

    const response = await buy(liveKey, {
      package_id: 'pack_professional',
      payment_method: 'simulated_slow',
    })

    expect(response.body).toEqual({ ...bought, status: 'pending', invoice_id: null })
    await gateway.database.query(
      `UPDATE account.payment SET created_at = now() - interval '1 min', ask_at = now()
       WHERE id = $1`,
      [Object(response.body).id],
    )
    await vi.waitFor(
      async () => {
        const { body } = await gateway.live.get('/v1/account/credits', liveKey)
        expect(body).toMatchObject({ balance: 20_007 })
      },
      { ...patience, interval: 200 },
    )
  })

  test('happens once for one key, for any number of parallel calls', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 7 })
    const key = { 'idempotency-key': 'once' }

    const answers = await Promise.all(
      Array.from({ length: 10 }, () => buy(liveKey, { package_id: 'pack_starter' }, key)),
    )

    expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThanOrEqual(1)
    for (const { status } of answers) expect([201, 409]).toContain(status)
    expect(await purchasesOf(id)).toEqual([
      { kind: 'grant', credits: 7, balance_after: 7 },
      { kind: 'purchase', credits: 1000, balance_after: 1007 },
    ])
  })

  test('never answers with the unfinished purchase of another package', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 7 })
    const key = { 'idempotency-key': 'twice' }
    const first = await buy(liveKey, { package_id: 'pack_starter' }, key)
    // The claim is deleted, as when its process died before the answer was kept.
    await gateway.database.query('DELETE FROM account.key_claim WHERE account_id = $1', [id])

    const other = await buy(liveKey, { package_id: 'pack_growth' }, key)
    const again = await buy(liveKey, { package_id: 'pack_starter' }, key)

    expect(other.status).toBe(422)
    expect(Object(other.body).error.details).toEqual([
      { field: 'Idempotency-Key', in: 'header', message: 'was used before for another request' },
    ])
    expect([again.status, again.body]).toEqual([201, first.body])
    expect(await purchasesOf(id)).toMatchObject([{ kind: 'grant' }, { kind: 'purchase' }])
  })

  test('names every offending field', async () => {
    const { liveKey } = await gateway.createAccount()

    const unknown = await buy(liveKey, { package_id: 'pack_x', payment_method: 'gold' })
    const missing = await buy(liveKey, { extra: 1 })

    expect(unknown.status).toBe(422)
    expect(Object(unknown.body).error.details).toMatchObject([
      { field: 'package_id', in: 'body' },
      { field: 'payment_method', in: 'body' },
    ])
    expect(Object(missing.body).error.details).toMatchObject([
      { field: 'package_id', in: 'body' },
      { field: 'extra', in: 'body' },
    ])
  })
})

describe('GET /v1/billing/invoices', () => {
  const numbersOf = (accountId: string, environment = 'live') =>
    gateway.database
      .query<{ number: string }>(
        `SELECT number FROM account.invoice WHERE account_id = $1 AND environment = $2
         ORDER BY number`,
        [accountId, environment],
      )
      .then((rows) => rows.map(({ number }) => number))
  const prefixOf = (number = '') => number.replace(/^TEST-/, '').slice(0, 8)
  const year = new Date().getUTCFullYear()

  test('numbers invoices without gaps for each account, environment and year, also in parallel', async () => {
    const [one, other] = await Promise.all([gateway.createAccount(), gateway.createAccount()])
    const buyAt = (client: TestGateway['live'], key: string) =>
      client.post(
        '/v1/billing/checkout',
        { package_id: 'pack_starter', payment_method: 'simulated' },
        key,
      )

    await Promise.all([
      ...Array.from({ length: 5 }, () => buyAt(gateway.live, one.liveKey)),
      ...Array.from({ length: 3 }, () => buyAt(gateway.live, other.liveKey)),
      ...Array.from({ length: 2 }, () => buyAt(gateway.sandbox, one.sandboxKey)),
    ])
    await vi.waitFor(async () => {
      expect(await numbersOf(one.id)).toHaveLength(5)
      expect(await numbersOf(other.id)).toHaveLength(3)
      expect(await numbersOf(one.id, 'sandbox')).toHaveLength(2)
    }, patience)

    const prefix = prefixOf((await numbersOf(one.id))[0])
    const numbered = (count: number, head: string) =>
      Array.from({ length: count }, (_, index) => `${head}-${year}-00000${index + 1}`)
    expect(prefix).toMatch(/^[0-9A-HJKMNP-TV-Z]{8}$/)
    expect(await numbersOf(one.id)).toEqual(numbered(5, prefix))
    expect(await numbersOf(one.id, 'sandbox')).toEqual(numbered(2, `TEST-${prefix}`))
    const others = await numbersOf(other.id)
    expect(prefixOf(others[0])).not.toBe(prefix)
    expect(others).toEqual(numbered(3, prefixOf(others[0])))
  })

  test('keeps the numbers of a restored backup, and gives new invoices numbers of their own', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    await buy(liveKey, { package_id: 'pack_starter' })
    const [first] = await numbersOf(accountId)
    /** Another invoice of the account, with this number. */
    const add = (tx: pg.Client, number: string) =>
      tx.query(
        `WITH paid AS (
           INSERT INTO account.payment SELECT (jsonb_populate_record(p, jsonb_build_object(
             'id', p.id || $2::text, 'reference', p.id || $2::text))).*
           FROM account.payment p WHERE account_id = $1 AND id !~ 'INV' RETURNING *
         )
         INSERT INTO account.invoice (id, number, account_id, environment, status, price_cents,
           total_cents, currency, credits, description, buyer, payment_id)
         SELECT 'inv_' || id, $2, account_id, 'live', 'paid', 1, 1, 'USD', 1, 'x', '{}', id FROM paid`,
        [accountId, number],
      )
    const owner = new pg.Client({ connectionString: gateway.database.ownerUrl })
    const service = new pg.Client({ connectionString: gateway.database.serviceUrl })
    await Promise.all([owner.connect(), service.connect()])
    try {
      for (const client of [owner, service]) {
        await client.query(`SELECT set_config('gateway.account_id', $1, false)`, [accountId])
      }
      await service.query('SET ROLE gateway_service')

      await add(owner, 'INV-00000007')
      await add(service, 'INV-00000008')
    } finally {
      await Promise.all([owner.end(), service.end()])
    }

    const second = first?.replace(/1$/, '2')
    expect(new Set(await numbersOf(accountId))).toEqual(new Set([first, second, 'INV-00000007']))
  })

  test('reuses a number that was not issued, and restarts each year', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const { body } = await buy(liveKey, { package_id: 'pack_starter' })
    const { payment_id } = Object(
      (
        await gateway.database.query('SELECT payment_id FROM account.invoice WHERE id = $1', [
          Object(body).invoice_id,
        ])
      )[0],
    )
    /** In one transaction, as the payment that it belongs to. */
    const add = (createdAt: string, suffix: string, isUndone = false) =>
      gateway.database.query(
        `WITH paid AS (
           INSERT INTO account.payment SELECT (jsonb_populate_record(p, jsonb_build_object(
             'id', p.id || $3::text, 'reference', p.id || $3::text))).*
           FROM account.payment p WHERE id = $1 RETURNING *
         )
         INSERT INTO account.invoice (id, account_id, environment, status, price_cents, total_cents,
           currency, credits, description, buyer, payment_id, created_at)
         SELECT 'inv_' || id, account_id, 'live', CASE WHEN $4 THEN 'wrong' ELSE 'paid' END, 1, 1,
           'USD', 1, 'x', '{}', id, $2::timestamptz FROM paid`,
        [payment_id, createdAt, suffix, isUndone],
      )

    await expect(add(`${year}-06-01T00:00:00Z`, 'a', true)).rejects.toMatchObject({ code: '23514' })
    await add(`${year}-06-01T00:00:00Z`, 'b')
    await add(`${year}-12-31T23:59:59Z`, 'c')
    await add(`${year + 1}-01-01T00:00:00Z`, 'd')

    const numbers = await numbersOf(id)
    const prefix = prefixOf(numbers[0])
    expect(numbers).toEqual([
      ...[1, 2, 3].map((number) => `${prefix}-${year}-00000${number}`),
      `${prefix}-${year + 1}-000001`,
    ])
  })

  test('lists them in pages, newest first', async () => {
    const { liveKey } = await gateway.createAccount()
    for (const name of ['starter', 'growth', 'business']) {
      await buy(liveKey, { package_id: `pack_${name}` })
    }
    const page = async (query: string) =>
      Object((await gateway.live.get(`/v1/billing/invoices${query}`, liveKey)).body)

    const first = await page('?limit=2')
    const second = await page(`?limit=2&cursor=${first.next_cursor}`)

    const totals = ({ items }: { items: { total_cents: number }[] }) =>
      items.map(({ total_cents }) => total_cents)
    expect([totals(first), totals(second), second.next_cursor]).toEqual([
      [42_000, 4500],
      [1000],
      null,
    ])
  })

  test("gives the same answer for another account's invoice as for a random id", async () => {
    const owner = await gateway.createAccount()
    const stranger = await gateway.createAccount()
    const { body } = await buy(owner.liveKey, { package_id: 'pack_starter' })

    for (const id of [Object(body).invoice_id, newId('inv'), 'inv_x']) {
      const path = `/v1/billing/invoices/${id}`
      for (const response of [
        await gateway.live.get(path, stranger.liveKey),
        await gateway.sandbox.get(path, owner.sandboxKey),
      ]) {
        expectError(gateway, response, {
          status: 404,
          code: 'NOT_FOUND',
          message: 'No invoice has this id.',
        })
      }
    }
  })
})

describe('PATCH /v1/account/auto-recharge', () => {
  const path = '/v1/account/auto-recharge'
  const change = (key: string, body: object) =>
    gateway.live.request(path, { method: 'PATCH', key, body })
  const setUp = { enabled: true, threshold_credits: 500, package_id: 'pack_starter' }

  test('changes the named members and leaves the others', async () => {
    const { liveKey } = await gateway.createAccount()

    const first = await change(liveKey, setUp)
    const second = await change(liveKey, { monthly_cap_cents: 5000 })
    const third = await change(liveKey, { monthly_cap_cents: null, enabled: false })

    const on = { ...autoRechargeOff, ...setUp, missing: [] }
    expect([first.status, first.body]).toEqual([200, on])
    expect(second.body).toEqual({ ...on, monthly_cap_cents: 5000 })
    expect(third.body).toEqual({ ...on, enabled: false })
  })

  test.each([
    [
      'a set-up without threshold and package',
      { enabled: true },
      ['package_id', 'threshold_credits'],
    ],
    ['a threshold above the package', { ...setUp, threshold_credits: 1001 }, ['threshold_credits']],
    ['an unknown package', { ...setUp, package_id: 'pack_x' }, ['package_id']],
    ['a cap below the price', { ...setUp, monthly_cap_cents: 999 }, ['monthly_cap_cents']],
    [
      'wrong types',
      { enabled: 'yes', threshold_credits: 1.5, monthly_cap_cents: 0, extra: 1 },
      ['enabled', 'threshold_credits', 'monthly_cap_cents', 'extra'],
    ],
  ])('refuses %s, names every field, and changes nothing', async (_, body, fields) => {
    const { liveKey } = await gateway.createAccount()

    const response = await change(liveKey, body)

    expect(response.status).toBe(422)
    const { details } = Object(response.body).error
    expect(details.map(({ field }: { field: string }) => field)).toEqual(fields)
    const { body: billing } = await gateway.live.get('/v1/account/billing', liveKey)
    expect(Object(billing).auto_recharge).toEqual(autoRechargeOff)
  })

  test('makes one recharge when 200 calls cross the threshold at once', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 1010 })
    const keys = await Promise.all(
      Array.from({ length: 4 }, async () => (await gateway.createKey(id)).plaintext),
    )
    await change(liveKey, { ...setUp, threshold_credits: 1000 })

    const calls = Array.from({ length: 200 }, (_, index) => async () => {
      for (;;) {
        const key = keys[index % keys.length] ?? liveKey
        const body = { contact_id: 'con_1' }
        const { status } = await gateway.live.post('/v1/contacts/reveal', body, key)
        if (status !== 429) return status
      }
    })
    const statuses = await Promise.all(calls.map((call) => call()))

    expect(statuses.every((status) => status === 200)).toBe(true)
    await recharging(liveKey, { state: 'idle', last_recharge_at: instant })
    const [row] = await gateway.database.query<{ recharges: number; balance: number }>(
      `SELECT (SELECT count(*)::int FROM account.payment WHERE account_id = $1) AS recharges,
         (SELECT balance::int FROM account.balance
           WHERE account_id = $1 AND environment = 'live') AS balance`,
      [id],
    )
    // 10 credits are left above nothing: 1010 - 200 × 5 + one package, which is above the threshold.
    expect(row).toEqual({ recharges: 1, balance: 1010 })
  })

  test('is started once and settled once by several workers', async () => {
    const graph = await openTestGraph()
    const input = { name: 'T', email: 't@example.com', credits: 10 }
    const { account } = Object(await graph.asAdmin('CreateAccount', { input }))
    await graph.database.query(
      `INSERT INTO account.auto_recharge
         (account_id, environment, enabled, threshold_credits, package_id, payment_method)
       VALUES ($1, 'live', true, 500, 'pack_starter', 'simulated_slow')`,
      [account.id],
    )
    const tenTimes = (work: () => Promise<unknown>) => Promise.all(Array.from({ length: 10 }, work))
    const read = () =>
      graph.database.query(
        `SELECT r.state, b.balance::int, (SELECT count(*)::int FROM account.payment) AS payments,
           (SELECT count(*)::int FROM account.invoice) AS invoices
         FROM account.auto_recharge r JOIN account.balance b USING (account_id, environment)`,
      )

    const owner = { accountId: account.id, environment: 'live' }
    await tenTimes(() => graph.asService('WatchBalance', owner))
    // The provider's two seconds do not end before the test says so.
    const [payment] = await graph.database.query<{ id: string }>(
      `UPDATE account.payment SET created_at = now() + interval '1 h' RETURNING id`,
    )
    await graph.asService('CollectPayment', { id: payment?.id })

    expect(await read()).toEqual([{ state: 'pending', balance: 10, payments: 1, invoices: 0 }])
    await tenTimes(async () => {
      await graph.database.query(
        `UPDATE account.payment SET created_at = now() - interval '1 min', ask_at = now()
         WHERE status = 'pending'`,
      )
      await graph.asService('CollectPayment', { id: payment?.id })
      await graph.asService('WatchBalance', owner)
    })
    expect(await read()).toEqual([{ state: 'idle', balance: 1010, payments: 1, invoices: 1 }])
    await graph.close()
  })

  test('and a purchase that is settled at the same time wait for each other, and neither fails', async () => {
    const graph = await openTestGraph()
    onTestFinished(() => graph.close())
    // A process lets one account have only some of its connections.
    const other = await openTestGraph({ database: { ...graph.database, drop: async () => {} } })
    onTestFinished(() => other.close())
    const input = { name: 'T', email: 't@example.com', credits: 1000 }
    const { account } = Object(await graph.asAdmin('CreateAccount', { input }))
    const owner = [account.id, 'live']
    await graph.database.query(
      `INSERT INTO account.auto_recharge
         (account_id, environment, enabled, threshold_credits, package_id, payment_method)
       VALUES ($1, $2, true, 500, 'pack_starter', 'simulated')`,
      owner,
    )
    const order = { package_id: 'pack_starter', payment_method: 'simulated' }
    const settings =
      'SELECT 1 FROM account.auto_recharge WHERE account_id = $1 AND environment = $2 FOR UPDATE'

    const [bought] = await whileHeld(graph.database, [settings, owner], {
      waiting: 2,
      async started(untilOneWaits) {
        const purchase = graph.as('Checkout', order, callerOf(account.id))
        await untilOneWaits()
        const watch = { accountId: account.id, environment: 'live' }
        return Promise.all([purchase, other.asService('WatchBalance', watch)])
      },
    })

    expect(bought).toMatchObject({ status: 'paid', credits: 1000 })
    const balances = await graph.database.query(
      'SELECT balance::int FROM account.balance WHERE account_id = $1 AND environment = $2',
      owner,
    )
    expect(balances).toEqual([{ balance: 2000 }])
  })

  test('stays within its monthly cap, and reports that the cap stopped it', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 10 })
    await change(liveKey, { ...setUp, monthly_cap_cents: 1500 })
    await recharging(liveKey, { last_recharge_at: instant })

    await gateway.graphql(
      'mutation ($input: AdjustCreditsInput!) { adjustCredits(input: $input) { id } }',
      { input: { accountId: id, credits: -900, reason: 'Test', idempotencyKey: 'down' } },
    )

    await recharging(liveKey, { state: 'idle', failure_reason: 'The monthly cap is reached.' })
    expect(await purchasesOf(id)).toMatchObject([
      { kind: 'grant' },
      { kind: 'purchase', credits: 1000 },
      { kind: 'adjustment', balance_after: 110 },
    ])
  })

  test.each([
    ['is no longer on sale', { package_id: 'pack_gone', threshold_credits: 500 }, 'is not on sale'],
    ['has shrunk', { package_id: 'pack_starter', threshold_credits: 5000 }, 'has too few credits'],
  ])(
    'is suspended when its package %s, and can be turned off',
    async (_, { package_id, threshold_credits }, reason) => {
      const { id, liveKey } = await gateway.createAccount({ credits: 10 })
      await gateway.database.query(
        `INSERT INTO account.auto_recharge
         (account_id, environment, enabled, threshold_credits, package_id)
       VALUES ($1, 'live', true, $2, $3)`,
        [id, threshold_credits, package_id],
      )

      await recharging(liveKey, { state: 'suspended', failure_reason: `The package ${reason}.` })
      const refused = await change(liveKey, { monthly_cap_cents: null })
      const ended = await change(liveKey, { enabled: false })
      const anew = await change(liveKey, setUp)

      expect([refused.status, ended.status, anew.status]).toEqual([422, 200, 200])
      await recharging(liveKey, { state: 'idle', last_recharge_at: instant })
      expect(await purchasesOf(id)).toMatchObject([{ kind: 'grant' }, { kind: 'purchase' }])
    },
  )

  test.each(['SUSPENDED', 'CLOSED'])('buys nothing for an account that is %s', async (status) => {
    const { id, liveKey } = await gateway.createAccount({ credits: 1000 })
    const { id: other, liveKey: otherKey } = await gateway.createAccount({ credits: 10 })
    await change(liveKey, setUp)
    await gateway.graphql(
      'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { id } }',
      { input: { id, status } },
    )
    await gateway.graphql(
      'mutation ($input: AdjustCreditsInput!) { adjustCredits(input: $input) { id } }',
      { input: { accountId: id, credits: -900, reason: 'Test', idempotencyKey: 'down' } },
    )

    await change(otherKey, setUp)
    await recharging(otherKey, { state: 'idle', last_recharge_at: instant })

    expect(await purchasesOf(other)).toMatchObject([{ kind: 'grant' }, { kind: 'purchase' }])
    expect(await purchasesOf(id)).toMatchObject([{ kind: 'grant' }, { kind: 'adjustment' }])
  })

  test('is suspended after three declines, and starts again when it is configured again', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 10 })
    const set = (sql: string) =>
      gateway.database.query(`UPDATE account.auto_recharge SET ${sql} WHERE account_id = $1`, [id])
    await change(liveKey, { ...setUp, enabled: false })
    await set(`enabled = true, payment_method = 'simulated_declined'`)
    const declined = { failure_reason: 'The card was declined.' }
    for (const declines of [1, 2]) {
      await vi.waitFor(
        async () => {
          const [row] = await gateway.database.query(
            `SELECT declines, state, try_at > now() + interval '50 min' AS waits
             FROM account.auto_recharge WHERE account_id = $1`,
            [id],
          )
          expect(row).toEqual({ declines, state: 'idle', waits: true })
        },
        { ...patience, interval: 200 },
      )
      await set('try_at = now()')
    }

    await recharging(liveKey, { ...declined, state: 'suspended', enabled: true })
    await set(`payment_method = 'simulated'`)
    const { body } = await change(liveKey, { enabled: true })

    expect(body).toMatchObject({ state: 'idle', failure_reason: null })
    await recharging(liveKey, { state: 'idle', last_recharge_at: instant })
    expect(await purchasesOf(id)).toMatchObject([{ kind: 'grant' }, { kind: 'purchase' }])
  })
})
