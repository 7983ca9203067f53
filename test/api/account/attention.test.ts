import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { plantApp, plantGrant } from '../../support/oauth/oauth.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

const path = '/v1/account/attention'

async function kindsFor(bearer: string): Promise<string[]> {
  const { status, body } = await gateway.live.get(path, bearer)
  expect(status).toBe(200)
  return Object(body).items.map(({ kind }: { kind: string }) => kind)
}

function pageOf(page: string): string {
  return `${gateway.baseUrl}/console/${page}`
}

async function plantPayment(accountId: string, waits: boolean): Promise<string> {
  const id = newId('pay')
  await gateway.database.query(
    `INSERT INTO account.payment (id, account_id, environment, kind, package_id, package_name, tier,
       credits, price_cents, total_cents, currency, payment_method, reference, ask_at, status,
       provider, provider_reference, action, action_url, settled_at, tier_before)
     VALUES ($1, $2, 'live', 'checkout', 'pack_starter', 'Starter', 'STARTER', 1000, 1000, 1170, 'USD',
       'simulated', $1, now() + interval '1 d', CASE WHEN $3 THEN 'requires_action' ELSE 'paid' END,
       'simulated', $1, CASE WHEN $3 THEN 'confirmation' END,
       CASE WHEN $3 THEN 'https://pay.example/' END, CASE WHEN $3 THEN NULL ELSE now() END,
       CASE WHEN $3 THEN NULL ELSE 'STARTER' END)`,
    [id, accountId, waits],
  )
  return id
}

async function plantCard(accountId: string, year: number, month: number): Promise<string> {
  const id = newId('pm')
  await gateway.database.query(
    `INSERT INTO account.payment_method (id, account_id, environment, provider, reference, brand,
       last4, exp_month, exp_year) VALUES ($1, $2, 'live', 'simulated', $1, 'visa', '4242', $3, $4)`,
    [id, accountId, month, year],
  )
  return id
}

async function addEndpoint(liveKey: string): Promise<string> {
  const asked = { url: 'https://hooks.example/in?token=secret' }
  const { status, body } = await gateway.live.post('/v1/account/webhooks', asked, liveKey)
  expect(status).toBe(201)
  return Object(body).id
}

async function noteFailing(endpoint: string): Promise<void> {
  const fail = 'UPDATE account.webhook_endpoint SET failing_since = now() WHERE id = $1'
  await gateway.database.query(fail, [endpoint])
}

/** Something of each kind. */
async function troubledAccount() {
  const account = await gateway.createAccount({ credits: 5 })
  const { id } = account
  const now = new Date()
  const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1))
  const later = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 2))
  const waiting = await plantPayment(id, true)
  const disputed = await plantPayment(id, false)
  await gateway.database.query(
    `INSERT INTO account.payment_dispute
       (id, account_id, environment, payment_id, reference, amount_cents, status)
     VALUES ($1, $2, 'live', $3, 'dp_1', 1170, 'open')`,
    [newId('dsp'), id, disputed],
  )
  await gateway.database.query(
    `INSERT INTO account.auto_recharge (account_id, environment, enabled, threshold_credits, package_id,
       payment_method, state, failure_reason, try_at)
     VALUES ($1, 'live', true, 100, 'pack_starter', 'pm_gone', 'suspended', 'Your card was declined.',
       now() + interval '1 d')`,
    [id],
  )
  const card = await plantCard(id, next.getUTCFullYear(), next.getUTCMonth() + 1)
  await plantCard(id, later.getUTCFullYear(), later.getUTCMonth() + 1)
  const endpoint = await addEndpoint(account.liveKey)
  await noteFailing(endpoint)
  await gateway.database.query(
    `INSERT INTO account.budget
       (account_id, environment, spender, period, limit_credits, used, counts_from)
     VALUES ($1, 'live', 'account', 'total', 100, 82, now()),
       ($1, 'live', 'external_id:acme', 'total', 100, 100, now()),
       ($1, 'live', 'external_id:calm', 'total', 100, 79, now())`,
    [id],
  )
  const expiresAt = new Date(Date.now() + 3.5 * 86_400_000).toISOString()
  const key = await gateway.createKey(id, { expiresAt })
  const app = await plantApp(gateway, { ownerId: id })
  await gateway.graphql('mutation ($id: ID!) { suspendOAuthApp(clientId: $id) { clientId } }', {
    id: app.clientId,
  })
  return { ...account, waiting, disputed, card, endpoint, key, app }
}

describe('GET /v1/account/attention', () => {
  test('lists what needs attention, each with its action, the critical first', async () => {
    const troubled = await troubledAccount()
    const { liveKey, waiting, disputed, card, endpoint, key, app } = troubled

    const { status, body } = await gateway.live.get(path, liveKey)

    const item = (
      [kind, severity, resource_id]: [string, string, string | null],
      title: unknown,
      [label, page]: [string, string],
    ) => ({ kind, severity, title, resource_id, action: { label, url: pageOf(page) } })
    expect(status).toBe(200)
    expect(body).toEqual({
      items: [
        item(['payment_disputed', 'critical', disputed], 'A payment of $11.70 is disputed', [
          'See the payment',
          'billing/payment',
        ]),
        item(
          ['payment_unconfirmed', 'critical', waiting],
          'A payment of $11.70 waits for your confirmation',
          ['Confirm the payment', 'billing/payment'],
        ),
        item(
          ['auto_recharge_failed', 'critical', null],
          'Automatic recharging has stopped: Your card was declined',
          ['See automatic recharging', 'billing/payment'],
        ),
        item(
          ['auto_recharge_without_card', 'critical', null],
          'Automatic recharging has no card that it could charge',
          ['Add a card', 'billing/payment'],
        ),
        item(
          ['budget_nearly_used', 'critical', 'acme'],
          'acme has used 100 % of its total budget',
          ['See the budget', 'customers/acme'],
        ),
        item(
          ['app_suspended', 'critical', app.clientId],
          'The operator has suspended the app “Planted”',
          ['See the apps', 'apps'],
        ),
        item(['credits_low', 'warning', null], 'Only 5 credits are left', [
          'Buy credits',
          'billing',
        ]),
        item(['webhook_failing', 'warning', endpoint], 'Webhooks to hooks.example fail', [
          'See the deliveries',
          `webhooks/${endpoint}`,
        ]),
        item(
          ['budget_nearly_used', 'warning', null],
          'The account has used 82 % of its total budget',
          ['See the budget', 'credits'],
        ),
        item(
          ['key_expiring', 'warning', key.id],
          expect.stringMatching(/^The API key “.+” expires in 3 days$/),
          ['Rotate or extend the key', `keys/${key.id}`],
        ),
        item(
          ['card_expiring', 'warning', card],
          expect.stringMatching(/^Visa ••4242 expires with \d\d\/\d{4}$/),
          ['See the cards', 'billing/payment'],
        ),
      ],
    })
  })

  test.each([
    ['day', 'budget for today'],
    ['week', 'budget for this week'],
    ['month', 'budget for this month'],
    ['total', 'total budget'],
  ])(
    'names an app whose budget of a %s is used up, and one credit that is left',
    async (period, name) => {
      const { id, liveKey } = await gateway.createAccount({ credits: 1 })
      const { id: ownerId } = await gateway.createAccount()
      const { clientId } = await plantApp(gateway, { ownerId })
      await gateway.database.query(
        `INSERT INTO oauth.consent (account_id, environment, client_id, scopes, is_capped)
       VALUES ($1, 'live', $2, '{account:read}', true)`,
        [id, clientId],
      )
      await gateway.database.query(
        `INSERT INTO account.budget
         (account_id, environment, spender, period, limit_credits, used, counts_from)
       VALUES ($1, 'live', 'consent:' || $2, $3, 5, 5,
         CASE $3 WHEN 'total' THEN now() ELSE date_trunc($3, now(), 'UTC') END)`,
        [id, clientId, period],
      )

      const { body } = await gateway.live.get(path, liveKey)

      expect(Object(body).items).toMatchObject([
        { resource_id: clientId, title: `The app “Planted” has used 100 % of its ${name}` },
        { kind: 'credits_low', title: 'Only 1 credit is left' },
      ])
    },
  )

  test('is empty if nothing does', async () => {
    const { liveKey } = await gateway.createAccount({ credits: 1_000_000 })

    const { status, body } = await gateway.live.get(path, liveKey)

    expect([status, body]).toEqual([200, { items: [] }])
  })

  test('leaves out silently what the caller may not read', async () => {
    const { id } = await troubledAccount()
    const kindsOf = async (...scopes: string[]) =>
      kindsFor((await gateway.createKey(id, { scopes })).plaintext)

    expect(await kindsOf('contacts:read')).toEqual([])
    expect(await kindsOf('webhooks:read')).toEqual(['webhook_failing'])
    expect(await kindsOf('account:read')).toEqual(['credits_low', 'budget_nearly_used'])
    expect(await kindsOf('keys:read')).toEqual(['budget_nearly_used', 'key_expiring'])
    expect(await kindsOf('oauth:read')).toEqual(['app_suspended'])
    expect(await kindsOf('billing:read')).toEqual([
      ...['payment_disputed', 'payment_unconfirmed', 'auto_recharge_failed'],
      ...['auto_recharge_without_card', 'card_expiring'],
    ])
  })

  test('shows tokens of apps nothing of billing, keys and credits', async () => {
    const { id } = await troubledAccount()
    const other = await gateway.createAccount()
    const scopes = ['openid', 'account:read', 'billing:read', 'usage:read', 'webhooks:read']
    const { accessToken } = await plantGrant(gateway, { ownerId: other.id, accountId: id, scopes })

    const kinds = await kindsFor(accessToken)

    expect(kinds).toEqual(['webhook_failing', 'budget_nearly_used'])
  })

  test('is of the own account and environment alone', async () => {
    const { sandboxKey } = await troubledAccount()
    const { liveKey } = await gateway.createAccount({ credits: 1_000_000 })

    const sandbox = await gateway.sandbox.get(path, sandboxKey)
    const other = await kindsFor(liveKey)

    expect([sandbox.status, sandbox.body]).toEqual([200, { items: [] }])
    expect(other).toEqual([])
  })

  test('is kept, until the caller changes something', async () => {
    // The notices of a new account come a moment after it was made, and drop what is kept: then another is tried.
    const found = await vi.waitUntil(async () => {
      const { liveKey } = await gateway.createAccount({ credits: 1_000_000 })
      const endpoint = await addEndpoint(liveKey)
      const before = await kindsFor(liveKey)
      await noteFailing(endpoint)
      const kept = await kindsFor(liveKey)
      return kept.length === 0 && { liveKey, endpoint, before }
    }, patience)
    const { liveKey, endpoint, before } = found
    const changed = await gateway.live.request(`/v1/account/webhooks/${endpoint}`, {
      ...{ method: 'PATCH', key: liveKey, body: { description: 'Ours' } },
    })
    const after = await kindsFor(liveKey)

    expect(changed.status).toBe(200)
    expect([before, after]).toEqual([[], ['webhook_failing']])
  })

  test('does not name apps that the account itself has suspended', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 1_000_000 })
    const { clientId } = await plantApp(gateway, { ownerId: id })

    const { status } = await gateway.live.request(`/v1/oauth/apps/${clientId}`, {
      ...{ method: 'DELETE', key: liveKey },
    })

    expect(status).toBe(200)
    expect(await kindsFor(liveKey)).toEqual([])
  })

  test('has at most 20 items', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 1_000_000 })
    for (let index = 0; index < 15; index += 1) {
      await noteFailing(await addEndpoint(liveKey))
      await plantCard(id, 2020, 1)
    }

    const kinds = await kindsFor(liveKey)

    expect(kinds).toHaveLength(20)
    expect(kinds.slice(0, 15)).toEqual(Array.from({ length: 15 }, () => 'card_expiring'))
  })

  test('names what is critical before 20 warnings, whatever its kind', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 1_000_000 })
    const expiresAt = new Date(Date.now() + 43_200_000).toISOString()
    const { id: expiring } = await gateway.createKey(id, { expiresAt })
    for (let index = 0; index < 20; index += 1) await gateway.createKey(id)
    await gateway.database.query(
      `UPDATE keys.api_key SET is_capped = true WHERE account_id = $1 AND id <> $2`,
      [id, expiring],
    )
    await gateway.database.query(
      `INSERT INTO account.budget
         (account_id, environment, spender, period, limit_credits, used, counts_from)
       SELECT $1, 'live', 'key:' || spender_id, 'total', 100, 80, now() FROM keys.api_key
         WHERE account_id = $1 AND environment = 'live' AND is_capped
       UNION ALL SELECT $1, 'live', 'external_id:c' || n, 'total', 100, 80, now()
         FROM generate_series(10, 30) AS n
       UNION ALL SELECT $1, 'live', 'external_id:zeta', 'total', 100, 100, now()`,
      [id],
    )

    const { status, body } = await gateway.live.get(path, liveKey)

    expect(status).toBe(200)
    const { items } = Object(body)
    expect(items).toHaveLength(20)
    expect(items.slice(0, 3)).toMatchObject([
      { kind: 'budget_nearly_used', severity: 'critical', resource_id: 'zeta' },
      { kind: 'key_expiring', severity: 'critical', resource_id: expiring },
      { kind: 'budget_nearly_used', severity: 'warning' },
    ])
  })

  test('says that a budget refuses calls, also beside one that only counts and has counted more', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 1_000_000 })
    await gateway.database.query(
      `INSERT INTO account.budget (account_id, environment, spender, period, limit_credits, used,
         counts_from, is_enforced)
       VALUES ($1, 'live', 'account', 'total', 100, 500, now(), false),
         ($1, 'live', 'account', 'month', 100, 100, now(), true)`,
      [id],
    )

    const { body } = await gateway.live.get(path, liveKey)

    expect(Object(body).items).toMatchObject([
      { severity: 'critical', title: 'The account has used 100 % of its budget for this month' },
    ])
  })

  test('names the customers whose budgets are used most now, whatever others had used before', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 1_000_000 })
    await gateway.database.query(
      `INSERT INTO account.budget (account_id, environment, spender, period, limit_credits, used,
         counts_from, is_enforced)
       SELECT $1, 'live', 'external_id:a' || n, 'day', 100, 100, now() - interval '2 days', true
         FROM generate_series(1, 110) AS n
       UNION ALL SELECT $1, 'live', 'external_id:b' || n, 'total', 100, 80, now(), true
         FROM generate_series(1, 110) AS n
       UNION ALL SELECT $1, 'live', 'external_id:y', 'total', 100, 300, now(), false
       UNION ALL SELECT $1, 'live', 'external_id:z', 'total', 100, 100, now(), true`,
      [id],
    )

    const { body } = await gateway.live.get(path, liveKey)

    const { items } = Object(body)
    expect(items).toHaveLength(20)
    expect(items.slice(0, 3)).toMatchObject([
      { resource_id: 'z', title: 'z has used 100 % of its total budget' },
      { resource_id: 'y', title: 'y has used 300 % of its total budget' },
      { resource_id: expect.stringMatching(/^b/) },
    ])
  })
})
