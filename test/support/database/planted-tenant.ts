import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { reserveApart } from './charge-batches.ts'
import type { TestGraph } from './graph.ts'

/** How the account itself calls, with a key that may do anything. */
export function callerOf(accountId: string): AccountCaller {
  return {
    kind: 'account',
    accountId,
    keyId: 'key_x',
    scopes: ['*'],
    environment: 'live',
    requestId: newId('req'),
    traceId: '',
    address: null,
  }
}

/**
 * An account that has done everything, so that each table with an account's rows has some of its.
 * Returns its id.
 */
export async function plantTenant(graph: TestGraph): Promise<string> {
  const { account } = Object(
    await graph.asAdmin('CreateAccount', {
      input: {
        ...{ name: 'Planted', email: 'planted@example.com', tier: 'SCALE', credits: 1000 },
        ...{ subscriptionTier: 'pro_sub', addons: ['MASS_MAIL', 'RANK_TRACKING'] },
      },
    }),
  )
  const accountId: string = account.id
  await grantExpiring(graph, accountId)
  await hold(graph, accountId)
  await trackAndBuy(graph, accountId)
  await record(graph, accountId)
  await issueOnce(graph, accountId)
  await registerAndGrant(graph, accountId)
  await graph.database.query(
    'INSERT INTO account.ended_hold (request_id, account_id) VALUES ($1, $2)',
    [newId('req'), accountId],
  )
  await returnMoney(graph, accountId)
  await notify(graph, accountId)
  await spend(graph, accountId)
  await takeBack(graph, accountId)
  // Only a provider that collects has customers.
  await graph.database.query(
    `INSERT INTO account.payment_customer (account_id, provider, reference) VALUES ($1, 'stripe', $1)`,
    [accountId],
  )
  await leavePage(graph, accountId)
  await linkToConsole(graph, accountId)
  return accountId
}

/** A portal link that nobody has used, the code of a handover, and an invitation. */
async function linkToConsole(graph: TestGraph, accountId: string): Promise<void> {
  const input = { accountId, environment: 'LIVE', role: 'OWNER', actor: 'Planted' }
  await graph.asAdmin('CreatePortalLink', { input })
  await graph.database.query(
    `INSERT INTO oauth.session_handover (code_hash, session_id, account_id, environment, expires_at)
     VALUES ($1, $2, $3, 'sandbox', now() + interval '1 h')`,
    [newId('ses'), newId('ses'), accountId],
  )
  await graph.database.query(
    `INSERT INTO oauth.membership (id, account_id, email, role, is_mailed, expires_at)
     VALUES ($1, $2, 'planted@example.com', 'VIEWER', true, now() + interval '7 d')`,
    [newId('mem'), accountId],
  )
  await graph.database.query(
    `INSERT INTO oauth.address_change (id, account_id, member_id, email, expires_at)
     VALUES ($1, $2, $3, 'planted@example.com', now() + interval '1 d')`,
    [newId('adc'), accountId, newId('mem')],
  )
}

/** A card was declined on the page of a payment. */
async function leavePage(graph: TestGraph, accountId: string): Promise<void> {
  await graph.database.query(
    `WITH payment AS (
       INSERT INTO account.payment (id, account_id, environment, kind, package_id, package_name,
         tier, credits, price_cents, total_cents, currency, payment_method, action, reference, ask_at)
       VALUES ($1, $2, 'live', 'checkout', 'pack_starter', 'Starter', 'STARTER', 1, 1, 1, 'USD',
         'page', 'page', $1, now() + interval '1 d') RETURNING id
     ), method AS (
       INSERT INTO account.payment_method (id, account_id, environment, provider, reference, brand,
         last4, exp_month, exp_year) VALUES ($3, $2, 'live', 'stripe', $3, 'visa', '4242', 1, 2040)
     ), page AS (
       INSERT INTO account.simulated_payment (payment_id, account_id, environment, state)
       VALUES ($1, $2, 'live', 'open')
     )
     INSERT INTO account.payment_decline (payment_id, attempt, account_id, environment)
     VALUES ($1, 'ch_1', $2, 'live')`,
    [newId('pay'), accountId, newId('pm')],
  )
}

async function grantExpiring(graph: TestGraph, accountId: string): Promise<void> {
  const expiresAt = '2099-01-01T00:00:00.000Z'
  const input = { accountId, credits: 7, reason: 'Test', idempotencyKey: 'planted', expiresAt }
  await graph.asAdmin('GrantCredits', { input })
}

async function hold(graph: TestGraph, accountId: string): Promise<void> {
  const item = { accountId, credits: 5, keyHash: 'key', requestHash: 'request' }
  await reserveApart(graph, [item], { ttlSeconds: 600 })
  await graph.database.query(
    `INSERT INTO account.key_answer (request_id, account_id, answer, body)
     SELECT request_id, account_id, '{}', 'sealed' FROM account.key_claim WHERE account_id = $1`,
    [accountId],
  )
}

async function issueOnce(graph: TestGraph, accountId: string): Promise<void> {
  const [key] = await graph.database.query<{ id: string }>(
    "SELECT id FROM keys.api_key WHERE account_id = $1 AND environment = 'live'",
    [accountId],
  )
  const caller = { ...callerOf(accountId), keyId: key?.id ?? '' }
  const once = { reference: 'planted', seconds: 600 }
  await graph.as('IssueApiKey', { name: 'Planted', once }, caller)
}

const billingDetails = {
  ...{ name: 'Planted', country: 'DE' },
  address: { line1: '1 Road', line2: null, city: 'Berlin', postalCode: '10115', state: null },
}

async function trackAndBuy(graph: TestGraph, accountId: string): Promise<void> {
  const once = { reference: 'planted', seconds: 600 }
  const keyword = { keyword: 'robots', domain: 'acme.example', country: 'US' }
  const tracked = { ...keyword, device: 'desktop', once } as const
  await graph.as('TrackKeyword', tracked, callerOf(accountId))
  const endpoint = { url: 'https://hooks.invalid/', events: [] }
  const { id } = Object(await graph.as('CreateWebhookEndpoint', endpoint, callerOf(accountId)))
  await graph.as('TestWebhookEndpoint', { endpoint_id: id }, callerOf(accountId))
  await graph.database.query(
    `INSERT INTO account.webhook_day (endpoint_id, day, account_id, tried, arrived)
     VALUES ($1, current_date, $2, 1, 1)`,
    [id, accountId],
  )
  await graph.database.query(
    `INSERT INTO account.webhook_answer (account_id, delivery_id, attempt, sealed_text)
     VALUES ($1, 'whd_' || $1, 1, 'sealed')`,
    [accountId],
  )
  const span = { from: '2026-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }
  await graph.as('ResendWebhookDeliveries', { endpoint_id: id, ...span }, callerOf(accountId))
  const order = { package_id: 'pack_starter', payment_method: 'simulated' }
  await graph.as('Checkout', order, callerOf(accountId))
  await graph.as('ChangeBillingDetails', billingDetails, callerOf(accountId))
  await graph.database.query(
    `WITH d AS (
       INSERT INTO account.invoice_document (invoice_id, status, account_id, pdf)
       SELECT id, status, account_id, 'pdf' FROM account.invoice WHERE account_id = $1
     )
     INSERT INTO account.credit_note_counter VALUES ($1, 'live', 2026, 1)`,
    [accountId],
  )
  await graph.as('CreateAuditExport', { once }, callerOf(accountId))
}

/** A refund, a dispute, and what both have caused. */
async function returnMoney(graph: TestGraph, accountId: string): Promise<void> {
  await graph.database.query(
    `WITH p AS (
       SELECT id, account_id, environment FROM account.payment WHERE account_id = $1 LIMIT 1
     ), r AS (
       INSERT INTO account.payment_refund
         (id, account_id, environment, payment_id, amount_cents, status, settled_at)
       SELECT $2, account_id, environment, id, 1, 'failed', now() FROM p
     ), d AS (
       INSERT INTO account.payment_dispute
         (id, account_id, environment, payment_id, reference, amount_cents, status)
       SELECT $3, account_id, environment, id, 'planted', 1, 'won' FROM p
     ), b AS (
       INSERT INTO account.payment_block (dispute_id, account_id, environment, lifted_at)
       SELECT $3, account_id, environment, now() FROM p
     ), c AS (
       INSERT INTO account.payment_clawback
         (ref, account_id, environment, payment_id, return_id, credits, returned_credits)
       SELECT $2, account_id, environment, id, $2, 1, 1 FROM p
     )
     INSERT INTO account.unmatched_payment_notification
       (id, account_id, environment, provider, kind, reference, reason)
     SELECT $4, account_id, environment, 'simulated', 'refund', id, 'Planted' FROM p`,
    [accountId, newId('rfd'), newId('dsp'), newId('unm')],
  )
}

/** A budget, and what a call has counted in it. */
async function spend(graph: TestGraph, accountId: string): Promise<void> {
  await graph.asService('SetBudgets', {
    ...{ accountId, environment: 'live', spender: 'account' },
    budgets: [{ period: 'total', limitCredits: 1000 }],
  })
  await graph.database.query(
    `INSERT INTO account.spending
       (account_id, environment, request_id, spenders, reserved_at, credits)
     VALUES ($1, 'live', $2, '{account}', now(), 1)`,
    [accountId, newId('req')],
  )
}

/** A purchase whose credits were spent and taken back: from lots that have burned. */
async function takeBack(graph: TestGraph, accountId: string): Promise<void> {
  const owner = [accountId, newId('pay'), newId('led')]
  await graph.database.query(
    `SELECT account.post_credits($1, 'live', 'purchase', 10, 'Test', $2, $3, NULL, NULL, false)`,
    owner,
  )
  const input = { accountId, credits: -8, reason: 'Test', idempotencyKey: 'spent' }
  await graph.asAdmin('AdjustCredits', { input })
  await graph.database.query(`SELECT account.claw_back($1, 'live', $2, 10, $3, 'Refund')`, owner)
}

/** An address that waits for its confirmation, with the mail that asks for it. */
async function notify(graph: TestGraph, accountId: string): Promise<void> {
  await graph.database.query(
    `WITH s AS (
       INSERT INTO account.notification_setting (account_id, kinds) VALUES ($1, '{credits_low}')
     ), a AS (
       INSERT INTO account.notification_address (id, account_id, address, place, expires_at)
       VALUES ($2, $1, 'planted@example.com', 1, 'tomorrow')
     )
     INSERT INTO account.mail
       (id, account_id, address_id, address, template, message_id, data, happened_at)
     VALUES ($3, $1, $2, 'planted@example.com', 'confirmation', $3, '{}', now())`,
    [accountId, newId('addr'), newId('mail')],
  )
}

/** An app, and everything that approving it brings. */
async function registerAndGrant(graph: TestGraph, accountId: string): Promise<void> {
  const app = {
    ...{ client_name: 'Planted', redirect_uris: ['https://app.example/cb'] },
    application_type: 'web',
    grant_types: ['authorization_code'],
    require_pkce: false,
  } as const
  const once = { reference: 'planted', seconds: 600 }
  const { client_id } = Object(await graph.as('RegisterApp', { ...app, once }, callerOf(accountId)))
  await graph.database.query(
    `WITH s AS (
       INSERT INTO oauth.session (id, account_id, environment, secret_hash, key_id, expires_at)
       VALUES ($1, $2, 'live', $1, 'key_x', 'tomorrow')
     ), c AS (
       INSERT INTO oauth.consent (account_id, environment, client_id, scopes, key_id)
       VALUES ($2, 'live', $3, '{openid}', 'key_x')
     ), g AS (
       INSERT INTO oauth.authorization_grant (id, account_id, environment, client_id, scopes,
         session_id, auth_time, expires_at)
       VALUES ($1, $2, 'live', $3, '{openid}', $1, now(), 'tomorrow')
     ), p AS (
       INSERT INTO oauth.agent_setting (account_id, environment, allow_unverified_apps)
       VALUES ($2, 'live', false)
     ), i AS (
       INSERT INTO oauth.sign_in_setting (account_id, passkey_only) VALUES ($2, false)
     ), o AS (
       INSERT INTO oauth.authorization_code (code_hash, grant_id, account_id, redirect_uri, expires_at)
       VALUES ($1, $1, $2, 'https://app.example/cb', 'tomorrow')
     ), a AS (
       INSERT INTO oauth.access_token (token_hash, grant_id, account_id, scopes, expires_at)
       VALUES ($1, $1, $2, '{openid}', 'tomorrow')
     ), r AS (
       INSERT INTO oauth.refresh_token (token_hash, grant_id, account_id, expires_at)
       VALUES ($1, $1, $2, 'tomorrow')
     )
     INSERT INTO oauth.used_consent_token (jti, account_id, expires_at)
     VALUES ($1, $2, 'tomorrow')`,
    [newId('grant'), accountId, client_id],
  )
}

async function record(graph: TestGraph, accountId: string): Promise<void> {
  const of = { accountId, environment: 'live', requestId: newId('req'), traceId: 'a'.repeat(32) }
  const entry = {
    ...{ ...of, ts: new Date(), method: 'GET', endpoint: '/v1/test', service: 'account' },
    ...{ status: 200, credits: 0, latencyMs: 1, backendModule: 'gateway', keyId: null },
  }
  await graph.asService('RecordUsage', { entries: [entry] })
  const event = {
    ...{ ...of, id: newId('aud'), occurredAt: new Date(), actorKind: 'key', actorId: 'key_x' },
    ...{ action: 'keyword.create', result: 'succeeded' },
  }
  await graph.asService('RecordAuditEvents', { events: [event] })
}
