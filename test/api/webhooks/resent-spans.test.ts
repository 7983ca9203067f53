import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  createEndpoint,
  openReceiver,
  webhooksPath as path,
  type WebhookReceiver,
  webhookVariables,
} from '../../support/stubs/webhook-receiver.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
let mine: WebhookReceiver
beforeAll(async () => {
  mine = await openReceiver()
  // One attempt, so that each delivery counts how often it was sent again.
  gateway = await startTestGateway({ ...webhookVariables, WEBHOOK_RETRY_SECONDS: '0' })
})
afterAll(async () => {
  await gateway.close()
  await mine.close()
})

const hourMs = 3_600_000
const sliceSize = 200
const running = {
  ...{ status: 409, code: 'CONFLICT' },
  message:
    'Deliveries of a span are being sent to this webhook endpoint again. Try again when that is done.',
} as const

interface Planted {
  readonly accountId: string
  readonly key: string
  readonly id: string
}

/** An endpoint with so many deliveries that have failed. */
async function plant(count: number): Promise<Planted> {
  const { id: accountId, liveKey: key } = await gateway.createAccount()
  const { id } = await createEndpoint(gateway, key, mine.url)
  await plantDeliveries({ accountId, key, id }, count)
  return { accountId, key, id }
}

async function plantDeliveries({ accountId, id }: Planted, count: number): Promise<void> {
  const event = newId('evt')
  await gateway.database.query(
    `INSERT INTO account.event (id, account_id, environment, type, data)
     VALUES ($1, $2, 'live', 'webhook.test', '{}')`,
    [event, accountId],
  )
  await gateway.database.query(
    `INSERT INTO account.webhook_delivery
       (id, account_id, environment, endpoint_id, event_id, event_type, status, due_at)
     SELECT substr($1, 1, 25) || lpad(n::text, 5, '0'), $2, 'live', $3, $4, 'webhook.test',
       'failed', NULL
     FROM generate_series(1, $5::int) n`,
    [newId('whd'), accountId, id, event, count],
  )
}

function resend({ key, id }: Planted, body: object = {}) {
  const at = (ms: number) => new Date(Date.now() + ms).toISOString()
  return gateway.live.post(
    `${path}/${id}/resend`,
    { from: at(-hourMs), to: at(hourMs), ...body },
    key,
  )
}

function change({ key, id }: Planted, status: string) {
  return gateway.live.request(`${path}/${id}`, { method: 'PATCH', key, body: { status } })
}

/** The deliveries of an endpoint, counted by status and number of attempts. */
async function triedOf({ id }: Planted): Promise<Record<string, number>> {
  const rows = await gateway.database.query<{ kind: string; count: number }>(
    `SELECT status || ' ' || attempt_count AS kind, count(*)::int FROM account.webhook_delivery
     WHERE endpoint_id = $1 GROUP BY 1`,
    [id],
  )
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]))
}

/** Each attempt succeeds. */
function untilTried(endpoint: Planted, tried: Record<string, number>) {
  return vi.waitFor(async () => expect(await triedOf(endpoint)).toEqual(tried), patience)
}

/** Keeps another transaction from changing the nth delivery of an endpoint until it is called. */
async function hold({ id }: Planted, nth: number): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: gateway.database.ownerUrl })
  await client.connect()
  await client.query("SET gateway.account_id = '*'")
  await client.query('BEGIN')
  await client.query(
    `SELECT id FROM account.webhook_delivery WHERE id = (
       SELECT id FROM account.webhook_delivery WHERE endpoint_id = $1
       ORDER BY id OFFSET $2 LIMIT 1) FOR UPDATE`,
    [id, nth - 1],
  )
  let isHeld = true
  const release = async () => {
    if (!isHeld) return
    isHeld = false
    await client.query('ROLLBACK')
    await client.end()
  }
  onTestFinished(release)
  return release
}

interface Span {
  readonly id: string
  /** How many deliveries are done. */
  readonly place: number
}

/** The span that is being sent to an endpoint. */
async function spanOf({ id }: Planted): Promise<Span | null> {
  const [span] = await gateway.database.query<Span>(
    'SELECT id, place FROM account.webhook_resend WHERE endpoint_id = $1',
    [id],
  )
  return span ?? null
}

/** Once the first slice was sent again, and the second one waits. */
function untilSecondSlice(endpoint: Planted): Promise<Span> {
  return vi.waitUntil(async () => {
    const span = await spanOf(endpoint)
    return span?.place === sliceSize ? span : null
  }, patience)
}

function untilNoSpan(endpoint: Planted) {
  return vi.waitFor(async () => expect(await spanOf(endpoint)).toBe(null), patience)
}

describe('POST /v1/account/webhooks/{endpoint_id}/resend', () => {
  test('answers without waiting for a delivery that is locked, and a job sends each delivery once', async () => {
    const endpoint = await plant(sliceSize + 20)
    const release = await hold(endpoint, 1)

    const { status, body } = await resend(endpoint, { status: 'failed' })

    expect([status, body]).toEqual([202, { deliveries: sliceSize + 20 }])
    await release()
    await untilTried(endpoint, { 'succeeded 1': sliceSize + 20 })
  })

  test('refuses a second span of the endpoint until the first is done, and serves other endpoints meanwhile', async () => {
    const endpoint = await plant(sliceSize + 1)
    const other = { ...endpoint, ...(await createEndpoint(gateway, endpoint.key, mine.url)) }
    await plantDeliveries(other, 3)
    const stranger = await plant(3)
    const release = await hold(endpoint, sliceSize + 1)
    expect((await resend(endpoint)).status).toBe(202)
    await untilSecondSlice(endpoint)

    const refused = await Promise.all(Array.from({ length: 20 }, () => resend(endpoint)))

    for (const one of refused) expectError(gateway, one, running)
    for (const served of [other, stranger]) {
      const { status, body } = await resend(served)
      expect([status, body]).toEqual([202, { deliveries: 3 }])
      await untilTried(served, { 'succeeded 1': 3 })
    }
    await release()
    await untilTried(endpoint, { 'succeeded 1': sliceSize + 1 })
    const again = await vi.waitUntil(async () => {
      const answer = await resend(endpoint)
      return answer.status === 409 ? null : answer
    }, patience)
    expect([again.status, again.body]).toEqual([202, { deliveries: sliceSize + 1 }])
  })

  test('lets one of many requests at once through', async () => {
    const endpoint = await plant(sliceSize + 1)
    const release = await hold(endpoint, sliceSize + 1)

    const answers = await Promise.all(Array.from({ length: 12 }, () => resend(endpoint)))

    const statuses = answers.map(({ status }) => status).sort((a, b) => a - b)
    expect(statuses).toEqual([202, ...Array.from({ length: 11 }, () => 409)])
    await release()
    await untilTried(endpoint, { 'succeeded 1': sliceSize + 1 })
  })

  test('sends each delivery once when its job is done again, as after the end of a process', async () => {
    const endpoint = await plant(2 * sliceSize + 1)
    const release = await hold(endpoint, sliceSize + 1)
    expect((await resend(endpoint)).status).toBe(202)
    const span = await untilSecondSlice(endpoint)
    for (const place of [0, 0, sliceSize, sliceSize, 2 * sliceSize]) {
      const { accountId, id: endpointId } = endpoint
      const variables = { accountId, endpointId, id: span.id, place }
      await gateway.database.query(`SELECT jobs.enqueue('ResendWebhookSlice', $1, now())`, [
        variables,
      ])
    }

    await release()

    await untilTried(endpoint, { 'succeeded 1': 2 * sliceSize + 1 })
    await untilNoSpan(endpoint)
    expect(await triedOf(endpoint)).toEqual({ 'succeeded 1': 2 * sliceSize + 1 })
  })

  test('parks what is left while the endpoint is disabled, and sends it once it is enabled', async () => {
    const endpoint = await plant(sliceSize + 10)
    const release = await hold(endpoint, sliceSize + 1)
    expect((await resend(endpoint)).status).toBe(202)
    await untilSecondSlice(endpoint)
    expect((await change(endpoint, 'disabled')).status).toBe(200)

    await release()

    await untilNoSpan(endpoint)
    const [left] = await gateway.database.query(
      `SELECT count(*)::int AS due FROM account.webhook_delivery
       WHERE endpoint_id = $1 AND attempt_count = 0 AND due_at IS NOT NULL`,
      [endpoint.id],
    )
    expect(left).toEqual({ due: 0 })
    expect((await change(endpoint, 'enabled')).status).toBe(200)
    await untilTried(endpoint, { 'succeeded 1': sliceSize + 10 })
  })

  test('ends with its endpoint', async () => {
    const endpoint = await plant(sliceSize + 10)
    const release = await hold(endpoint, sliceSize + 1)
    expect((await resend(endpoint)).status).toBe(202)
    await untilSecondSlice(endpoint)
    const { key, id } = endpoint
    const deleted = await gateway.live.request(`${path}/${id}`, { method: 'DELETE', key })
    expect(deleted.status).toBe(200)

    await release()

    await untilNoSpan(endpoint)
    const tried = await triedOf(endpoint)
    expect(tried['failed 0']).toBe(10)
  })
})
