import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Environment } from '../../../schema/credentials/caller.ts'
import type { WebhookEndpointStatus } from '../../../schema/generated/operations.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { account, startDispatcher } from '../../../subgraphs/account/index.ts'
import { forgetEvents } from '../../../subgraphs/account/webhooks/event.service.ts'
import type {
  OutgoingWebhook,
  SendOutcome,
} from '../../../subgraphs/account/webhooks/sender/webhook-sender.ts'
import { claim } from '../../../subgraphs/account/webhooks/webhook-queue.service.ts'
import {
  type Database,
  type OpenDatabase,
  openDatabase,
} from '../../../subgraphs/shared/database/database.ts'
import { sessionSettingsWithin } from '../../../subgraphs/shared/database/sessions.ts'
import { allTenants } from '../../../subgraphs/shared/database/tenant.ts'
import { vacuum } from '../../support/database/database.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { callerOf } from '../../support/database/planted-tenant.ts'
import { patience } from '../../support/time/patience.ts'

let graph: TestGraph
let opened: OpenDatabase
let database: Database
beforeAll(async () => {
  graph = await openTestGraph()
  const url = graph.database.serviceUrl
  opened = await openDatabase(
    { ...account, entities: [] },
    {
      ...{ url, poolSize: 2, timeoutMs: 30_000, warn: () => {} },
    },
  )
  database = opened.as(allTenants)
})
afterAll(async () => {
  await opened.close()
  await graph.close()
})
// A test must not find deliveries that another one has left waiting.
afterEach(() => graph.database.query('TRUNCATE account.webhook_delivery'))

const arrived: SendOutcome = {
  status: 204,
  failure: null,
  latencyMs: 1,
  retryAfterSeconds: null,
  requestHeaders: null,
  responseText: null,
}

type Answer = (message: OutgoingWebhook) => SendOutcome | Promise<SendOutcome>

/** A dispatcher whose messages go no further than here. */
function dispatch(answer: Answer) {
  const sent: OutgoingWebhook[] = []
  const warnings: unknown[] = []
  const hanging = Promise.withResolvers<SendOutcome>()
  const dispatcher = startDispatcher({
    ...{ database, timeoutMs: 60_000, retrySeconds: [3600] },
    gatewaySecret: 'a secret for tests, long enough to pass',
    sender: {
      async send(message) {
        sent.push(message)
        return answer(message)
      },
      close: () => Promise.resolve(),
    },
    noteAttempt: () => {},
    warn: (message, cause) => warnings.push(message, cause),
  })
  return {
    ...{ sent, warnings, wake: () => dispatcher.wake() },
    hangs: hanging.promise,
    to: (path: string) => sent.filter(({ url }) => url.endsWith(path)),
    async stop() {
      hanging.resolve({ ...arrived, status: null, failure: 'stopped' })
      await dispatcher.stop()
    },
  }
}

async function createAccount(): Promise<string> {
  const input = { name: 'Test', email: 'test@example.com' }
  return Object(await graph.asAdmin('CreateAccount', { input })).account.id
}

async function createEndpoint(
  accountId: string,
  path: string,
  environment: Environment = 'live',
): Promise<string> {
  const asked = { url: `https://hooks.invalid${path}`, events: ['key.created'] }
  const caller = { ...callerOf(accountId), environment }
  return Object(await graph.as('CreateWebhookEndpoint', asked, caller)).id
}

async function sendTest(
  accountId: string,
  id: string,
  environment: Environment = 'live',
): Promise<string> {
  const asked = { endpoint_id: id }
  const caller = { ...callerOf(accountId), environment }
  return Object(await graph.as('TestWebhookEndpoint', asked, caller)).id
}

async function deliveryOf(accountId: string, id: string) {
  const asked = { endpoint_id: id, limit: 1 }
  const { items } = Object(await graph.as('ListWebhookDeliveries', asked, callerOf(accountId)))
  return items[0]
}

function untilTried(accountId: string, id: string, attempts: number) {
  return vi.waitUntil(async () => {
    const delivery = await deliveryOf(accountId, id)
    return delivery.attempt_count === attempts ? delivery : null
  }, patience)
}

/**
 * The blocks that PostgreSQL reads for the second claim of due deliveries, in a session of the
 * gateway.
 */
async function blocksOfClaim(): Promise<number> {
  const asked: { readonly text: string; readonly values: readonly unknown[] }[] = []
  const listening: Database = {
    ...database,
    async query({ text }, values) {
      asked.push({ text, values })
      return []
    },
  }
  const slots = { slots: 256, suspectSlots: 128, leaseSeconds: 20 }
  const ofOwner = { maxPerOwner: 16, maxSuspectsPerOwner: 8 }
  const none = { busyIds: [], fullIds: [], ownerCounts: {}, suspectOwnerCounts: {} }
  await claim(listening, { ...slots, ...ofOwner, ...none })
  const [question] = asked
  if (!question) throw new Error('Nothing was asked.')
  const options = `${sessionSettingsWithin(30_000)} -c gateway.account_id=*`
  const client = new pg.Client({ connectionString: graph.database.serviceUrl, options })
  await client.connect()
  try {
    const text = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${question.text}`
    await client.query(text, [...question.values])
    const { rows } = await client.query<{ 'QUERY PLAN': unknown }>(text, [...question.values])
    const [{ Plan: plan }] = Object(rows[0]?.['QUERY PLAN'])
    return Number(plan['Shared Hit Blocks']) + Number(plan['Shared Read Blocks'])
  } finally {
    await client.end()
  }
}

/** The rate of successes in seven days. */
async function rateOf(accountId: string): Promise<number | null> {
  const overview = await graph.as('GetOverview', {}, callerOf(accountId))
  return Object(overview).webhooks.delivery_rate
}

describe('an account', () => {
  /** With nineteen endpoints that hang, each of which has something due. */
  async function createCrowded(): Promise<string> {
    const accountId = await createAccount()
    const ids = await Promise.all(
      Array.from({ length: 19 }, () => createEndpoint(accountId, '/hung')),
    )
    await Promise.all(ids.map((id) => sendTest(accountId, id)))
    return accountId
  }

  test('has at most sixteen running attempts, whatever waits for its endpoints', async () => {
    const crowded = await createCrowded()
    await graph.database.query(
      'UPDATE account.webhook_endpoint SET is_suspect = false WHERE account_id = $1',
      [crowded],
    )
    const other = await createAccount()
    const otherId = await createEndpoint(other, '/healthy')

    const running = dispatch(({ url }) => (url.endsWith('/hung') ? running.hangs : arrived))
    await vi.waitUntil(() => running.to('/hung').length >= 16, patience)
    await sendTest(other, otherId)
    running.wake()
    await untilTried(other, otherId, 1)

    expect(running.to('/hung')).toHaveLength(16)
    await running.stop()
  })

  test('has at most eight attempts to endpoints that never received anything; its working endpoints and its sandbox are served beside them', async () => {
    const crowded = await createCrowded()
    const working = await createEndpoint(crowded, '/working')
    const sandbox = await createEndpoint(crowded, '/sandbox', 'sandbox')

    const running = dispatch(({ url }) => (url.endsWith('/hung') ? running.hangs : arrived))
    await vi.waitUntil(() => running.to('/hung').length >= 8, patience)
    await graph.database.query(
      'UPDATE account.webhook_endpoint SET is_suspect = false WHERE id = $1',
      [working],
    )
    await sendTest(crowded, working)
    await sendTest(crowded, sandbox, 'sandbox')
    running.wake()
    await untilTried(crowded, working, 1)
    await vi.waitUntil(() => running.to('/sandbox').length === 1, patience)

    expect(running.to('/hung')).toHaveLength(8)
    await running.stop()
  })
})

describe('an endpoint that has not received anything yet', () => {
  test('has one attempt at a time, also when it replaces a deleted one', async () => {
    const accountId = await createAccount()
    const former = await createEndpoint(accountId, '/hung')
    await graph.as('DeleteWebhookEndpoint', { endpoint_id: former }, callerOf(accountId))
    const id = await createEndpoint(accountId, '/hung')
    for (let count = 0; count < 3; count += 1) await sendTest(accountId, id)
    const other = await createEndpoint(accountId, '/healthy')

    const running = dispatch(({ url }) => (url.endsWith('/hung') ? running.hangs : arrived))
    await vi.waitUntil(() => running.to('/hung').length > 0, patience)
    await sendTest(accountId, other)
    running.wake()
    await untilTried(accountId, other, 1)

    expect(running.to('/hung')).toHaveLength(1)
    await running.stop()
  })
})

describe('an endpoint that fails', () => {
  const refused: SendOutcome = { ...arrived, status: 500, failure: 'http 500' }

  async function failOnceMore(sinceHours: number, lastHours: number) {
    const accountId = await createAccount()
    const id = await createEndpoint(accountId, '/failing')
    await graph.database.query(
      `UPDATE account.webhook_endpoint SET failing_since = now() - make_interval(hours => $2),
         last_failed_at = now() - make_interval(hours => $3) WHERE id = $1`,
      [id, sinceHours, lastHours],
    )
    const running = dispatch(() => refused)
    await sendTest(accountId, id)
    running.wake()
    await untilTried(accountId, id, 1)
    await running.stop()
    const asked = graph.as('ListWebhookEndpoints', { limit: 1 }, callerOf(accountId))
    const [endpoint] = Object(await asked).items
    return {
      status: endpoint.status,
      failingHours: Math.round((Date.now() - Date.parse(endpoint.failing_since)) / 3_600_000),
    }
  }

  test('is disabled after some days', async () => {
    expect(await failOnceMore(121, 20)).toEqual({ status: 'disabled', failingHours: 121 })
  })

  test('stays enabled when it had no attempts for days before', async () => {
    expect(await failOnceMore(240, 240)).toEqual({ status: 'enabled', failingHours: 0 })
  })
})

describe('an endpoint that answers 410 Gone', () => {
  const gone: SendOutcome = { ...arrived, status: 410, failure: 'http 410' }

  async function endpointOf(accountId: string) {
    const asked = graph.as('ListWebhookEndpoints', { limit: 1 }, callerOf(accountId))
    return Object(await asked).items[0]
  }

  test('is disabled; what waits is parked, and goes on when it is enabled again', async () => {
    const accountId = await createAccount()
    const id = await createEndpoint(accountId, '/gone')
    const answers = [gone]
    const running = dispatch(() => answers.shift() ?? arrived)
    await sendTest(accountId, id)
    running.wake()
    const delivery = await untilTried(accountId, id, 1)
    await vi.waitUntil(async () => (await endpointOf(accountId)).status === 'disabled', patience)

    expect(delivery).toMatchObject({ status: 'pending' })
    expect((await deliveryOf(accountId, id)).next_attempt_at).toBeNull()
    const change = { endpoint_id: id, status: 'enabled' } as const
    await graph.as('ChangeWebhookEndpoint', change, callerOf(accountId))
    await graph.database.query('UPDATE account.webhook_delivery SET due_at = now()')
    running.wake()
    const sentAgain = await untilTried(accountId, id, 2)
    await running.stop()

    expect(sentAgain).toMatchObject({ status: 'succeeded' })
    expect(await endpointOf(accountId)).toMatchObject({ status: 'enabled', failing_since: null })
  })

  test('stays enabled if its owner has given it another address meanwhile', async () => {
    const accountId = await createAccount()
    const id = await createEndpoint(accountId, '/former')
    const answer = Promise.withResolvers<SendOutcome>()
    const running = dispatch(() => answer.promise)
    await sendTest(accountId, id)
    running.wake()
    await vi.waitUntil(() => running.to('/former').length === 1, patience)
    const change = { endpoint_id: id, url: 'https://hooks.invalid/present' }
    await graph.as('ChangeWebhookEndpoint', change, callerOf(accountId))

    answer.resolve(gone)
    const delivery = await untilTried(accountId, id, 1)
    await running.stop()

    expect(delivery.attempts).toMatchObject([{ status_code: 410 }])
    expect(await endpointOf(accountId)).toMatchObject({ status: 'enabled' })
  })
})

describe('claiming due deliveries', () => {
  test('is cheap while none is due, for any number of endpoints with pending ones', async () => {
    const accountId = await createAccount()
    await graph.database.query(
      `INSERT INTO account.webhook_delivery
         (id, account_id, environment, endpoint_id, event_id, event_type, due_at)
       SELECT 'whd_' || n, $1, 'live', 'whe_' || n, 'evt_' || n, 'key.created', now() + '1 h'
       FROM generate_series(1, 3000) AS n`,
      [accountId],
    )
    // The deliveries of other tests have left dead rows.
    await vacuum(graph.database, 'account.webhook_delivery')

    const blocks = await blocksOfClaim()

    expect(blocks).toBeLessThan(100)
  })

  /**
   * Due for long, each of an event of its own; an endpoint of null: each of another that is not
   * there.
   */
  async function plantDue(accountId: string, endpointId: string | null): Promise<void> {
    await graph.database.query(
      `WITH e AS (
         INSERT INTO account.event (id, account_id, environment, type, data)
         SELECT 'evt_zz' || gen_random_uuid(), $1, 'live', 'key.created', '{}'
         FROM generate_series(1, 3000) RETURNING id
       )
       INSERT INTO account.webhook_delivery
         (id, account_id, environment, endpoint_id, event_id, event_type, due_at)
       SELECT 'whd_zz' || id, $1, 'live', coalesce($2, id), id, 'key.created', now() - interval '1 h' FROM e`,
      [accountId, endpointId],
    )
  }

  const statistics = [
    { of: 'as PostgreSQL made them', settle: async () => {} },
    {
      of: 'of the table when it was empty',
      settle: async (accountId: string) => {
        await plantDue(accountId, null)
        await graph.database.query('DELETE FROM account.webhook_delivery')
        await graph.database.query('ANALYZE account.webhook_delivery')
      },
    },
  ]
  test.each(statistics)(
    'is as cheap with due ones of deleted, disabled or unknown endpoints, and serves the others, with statistics $of',
    async ({ settle }) => {
      const accountId = await createAccount()
      await settle(accountId)
      const deleted = await createEndpoint(accountId, '/deleted')
      const disabled = await createEndpoint(accountId, '/disabled')
      const healthy = await createEndpoint(accountId, '/healthy')
      for (const id of [deleted, disabled, null]) await plantDue(accountId, id)
      const caller = callerOf(accountId)
      const change = { endpoint_id: disabled, status: 'disabled' } as const

      await graph.as('DeleteWebhookEndpoint', { endpoint_id: deleted }, caller)
      await graph.as('ChangeWebhookEndpoint', change, caller)
      await graph.asService('ForgetEvents', { limit: 10_000 })
      await vacuum(graph.database, 'account.webhook_delivery')
      const blocks = await blocksOfClaim()
      await sendTest(accountId, healthy)
      const running = dispatch(() => arrived)
      await untilTried(accountId, healthy, 1)
      const sentMeanwhile = running.sent.length
      const left = await graph.database.query(
        'SELECT endpoint_id, count(*)::int FROM account.webhook_delivery GROUP BY 1 ORDER BY 2',
      )
      await graph.as('ChangeWebhookEndpoint', { ...change, status: 'enabled' }, caller)
      running.wake()
      await vi.waitUntil(() => running.to('/disabled').length > 0, patience)
      await running.stop()

      expect(blocks).toBeLessThan(100)
      expect(sentMeanwhile).toBe(1)
      expect(left).toEqual([
        { endpoint_id: healthy, count: 1 },
        { endpoint_id: disabled, count: 3000 },
      ])
    },
  )

  test('leaves all but two hundred deliveries of a disabled, enabled or deleted endpoint to the sweep', async () => {
    const accountId = await createAccount()
    const id = await createEndpoint(accountId, '/crowded')
    await plantDue(accountId, id)
    const caller = callerOf(accountId)
    const counts = async () => {
      const [row] = await graph.database.query(
        `SELECT count(*) FILTER (WHERE due_at IS NULL)::int AS parked, count(*)::int AS there
         FROM account.webhook_delivery WHERE endpoint_id = $1`,
        [id],
      )
      return row
    }
    const sweep = () => graph.asService('ForgetEvents', { limit: 5000 })
    const change = (status: WebhookEndpointStatus) =>
      graph.as('ChangeWebhookEndpoint', { endpoint_id: id, status }, caller)

    await change('disabled')
    expect(await counts()).toEqual({ parked: 200, there: 3000 })
    await sweep()
    expect(await counts()).toEqual({ parked: 3000, there: 3000 })
    await change('enabled')
    expect(await counts()).toEqual({ parked: 2800, there: 3000 })
    await sweep()
    expect(await counts()).toEqual({ parked: 0, there: 3000 })
    await graph.as('DeleteWebhookEndpoint', { endpoint_id: id }, caller)
    expect(await counts()).toEqual({ parked: 0, there: 2800 })
    await sweep()
    expect(await counts()).toEqual({ parked: 0, there: 0 })
  })

  test('parks deliveries that were queued while their endpoint was disabled, and revives those of an enabled one', async () => {
    const accountId = await createAccount()
    const id = await createEndpoint(accountId, '/raced')
    await plantDue(accountId, id)
    const setStatus = (status: WebhookEndpointStatus) =>
      graph.database.query('UPDATE account.webhook_endpoint SET status = $2 WHERE id = $1', [
        ...[id, status],
      ])
    const countDue = () =>
      graph.database.query(
        'SELECT count(due_at)::int AS due FROM account.webhook_delivery WHERE endpoint_id = $1',
        [id],
      )

    await setStatus('disabled')
    await graph.asService('ForgetEvents', { limit: 5000 })
    const parked = await countDue()
    await setStatus('enabled')
    await graph.asService('ForgetEvents', { limit: 5000 })

    expect(parked).toEqual([{ due: 0 }])
    expect(await countDue()).toEqual([{ due: 3000 }])
  })
})

describe('a slow endpoint', () => {
  test('has one attempt at a time, also with another address and enabled again, until it answers promptly', async () => {
    const accountId = await createAccount()
    const id = await createEndpoint(accountId, '/slow')
    const caller = callerOf(accountId)
    const first = dispatch(() => ({ ...arrived, latencyMs: 2001 }))
    await sendTest(accountId, id)
    first.wake()
    const slow = await untilTried(accountId, id, 1)
    await first.stop()
    const moved = {
      endpoint_id: id,
      url: 'https://hooks.invalid/moved',
      status: 'enabled',
    } as const
    await graph.as('ChangeWebhookEndpoint', moved, caller)
    for (let count = 0; count < 3; count += 1) await sendTest(accountId, id)
    const healthy = await createEndpoint(accountId, '/healthy')

    let isPrompt = false
    const second = dispatch(({ url }) =>
      url.endsWith('/moved') && !isPrompt ? second.hangs : arrived,
    )
    await vi.waitUntil(() => second.to('/moved').length > 0, patience)
    await sendTest(accountId, healthy)
    second.wake()
    await untilTried(accountId, healthy, 1)
    const attempts = second.to('/moved').length
    await second.stop()
    isPrompt = true
    const third = dispatch(() => arrived)
    await vi.waitUntil(() => third.to('/moved').length === 3, patience)
    await third.stop()

    expect(slow).toMatchObject({ status: 'succeeded' })
    expect(attempts).toBe(1)
    const [endpoint] = await graph.database.query<{ is_suspect: boolean }>(
      'SELECT is_suspect FROM account.webhook_endpoint WHERE id = $1',
      [id],
    )
    expect(endpoint).toEqual({ is_suspect: false })
  })
})

describe('a secret that cannot be opened', () => {
  test('counts as a failed attempt on the schedule, and its cause is logged', async () => {
    const accountId = await createAccount()
    const id = await createEndpoint(accountId, '/unsigned')
    await graph.database.query(
      `UPDATE account.webhook_endpoint SET sealed_secret = 'of another gateway' WHERE id = $1`,
      [id],
    )

    const running = dispatch(() => arrived)
    await sendTest(accountId, id)
    running.wake()
    const delivery = await untilTried(accountId, id, 1)
    await running.stop()

    expect(running.sent).toEqual([])
    const attempt = { status_code: null, latency_ms: 0, failure: 'not signed' }
    expect(delivery).toMatchObject({ status: 'pending', attempts: [attempt] })
    const waitsMs = Date.parse(delivery.next_attempt_at) - Date.now()
    expect(waitsMs).toBeGreaterThan(3_000_000)
    expect(running.warnings.map(String)).toEqual([
      `The delivery ${delivery.id} could not be signed`,
      `Error: A secret or the address of ${id} was sealed with another GATEWAY_SECRET.`,
    ])
  })

  test('can be an address too: nothing is sent until the owner sets the address again', async () => {
    const accountId = await createAccount()
    const id = await createEndpoint(accountId, '/sealed')
    await graph.database.query(
      `UPDATE account.webhook_endpoint SET url = 'of_another_gateway' WHERE id = $1`,
      [id],
    )
    const running = dispatch(() => arrived)

    await sendTest(accountId, id)
    running.wake()
    const delivery = await untilTried(accountId, id, 1)
    const listed = await graph.as('ListWebhookEndpoints', { limit: 1 }, callerOf(accountId))
    const again = { endpoint_id: id, url: 'https://hooks.invalid/again' }
    const changed = await graph.as('ChangeWebhookEndpoint', again, callerOf(accountId))
    await graph.as('ResendWebhookDelivery', { delivery_id: delivery.id }, callerOf(accountId))
    running.wake()
    await untilTried(accountId, id, 2)
    await running.stop()

    expect(delivery).toMatchObject({ status: 'pending', attempts: [{ failure: 'not signed' }] })
    expect(Object(listed).items).toMatchObject([{ id, url: 'https://unknown.invalid/' }])
    expect(changed).toMatchObject({ id, url: 'https://hooks.invalid/again' })
    expect(running.sent.map(({ url }) => url)).toEqual(['https://hooks.invalid/again'])
  })
})

describe('a delivery that is resent', () => {
  const resend = (accountId: string, id: string) =>
    graph.as('ResendWebhookDelivery', { delivery_id: id }, callerOf(accountId))

  test('during an attempt is sent once more after it, whatever its result', async () => {
    const accountId = await createAccount()
    const id = await createEndpoint(accountId, '/again')
    const deliveryId = await sendTest(accountId, id)
    const firstAnswer = Promise.withResolvers<SendOutcome>()
    const running = dispatch(() => (running.sent.length === 1 ? firstAnswer.promise : arrived))
    await vi.waitUntil(() => running.sent.length === 1, patience)

    const asked = await resend(accountId, deliveryId)
    const meanwhile = running.sent.length
    firstAnswer.resolve(arrived)
    const delivery = await untilTried(accountId, id, 2)
    await running.stop()

    expect(asked).toMatchObject({ id: deliveryId, status: 'pending', attempt_count: 0 })
    expect(meanwhile).toBe(1)
    expect(new Set(running.sent.map(({ id: eventId }) => eventId)).size).toBe(1)
    expect(delivery).toMatchObject({ id: deliveryId, status: 'succeeded', next_attempt_at: null })
  })

  test('counts once in overview.webhooks.delivery_rate, as arrived if it ever has, also when it is deleted', async () => {
    const accountId = await createAccount()
    const id = await createEndpoint(accountId, '/counted')
    const answers: SendOutcome[] = [arrived, { ...arrived, status: 500, failure: 'http 500' }]
    const running = dispatch(() => answers.shift() ?? arrived)
    const deliveryId = await sendTest(accountId, id)
    running.wake()
    await untilTried(accountId, id, 1)
    const before = await rateOf(accountId)
    await resend(accountId, deliveryId)
    running.wake()
    await untilTried(accountId, id, 2)
    await running.stop()

    await graph.database.query('DELETE FROM account.webhook_delivery WHERE id = $1', [deliveryId])

    expect(before).toBe(1)
    expect(await rateOf(accountId)).toBe(1)
    expect(
      await graph.database.query(
        'SELECT tried, arrived FROM account.webhook_day WHERE endpoint_id = $1',
        [id],
      ),
    ).toEqual([{ tried: 1, arrived: 1 }])
  })
})

describe('an event', () => {
  test('is deleted when it is old, but not before its deliveries', async () => {
    const accountId = await createAccount()
    const id = await createEndpoint(accountId, '/old')
    const deliveryId = await sendTest(accountId, id)
    const [{ event_id: young } = { event_id: '' }] = await graph.database.query<{
      event_id: string
    }>('SELECT event_id FROM account.webhook_delivery WHERE id = $1', [deliveryId])
    const old = newId('evt', Date.now() - 31 * 86_400_000)
    await graph.database.query('UPDATE account.event SET id = $2 WHERE id = $1', [young, old])
    await graph.database.query('UPDATE account.webhook_delivery SET event_id = $2 WHERE id = $1', [
      ...[deliveryId, old],
    ])
    const isThere = async () => {
      const rows = await graph.database.query('SELECT 1 FROM account.event WHERE id = $1', [old])
      return rows.length === 1
    }

    await forgetEvents(database, 100)
    const withDelivery = await isThere()
    await graph.database.query('DELETE FROM account.webhook_delivery WHERE id = $1', [deliveryId])
    await forgetEvents(database, 100)

    expect(withDelivery).toBe(true)
    expect(await isThere()).toBe(false)
  })

  test('reaches every endpoint, also when there are more than may be created', async () => {
    const accountId = await createAccount()
    const id = await createEndpoint(accountId, '/many')
    await graph.database.query(
      `INSERT INTO account.webhook_endpoint (id, account_id, environment, url, events, sealed_secret)
       SELECT id || n, account_id, environment, url, '{}', sealed_secret
       FROM account.webhook_endpoint, generate_series(1, 24) AS n WHERE id = $1`,
      [id],
    )
    const event = {
      ...{ id: newId('evt'), accountId, environment: 'live', type: 'key.created' },
      ...{ data: {}, createdAt: new Date().toISOString() },
    }

    await graph.asService('PublishEvents', { events: [event] })

    const queued = await graph.database.query(
      'SELECT endpoint_id FROM account.webhook_delivery WHERE event_id = $1',
      [event.id],
    )
    expect(new Set(queued.map((row) => Object(row).endpoint_id)).size).toBe(25)
  })
})
