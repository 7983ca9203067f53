import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { openTestGraph } from '../../support/database/graph.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { messageTo, startReceiver, startSender } from '../../support/stubs/receivers.ts'
import {
  createEndpoint,
  openReceiver,
  webhooksPath as path,
  webhookVariables,
} from '../../support/stubs/webhook-receiver.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({
    ...webhookVariables,
    ...{ WEBHOOK_RETRY_SECONDS: '0', WEBHOOK_KEEP_LOOPBACK_ANSWERS: 'true' },
  })
})
afterAll(() => gateway.close())

interface Attempt {
  readonly request_headers: Readonly<Record<string, string>> | null
  readonly response_text: string | null
  readonly status_code: number | null
}

interface Delivery {
  readonly id: string
  readonly event_type: string
  readonly status: string
  readonly attempts: readonly Attempt[]
}

async function deliveriesOf(key: string, id: string, query = ''): Promise<Delivery[]> {
  const { status, body } = await gateway.live.get(`${path}/${id}/deliveries${query}`, key)
  expect(status).toBe(200)
  return Object(body).items
}

function untilOver(key: string, id: string): Promise<Delivery[]> {
  return vi.waitUntil(async () => {
    const items = await deliveriesOf(key, id)
    return items.length > 0 && items.every(({ status }) => status !== 'pending') ? items : null
  }, patience)
}

/** An endpoint whose receiver answers so, and a test event that has been sent there. */
async function delivered(status: number, answer: string | Buffer) {
  const account = await gateway.createAccount()
  const receiver = await openReceiver((_, response) => {
    response.writeHead(status, { 'x-secret-header': 'hidden' }).end(answer)
  })
  const { id } = await createEndpoint(gateway, account.liveKey, receiver.url)
  const sent = await gateway.live.post(`${path}/${id}/test`, undefined, account.liveKey)
  expect(sent.status).toBe(202)
  const [delivery] = await untilOver(account.liveKey, id)
  await receiver.close()
  if (!delivery) throw new Error('There is no delivery.')
  return { ...account, endpointId: id, delivery, received: receiver.received }
}

async function keyWith(key: string, scopes: readonly string[]): Promise<string> {
  const { status, body } = await gateway.live.post('/v1/account/keys', { name: 'A', scopes }, key)
  expect(status).toBe(201)
  return Object(body).plaintext
}

describe('an attempt of a delivery', () => {
  test('shows the headers that were sent, without the signature', async () => {
    const { delivery, received } = await delivered(204, '')

    const { 'webhook-signature': signature, ...sent } = received[0]?.headers ?? {}
    expect(signature).toMatch(/^v1,/)
    expect(delivery.attempts[0]?.request_headers).toEqual(sent)
  })

  test('shows the text of the answer and none of its headers, to callers with webhooks:write alone', async () => {
    const { liveKey, endpointId, delivery } = await delivered(
      500,
      '{"error":"no such table: orders"}',
    )

    expect(delivery.attempts).toMatchObject([
      { status_code: 500, response_text: '{"error":"no such table: orders"}' },
      { status_code: 500, response_text: '{"error":"no such table: orders"}' },
    ])
    expect(JSON.stringify(delivery)).not.toContain('hidden')
    const tests = '?event_type=webhook.test'
    const reads = await keyWith(liveKey, ['webhooks:read'])
    const reading = await deliveriesOf(reads, endpointId, tests)
    expect(reading[0]?.attempts).toMatchObject([{ response_text: null }, { response_text: null }])
    const writing = await keyWith(liveKey, ['webhooks:read', 'webhooks:write'])
    expect(await deliveriesOf(writing, endpointId, tests)).toEqual([delivery])
  })

  test('has at most 1 KiB of it, without control characters and without half of a character', async () => {
    const cut = await delivered(400, `${'x'.repeat(1023)}€ and more`)
    const controlled = await delivered(400, 'one\r\ntwo\u0000\u001b[31mthree\u202efour')
    const binary = await delivered(400, Buffer.from([0xff, 0x41]))

    const texts = [cut, controlled, binary].map(
      ({ delivery }) => delivery.attempts[0]?.response_text,
    )
    expect(texts).toEqual(['x'.repeat(1023), 'one two [31mthree four', '\ufffdA'])
  })

  test('keeps the text sealed, and for seven days', async () => {
    const { liveKey, endpointId, delivery } = await delivered(404, 'receiver-canary')
    const where = [delivery.id]

    const rows = await gateway.database.query<{ sealed_text: string }>(
      'SELECT sealed_text FROM account.webhook_answer WHERE delivery_id = $1',
      where,
    )
    const [stored] = await gateway.database.query(
      'SELECT d::text AS row FROM account.webhook_delivery d WHERE id = $1',
      where,
    )
    expect(rows).toHaveLength(2)
    expect(JSON.stringify([rows, stored])).not.toContain('receiver-canary')
    await gateway.database.query(
      `UPDATE account.webhook_answer SET created_at = now() - interval '7 days'
       WHERE delivery_id = $1`,
      where,
    )
    const [old] = await deliveriesOf(liveKey, endpointId)
    expect(old?.attempts.map(({ response_text }) => response_text)).toEqual([null, null])
  })

  test('forgets the text after seven days, and the delivery later', async () => {
    const graph = await openTestGraph()
    const input = { name: 'Answers', email: 'answers@example.com' }
    const { id: owner } = Object(await graph.asAdmin('CreateAccount', { input })).account
    const id = newId('whd')
    await graph.database.query(
      `INSERT INTO account.webhook_answer (account_id, delivery_id, attempt, sealed_text, created_at)
       SELECT $1, $2, n, 'sealed', now() - make_interval(days => n) FROM unnest('{6,7,8}'::int[]) n`,
      [owner, id],
    )

    const forgotten = await graph.asService('ForgetEvents', { limit: 10 })

    const left = await graph.database.query('SELECT attempt FROM account.webhook_answer')
    expect([forgotten, left]).toEqual([2, [{ attempt: 6 }]])
    await graph.close()
  })
})

describe('GET /v1/account/webhooks/{endpoint_id}/deliveries', () => {
  test('filters by the type of the event, also with a state', async () => {
    const { liveKey, endpointId, delivery } = await delivered(500, '')
    await keyWith(liveKey, ['webhooks:read'])
    await vi.waitUntil(async () => (await deliveriesOf(liveKey, endpointId)).length === 2, patience)
    await untilOver(liveKey, endpointId)

    const types = async (query: string) =>
      (await deliveriesOf(liveKey, endpointId, query)).map(({ event_type }) => event_type)

    expect(await types('?event_type=webhook.test')).toEqual(['webhook.test'])
    expect(await types('?event_type=key.created&status=failed')).toEqual(['key.created'])
    expect(await types('?event_type=key.created&status=succeeded')).toEqual([])
    expect(await types('?event_type=key.revoked')).toEqual([])
    expect(delivery.event_type).toBe('webhook.test')
    const bad = await gateway.live.get(`${path}/${endpointId}/deliveries?event_type=no`, liveKey)
    expect([bad.status, Object(bad.body).error.details[0].field]).toEqual([422, 'event_type'])
  })
})

describe('GET /v1/account/webhooks', () => {
  test('shows the share of deliveries that arrived, and the days of them', async () => {
    const failed = await delivered(500, '')
    const arrived = await delivered(200, '')

    const listed = await Promise.all(
      [failed, arrived].map(async ({ liveKey }) =>
        Object((await gateway.live.get(path, liveKey)).body).items.at(0),
      ),
    )

    const day = expect.stringMatching(/^\d{4}-\d\d-\d\d$/)
    expect(listed).toMatchObject([
      { delivery_rate: 0, delivery_days: [{ day, tried: 1, arrived: 0 }] },
      { delivery_rate: 1, delivery_days: [{ day, tried: 1, arrived: 1 }] },
    ])
  })
})

describe('the sender', () => {
  test('returns nothing of an answer from loopback, and no headers where nothing was sent', async () => {
    const receiver = await startReceiver((response) => response.writeHead(500).end('inside'))
    const sender = startSender({ allowsLoopback: true })

    const inside = await sender.send(messageTo(receiver.url))
    const refused = await startSender({}).send(messageTo('https://10.0.0.1/'))

    expect(inside).toMatchObject({
      ...{ status: 500, responseText: null },
      requestHeaders: { 'content-type': 'application/json' },
    })
    expect(refused).toMatchObject({
      ...{ failure: 'forbidden address', requestHeaders: null, responseText: null },
    })
  })
})
