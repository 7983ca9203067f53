import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import {
  webhookEvents,
  webhookEventTypes,
  webhookPayloadExample,
  webhookPayloadSchema,
} from '../../../schema/vocabulary/webhook-events.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  answering,
  createEndpoint,
  openReceiver,
  webhooksPath as path,
  webhookVariables,
} from '../../support/stubs/webhook-receiver.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  // One attempt, so that a refusal is the end.
  gateway = await startTestGateway({ ...webhookVariables, WEBHOOK_RETRY_SECONDS: '0' })
})
afterAll(() => gateway.close())

const hourMs = 3_600_000
const at = (ms: number) => new Date(Date.now() + ms).toISOString()
const noEndpoint = {
  ...{ status: 404, code: 'NOT_FOUND' },
  message: 'No webhook endpoint has this id.',
} as const

interface Delivery {
  readonly id: string
  readonly status: string
  readonly attempt_count: number
  readonly created_at: string
  readonly payload: object
}

async function deliveriesOf(key: string, id: string, query = ''): Promise<Delivery[]> {
  const { status, body } = await gateway.live.get(`${path}/${id}/deliveries${query}`, key)
  expect(status).toBe(200)
  return Object(body).items
}

/** Once there are so many, and nothing is pending. */
function untilOver(key: string, id: string, attempts: number): Promise<Delivery[]> {
  return vi.waitUntil(async () => {
    const items = await deliveriesOf(key, id)
    const isOver = items.every(({ status }) => status !== 'pending')
    const sum = items.reduce((total, { attempt_count }) => total + attempt_count, 0)
    return isOver && sum === attempts ? items : null
  }, patience)
}

async function sendTests(key: string, id: string, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 1) {
    const { status } = await gateway.live.post(`${path}/${id}/test`, undefined, key)
    expect(status).toBe(202)
  }
}

function resend(key: string, id: string, body: object, once?: string) {
  const headers: Record<string, string> = once ? { 'x-svc-idempotency-key': once } : {}
  return gateway.live.request(`${path}/${id}/resend`, { method: 'POST', key, body, headers })
}

/** Moves a delivery into the past. */
async function age(id: string, ms: number): Promise<string> {
  const past = newId('whd', Date.now() - ms)
  await gateway.database.query(
    `UPDATE account.webhook_delivery SET id = $2, created_at = created_at - make_interval(secs => $3)
     WHERE id = $1`,
    [id, past, ms / 1000],
  )
  return past
}

describe('GET /v1/account/webhook-events/{event_id}', () => {
  test('finds an event by the id of its messages, with its deliveries', async () => {
    const { liveKey } = await gateway.createAccount()
    const mine = await openReceiver()
    const { id: endpointId } = await createEndpoint(gateway, liveKey, mine.url)
    await sendTests(liveKey, endpointId, 1)
    const [delivery] = await untilOver(liveKey, endpointId, 1)
    const [message] = mine.received

    const found = await gateway.live.get(`/v1/account/webhook-events/${message?.id}`, liveKey)

    expect([found.status, found.body]).toEqual([
      200,
      {
        ...{ id: message?.id, type: 'webhook.test', created_at: expect.stringMatching(/Z$/) },
        deliveries: [{ id: delivery?.id, endpoint_id: endpointId, status: 'succeeded' }],
      },
    ])
    await mine.close()
  })

  test("hides another account's event behind NOT_FOUND", async () => {
    const [one, other] = [await gateway.createAccount(), await gateway.createAccount()]
    const mine = await openReceiver()
    const { id } = await createEndpoint(gateway, other.liveKey, mine.url)
    await sendTests(other.liveKey, id, 1)
    await untilOver(other.liveKey, id, 1)

    for (const event of [mine.received[0]?.id, newId('evt')]) {
      expectError(
        gateway,
        await gateway.live.get(`/v1/account/webhook-events/${event}`, one.liveKey),
        {
          ...{ status: 404, code: 'NOT_FOUND', message: 'No event has this id.' },
        },
      )
    }
    await mine.close()
  })
})

describe('GET /v1/account/webhooks/{endpoint_id}/deliveries/{delivery_id}', () => {
  const one = (key: string, endpointId: string, id: string) =>
    gateway.live.get(`${path}/${endpointId}/deliveries/${id}`, key)

  test('finds a delivery, as the list shows it', async () => {
    const { liveKey } = await gateway.createAccount()
    const mine = await openReceiver()
    const { id: endpointId } = await createEndpoint(gateway, liveKey, mine.url)
    await sendTests(liveKey, endpointId, 2)
    const [, older] = await untilOver(liveKey, endpointId, 2)

    const found = await one(liveKey, endpointId, String(older?.id))

    const listed = await gateway.live.get(`${path}/${endpointId}/deliveries`, liveKey)
    expect([found.status, found.body]).toEqual([200, Object(listed.body).items[1]])
    expect(found.body).toMatchObject({ id: older?.id, status: 'succeeded' })
    await mine.close()
  })

  test('hides that of another endpoint, and of another account, behind NOT_FOUND', async () => {
    const [owner, stranger] = [await gateway.createAccount(), await gateway.createAccount()]
    const mine = await openReceiver()
    const { id } = await createEndpoint(gateway, owner.liveKey, mine.url)
    const other = await createEndpoint(gateway, owner.liveKey, mine.url)
    await sendTests(owner.liveKey, id, 1)
    const [delivery] = await untilOver(owner.liveKey, id, 1)

    for (const [key, endpointId, asked, message] of [
      [stranger.liveKey, id, delivery?.id, 'No webhook endpoint has this id.'],
      [owner.liveKey, other.id, delivery?.id, 'No delivery has this id.'],
      [owner.liveKey, id, newId('whd'), 'No delivery has this id.'],
    ] as const) {
      const answer = await one(key, endpointId, String(asked))
      expectError(gateway, answer, { status: 404, code: 'NOT_FOUND', message })
    }
    await mine.close()
  })
})

describe('POST /v1/account/webhooks/{endpoint_id}/resend', () => {
  test('sends what was queued in the span again, the same bytes, and nothing else', async () => {
    const { liveKey } = await gateway.createAccount()
    const mine = await openReceiver()
    const { id } = await createEndpoint(gateway, liveKey, mine.url)
    const other = await createEndpoint(gateway, liveKey, mine.url, { events: ['sandbox.reset'] })
    await sendTests(liveKey, other.id, 1)
    await untilOver(liveKey, other.id, 1)
    await sendTests(liveKey, id, 3)
    const [, , oldest] = await untilOver(liveKey, id, 3)
    const old = await age(oldest?.id ?? '', 3 * hourMs)

    const { status, body } = await resend(liveKey, id, { from: at(-hourMs), to: at(hourMs) })

    const after = await untilOver(liveKey, id, 5)
    expect([status, body]).toEqual([202, { deliveries: 2 }])
    expect(after.map(({ attempt_count }) => attempt_count)).toEqual([2, 2, 1])
    expect(after.at(-1)?.id).toBe(old)
    expect(await deliveriesOf(liveKey, other.id)).toMatchObject([{ attempt_count: 1 }])
    const bodies = Map.groupBy(mine.received, ({ id: event }) => event)
    for (const same of bodies.values()) expect(new Set(same.map((one) => one.body)).size).toBe(1)
    await mine.close()
  })

  test('takes only deliveries of a status, and an end of the span is not in it', async () => {
    const { liveKey } = await gateway.createAccount()
    const mine = await openReceiver(answering(500, 500, 204))
    const { id } = await createEndpoint(gateway, liveKey, mine.url)
    await sendTests(liveKey, id, 1)
    const [failed] = await untilOver(liveKey, id, 2)
    await sendTests(liveKey, id, 1)
    await untilOver(liveKey, id, 3)
    if (!failed) throw new Error('There is no delivery.')
    const [from, to] = [failed.created_at, at(hourMs)]

    const before = await resend(liveKey, id, { from: at(-hourMs), to: from })
    const of = await resend(liveKey, id, { from, to, status: 'failed' })

    const after = await untilOver(liveKey, id, 4)
    expect([before.status, before.body]).toEqual([202, { deliveries: 0 }])
    expect([of.status, of.body]).toEqual([202, { deliveries: 1 }])
    expect(after).toMatchObject([
      { status: 'succeeded', attempt_count: 1 },
      { id: failed.id, status: 'succeeded', attempt_count: 3 },
    ])
    await mine.close()
  })

  test('happens once for an idempotency key, and leaves one line in the audit trail', async () => {
    const { liveKey } = await gateway.createAccount()
    const mine = await openReceiver()
    const { id } = await createEndpoint(gateway, liveKey, mine.url)
    await sendTests(liveKey, id, 2)
    await untilOver(liveKey, id, 2)
    const span = { from: at(-hourMs), to: at(hourMs), status: 'succeeded' }

    const first = await resend(liveKey, id, span, 'again')
    await untilOver(liveKey, id, 4)
    const second = await resend(liveKey, id, span, 'again')
    const changed = await resend(liveKey, id, { ...span, status: 'failed' }, 'again')

    expect([first.status, first.body]).toEqual([202, { deliveries: 2 }])
    expect([second.status, second.body]).toEqual([202, { deliveries: 2 }])
    expect(changed.status).toBe(422)
    expect(mine.received).toHaveLength(4)
    const lines = await vi.waitUntil(async () => {
      const trail = '/v1/account/audit/events?action=webhook.resend&result=succeeded'
      const { body } = await gateway.live.get(trail, liveKey)
      const { items } = Object(body)
      return items.length > 0 ? items : null
    }, patience)
    expect(lines).toMatchObject([{ resource_id: id, details: { ...span, deliveries: 2 } }])
    expect(lines).toHaveLength(1)
    await mine.close()
  })

  test('refuses more than 10,000 deliveries, and then sends none of them', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const { id } = await createEndpoint(gateway, liveKey, 'https://hooks.invalid/')
    await gateway.database.query(
      `INSERT INTO account.webhook_delivery
         (id, account_id, environment, endpoint_id, event_id, event_type, status, due_at)
       SELECT 'whd_' || substr($1, 5, 21) || lpad(n::text, 5, '0'), $2, 'live', $3, 'evt_none',
         'webhook.test', 'failed', NULL
       FROM generate_series(1, 10001) n`,
      [newId('whd'), accountId, id],
    )
    const span = { from: at(-hourMs), to: at(hourMs) }
    const tooMany = 'must be earlier: more than 10000 deliveries fit'

    const refused = await resend(liveKey, id, span)

    expectError(gateway, refused, {
      ...{ status: 422, code: 'INVALID_REQUEST' },
      message: `to: ${tooMany}`,
      details: [{ field: 'to', in: 'body', message: tooMany }],
    })
    const [left] = await gateway.database.query(
      `SELECT count(*)::int AS failed FROM account.webhook_delivery
       WHERE endpoint_id = $1 AND status = 'failed'`,
      [id],
    )
    expect(left).toEqual({ failed: 10_001 })
  })

  test('refuses while the endpoint is disabled, and hides endpoints of others', async () => {
    const { liveKey, sandboxKey } = await gateway.createAccount()
    const stranger = await gateway.createAccount()
    const { id } = await createEndpoint(gateway, liveKey, 'https://hooks.invalid/')
    const span = { from: at(-hourMs), to: at(0) }

    expectError(gateway, await resend(stranger.liveKey, id, span), noEndpoint)
    expectError(gateway, await resend(liveKey, newId('whe'), span), noEndpoint)
    const inSandbox = await gateway.sandbox.post(`${path}/${id}/resend`, span, sandboxKey)
    expect(inSandbox.status).toBe(404)
    const change = { method: 'PATCH', key: liveKey, body: { status: 'disabled' } }
    expect((await gateway.live.request(`${path}/${id}`, change)).status).toBe(200)
    expectError(gateway, await resend(liveKey, id, span), {
      ...{ status: 409, code: 'CONFLICT', message: 'This webhook endpoint is disabled.' },
    })
  })

  test.each([
    ['nothing', {}, ['from', 'to']],
    [
      'an unknown member',
      { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z', secret: '' },
      ['secret'],
    ],
    ['no end', { from: '2026-01-01T00:00:00Z' }, ['to']],
    ['an empty span', { from: '2026-01-02T00:00:00Z', to: '2026-01-02T00:00:00Z' }, ['to']],
    ['a date', { from: '2026-01-01', to: '2026-01-02T00:00:00Z' }, ['from']],
    [
      'an unknown status',
      { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z', status: 'lost' },
      ['status'],
    ],
  ])('422: refuses %s', async (_, body, fields) => {
    const { liveKey } = await gateway.createAccount()
    const { id } = await createEndpoint(gateway, liveKey, 'https://hooks.invalid/')

    const refused = await resend(liveKey, id, body)

    expect(refused.status).toBe(422)
    const { details } = Object(refused.body).error
    expect(details.map(({ field }: { field: string }) => field)).toEqual(fields)
  })
})

describe('GET /v1/account/webhooks/{endpoint_id}/deliveries', () => {
  test('shows the message of each delivery as the receiver got it, and only a status if asked', async () => {
    const { liveKey } = await gateway.createAccount()
    const mine = await openReceiver(answering(500, 500, 204))
    const { id } = await createEndpoint(gateway, liveKey, mine.url)
    await sendTests(liveKey, id, 1)
    await untilOver(liveKey, id, 2)
    await sendTests(liveKey, id, 1)

    const [arrived, failed] = await untilOver(liveKey, id, 3)

    const messages = mine.received.map(({ body }): unknown => JSON.parse(body))
    expect(arrived?.payload).toEqual(messages.at(-1))
    expect(failed?.payload).toEqual(messages[0])
    expect(await deliveriesOf(liveKey, id, '?status=failed')).toEqual([failed])
    expect(await deliveriesOf(liveKey, id, '?status=succeeded')).toEqual([arrived])
    expect(await deliveriesOf(liveKey, id, '?status=pending')).toEqual([])
    const oneOf = 'must be pending, succeeded or failed'
    const refused = await gateway.live.get(`${path}/${id}/deliveries?status=lost`, liveKey)
    expectError(gateway, refused, {
      ...{ status: 422, code: 'INVALID_REQUEST' },
      message: `status: ${oneOf}`,
      details: [{ field: 'status', in: 'query', message: oneOf }],
    })
    await mine.close()
  })
})

describe('GET /v1/account/webhooks/event-types', () => {
  test('has every type of event, with an example that is a valid message', async () => {
    const { liveKey } = await gateway.createAccount()

    const { status, body } = await gateway.live.get(`${path}/event-types`, liveKey)

    expect(status).toBe(200)
    expect(body).toEqual({
      items: webhookEventTypes.map((type) => ({
        ...{ type, description: webhookEvents[type].description },
        ...{ version: webhookEvents[type].version, example_payload: webhookPayloadExample(type) },
      })),
    })
    for (const { type, example_payload } of Object(body).items) {
      expect(webhookPayloadSchema(type).parse(example_payload)).toEqual(example_payload)
    }
  })
})
