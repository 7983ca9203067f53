import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import {
  type WebhookEventType,
  webhookEvents,
  webhookEventTypes,
  webhookPayloadExample,
  webhookPayloadSchema,
} from '../../../schema/vocabulary/webhook-events.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { disputeOf, notifySimulated, refundOf } from '../../support/gateway/payment-returns.ts'
import { changePlan, payBy } from '../../support/gateway/plans.ts'
import { invite, joinBy, newAddress } from '../../support/oauth/members.ts'
import { approve, registerApp } from '../../support/oauth/oauth-flow.ts'
import { plantPage } from '../../support/oauth/sessions.ts'
import { press } from '../../support/payments/payer.ts'
import {
  answering,
  createEndpoint,
  expectGenuine,
  openReceiver,
  type Received,
  type TestEndpoint,
  type WebhookReceiver,
  webhooksPath,
  webhookVariables,
} from '../../support/stubs/webhook-receiver.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
let receiver: WebhookReceiver
let account: TestAccount
let endpoint: TestEndpoint
beforeAll(async () => {
  gateway = await startTestGateway(webhookVariables)
  receiver = await openReceiver()
  account = await gateway.createAccount({ credits: 5000 })
  endpoint = await createEndpoint(gateway, account.liveKey, receiver.url)
})
afterAll(() => Promise.all([gateway.close(), receiver.close()]))

/** All types that the tests below have caused. */
const seen = new Set<WebhookEventType>()

/** The `data` of the first messages of a type, which are genuine. */
async function dataOf(type: WebhookEventType, count = 1): Promise<Received['data'][]> {
  const messages = await receiver.until(type, count)
  for (const message of messages) expectGenuine(message, endpoint.secret)
  seen.add(type)
  return messages.map(({ data }) => data)
}

function change(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object) {
  return gateway.live.request(`/v1${path}`, { method, key: account.liveKey, body })
}

async function changed(...[method, path, body]: Parameters<typeof change>) {
  const response = await change(method, path, body)
  expect(response).toMatchObject({ status: expect.toSatisfy((status) => status < 300) })
  return Object(response.body)
}

function enter(mutation: string, credits: number): Promise<unknown> {
  const idempotencyKey = crypto.randomUUID()
  const input = { accountId: account.id, credits, reason: 'Test', idempotencyKey }
  const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`
  return gateway.graphql(`mutation ($input: ${type}!) { ${mutation}(input: $input) { id } }`, {
    input,
  })
}

/** Makes the current period end a moment ago. */
function endPeriod(table: 'subscription' | 'addon', name?: string) {
  return gateway.database.query(
    `UPDATE account.${table} SET anchor_at = now() - period, current_period_start = now() - period,
       current_period_end = now()
     WHERE account_id = $1 AND environment = 'live' ${name === undefined ? '' : `AND name = '${name}'`}`,
    [account.id],
  )
}

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

describe('a webhook is sent for', () => {
  test('credits that are added, run low and run out', async () => {
    await enter('grantCredits', 100)
    const [granted] = await dataOf('credits.granted')
    await enter('adjustCredits', -4200)
    const [low] = await dataOf('credits.low')
    await enter('adjustCredits', -900)
    const [exhausted] = await dataOf('credits.exhausted')

    expect(granted).toEqual({
      ledger_entry_id: expect.stringMatching(/^led_/),
      ...{ kind: 'grant', credits: 100, balance_after: 5100, expires_at: null },
    })
    expect(low).toEqual({ balance: 900, threshold_credits: 1000 })
    expect(exhausted).toEqual({ balance: 0 })
  })

  test('credits that are about to expire', async () => {
    await gateway.graphql(
      'mutation ($input: GrantCreditsInput!) { grantCredits(input: $input) { id } }',
      {
        input: {
          ...{ accountId: account.id, credits: 70, reason: 'Trial', idempotencyKey: 'expiring' },
          expiresAt: new Date(Date.now() + 8 * 86_400_000).toISOString(),
        },
      },
    )
    await gateway.database.query(
      `UPDATE jobs.job SET start_after = now()
       WHERE name = 'PublishExpiringCredits' AND data ->> 'accountId' = $1`,
      [account.id],
    )
    const [expiring] = await dataOf('credits.expiring')
    await enter('adjustCredits', -70)

    expect(expiring).toEqual({
      ...{ lot_id: expect.stringMatching(/^lot_/), credits: 70, expires_at: instant },
    })
  })

  test('a budget that is used by half', async () => {
    await enter('grantCredits', 5)
    const budgets = [{ period: 'total', limit_credits: 10 }]
    await changed('PUT', '/account/budgets', { budgets })
    await changed('POST', '/contacts/reveal', { contact_id: 'con_1' })
    const [threshold] = await dataOf('budget.threshold')
    await changed('PUT', '/account/budgets', { budgets: [] })

    expect(threshold).toEqual({
      ...{ key_id: null, client_id: null, external_id: null, period: 'total' },
      ...{ threshold_percent: 50, limit_credits: 10, used_credits: 5, resets_at: null },
    })
  })

  test('auto-recharge that succeeds, fails and is suspended, and a purchase', async () => {
    await enter('grantCredits', 500)
    const setUp = { enabled: true, threshold_credits: 1000, package_id: 'pack_starter' }
    await changed('PATCH', '/account/auto-recharge', { ...setUp, monthly_cap_cents: 1000 })
    const [succeeded] = await dataOf('auto_recharge.succeeded')
    const [created] = await dataOf('invoice.created')
    const [paid] = await dataOf('invoice.paid')
    await enter('adjustCredits', -1000)
    const [failed] = await dataOf('auto_recharge.failed')
    await gateway.database.query(
      `UPDATE account.auto_recharge SET package_id = 'pack_gone', try_at = now()
       WHERE account_id = $1`,
      [account.id],
    )
    const [suspended] = await dataOf('auto_recharge.suspended')

    const { body } = await gateway.live.get('/v1/billing/invoices', account.liveKey)
    const [invoice] = Object(body).items
    expect(succeeded).toEqual({ payment_id: expect.stringMatching(/^pay_/) })
    expect(paid).toEqual({
      ...{ invoice_id: invoice.id, number: invoice.number, currency: 'USD' },
      ...{ total_cents: 1000, credits: 1000 },
    })
    expect(created).toEqual({ ...paid, status: 'paid', tax_cents: 0 })
    const reason = 'The monthly cap is reached.'
    expect(failed).toEqual({ payment_id: null, failure_reason: reason })
    expect(suspended).toEqual({
      payment_id: null,
      failure_reason: 'The package is not on sale.',
    })
  })

  test('a recharge that its holder has to confirm', async () => {
    await gateway.database.query(
      `UPDATE account.auto_recharge SET package_id = 'pack_starter', monthly_cap_cents = NULL,
         payment_method = 'simulated_authenticate', state = 'idle', try_at = now()
       WHERE account_id = $1`,
      [account.id],
    )
    const [required] = await dataOf('payment.action_required')
    await press(String(Object(required).action_url), 'confirm')
    await gateway.database.query(
      `UPDATE account.auto_recharge SET enabled = false, payment_method = 'simulated'
       WHERE account_id = $1`,
      [account.id],
    )

    expect(required).toEqual({
      payment_id: expect.stringMatching(/^pay_/),
      action_url: expect.stringContaining('/billing/simulated?payment_id=pay_'),
      expires_at: expect.stringMatching(/Z$/),
    })
  })

  test('a subscription that is cancelled, resumed, renewed and ended', async () => {
    await changed('POST', '/account/subscription/cancel')
    const [scheduled] = await dataOf('subscription.cancel_scheduled')
    await changed('POST', '/account/subscription/resume')
    const [resumed] = await dataOf('subscription.resumed')
    await endPeriod('subscription')
    const [renewed] = await dataOf('subscription.renewed')
    await changed('POST', '/account/subscription/cancel')
    await endPeriod('subscription')
    const [canceled] = await dataOf('subscription.canceled')

    const subscription = {
      ...{ tier: 'enterprise_sub', current_period_start: instant, current_period_end: instant },
    }
    const cancelling = { ...subscription, status: 'scheduled_to_cancel' }
    expect(scheduled).toEqual({ ...cancelling, failure_reason: null })
    expect(resumed).toEqual({ ...subscription, status: 'active' })
    expect(renewed).toEqual({ ...subscription, status: 'active' })
    expect(canceled).toEqual({ ...subscription, status: 'canceled' })
  })

  test('a plan that is started, not paid for, raised, and lowered with the next period', async () => {
    const change = (tier: string) => changePlan(gateway, account, tier)
    expect(await change('pro_sub')).toMatchObject({ status: 200 })
    const [started] = await dataOf('subscription.started')
    await payBy(gateway, account, 'simulated_declined')
    expect(await change('business_sub')).toMatchObject({ status: 402 })
    const [failed] = await dataOf('subscription.change_failed')
    await payBy(gateway, account, 'simulated')
    expect(await change('business_sub')).toMatchObject({ status: 200 })
    const [raised] = await dataOf('subscription.changed')
    expect(await change('pro_sub')).toMatchObject({ status: 200 })
    const [scheduled] = await dataOf('subscription.change_scheduled')

    const period = { current_period_start: instant, current_period_end: instant }
    const subscription = { ...period, status: 'active' }
    expect(started).toEqual({ ...subscription, tier: 'pro_sub' })
    expect(failed).toEqual({
      ...{ payment_id: expect.stringMatching(/^pay_/), tier: 'business_sub' },
      failure_reason: 'The card was declined.',
    })
    const business = { ...subscription, tier: 'business_sub' }
    expect(raised).toEqual({ ...business, previous_tier: 'pro_sub' })
    expect(scheduled).toEqual({ ...business, next_tier: 'pro_sub' })
  })

  test('a purchase that is refunded in part, and disputed', async () => {
    const order = { package_id: 'pack_starter', payment_method: 'simulated_slow' }
    const { id: paymentId } = await changed('POST', '/billing/checkout', order)
    await vi.waitUntil(async () => {
      const [payment] = await gateway.database.query<{ status: string }>(
        'SELECT status FROM account.payment WHERE id = $1',
        [paymentId],
      )
      return payment?.status === 'paid'
    }, patience)
    await notifySimulated(gateway, refundOf(paymentId, 100))
    const [refunded] = await dataOf('payment.refunded')
    const [noted] = await dataOf('credit_note.created')
    await notifySimulated(gateway, disputeOf(paymentId, 900, 'open'))
    const [disputed] = await dataOf('payment.disputed')
    await notifySimulated(gateway, disputeOf(paymentId, 900, 'won'))
    const [closed] = await dataOf('payment.dispute_closed')

    const ofPayment = { payment_id: paymentId, currency: 'USD' }
    expect(refunded).toEqual({
      ...{ ...ofPayment, refund_id: expect.stringMatching(/^rfd_/), amount_cents: 100 },
      ...{ refunded_cents: 100, credits: 100 },
    })
    const { body } = await gateway.live.get('/v1/billing/invoices', account.liveKey)
    const note = Object(body).items.find(({ type }: { type: string }) => type === 'credit_note')
    expect(noted).toEqual({
      ...{ ...ofPayment, invoice_id: note.id, number: note.number, credits: 100 },
      ...{ original_invoice_id: note.original_invoice_id, total_cents: 100, tax_cents: 0 },
    })
    const dispute = { ...ofPayment, dispute_id: disputed?.dispute_id, amount_cents: 900 }
    expect(disputed).toEqual({ ...dispute, dispute_id: expect.stringMatching(/^dsp_/) })
    expect(closed).toEqual({ ...dispute, outcome: 'won' })
  })

  test('an add-on that is cancelled and ended', async () => {
    await changed('POST', '/account/addons/mass-mail/cancel')
    const [scheduled] = await dataOf('addon.cancel_scheduled')
    await endPeriod('addon', 'mass_mail')
    const [canceled] = await dataOf('addon.canceled')

    const addon = { name: 'mass_mail', current_period_end: instant }
    expect(scheduled).toEqual({ ...addon, status: 'scheduled_to_cancel' })
    expect(canceled).toEqual({ ...addon, status: 'canceled' })
  })

  test('members who join, get another role and are removed; an invitation is none', async () => {
    const owner = await plantPage(gateway, account, { role: 'OWNER' })
    const email = newAddress()
    const path = '/v1/account/members'
    const invited = await invite(owner, email, 'DEVELOPER')
    const open = await invite(owner, newAddress(), 'VIEWER')
    const { id, link } = Object(invited.body)
    const { memberId } = await joinBy(gateway, id, link)
    const [joined] = await dataOf('member.joined')
    const answers = [
      await owner.send('PATCH', `${path}/${Object(open.body).id}`, { role: 'BILLING' }),
      await owner.send('DELETE', `${path}/${Object(open.body).id}?keys=keep`),
      await owner.send('PATCH', `${path}/${id}`, { role: 'ADMIN' }),
      await owner.send('PATCH', `${path}/${id}`, { role: 'ADMIN' }),
    ]
    const [changed] = await dataOf('member.role_changed')
    const removed = await owner.send('DELETE', `${path}/${id}?keys=keep`)
    const [gone] = await dataOf('member.removed')

    const data = { member_id: memberId, email }
    expect([...answers, removed].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(joined).toEqual({ ...data, role: 'DEVELOPER' })
    expect(changed).toEqual({ ...data, role: 'ADMIN', previous_role: 'DEVELOPER' })
    expect(gone).toEqual({ ...data, role: 'ADMIN' })
    const told = receiver.received.filter(({ data: one }) => one.member_id !== undefined)
    expect(told.map(({ data: one }) => one.member_id)).toEqual([memberId, memberId, memberId])
  })

  test('keys that are issued, replaced and revoked, and a sandbox that is reset', async () => {
    const scopes = ['account:read']
    const key = await changed('POST', '/account/keys', { name: 'Reader', scopes })
    const [created] = await dataOf('key.created')
    const next = await changed('POST', `/account/keys/${key.id}/rotate`, { grace_seconds: 60 })
    const [rotated] = await dataOf('key.rotated')
    await changed('DELETE', `/account/keys/${next.id}`)
    const [revoked] = await dataOf('key.revoked')
    const { state } = await changed('POST', '/account/sandbox/reset')
    const [reset] = await dataOf('sandbox.reset')

    const { id, prefix, last4 } = key
    const data = { key_id: id, name: 'Reader', prefix, last4, scopes, expires_at: null }
    expect(created).toEqual(data)
    expect(rotated).toEqual({ key_id: id, replaced_by: next.id, valid_until: instant })
    expect(revoked).toEqual({ key_id: next.id, name: 'Reader' })
    const { key_prefix, key_last4 } = state
    expect(reset).toEqual({
      key_id: expect.stringMatching(/^key_/),
      ...{ key_prefix, key_last4, keys_revoked: 1 },
    })
  })

  test('apps of the account, and consents that the account gives to apps', async () => {
    const app = await registerApp(gateway, { developer: account })
    const [registered] = await dataOf('oauth_app.created')
    await changed('DELETE', `/oauth/apps/${app.clientId}`)
    const [suspended] = await dataOf('oauth_app.suspended')
    const theirs = await registerApp(gateway)
    const scope = 'openid account:read'
    // The second time it is no news.
    await approve(gateway, theirs, { owner: account, scope })
    await approve(gateway, theirs, { owner: account, scope })
    const [granted] = await dataOf('consent.granted')
    await changed('DELETE', `/oauth/consents/${theirs.clientId}`)
    const [withdrawn] = await dataOf('consent.revoked')
    await approve(gateway, theirs, { owner: account, scope })
    const { developer, clientId } = theirs
    const path = `/v1/oauth/apps/${clientId}`
    await gateway.live.request(path, { method: 'DELETE', key: developer.liveKey })
    const [, ended] = await dataOf('consent.revoked', 2)

    const own = { client_id: app.clientId, client_name: 'Acme' }
    expect(registered).toMatchObject({ ...own, application_type: 'web' })
    expect(suspended).toEqual(own)
    const other = { client_id: clientId, client_name: 'Acme' }
    expect(granted).toEqual({ ...other, scope })
    expect(withdrawn).toEqual({ ...other, reason: 'withdrawn' })
    expect(ended).toEqual({ ...other, reason: 'app_suspended' })
    expect(await dataOf('consent.granted', 2)).toHaveLength(2)
  })

  test('audit exports that are finished, and that failed for good', async () => {
    const { id } = await changed('POST', '/account/audit/export', { kind: 'activity' })
    const [completed] = await dataOf('audit_export.completed')
    const brokenId = newId('exp')
    await gateway.database.query(
      `WITH e AS (
         INSERT INTO usage.audit_export (id, account_id, environment, kind, status, attempt, lease_until)
         VALUES ($1, $2, 'live', 'requests', 'running', 50, now())
       )
       SELECT jobs.enqueue('WatchAuditExport', jsonb_build_object('id', $1, 'attempt', 50), now())`,
      [brokenId, account.id],
    )
    const [failed] = await dataOf('audit_export.failed')

    const row_count = expect.toSatisfy(Number.isInteger)
    expect(completed).toEqual({ audit_export_id: id, kind: 'activity', row_count })
    const error = 'The export was interrupted too often.'
    expect(failed).toEqual({ audit_export_id: brokenId, kind: 'requests', error })
  })

  test('a test, and an endpoint that was disabled because it failed for days', async () => {
    const broken = await openReceiver(answering(500))
    const other = await createEndpoint(gateway, account.liveKey, broken.url, {
      events: ['credits.low'],
    })
    await gateway.database.query(
      `UPDATE account.webhook_endpoint SET failing_since = now() - interval '121 hours',
         last_failed_at = now() - interval '1 hour'
       WHERE id = $1`,
      [other.id],
    )
    await changed('POST', `/account/webhooks/${endpoint.id}/test`)
    await changed('POST', `/account/webhooks/${other.id}/test`)
    const [tested] = await dataOf('webhook.test')
    const [disabled] = await dataOf('webhook_endpoint.disabled')

    expect(tested).toEqual({ endpoint_id: endpoint.id })
    const { origin } = new URL(broken.url)
    expect(disabled).toEqual({
      ...{ endpoint_id: other.id, origin, failing_since: instant },
      reason: 'failing',
    })
    expect(broken.received).toHaveLength(1)
    const { body } = await gateway.live.get(webhooksPath, account.liveKey)
    expect(Object(body).items).toMatchObject([
      { id: other.id, status: 'disabled', failing_since: instant },
      { id: endpoint.id, status: 'enabled', failing_since: null },
    ])
    const lines = await vi.waitUntil(async () => {
      const answer = await gateway.live.get('/v1/account/audit/events', account.liveKey)
      const { items } = Object(answer.body)
      const found = items.filter(({ action }: { action: string }) => action === 'webhook.disable')
      return found.length > 0 ? found : null
    }, patience)
    expect(lines).toMatchObject([{ resource_id: other.id, actor_kind: 'system' }])
    await broken.close()
  })

  test('every event in the table of events', () => {
    expect([...seen].toSorted()).toEqual(webhookEventTypes.toSorted())
  })
})

test.each(webhookEventTypes)('the example of %s is what a webhook sends', (type) => {
  const example = webhookPayloadExample(type)

  expect(webhookPayloadSchema(type).parse(example)).toEqual(example)
  expect(webhookEvents[type].version).toBe(1)
})

describe('an event', () => {
  test('is sent with the members of Standard Webhooks, and says when it happened under both names', async () => {
    const mine = await gateway.createAccount()
    const from = new Date().toISOString()
    const inbox = await openReceiver()
    const { id } = await createEndpoint(gateway, mine.liveKey, inbox.url)
    const asked = await gateway.live.post(`${webhooksPath}/${id}/test`, undefined, mine.liveKey)
    expect(asked.status).toBe(202)

    const [message] = await inbox.until('webhook.test')

    const body = JSON.parse(message?.body ?? '')
    expect(body).toEqual({
      ...{ id: message?.id, type: 'webhook.test', timestamp: instant, created_at: body.timestamp },
      ...{ account_id: mine.id, data: { endpoint_id: id } },
    })
    expect(Object.keys(body).slice(0, 3)).toEqual(['id', 'type', 'timestamp'])
    expect(body.timestamp >= from && body.timestamp <= new Date().toISOString()).toBe(true)
    await inbox.close()
  })

  test('reaches only endpoints that subscribe to it, of its account and its environment', async () => {
    const mine = await gateway.createAccount()
    const wanting = await openReceiver()
    const other = await openReceiver()
    const events = ['key.created']
    await createEndpoint(gateway, mine.liveKey, wanting.url, { events })
    await createEndpoint(gateway, mine.liveKey, other.url, { events: ['key.revoked'] })
    const environment = 'sandbox'
    await createEndpoint(gateway, mine.sandboxKey, other.url, { environment })
    const stranger = await gateway.createAccount()
    await createEndpoint(gateway, stranger.liveKey, other.url)

    await gateway.createKey(mine.id)
    await gateway.createKey(mine.id, { environment: 'SANDBOX' })
    await wanting.until('key.created')
    await other.until('key.created')

    expect(wanting.received).toHaveLength(1)
    expect(other.received).toHaveLength(1)
    const [live] = wanting.received
    const [sandbox] = other.received
    expect([live?.data.prefix, sandbox?.data.prefix]).toEqual(['svc_live_', 'svc_test_'])
    await wanting.close()
    await other.close()
  })

  test('of a sandbox reset by a live key is sent to both environments, otherwise to its own', async () => {
    const mine = await gateway.createAccount()
    const live = await openReceiver()
    const sandbox = await openReceiver()
    await createEndpoint(gateway, mine.liveKey, live.url)
    await createEndpoint(gateway, mine.sandboxKey, sandbox.url, { environment: 'sandbox' })
    const path = '/v1/account/sandbox/reset'

    const { body } = await gateway.live.post(path, undefined, mine.liveKey)
    const [toLive] = await live.until('sandbox.reset')
    const [toSandbox] = await sandbox.until('sandbox.reset')
    await gateway.sandbox.post(path, undefined, Object(body).plaintext)
    const [, again] = await sandbox.until('sandbox.reset', 2)

    expect(toSandbox?.data).toEqual(toLive?.data)
    expect(toSandbox?.id).not.toBe(toLive?.id)
    expect(again?.data.key_id).not.toBe(toLive?.data.key_id)
    expect(live.received).toHaveLength(1)
    await live.close()
    await sandbox.close()
  })

  test.each([
    ['key.created', 'key.create', '/v1/account/keys'],
    ['subscription.cancel_scheduled', 'subscription.cancel', '/v1/account/subscription/cancel'],
    ['sandbox.reset', 'sandbox.reset', '/v1/account/sandbox/reset'],
  ])('%s is not sent when its change is rolled back', async (type, action, path) => {
    const body = type === 'key.created' ? { name: 'Lost' } : undefined
    const mine = await gateway.createAccount()
    const { database } = gateway
    // The last statement of a change is its line in the audit trail.
    await database.query(
      `CREATE FUNCTION jobs.fail() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN RAISE EXCEPTION 'No line.'; END $$;
       CREATE TRIGGER fail BEFORE INSERT ON jobs.job FOR EACH ROW
       WHEN (NEW.name = 'RecordAuditEvents' AND NEW.data::text LIKE '%${mine.id}%'
         AND NEW.data::text LIKE '%"${action}"%')
       EXECUTE FUNCTION jobs.fail();`,
    )

    const { status } = await gateway.live.post(path, body, mine.liveKey)

    await database.query('DROP TRIGGER fail ON jobs.job; DROP FUNCTION jobs.fail;')
    const told = await database.query(
      `SELECT type FROM account.event WHERE account_id = $1
       UNION ALL
       SELECT name FROM jobs.job WHERE name = 'PublishEvents' AND data::text LIKE '%' || $1 || '%'`,
      [mine.id],
    )
    expect(status).toBe(500)
    expect(told).toEqual([])
    const again = await gateway.live.post(path, body, mine.liveKey)
    expect(again.status).toBeLessThan(300)
    await vi.waitUntil(async () => {
      const sql = 'SELECT type FROM account.event WHERE account_id = $1 AND type = $2'
      const told = await database.query(sql, [mine.id, type])
      return told.length === (type === 'sandbox.reset' ? 2 : 1)
    }, patience)
  })

  test('of another subgraph counts once, however often its job runs', async () => {
    const mine = await gateway.createAccount()
    const told = await openReceiver()
    await createEndpoint(gateway, mine.liveKey, told.url)
    await gateway.createKey(mine.id)
    await told.until('key.created')

    await gateway.database.query(
      `SELECT jobs.enqueue(name, data, now()) FROM jobs.job
       WHERE name = 'PublishEvents' AND data::text LIKE '%' || $1 || '%'`,
      [mine.id],
    )
    await vi.waitUntil(async () => {
      const [row] = await gateway.database.query<{ done: number }>(
        `SELECT count(*)::int AS done FROM jobs.job WHERE name = 'PublishEvents'
           AND data::text LIKE '%' || $1 || '%' AND state = 'completed'`,
        [mine.id],
      )
      return row?.done === 2
    }, patience)

    const sql = 'SELECT count(*)::int FROM account.webhook_delivery WHERE account_id = $1'
    expect(await gateway.database.query(sql, [mine.id])).toEqual([{ count: 1 }])
    await told.close()
  })
})
