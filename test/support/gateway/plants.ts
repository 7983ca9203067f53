import { randomUUID } from 'node:crypto'
import type { Environment } from '../../../schema/credentials/caller.ts'
import { deriveKey, seal } from '../../../schema/credentials/secrets.ts'
import { type IdPrefix, msOfId, newId } from '../../../schema/vocabulary/ids.ts'
import type { InvoiceParty } from '../../../subgraphs/account/payments/invoices/pdf/invoice-document.ts'
import { newWebhookSecret } from '../../../subgraphs/account/webhooks/sender/webhook-secret.ts'
import type { TestDatabase } from '../database/database.ts'
import { gatewaySecret } from './gateway.ts'

export interface PlantOptions {
  readonly accountId: string
  readonly environment: Environment
  readonly ids: readonly string[]
  /** Stands in a text that only the owner may read. */
  readonly canary: string
}

/** Things that an account owns: put there and taken away behind the gateway's back. */
export interface Plant {
  readonly prefix: IdPrefix
  /** The paginated list that shows them, as the route table writes it. */
  readonly list: string
  /** The member of an item of the list that has the id. */
  readonly idMember: string
  /** The path parameter that names one; null: none does. */
  readonly param: string | null
  put(database: TestDatabase, options: PlantOptions): Promise<void>
  take(database: TestDatabase, ids: readonly string[]): Promise<void>
}

/** Each has a budget of a day, which a path may name. */
const apiKeys: Plant = {
  prefix: 'key',
  list: '/account/keys',
  idMember: 'id',
  param: 'key_id',
  async put(database, { accountId, environment, ids, canary }) {
    await database.query(
      `INSERT INTO keys.api_key
        (id, account_id, environment, name, prefix, last4, secret_hash, scopes, created_by, spender_id)
       SELECT id, $2, $3, $4, 'svc_live_', 'ABCD', id || $5, '{*}', 'internal:cli', id FROM unnest($1::text[]) AS id`,
      [ids, accountId, environment, canary, randomUUID()],
    )
    await database.query(
      `INSERT INTO account.budget
        (account_id, environment, spender, period, limit_credits, counts_from)
       SELECT $2, $3, 'key:' || id, 'day', 500, now() FROM unnest($1::text[]) AS id`,
      [ids, accountId, environment],
    )
  },
  async take(database, ids) {
    await database.query('DELETE FROM keys.api_key WHERE id = ANY($1)', [ids])
    const spenders = ids.map((id) => `key:${id}`)
    await database.query('DELETE FROM account.budget WHERE spender = ANY($1)', [spenders])
  },
}

const keywords: Plant = {
  prefix: 'kw',
  list: '/account/addons/rank-tracking/keywords',
  idMember: 'id',
  param: 'keyword_id',
  async put(database, { accountId, environment, ids, canary }) {
    await database.query(
      `INSERT INTO account.tracked_keyword
        (id, account_id, environment, keyword, domain, country, device)
       SELECT id, $2, $3, $4 || ' ' || id, 'example.com', 'US', 'desktop'
       FROM unnest($1::text[]) AS id`,
      [ids, accountId, environment, canary],
    )
  },
  async take(database, ids) {
    await database.query('DELETE FROM account.tracked_keyword WHERE id = ANY($1)', [ids])
  },
}

const buyer: InvoiceParty = {
  ...{ name: 'Test', address: null, country: null },
  ...{ taxId: null, email: null, purchaseOrder: null },
}

const invoices: Plant = {
  prefix: 'inv',
  list: '/billing/invoices',
  idMember: 'id',
  param: 'invoice_id',
  async put(database, { accountId, environment, ids, canary }) {
    await database.query(
      `WITH paid AS (
         INSERT INTO account.payment (id, account_id, environment, kind, package_id, package_name,
           tier, tier_before, credits, price_cents, total_cents, currency, payment_method, provider,
           status, reference, settled_at)
         SELECT 'pay_of_' || id, $2, $3, 'auto_recharge', 'pack_starter', 'Starter', 'STARTER',
           'STARTER', 1, 1, 1, 'USD', 'simulated', 'simulated', 'paid', id, now()
         FROM unnest($1::text[]) AS id
         RETURNING id
       )
       INSERT INTO account.invoice (id, account_id, environment, status, price_cents, total_cents,
         currency, credits, description, buyer, payment_id)
       SELECT substr(id, 8), $2, $3, 'paid', 1, 1, 'USD', 1, $4, $5, id FROM paid`,
      [ids, accountId, environment, canary, buyer],
    )
  },
  async take(database, ids) {
    await database.query('DELETE FROM account.invoice WHERE id = ANY($1)', [ids])
  },
}

const checkouts: Plant = {
  prefix: 'pay',
  list: '/billing/checkouts',
  idMember: 'id',
  param: 'checkout_id',
  async put(database, { accountId, environment, ids, canary }) {
    await database.query(
      `INSERT INTO account.payment (id, account_id, environment, kind, package_id, package_name,
         tier, tier_before, credits, price_cents, total_cents, currency, payment_method, provider,
         status, reference, settled_at, client_reference_id)
       SELECT id, $2, $3, 'checkout', 'pack_starter', 'Starter', 'STARTER', 'STARTER', 1, 1, 1,
         'USD', 'simulated', 'simulated', 'paid', id, now(), $4
       FROM unnest($1::text[]) AS id`,
      [ids, accountId, environment, canary],
    )
  },
  async take(database, ids) {
    await database.query('DELETE FROM account.payment WHERE id = ANY($1)', [ids])
  },
}

/** Checkouts are payments, which show what was bought. */
const payments: Plant = {
  ...checkouts,
  list: '/billing/payments',
  param: 'payment_id',
  async put(database, options) {
    await checkouts.put(database, options)
    const rename = 'UPDATE account.payment SET package_name = $2 WHERE id = ANY ($1)'
    await database.query(rename, [options.ids, options.canary])
  },
}

const paymentMethods: Plant = {
  prefix: 'pm',
  list: '/billing/payment-methods',
  idMember: 'id',
  param: 'payment_method_id',
  async put(database, { accountId, environment, ids, canary }) {
    await database.query(
      `INSERT INTO account.payment_method (id, account_id, environment, provider, reference, brand,
         last4, exp_month, exp_year)
       SELECT id, $2, $3, 'simulated', id, $4, '4242', 1, 2040 FROM unnest($1::text[]) AS id`,
      [ids, accountId, environment, canary],
    )
  },
  async take(database, ids) {
    await database.query('DELETE FROM account.payment_method WHERE id = ANY($1)', [ids])
  },
}

const usageEntries: Plant = {
  prefix: 'req',
  list: '/account/usage/log',
  idMember: 'request_id',
  param: null,
  async put(database, { accountId, environment, ids, canary }) {
    await database.query(
      `INSERT INTO usage.usage_log (account_id, environment, request_id, ts, method, endpoint,
         service, status, credits, latency_ms, trace_id, backend_module)
       SELECT $2, $3, id, now(), 'GET', '/v1/' || $4, 'account', 200, 0, 1, 'trace',
         'subgraph:account'
       FROM unnest($1::text[]) AS id`,
      [ids, accountId, environment, canary],
    )
  },
  async take(database, ids) {
    await database.query('DELETE FROM usage.usage_log WHERE request_id = ANY($1)', [ids])
  },
}

/**
 * Put there as anything else gets there, so that the chain goes on; taken away as only a superuser
 * can.
 */
const auditEvents: Plant = {
  prefix: 'aud',
  list: '/account/audit/events',
  idMember: 'id',
  param: null,
  async put(database, { accountId, environment, ids, canary }) {
    const events = ids.map((id) => ({
      ...{ id, account_id: accountId, environment, details: { text: canary } },
      ...{ occurred_at: new Date(msOfId(id)), actor_kind: 'key', actor_id: 'key_x' },
      ...{ action: 'keyword.create', result: 'succeeded' },
    }))
    await database.query(
      `SELECT usage.record_audit_events($1) FROM set_config('gateway.account_id', '*', true)`,
      [JSON.stringify(events)],
    )
  },
  async take(database, ids) {
    await database.query(
      `DELETE FROM usage.audit_event
       WHERE id = ANY($1) AND set_config('session_replication_role', 'replica', true) = 'replica'`,
      [ids],
    )
  },
}

/** Apps that the account has also approved: the same id names the consent. */
const oauthApps: Plant = {
  prefix: 'app',
  list: '/oauth/apps',
  idMember: 'client_id',
  param: 'client_id',
  async put(database, { accountId, environment, ids, canary }) {
    await putApps(database, { accountId, environment, ids, canary })
    await putConsents(database, { accountId, environment, ids, canary })
  },
  take: takeApps,
}

const consents: Plant = {
  prefix: 'app',
  list: '/oauth/consents',
  idMember: 'client_id',
  param: null,
  async put(database, { accountId, ...options }) {
    await putApps(database, { ...options, accountId: newId('acct') })
    await putConsents(database, { ...options, accountId })
  },
  take: takeApps,
}

async function putApps(
  database: TestDatabase,
  { accountId, environment, ids, canary }: PlantOptions,
): Promise<void> {
  await database.query(
    `INSERT INTO oauth.app (client_id, account_id, environment, client_name, application_type,
       token_endpoint_auth_method, secret_hash, redirect_uris, grant_types, scopes, require_pkce)
     SELECT id, $2, $3, $4, 'web', 'client_secret_basic', id || $5, '{https://app.example/cb}',
       '{authorization_code}', '{openid}', true
     FROM unnest($1::text[]) AS id`,
    [ids, accountId, environment, canary, randomUUID()],
  )
}

/** Granted when their apps were registered, so that both lists have one order. */
async function putConsents(
  database: TestDatabase,
  { accountId, environment, ids }: PlantOptions,
): Promise<void> {
  await database.query(
    `INSERT INTO oauth.consent (account_id, environment, client_id, scopes, key_id, granted_at)
     SELECT $2, $3, id, '{openid}', 'key_x', to_timestamp(ms / 1000.0)
     FROM unnest($1::text[], $4::float8[]) AS t (id, ms)`,
    [ids, accountId, environment, ids.map(msOfId)],
  )
}

async function takeApps(database: TestDatabase, ids: readonly string[]): Promise<void> {
  await database.query('DELETE FROM oauth.consent WHERE client_id = ANY($1)', [ids])
  await database.query('DELETE FROM oauth.app WHERE client_id = ANY($1)', [ids])
}

const auditExports: Plant = {
  prefix: 'exp',
  list: '/account/audit/export',
  idMember: 'id',
  param: 'job_id',
  async put(database, { accountId, environment, ids, canary }) {
    await database.query(
      `INSERT INTO usage.audit_export (id, account_id, environment, kind, actor, status, completed_at,
         error)
       SELECT id, $2, $3, 'activity', $4, 'failed', now(), 'Planted.' FROM unnest($1::text[]) AS id`,
      [ids, accountId, environment, canary],
    )
  },
  async take(database, ids) {
    await database.query('DELETE FROM usage.audit_export WHERE id = ANY($1)', [ids])
  },
}

const webhookEndpoints: Plant = {
  prefix: 'whe',
  list: '/account/webhooks',
  idMember: 'id',
  param: 'endpoint_id',
  put: putEndpoints,
  async take(database, ids) {
    await database.query('DELETE FROM account.webhook_endpoint WHERE id = ANY($1)', [ids])
  },
}

/** To the account's newest endpoint. */
const webhookDeliveries: Plant = {
  prefix: 'whd',
  list: '/account/webhooks/:endpoint_id/deliveries',
  idMember: 'id',
  param: 'delivery_id',
  async put(database, { accountId, environment, ids, canary }) {
    const endpointId = await endpointOf(database, { accountId, environment })
    await database.query(
      `WITH event AS (
         INSERT INTO account.event (id, account_id, environment, type, data)
         SELECT 'evt_' || substr(id, 5), $2, $3, 'planted.event', jsonb_build_object('text', $4::text)
         FROM unnest($1::text[]) AS id
       )
       INSERT INTO account.webhook_delivery (id, account_id, environment, endpoint_id, event_id,
         event_type, status, due_at)
       SELECT id, $2, $3, $5, 'evt_' || substr(id, 5), $4, 'succeeded', NULL
       FROM unnest($1::text[]) AS id`,
      [ids, accountId, environment, canary, endpointId],
    )
  },
  async take(database, ids) {
    await database.query('DELETE FROM account.webhook_delivery WHERE id = ANY($1)', [ids])
  },
}

/** Each with its delivery. */
const webhookEvents: Plant = {
  prefix: 'evt',
  list: webhookDeliveries.list,
  idMember: 'event_id',
  param: 'event_id',
  put(database, { ids, ...options }) {
    return webhookDeliveries.put(database, { ...options, ids: ids.map(deliveryOfEvent) })
  },
  take(database, ids) {
    return webhookDeliveries.take(database, ids.map(deliveryOfEvent))
  },
}

function deliveryOfEvent(id: string): string {
  return id.replace(/^evt/, 'whd')
}

/** Plants endpoints at whose addresses nobody is. */
async function putEndpoints(
  database: TestDatabase,
  { accountId, environment, ids, canary }: PlantOptions,
): Promise<void> {
  const sealed = ids.map((id) => seal(secretKey, newWebhookSecret(), id))
  const urls = ids.map((id) => seal(secretKey, 'https://hooks.invalid/', `${id}/url`))
  await database.query(
    `INSERT INTO account.webhook_endpoint (id, account_id, environment, url, events, description,
       sealed_secret)
     SELECT id, $2, $3, url, '{credits.low}', $4, sealed
     FROM unnest($1::text[], $5::text[], $6::text[]) AS t (id, sealed, url)`,
    [ids, accountId, environment, canary, sealed, urls],
  )
}

const secretKey = deriveKey(gatewaySecret, 'webhook-secret')

type PlantOwner = Pick<PlantOptions, 'accountId' | 'environment'>

/** The newest; one is made where there is none. */
async function endpointOf(database: TestDatabase, owner: PlantOwner): Promise<string> {
  const [newest] = await database.query<{ id: string }>(
    `SELECT id FROM account.webhook_endpoint WHERE account_id = $1 AND environment = $2
     ORDER BY id DESC LIMIT 1`,
    [owner.accountId, owner.environment],
  )
  if (newest) return newest.id
  const id = newId('whe')
  await putEndpoints(database, { ...owner, ids: [id], canary: 'own' })
  return id
}

/** Where an account has its list: that may be below something of its own. */
export async function pathOf(
  { list }: Plant,
  database: TestDatabase,
  owner: PlantOwner,
): Promise<string> {
  if (!list.includes(':endpoint_id')) return list
  return list.replace(':endpoint_id', await endpointOf(database, owner))
}

/** Sessions of people whom a portal link has signed in: no key has to be there for them. */
const sessions: Plant = {
  prefix: 'ses',
  list: '/account/sessions',
  idMember: 'id',
  param: 'session_id',
  async put(database, { accountId, environment, ids, canary }) {
    await database.query(
      `INSERT INTO oauth.session (id, secret_hash, account_id, environment, role, actor,
         expires_at)
       SELECT id, id || $5, $2, $3, 'VIEWER', $4, now() + interval '1 hour'
       FROM unnest($1::text[]) AS id`,
      [ids, accountId, environment, canary, randomUUID()],
    )
  },
  async take(database, ids) {
    await database.query('DELETE FROM oauth.session WHERE id = ANY($1)', [ids])
  },
}

export const plants: readonly Plant[] = [
  apiKeys,
  keywords,
  invoices,
  checkouts,
  payments,
  paymentMethods,
  usageEntries,
  auditEvents,
  auditExports,
  oauthApps,
  consents,
  webhookEndpoints,
  webhookDeliveries,
  webhookEvents,
  sessions,
]

/**
 * External ids are texts of the account holder's; `test/api/budgets` reads their pages. Lots and entries
 * follow from the books; `test/api/ledger/ledger-lists.test.ts` reads theirs. The owners of an app are other accounts;
 * `test/api/oauth/apps/app-owners.test.ts` reads their pages. Members are of live alone; `test/api/members` reads theirs.
 */
const withoutPlants = [
  ...['/account/external-ids', '/account/credits/lots', '/account/credits/ledger'],
  ...['/account/members', '/oauth/apps/:client_id/owners'],
]

export function isOfObjects(path: string): boolean {
  return !withoutPlants.includes(path)
}

/** Throws for a list without a rule to fill it. */
export function plantOfList(path: string): Plant {
  const plant = plants.find(({ list }) => list === path)
  if (!plant) throw new Error(`Say in test/support/gateway/plants.ts what ${path} lists.`)
  return plant
}

/** Throws for a parameter without a rule for its object. */
export function plantOfParam(name: string): Plant {
  const plant = plants.find(({ param }) => param === name)
  if (!plant) throw new Error(`Say in test/support/gateway/plants.ts what ${name} names.`)
  return plant
}

export function newIds(prefix: IdPrefix, count: number): string[] {
  return Array.from({ length: count }, () => newId(prefix))
}
