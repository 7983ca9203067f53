import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { deriveKey, seal } from '../../../schema/credentials/secrets.ts'
import type { WebhookEndpointStatus } from '../../../schema/generated/operations.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { webhookEventTypes } from '../../../schema/vocabulary/webhook-events.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { callerOf } from '../../support/database/planted-tenant.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  answering,
  createEndpoint,
  expectGenuine,
  openReceiver,
  webhooksPath as path,
  type WebhookReceiver,
  webhookVariables,
} from '../../support/stubs/webhook-receiver.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
let receiver: WebhookReceiver
let graph: TestGraph
/** The log of the gateway. */
let logged = ''
beforeAll(async () => {
  const keep = (line: string) => {
    logged += line
  }
  const log = pino({ level: 'trace' }, { write: keep })
  gateway = await startTestGateway(webhookVariables, { log })
  graph = await openTestGraph()
  receiver = await openReceiver()
})
afterAll(() => Promise.all([gateway.close(), receiver.close(), graph.close()]))

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)
const url = 'https://hooks.example.com/a?b=c'
const noEndpoint = {
  status: 404,
  code: 'NOT_FOUND',
  message: 'No webhook endpoint has this id.',
} as const

const endpoint = {
  id: expect.stringMatching(/^whe_[0-9a-z]{26}$/),
  ...{ url, events: [], description: null, status: 'enabled', failing_since: null },
  ...{ delivery_rate: null, delivery_days: [] },
  created_at: instant,
}

function remove(key: string, id: string) {
  return gateway.live.request(`${path}/${id}`, { method: 'DELETE', key })
}

function change(key: string, id: string, body: object) {
  return gateway.live.request(`${path}/${id}`, { method: 'PATCH', key, body })
}

function deliveriesOf(key: string, id: string) {
  return gateway.live.get(`${path}/${id}/deliveries`, key)
}

/** Once nothing of this endpoint is pending. */
async function untilOver(key: string, id: string): Promise<object[]> {
  return vi.waitUntil(async () => {
    const { items } = Object((await deliveriesOf(key, id)).body)
    return items.every(({ status }: { status: string }) => status !== 'pending') ? items : null
  }, patience)
}

/** The gateway of these tests permits loopback. */
const httpsOrLoopback = 'must begin with https://, or with http:// and an address of loopback'

describe('POST /v1/account/webhooks', () => {
  test('creates an endpoint and shows its secret only now; the stored secret is sealed', async () => {
    const { liveKey } = await gateway.createAccount()
    const asked = { url, events: ['credits.low', 'key.created'], description: 'Billing' }

    const { status, body } = await gateway.live.post(path, asked, liveKey)

    const { secret, ...shown } = Object(body)
    expect(status).toBe(201)
    expect(shown).toEqual({ ...endpoint, ...asked })
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/)
    expect((await gateway.live.get(path, liveKey)).body).toEqual({
      items: [shown],
      next_cursor: null,
    })
    const [row] = await gateway.database.query(
      'SELECT * FROM account.webhook_endpoint WHERE id = $1',
      [shown.id],
    )
    expect(JSON.stringify(row)).not.toContain(secret.slice(6))
  })

  test('subscribes to every event by default, once each', async () => {
    const { liveKey } = await gateway.createAccount()

    const all = await gateway.live.post(path, { url }, liveKey)
    const twice = { url, events: ['credits.low', 'credits.low'] }
    const some = await gateway.live.post(path, twice, liveKey)

    expect(all.body).toEqual({ ...endpoint, secret: expect.any(String) })
    expect(some.body).toMatchObject({ events: ['credits.low'] })
  })

  test('names every invalid field, and the known events', async () => {
    const { liveKey } = await gateway.createAccount()
    const asked = { url: '', events: ['credits.low', 'credits.lost'], description: '' }

    const response = await gateway.live.post(path, asked, liveKey)

    const wanted = webhookEventTypes.filter((type) => type !== 'webhook.test').join(', ')
    expect(response.status).toBe(422)
    expect(Object(response.body).error.details).toEqual([
      { field: 'url', in: 'body', message: 'must have at least 1 character' },
      { field: 'events.1', in: 'body', message: `must be one of ${wanted}` },
      { field: 'description', in: 'body', message: 'must have at least 1 character' },
    ])
  })

  test.each([
    ['ftp://example.com/', httpsOrLoopback],
    ['ftp://localhost/', httpsOrLoopback],
    ['http://example.com/hooks', httpsOrLoopback],
    ['http://8.8.8.8/hooks', httpsOrLoopback],
    ['http://192.168.1.10/hooks', httpsOrLoopback],
    ['https://169.254.169.254/latest', 'must not lead to a private address'],
    ['https://me:secret@example.com/', 'must not hold a user or a password'],
  ])('refuses %s', async (wrong, message) => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.post(path, { url: wrong }, liveKey)

    expect(response.status).toBe(422)
    const details = [{ field: 'url', in: 'body', message }]
    expect(Object(response.body).error.details).toEqual(details)
    expect((await gateway.live.get(path, liveKey)).body).toEqual({ items: [], next_cursor: null })
  })

  test.each(['http://localhost:4567/hooks', 'http://127.0.0.1/hooks', 'http://[::1]:4567/hooks'])(
    'accepts %s in a trial, and a change of it to http elsewhere is refused',
    async (url) => {
      const { liveKey } = await gateway.createAccount()

      const created = await gateway.live.post(path, { url }, liveKey)
      const { id } = Object(created.body)
      const changed = await gateway.live.request(`${path}/${id}`, {
        ...{ method: 'PATCH', key: liveKey, body: { url: 'http://example.com/hooks' } },
      })

      expect([created.status, Object(created.body).url]).toEqual([201, url])
      const details = [{ field: 'url', in: 'body', message: httpsOrLoopback }]
      expect([changed.status, Object(changed.body).error.details]).toEqual([422, details])
      const { body } = await gateway.live.get(path, liveKey)
      expect(Object(body).items).toMatchObject([{ id, url }])
    },
  )

  test('admits ten of twenty at once beside ten; each environment has its own limit', async () => {
    const { liveKey, sandboxKey } = await gateway.createAccount()

    const create = () => gateway.live.post(path, { url }, liveKey)
    const before = await Promise.all(Array.from({ length: 10 }, create))
    const answers = await Promise.all(Array.from({ length: 20 }, create))

    expect(before.map(({ status }) => status)).toEqual(before.map(() => 201))
    const refused = answers.filter(({ status }) => status === 409)
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10)
    expect(refused).toHaveLength(10)
    for (const response of refused) {
      expectError(gateway, response, {
        status: 409,
        code: 'CONFLICT',
        message: 'An account has at most 20 webhook endpoints.',
      })
    }
    expect((await gateway.sandbox.post(path, { url }, sandboxKey)).status).toBe(201)
  })
})

describe('GET /v1/account/webhooks', () => {
  test('lists all in pages, newest first, and shows no other environment', async () => {
    const { liveKey, sandboxKey } = await gateway.createAccount()
    const ids: string[] = []
    for (let count = 0; count < 3; count += 1) {
      ids.unshift((await createEndpoint(gateway, liveKey, `${url}${count}`)).id)
    }

    const first = await gateway.live.get(`${path}?limit=2`, liveKey)
    const { items, next_cursor } = Object(first.body)
    const second = await gateway.live.get(`${path}?limit=2&cursor=${next_cursor}`, liveKey)

    const seen = [...items, ...Object(second.body).items].map(({ id }) => id)
    expect(seen).toEqual(ids)
    expect(Object(second.body).next_cursor).toBeNull()
    const other = await gateway.sandbox.get(path, sandboxKey)
    expect(other.body).toEqual({ items: [], next_cursor: null })
  })
})

describe('PATCH /v1/account/webhooks/{endpoint_id}', () => {
  test('changes the named members and leaves the others', async () => {
    const { liveKey } = await gateway.createAccount()
    const { id } = await createEndpoint(gateway, liveKey, url, { events: ['credits.low'] })

    const described = await change(liveKey, id, { description: 'Ours' })
    const moved = await change(liveKey, id, { url: 'https://example.org/', events: [] })
    const disabled = await change(liveKey, id, { status: 'disabled', description: null })

    const first = { ...endpoint, id, events: ['credits.low'], description: 'Ours' }
    const then = { ...first, url: 'https://example.org/', events: [] }
    expect(described.body).toEqual(first)
    expect(moved.body).toEqual(then)
    expect(disabled.body).toEqual({ ...then, status: 'disabled', description: null })
  })

  test('keeps an address that this process cannot open, until another one is set', async () => {
    const { liveKey } = await gateway.createAccount()
    const { id } = await createEndpoint(gateway, liveKey, url)
    const storedUrl = () =>
      gateway.database.query('SELECT url FROM account.webhook_endpoint WHERE id = $1', [id])
    const foreign = seal(deriveKey('x'.repeat(32), 'webhook-secret'), url, `${id}/url`)
    await gateway.database.query('UPDATE account.webhook_endpoint SET url = $2 WHERE id = $1', [
      ...[id, foreign],
    ])

    const described = await change(liveKey, id, { description: 'Ours' })
    const kept = await storedUrl()
    const moved = await change(liveKey, id, { url: 'https://example.org/' })

    const shown = { ...endpoint, id, description: 'Ours' }
    expect([described.status, described.body]).toEqual([
      200,
      { ...shown, url: 'https://unknown.invalid/' },
    ])
    expect(kept).toEqual([{ url: foreign }])
    expect([moved.status, moved.body]).toEqual([200, { ...shown, url: 'https://example.org/' }])
    expect(await storedUrl()).not.toEqual(kept)
  })

  test('disables: no event is sent meanwhile, and pending deliveries wait', async () => {
    const { liveKey, id: accountId } = await gateway.createAccount()
    const { id } = await createEndpoint(gateway, liveKey, receiver.url)
    await change(liveKey, id, { status: 'disabled' })
    await gateway.createKey(accountId)
    // The event is moved back, as if it had happened a moment before.
    const [unheard] = await vi.waitUntil(async () => {
      const rows = await gateway.database.query<{ type: string; queued: number }>(
        `SELECT type, (SELECT count(*)::int FROM account.webhook_delivery d
           WHERE d.event_id = e.id) AS queued
         FROM account.event e WHERE account_id = $1`,
        [accountId],
      )
      return rows.length > 0 ? rows : null
    }, patience)
    await gateway.database.query(
      `INSERT INTO account.webhook_delivery
         (id, account_id, environment, endpoint_id, event_id, event_type)
       SELECT $1, account_id, environment, $2, id, type FROM account.event WHERE account_id = $3`,
      [newId('whd'), id, accountId],
    )
    const refused = await gateway.live.post(`${path}/${id}/test`, undefined, liveKey)
    const waiting = await deliveriesOf(liveKey, id)

    await change(liveKey, id, { status: 'enabled' })
    const over = await untilOver(liveKey, id)

    expect(unheard).toMatchObject({ type: 'key.created', queued: 0 })
    expectError(gateway, refused, {
      status: 409,
      code: 'CONFLICT',
      message: 'This webhook endpoint is disabled.',
    })
    expect(Object(waiting.body).items).toMatchObject([
      { status: 'pending', attempt_count: 0, next_attempt_at: null },
    ])
    expect(over).toMatchObject([{ status: 'succeeded', attempt_count: 1 }])
  })
})

describe('DELETE /v1/account/webhooks/{endpoint_id}', () => {
  test('answers with the removed endpoint; then the endpoint and its log are unknown', async () => {
    const { liveKey } = await gateway.createAccount()
    const { id } = await createEndpoint(gateway, liveKey, url)

    const response = await remove(liveKey, id)

    expect([response.status, response.body]).toEqual([200, { ...endpoint, id }])
    expectError(gateway, await remove(liveKey, id), noEndpoint)
    expectError(gateway, await deliveriesOf(liveKey, id), noEndpoint)
  })
})

describe('POST /v1/account/webhooks/{endpoint_id}/test', () => {
  test('sends a test to an endpoint that subscribes to nothing else, and the log shows it', async () => {
    const { liveKey } = await gateway.createAccount()
    const mine = await openReceiver()
    const { id, secret } = await createEndpoint(gateway, liveKey, mine.url, {
      events: ['credits.low'],
    })

    const response = await gateway.live.post(`${path}/${id}/test`, undefined, liveKey)

    const [message] = await mine.until('webhook.test')
    const over = await untilOver(liveKey, id)
    const delivery = {
      id: expect.stringMatching(/^whd_/),
      event_id: expect.stringMatching(/^evt_/),
      event_type: 'webhook.test',
      created_at: instant,
    }
    expect(response.status).toBe(202)
    expect(response.body).toMatchObject(delivery)
    if (!message) throw new Error('Nothing came.')
    expectGenuine(message, secret)
    expect(message.data).toEqual({ endpoint_id: id })
    expect(message.id).toBe(Object(response.body).event_id)
    expect(over).toEqual([
      {
        ...delivery,
        ...{ status: 'succeeded', attempt_count: 1, next_attempt_at: null },
        attempts: [
          {
            ...{ attempted_at: instant, status_code: 204, failure: null },
            ...{ latency_ms: expect.any(Number), response_text: null },
            request_headers: expect.objectContaining({ 'webhook-id': message.id }),
          },
        ],
        payload: JSON.parse(message.body),
      },
    ])
    await mine.close()
  })
})

describe('GET /v1/account/webhooks/{endpoint_id}/deliveries', () => {
  test('shows every attempt, the newest first, until the schedule ends, and nothing that a receiver on this machine answers', async () => {
    const { liveKey } = await gateway.createAccount()
    const mine = await openReceiver((_, response) => response.writeHead(500).end('inside'))
    const { id } = await createEndpoint(gateway, liveKey, mine.url)

    await gateway.live.post(`${path}/${id}/test`, undefined, liveKey)

    const [delivery] = await untilOver(liveKey, id)
    const attempt = { status_code: 500, failure: 'http 500' }
    expect(delivery).toMatchObject({
      ...{ status: 'failed', attempt_count: 6, next_attempt_at: null },
      attempts: Array.from({ length: 6 }, () => attempt),
    })
    expect(JSON.stringify(delivery)).not.toContain('inside')
    expect(new Set(mine.received.map(({ id: eventId }) => eventId)).size).toBe(1)
    const { body } = await gateway.live.get(path, liveKey)
    expect(body).toMatchObject({ items: [{ id, failing_since: instant }] })
    await mine.close()
  })
})

describe('POST /v1/account/webhooks/deliveries/{delivery_id}/resend', () => {
  const resend = (key: string, delivery: string) =>
    gateway.live.post(`${path}/deliveries/${delivery}/resend`, undefined, key)

  test('sends the same event again, with the whole schedule', async () => {
    const { liveKey } = await gateway.createAccount()
    const mine = await openReceiver(answering(204, 500, 500, 200))
    const { id, secret } = await createEndpoint(gateway, liveKey, mine.url)
    await gateway.live.post(`${path}/${id}/test`, undefined, liveKey)
    const [first] = await untilOver(liveKey, id)
    const { id: deliveryId, event_id } = Object(first)

    const response = await resend(liveKey, deliveryId)

    await mine.until('webhook.test', 4)
    const [again] = await untilOver(liveKey, id)
    expect(response.status).toBe(202)
    expect(response.body).toMatchObject({ id: deliveryId, event_id, event_type: 'webhook.test' })
    expect(again).toMatchObject({ id: deliveryId, status: 'succeeded', attempt_count: 4 })
    for (const message of mine.received) expectGenuine(message, secret)
    expect(new Set(mine.received.map(({ body }) => body)).size).toBe(1)
    await mine.close()
  })

  test('refuses while the endpoint is disabled', async () => {
    const { liveKey } = await gateway.createAccount()
    const { id } = await createEndpoint(gateway, liveKey, receiver.url)
    await gateway.live.post(`${path}/${id}/test`, undefined, liveKey)
    const [delivery] = await untilOver(liveKey, id)
    await change(liveKey, id, { status: 'disabled' })

    const refused = await resend(liveKey, Object(delivery).id)

    expectError(gateway, refused, {
      status: 409,
      code: 'CONFLICT',
      message: 'This webhook endpoint is disabled.',
    })
    expect(Object((await deliveriesOf(liveKey, id)).body).items).toEqual([delivery])
  })

  test('hides deliveries of another account or environment, and of a deleted endpoint', async () => {
    const { liveKey, sandboxKey } = await gateway.createAccount()
    const { id } = await createEndpoint(gateway, liveKey, receiver.url)
    await gateway.live.post(`${path}/${id}/test`, undefined, liveKey)
    const [delivery] = await untilOver(liveKey, id)
    const { id: deliveryId } = Object(delivery)
    const stranger = await gateway.createAccount()

    const noDelivery = { ...noEndpoint, message: 'No delivery has this id.' }
    expectError(gateway, await resend(liveKey, newId('whd')), noDelivery)
    expectError(gateway, await resend(stranger.liveKey, deliveryId), noDelivery)
    const inSandbox = `${path}/deliveries/${deliveryId}/resend`
    const fromSandbox = await gateway.sandbox.post(inSandbox, undefined, sandboxKey)
    expect([fromSandbox.status, Object(fromSandbox.body).error.message]).toEqual([
      404,
      noDelivery.message,
    ])
    await remove(liveKey, id)
    expectError(gateway, await resend(liveKey, deliveryId), noDelivery)
  })
})

describe('a body with unknown members', () => {
  test.each([
    ['POST', ''],
    ['PATCH', '/{endpoint_id}'],
    ['POST', '/{endpoint_id}/rotate'],
  ])('is refused by %s /v1/account/webhooks%s, and changes nothing', async (method, below) => {
    const { liveKey } = await gateway.createAccount()
    const { id } = await createEndpoint(gateway, liveKey, url)
    const before = await gateway.live.get(path, liveKey)

    const body = { ...(below === '' ? { url } : {}), secret: 'whsec_mine', failing_since: null }
    const target = `${path}${below.replace('{endpoint_id}', id)}`
    const response = await gateway.live.request(target, { method, key: liveKey, body })

    expect(response.status).toBe(422)
    expect(Object(response.body).error.details).toEqual(
      ['secret', 'failing_since'].map((field) => ({
        ...{ field, in: 'body', message: 'is not known here' },
      })),
    )
    expect((await gateway.live.get(path, liveKey)).body).toEqual(before.body)
  })
})

describe('POST /v1/account/webhooks/{endpoint_id}/rotate', () => {
  const rotate = (key: string, id: string, body?: object) =>
    gateway.live.post(`${path}/${id}/rotate`, body, key)

  test('signs with both secrets during the overlap, and with the new one afterwards', async () => {
    const { liveKey } = await gateway.createAccount()
    const mine = await openReceiver()
    const { id, secret } = await createEndpoint(gateway, liveKey, mine.url)

    const overlapping = await rotate(liveKey, id, { overlap_seconds: 600 })
    await gateway.live.post(`${path}/${id}/test`, undefined, liveKey)
    const [both] = await mine.until('webhook.test')
    const alone = await rotate(liveKey, id, { overlap_seconds: 0 })
    await gateway.live.post(`${path}/${id}/test`, undefined, liveKey)
    const [, one] = await mine.until('webhook.test', 2)

    const second = Object(overlapping.body).secret
    const third = Object(alone.body).secret
    expect(overlapping.status).toBe(200)
    expect(overlapping.body).toEqual({
      ...{ ...endpoint, id, url: mine.url, secret: second },
      previous_secret_expires_at: instant,
    })
    expect(alone.body).toMatchObject({ previous_secret_expires_at: null })
    expect(new Set([secret, second, third]).size).toBe(3)
    if (!both || !one) throw new Error('Nothing came.')
    for (const valid of [secret, second]) expectGenuine(both, valid)
    expectGenuine(one, third)
    expect(String(one.headers['webhook-signature']).split(' ')).toHaveLength(1)
    expect(() => expectGenuine(one, second)).toThrow('No matching signature found')
    await mine.close()
  })

  test('overlaps for a day by default, and for a week at most', async () => {
    const { liveKey } = await gateway.createAccount()
    const { id } = await createEndpoint(gateway, liveKey, url)

    const { body } = await rotate(liveKey, id)
    const tooLong = await rotate(liveKey, id, { overlap_seconds: 604_801 })

    const left = Date.parse(Object(body).previous_secret_expires_at) - Date.now()
    expect(Math.round(left / 3_600_000)).toBe(24)
    expect(tooLong.status).toBe(422)
    expect(Object(tooLong.body).error.details).toEqual([
      {
        field: 'overlap_seconds',
        in: 'body',
        message: 'must be an integer from 0 to 604800',
      },
    ])
  })
})

describe('a change whose answer was lost', () => {
  const once = { reference: 'first', seconds: 600 }

  test('shows its retry the endpoint that it created, with its secret; a rotation happens once', async () => {
    const account = await graph.asAdmin('CreateAccount', {
      input: { name: 'Test', email: 'test@example.com' },
    })
    const caller = callerOf(Object(account).account.id)
    const asked = { url, events: [] }
    const create = () => graph.as('CreateWebhookEndpoint', { ...asked, once }, caller)
    const created = Object(await create())
    const again = await create()
    const rotation = { endpoint_id: created.id, overlap_seconds: 60 }
    const repeated = { ...rotation, once: { ...once, reference: 'second' } }
    const rotated = Object(await graph.as('RotateWebhookSecret', repeated, caller))
    const rotatedAgain = await graph.as('RotateWebhookSecret', repeated, caller)

    const listed = await graph.as('ListWebhookEndpoints', { limit: 50 }, caller)
    expect(again).toEqual(created)
    expect(rotatedAgain).toEqual(rotated)
    expect(rotated.secret).not.toBe(created.secret)
    expect(Object(listed).items).toHaveLength(1)
    await expect(
      graph.as('CreateWebhookEndpoint', { ...asked, events: ['key.created'], once }, caller),
    ).rejects.toThrow('was used before for another request')
  })

  test('shows its retry the endpoint that it deleted, with its address', async () => {
    const account = await graph.asAdmin('CreateAccount', {
      input: { name: 'Test', email: 'test@example.com' },
    })
    const caller = callerOf(Object(account).account.id)
    const created = Object(await graph.as('CreateWebhookEndpoint', { url, events: [] }, caller))
    const deletion = { endpoint_id: created.id, once }
    const deleted = await graph.as('DeleteWebhookEndpoint', deletion, caller)

    const again = await graph.as('DeleteWebhookEndpoint', deletion, caller)

    const { secret: _, ...shown } = created
    expect(deleted).toEqual(shown)
    expect(again).toEqual(shown)
    const [remembered] = await graph.database.query(
      `SELECT result FROM account.done_change WHERE account_id = $1`,
      [Object(account).account.id],
    )
    expect(JSON.stringify(remembered)).not.toContain('hooks.example.com')
  })
})

describe('a secret in the address of an endpoint', () => {
  /** `schema.table` of every row that has this text in it. */
  async function tablesWith(text: string): Promise<string[]> {
    const tables = await gateway.database.query<{ name: string }>(
      `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
       WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
    )
    const found: string[] = []
    for (const { name } of tables) {
      const sql = `SELECT 1 FROM ${name} AS t WHERE t::text LIKE '%' || $1 || '%' LIMIT 1`
      if ((await gateway.database.query(sql, [text])).length > 0) found.push(name)
    }
    return found
  }

  test('is sealed everywhere: in endpoints, deliveries, jobs, events, audit lines, remembered changes, stored answers and logs', async () => {
    const { liveKey, id: accountId } = await gateway.createAccount()
    const mine = await openReceiver((_, response) => response.writeHead(500).end())
    const canary = `canary${crypto.randomUUID().replaceAll('-', '')}`
    const secretUrl = `${mine.url}/${canary}`
    const asked = { url: secretUrl, events: ['key.created'] }
    const once = (reference: string) => ({
      'idempotency-key': `${reference} ${canary.slice(0, 8)}`,
    })
    const { id } = Object((await gateway.live.post(path, asked, liveKey, once('create'))).body)
    await gateway.live.request(`${path}/${id}`, {
      ...{ method: 'PATCH', key: liveKey, headers: once('change') },
      body: { url: `${secretUrl}/moved` },
    })
    await gateway.database.query(
      `UPDATE account.webhook_endpoint SET failing_since = now() - interval '121 hours',
         last_failed_at = now() - interval '1 hour' WHERE id = $1`,
      [id],
    )
    await gateway.live.post(`${path}/${id}/test`, undefined, liveKey)
    const [event] = await vi.waitUntil(async () => {
      const rows = await gateway.database.query<{ data: object }>(
        `SELECT data FROM account.event
         WHERE account_id = $1 AND type = 'webhook_endpoint.disabled'`,
        [accountId],
      )
      return rows.length > 0 ? rows : null
    }, patience)
    const kept = await tablesWith(canary)
    const removal = { method: 'DELETE', key: liveKey, headers: once('delete') }
    const removed = await gateway.live.request(`${path}/${id}`, removal)
    const again = await gateway.live.request(`${path}/${id}`, removal)

    const failing_since = instant
    const origin = new URL(mine.url).origin
    expect(event?.data).toEqual({ endpoint_id: id, origin, failing_since, reason: 'failing' })
    expect(Object(removed.body)).toMatchObject({ id, url: `${secretUrl}/moved` })
    expect([again.status, again.body]).toEqual([200, removed.body])
    expect(kept).toEqual([])
    expect(await tablesWith(canary)).toEqual([])
    expect(logged).toContain(accountId)
    expect(logged).not.toContain(canary)
    await mine.close()
  })
})

describe('events and deliveries', () => {
  test('that are pending are kept at any age while their endpoint is enabled', async () => {
    const account = await graph.asAdmin('CreateAccount', {
      input: { name: 'Test', email: 'test@example.com' },
    })
    const caller = callerOf(Object(account).account.id)
    const { id } = Object(await graph.as('CreateWebhookEndpoint', { url, events: [] }, caller))
    await graph.as('TestWebhookEndpoint', { endpoint_id: id }, caller)
    const old = newId('whd', Date.now() - 40 * 86_400_000)
    const countOld = async () =>
      (await graph.database.query('SELECT 1 FROM account.webhook_delivery WHERE id = $1', [old]))
        .length
    const setStatus = (status: WebhookEndpointStatus) =>
      graph.as('ChangeWebhookEndpoint', { endpoint_id: id, status }, caller)
    await graph.database.query(
      'UPDATE account.webhook_delivery SET id = $2 WHERE endpoint_id = $1',
      [id, old],
    )

    await graph.asService('ForgetEvents', { limit: 100 })
    const whileTried = await countOld()
    await setStatus('disabled')
    await graph.asService('ForgetEvents', { limit: 100 })

    expect([whileTried, await countOld()]).toEqual([1, 0])
  })

  test('are deleted after thirty days, as many at a time as asked, and no others', async () => {
    const account = await graph.asAdmin('CreateAccount', {
      input: { name: 'Test', email: 'test@example.com' },
    })
    const { id: accountId } = Object(account).account
    const daysAgo = (days: number) => Date.now() - days * 86_400_000
    const ages = [40, 35, 31, 29, 1]
    await graph.database.query(
      `WITH e AS (
         INSERT INTO account.event (id, account_id, environment, type, data)
         SELECT event_id, $1, 'live', 'credits.low', '{}' FROM unnest($2::text[]) AS event_id
       )
       INSERT INTO account.webhook_delivery (id, account_id, environment, endpoint_id, event_id,
         event_type, status, due_at)
       SELECT id, $1, 'live', 'whe_x', event_id, 'credits.low', 'succeeded', NULL
       FROM unnest($3::text[], $2::text[]) AS d (id, event_id)`,
      [
        accountId,
        ages.map((days) => newId('evt', daysAgo(days))),
        ages.map((days) => newId('whd', daysAgo(days))),
      ],
    )

    const first = await graph.asService('ForgetEvents', { limit: 2 })
    const then = await graph.asService('ForgetEvents', { limit: 2 })

    const [left] = await graph.database.query(
      `SELECT (SELECT count(*)::int FROM account.event WHERE account_id = $1) AS events,
         (SELECT count(*)::int FROM account.webhook_delivery WHERE account_id = $1) AS deliveries`,
      [accountId],
    )
    expect([first, then]).toEqual([2, 1])
    expect(left).toEqual({ events: 2, deliveries: 2 })
  })
})

describe('overview.webhooks', () => {
  const overviewOf = async (key: string) =>
    Object((await gateway.live.get('/v1/account/overview', key)).body).webhooks

  test('shows the share of arrived deliveries in seven days, and null without attempts', async () => {
    const { liveKey } = await gateway.createAccount()
    const broken = await openReceiver(answering(500, 500, 500, 500, 500, 500))
    const before = await overviewOf(liveKey)
    const { id } = await createEndpoint(gateway, liveKey, broken.url)
    const unused = await overviewOf(liveKey)

    for (const _ of [1, 2, 3, 4]) {
      await gateway.live.post(`${path}/${id}/test`, undefined, liveKey)
      await untilOver(liveKey, id)
    }

    const disable = { method: 'PATCH', key: liveKey, body: { status: 'disabled' } } as const
    await gateway.live.request(`${path}/${id}`, disable)
    expect(before).toEqual({ endpoints: 0, disabled: 0, delivery_rate: null })
    expect(unused).toEqual({ endpoints: 1, disabled: 0, delivery_rate: null })
    expect(await overviewOf(liveKey)).toEqual({ endpoints: 1, disabled: 1, delivery_rate: 0.75 })
    await broken.close()
  })
})
