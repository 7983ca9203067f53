import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { latencyMsOfStep } from '../../../subgraphs/usage/series/latency-steps.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { callerOf } from '../../support/database/planted-tenant.ts'
import { usageEntryOf, usageWriterOf } from '../../support/database/usage-entries.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'

const path = '/v1/account/usage/summary'

/** Where nothing was asked, a series has 0. */
const isUsed = ({ requests }: { readonly requests: number }) => requests > 0

describe('GET /v1/account/usage/summary', () => {
  let gateway: TestGateway
  let account: TestAccount
  beforeAll(async () => {
    gateway = await startTestGateway()
    account = await gateway.createAccount()
  })
  afterAll(() => gateway.close())

  test("counts today's requests by service, once they are answered", async () => {
    const { liveKey } = await gateway.createAccount({ credits: 7 })
    const reveal = () => gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey)
    const answers = [await reveal(), await reveal(), await gateway.live.get('/v1/account', liveKey)]

    const { status, body } = await gateway.live.get(path, liveKey)

    expect(answers.map((answer) => answer.status)).toEqual([200, 402, 200])
    const latency = expect.toSatisfy((ms) => Number.isInteger(ms) && ms >= 0)
    const rest = { latency_p50_ms: latency, latency_p95_ms: latency, endpoint: null }
    const { from, to } = Object(body)
    const today = new Date(Date.parse(to) - 86_400_000).toISOString()
    const days = Array.from({ length: 30 }, (_, index) =>
      new Date(Date.parse(from) + index * 86_400_000).toISOString(),
    )
    const none = { ...rest, requests: 0, credits: 0, success_rate: 1 }
    const unused = { ...none, latency_p50_ms: 0, latency_p95_ms: 0 }
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        ...{ interval: 'day', group_by: 'service', from, to },
        items: [
          ...days.flatMap((start) => [
            { ...unused, start, service: 'account' },
            { ...unused, start, service: 'contacts' },
          ]),
          { ...rest, start: today, service: 'account', requests: 1, credits: 0, success_rate: 1 },
          {
            ...{ ...rest, start: today, service: 'contacts' },
            ...{ requests: 2, credits: 5, success_rate: 0.5 },
          },
        ],
      },
    })
    expect(today).toMatch(/T00:00:00\.000Z$/)
    expect(Date.parse(today) - Date.parse(from)).toBe(30 * 86_400_000)
  })

  test('names endpoints by their template, whatever ids were requested', async () => {
    const { liveKey } = await gateway.createAccount()
    for (const id of ['con_1', 'con_2', 'con_3']) {
      await gateway.live.get(`/v1/contacts/${id}`, liveKey)
    }
    await gateway.live.get(`/v1/account/keys/${newId('key')}`, liveKey)
    await gateway.live.get('/v1/account', liveKey)
    await gateway.live.get('/v1/oauth/userinfo', liveKey)

    const { body } = await gateway.live.get(`${path}?group_by=endpoint&interval=hour`, liveKey)

    const items = Object(body).items.map(
      ({ endpoint, service, requests }: Record<string, unknown>) => [endpoint, service, requests],
    )
    // The hour may have ended in between; then there are two of them.
    expect(new Map(items.map((item: unknown[]) => [item[0], item[1]]))).toEqual(
      new Map([
        ['GET /v1/account', 'account'],
        ['GET /v1/account/keys/{key_id}', 'keys'],
        ['GET /v1/contacts/{contact_id}', 'contacts'],
        ['GET /v1/oauth/userinfo', 'oauth'],
      ]),
    )
  })

  test('shows a month by the hour whole, with the length of its text, although it is sent in parts', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const hours = 31 * 24
    const begin = Date.parse('2026-03-01T00:00:00Z')
    await gateway.database.query(
      `INSERT INTO usage.usage_service
       SELECT $1, 'live', 'hour', timestamptz '2026-03-01Z' + h * interval '1 hour', service,
         2 * (h + 1), 2 * h, 4, usage.count_steps(step, h + 1)
       FROM generate_series(0, $2::int - 1) h, unnest(ARRAY['contacts', 'seo']) service,
         unnest(ARRAY[10, 20]::smallint[]) step
       GROUP BY h, service`,
      [id, hours],
    )
    const span = 'from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z'

    const { status, headers, body } = await gateway.live.get(
      `${path}?interval=hour&${span}`,
      liveKey,
    )

    const items = Array.from({ length: hours }, (_, hour) =>
      ['contacts', 'seo'].map((service) => ({
        ...{ start: new Date(begin + hour * 3_600_000).toISOString(), service, endpoint: null },
        ...{ requests: 2 * (hour + 1), credits: 4, success_rate: hour / (hour + 1) },
        latency_p50_ms: latencyMsOfStep(10),
        latency_p95_ms: latencyMsOfStep(20),
      })),
    ).flat()
    const from = '2026-03-01T00:00:00.000Z'
    const to = '2026-04-01T00:00:00.000Z'
    expect(status).toBe(200)
    expect(body).toEqual({ interval: 'hour', group_by: 'service', from, to, items })
    expect(headers.get('content-length')).toBe(String(JSON.stringify(body).length))
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  test('refuses a span with more points than it shows, and reads no more than those', async () => {
    const { id, liveKey } = await gateway.createAccount()
    await gateway.database.query(
      `INSERT INTO usage.usage_endpoint
       SELECT $1, 'live', 'hour', timestamptz '2026-03-01Z' + h * interval '1 hour', 'seo',
         'GET /v1/seo/' || e, 1, 1, 0, '{0,1}'
       FROM generate_series(0, 743) h, generate_series(1, 50) e`,
      [id],
    )
    const query = 'interval=hour&group_by=endpoint&from=2026-03-01T00:00:00Z'

    const refused = await gateway.live.get(`${path}?${query}&to=2026-04-01T00:00:00Z`, liveKey)
    const shown = await gateway.live.get(`${path}?${query}&to=2026-03-09T00:00:00Z`, liveKey)

    expectError(gateway, refused, {
      ...{ status: 422, code: 'INVALID_REQUEST' },
      details: [
        { field: 'from', in: 'query', message: 'must be later: more than 10000 points fit' },
      ],
    })
    expect(shown.status).toBe(200)
    expect(Object(shown.body).items).toHaveLength(8 * 24 * 50)
  })

  test('is open to usage:read too, and separates live and sandbox', async () => {
    const { id, sandboxKey } = await gateway.createAccount()
    await gateway.sandbox.get('/v1/contacts/con_1', sandboxKey)
    for (const scope of ['account:read', 'usage:read']) {
      const { plaintext } = await gateway.createKey(id, { scopes: [scope] })
      expect((await gateway.live.get(path, plaintext)).status).toBe(200)
    }
    const { plaintext } = await gateway.createKey(id, { scopes: ['audit:read'] })

    const refused = await gateway.live.get(path, plaintext)
    const sandbox = await gateway.sandbox.get(path, sandboxKey)

    expectError(gateway, refused, { status: 403, code: 'FORBIDDEN' })
    expect(Object(sandbox.body).items.filter(isUsed)).toMatchObject([
      { service: 'contacts', requests: 1 },
    ])
  })

  const instant = 'must be an ISO 8601 instant such as 2026-01-31T00:00:00Z'
  const years = 'must be in the years 1970 to 9999'

  test.each([
    ['interval=week', 'interval', 'must be hour or day'],
    ['group_by=status', 'group_by', 'must be service, endpoint, key, client or external_id'],
    ['from=now', 'from', instant],
    ['from=0000-01-01T00:00:00%2B01:00', 'from', years],
    ['to=1969-12-31T00:00:00Z', 'to', years],
    ['to=9999-12-31T23:59:59-01:00', 'to', years],
    ['limit=1', 'limit', 'is not known here'],
    ['from=2026-02-02T00:00:00Z&to=2026-02-01T00:00:00Z', 'to', 'must be after from'],
    ['from=9999-01-01T00:00:00Z', 'from', 'must be before to'],
    [
      'from=9999-12-01T00:00:00Z&to=9999-12-31T00:00:00.001Z',
      'to',
      'must not be after 9999-12-31T00:00:00.000Z',
    ],
    ['from=2020-01-01T00:00:00Z', 'from', 'must be at most 400 days before to'],
    [
      'interval=hour&from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00.001Z',
      'from',
      'must be at most 31 days before to',
    ],
  ])('refuses %s', async (query, field, message) => {
    const response = await gateway.live.get(`${path}?${query}`, account.liveKey)

    expectError(gateway, response, {
      status: 422,
      code: 'INVALID_REQUEST',
      details: [{ field, in: 'query', message }],
    })
  })
})

describe('the summary', () => {
  let graph: TestGraph
  beforeAll(async () => {
    graph = await openTestGraph()
  })
  afterAll(() => graph.close())

  interface Call {
    readonly ms: number
    readonly service: string
    readonly route: string
    readonly status: number
    readonly credits: number
    readonly latencyMs: number
  }

  async function record(accountId: string, calls: readonly Call[]): Promise<void> {
    const of = { accountId, environment: 'live', method: 'GET', traceId: '', backendModule: 'x' }
    const entries = calls.map(({ ms, ...call }) => ({
      ...of,
      ...call,
      ...{ endpoint: '/x', requestId: newId('req', ms), ts: new Date(ms).toISOString() },
    }))
    await graph.asService('RecordUsage', { entries })
  }

  const startMs = Date.parse('2026-03-29T22:00:00.000Z')

  /** Four hours across midnight UTC. */
  function calls(): Call[] {
    return Array.from({ length: 800 }, (_, index) => ({
      ms: startMs + index * 18_000,
      service: index % 3 === 0 ? 'seo' : 'contacts',
      route: `/v1/route/${index % 5}`,
      status: index % 11 === 0 ? 500 : 200,
      credits: index % 11 === 0 ? 0 : index % 7,
      latencyMs: Math.round(1.013 ** index),
    }))
  }

  /** By definition, not by buckets: the smallest that so large a share does not exceed. */
  function percentile(calls: readonly Call[], share: number): number {
    const sorted = calls.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b)
    return sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN
  }

  test.each([
    ['hour', 'service'],
    ['hour', 'endpoint'],
    ['day', 'service'],
    ['day', 'endpoint'],
  ] as const)('by %s and %s equals the sums of the entries', async (interval, group_by) => {
    const accountId = newId('acct')
    const all = calls()
    // In batches, and some of them twice: an entry counts once.
    for (let at = 0; at < all.length; at += 50) await record(accountId, all.slice(at, at + 50))

    const variables = {
      interval,
      group_by,
      from: '2026-03-29T22:30:00Z',
      to: '2026-03-31T00:00:00Z',
    }
    const series = Object(await graph.as('SummarizeUsage', variables, callerOf(accountId)))

    const stepMs = interval === 'hour' ? 3_600_000 : 86_400_000
    const keyOf = ({ ms, service, route }: Call) =>
      [
        new Date(ms - (ms % stepMs)).toISOString(),
        service,
        group_by === 'endpoint' ? `GET ${route}` : null,
      ] as const
    const expected = [...Map.groupBy(all, (call) => JSON.stringify(keyOf(call)))]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, group]) => ({
        ...{ key: JSON.parse(key), requests: group.length },
        credits: group.reduce((sum, { credits }) => sum + credits, 0),
        successes: group.filter(({ status }) => status < 400).length,
        p50: percentile(group, 0.5),
        p95: percentile(group, 0.95),
      }))
    const items = series.items.filter(isUsed)
    expect(items).toHaveLength(expected.length)
    // Each group has a point in each interval.
    const groups = new Set(expected.map(({ key: [, ...group] }) => JSON.stringify(group)))
    const firstMs = Math.floor(Date.parse(variables.from) / stepMs) * stepMs
    const points = (Date.parse(variables.to) - firstMs) / stepMs
    expect(series.items).toHaveLength(groups.size * points)
    for (const [index, one] of expected.entries()) {
      const item = items[index]
      expect([item.start, item.service, item.endpoint]).toEqual(one.key)
      expect([item.requests, item.credits]).toEqual([one.requests, one.credits])
      expect(item.success_rate).toBeCloseTo(one.successes / one.requests, 10)
      expect(Math.abs(item.latency_p50_ms - one.p50) / one.p50).toBeLessThanOrEqual(0.1)
      expect(Math.abs(item.latency_p95_ms - one.p95) / one.p95).toBeLessThanOrEqual(0.1)
    }
  })

  test('counts an entry once, however often it is recorded', async () => {
    const accountId = newId('acct')
    const requestId = newId('req', startMs)
    const entry = {
      ...{ accountId, environment: 'live', requestId, ts: new Date(startMs).toISOString() },
      ...{ method: 'GET', endpoint: '/x', route: '/x', service: 'seo', status: 200, credits: 3 },
      ...{ latencyMs: 7, traceId: '', backendModule: 'x' },
    }
    const record = () => graph.asService('RecordUsage', { entries: [entry, entry] })
    await Promise.all(Array.from({ length: 20 }, record))

    const variables = {
      interval: 'hour',
      group_by: 'service',
      from: entry.ts,
      to: '2026-03-30T00:00:00Z',
    } as const
    const series = await graph.as('SummarizeUsage', variables, callerOf(accountId))

    expect(Object(series).items).toMatchObject([
      { requests: 1, credits: 3, latency_p50_ms: 7, latency_p95_ms: 7 },
      { requests: 0, credits: 0, latency_p50_ms: 0, latency_p95_ms: 0 },
    ])
  })

  test.each(['service', 'endpoint'] as const)(
    'of a month by hour and %s has each request once, whether it is in a sum, in none, or others of its hour are',
    async (group_by) => {
      const accountId = newId('acct')
      const beginMs = Date.parse('2026-03-01T00:00:00Z')
      const hours = 31 * 24
      const writer = usageWriterOf(graph)
      // Also in the first interval of each statement, which has 100.
      const entriesAt = (everyHours: number) =>
        Array.from({ length: Math.ceil(hours / everyHours) }, (_, index) =>
          usageEntryOf(accountId, { arrivedAtMs: beginMs + index * everyHours * 3_600_000 }),
        )
      const [summed, unsummed] = [entriesAt(4), entriesAt(10)]
      const ended = await writer.open(summed)
      await writer.record(ended, summed)
      await writer.fold(ended)
      const open = await writer.open(unsummed)
      await writer.record(open, unsummed)

      const asked = { interval: 'hour', group_by, from: '2026-03-01T00:00:00Z' } as const
      const { items } = Object(
        await graph.as(
          'SummarizeUsage',
          { ...asked, to: '2026-04-01T00:00:00Z' },
          callerOf(accountId),
        ),
      )
      await writer.fold(open)

      expect(items.map(({ requests }: { requests: number }) => requests)).toEqual(
        Array.from(
          { length: hours },
          (_, hour) => Number(hour % 4 === 0) + Number(hour % 10 === 0),
        ),
      )
    },
  )

  test('shows every latency with an error of at most a tenth', async () => {
    const steps = await graph.database.query<{ step: number; least: number; most: number }>(
      `SELECT usage.latency_class(ms) AS step, min(ms) AS least, max(ms) AS most
       FROM (SELECT generate_series(0, 20000) AS ms
         UNION ALL SELECT generate_series(20001, 2147400000, 99991)) s GROUP BY 1`,
    )

    const errors = steps.flatMap(({ step, least, most }) =>
      [least, most].map((ms) => Math.abs(latencyMsOfStep(step) - ms) / Math.max(ms, 1)),
    )
    expect(steps.length).toBeGreaterThan(100)
    expect(Math.max(...errors)).toBeLessThanOrEqual(0.1)
    expect(steps.filter(({ least }) => least === 0)).toEqual([{ step: -1, least: 0, most: 0 }])
    expect(latencyMsOfStep(-1)).toBe(0)
  })
})
