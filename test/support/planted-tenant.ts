import type { AccountCaller } from '../../schema/caller.ts'
import { newId } from '../../schema/ids.ts'
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

/** An account that has done everything, so that each table with an account's rows has some of its. Returns its id. */
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
  // Only a provider that collects has customers.
  await graph.database.query(
    `INSERT INTO account.payment_customer (account_id, provider, reference) VALUES ($1, 'stripe', $1)`,
    [accountId],
  )
  return accountId
}

async function grantExpiring(graph: TestGraph, accountId: string): Promise<void> {
  const expiresAt = '2099-01-01T00:00:00.000Z'
  const input = { accountId, credits: 7, reason: 'Test', idempotencyKey: 'planted', expiresAt }
  await graph.asAdmin('GrantCredits', { input })
}

async function hold(graph: TestGraph, accountId: string): Promise<void> {
  const idempotency = { keyHash: 'key', requestHash: 'request', ttlSeconds: 600 }
  const requestId = newId('req')
  const item = { requestId, accountId, environment: 'live', credits: 5, ttlSeconds: 600 }
  const request = { endpoint: '/test' }
  await graph.asService('ReserveCredits', { items: [{ ...item, request, idempotency }] })
}

async function trackAndBuy(graph: TestGraph, accountId: string): Promise<void> {
  const once = { reference: 'planted', seconds: 600 }
  const keyword = { keyword: 'robots', domain: 'acme.example', country: 'US', device: 'desktop' }
  await graph.as('TrackKeyword', { ...keyword, once }, callerOf(accountId))
  await graph.as('Checkout', { package_id: 'pack_starter' }, callerOf(accountId))
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
